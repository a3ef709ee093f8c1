# By the user, group or team.
data "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}

# By the ID of the owner in its integration.
data "access_integration_owner" "founder" {
  integration          = "github"
  integration_owner_id = "founder"
}
