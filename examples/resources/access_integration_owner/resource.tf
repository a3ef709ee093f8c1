resource "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}

# The user who added the integration is its first owner already.
resource "access_integration_owner" "founder" {
  integration    = "github"
  owner          = "users/founder"
  adopt_existing = true
}
