resource "access_integration_owners" "github" {
  integration = "github"

  owners = [
    "teams/platform",
    "users/ada",
  ]
}
