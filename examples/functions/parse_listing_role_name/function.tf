# { listing = "github", role = "viewer" }
output "parts" {
  value = provider::access::parse_listing_role_name("listings/github/roles/viewer")
}
