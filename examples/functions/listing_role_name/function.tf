# listings/github/roles/viewer
output "name" {
  value = provider::access::listing_role_name("github", "viewer")
}
