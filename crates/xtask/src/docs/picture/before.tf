resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
  resources    = ["repositories/website", "repositories/platform"]
}

resource "access_listing_role" "operator" {
  listing      = "production"
  role         = "operator"
  display_name = "Operator"
  priority     = 1
  resources    = ["clusters/eu"]
}

resource "access_integration_owner" "ada" {
  integration = "github"
  owner       = "users/ada"
}
