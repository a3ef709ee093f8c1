# The roles and owners of one region, from its YAML file.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

variable "file" {
  description = "YAML file with the region's `listings` and `integrations`."
  type        = string
}

locals {
  wanted = yamldecode(file(var.file))

  roles = merge([
    for listing, roles in local.wanted.listings : {
      for role, settings in roles : "${listing}/${role}" => {
        listing  = listing
        role     = role
        settings = settings
      }
    }
  ]...)

  owners = merge([
    for integration, owners in local.wanted.integrations : {
      for owner in coalesce(owners, []) : "${integration}/${owner}" => {
        integration = integration
        owner       = owner
      }
    }
  ]...)
}

resource "access_listing_role" "this" {
  for_each = local.roles

  listing      = each.value.listing
  role         = each.value.role
  display_name = each.value.settings.display_name
  priority     = each.value.settings.priority
  description  = try(each.value.settings.description, null)

  # Left out in the file, they are not managed: a role without them needs no admin's key.
  resources = try(each.value.settings.resources, null)

  lifecycle {
    # A new name that the service refuses then leaves the old role standing.
    create_before_destroy = true

    precondition {
      # A misspelt key would otherwise be left out silently.
      condition = length(setsubtract(
        keys(each.value.settings),
        ["display_name", "priority", "description", "resources"],
      )) == 0
      error_message = "${var.file}: ${each.key} has a key that no role has."
    }
  }
}

resource "access_integration_owner" "this" {
  for_each = local.owners

  integration = each.value.integration
  owner       = each.value.owner
}

output "roles" {
  description = "Names of the roles, by listing and role."
  value       = { for key, role in access_listing_role.this : key => role.name }
}
