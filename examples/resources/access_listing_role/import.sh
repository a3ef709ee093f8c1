# The full name, or the IDs of listing and role.
terraform import access_listing_role.viewer listings/github/roles/viewer
terraform import access_listing_role.viewer github/viewer
