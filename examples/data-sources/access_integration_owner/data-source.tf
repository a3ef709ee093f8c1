data "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}

output "platform_owner_id" {
  value = data.access_integration_owner.platform.integration_owner_id
}
