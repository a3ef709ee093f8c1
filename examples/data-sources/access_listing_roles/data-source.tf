data "access_listing_roles" "github" {
  listing = "github"
}

# Roles that are not managed as code.
output "unmanaged_roles" {
  value = [for role in data.access_listing_roles.github.roles : role.name if role.manager != "TERRAFORM"]
}
