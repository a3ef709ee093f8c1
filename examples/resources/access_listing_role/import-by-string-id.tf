import {
  to = access_listing_role.viewer
  id = "listings/github/roles/viewer"
}
