resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
  resources    = ["repositories/website", "repositories/handbook"]
}

resource "access_integration_owner" "platform" {
  integration = "github"
  owner       = "teams/platform"
}
