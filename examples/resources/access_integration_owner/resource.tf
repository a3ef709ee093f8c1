resource "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}
