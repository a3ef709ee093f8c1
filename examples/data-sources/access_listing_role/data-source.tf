data "access_listing_role" "admin" {
  listing = "github"
  role    = "admin"
}

output "managed_by" {
  value = data.access_listing_role.admin.manager
}
