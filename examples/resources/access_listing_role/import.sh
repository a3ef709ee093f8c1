terraform import access_listing_role.viewer github/viewer
