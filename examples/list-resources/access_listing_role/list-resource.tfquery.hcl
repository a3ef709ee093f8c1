# Roles that have no manager yet.
list "access_listing_role" "github" {
  provider = access

  config {
    listing = "github"
    manager = ""
  }
}
