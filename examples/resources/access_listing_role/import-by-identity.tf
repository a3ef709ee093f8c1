import {
  to = access_listing_role.viewer
  identity = {
    listing = "github"
    role    = "viewer"
  }
}
