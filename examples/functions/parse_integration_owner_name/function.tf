# { integration = "github", owner = "founder" }
output "parts" {
  value = provider::access::parse_integration_owner_name("integrations/github/owners/founder")
}
