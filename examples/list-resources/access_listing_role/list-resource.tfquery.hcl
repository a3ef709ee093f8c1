list "access_listing_role" "github" {
  provider = access

  config {
    listing = "github"
  }
}

# Those that nothing manages yet.
list "access_listing_role" "unmanaged" {
  provider = access
  limit    = 20

  config {
    listing = "github"
    manager = ""
  }
}
