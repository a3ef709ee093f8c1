data "access_listing_roles" "github" {
  listing = "github"
}

# Roles that nobody manages as code yet.
output "unmanaged_roles" {
  value = [for role in data.access_listing_roles.github.roles : role.name if role.manager != "TERRAFORM"]
}
