# integrations/github/owners/founder
output "name" {
  value = provider::access::integration_owner_name("github", "founder")
}
