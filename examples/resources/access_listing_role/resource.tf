resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
  description  = "Read access to all repositories. Request it to follow a project."
}

# Only admins may set resources.
resource "access_listing_role" "admin" {
  listing      = "github"
  role         = "admin"
  display_name = "Admin"
  priority     = 20
  resources = [
    "repositories/platform",
    "repositories/website",
  ]
}
