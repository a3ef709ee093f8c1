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
  content = yamldecode(file(var.file))

  roles = merge([
    for listing, roles in local.content.listings : {
      for role, settings in roles : "${listing}/${role}" => {
        listing  = listing
        role     = role
        settings = settings
      }
    } if roles != null
  ]...)

  listings_without_roles = [for listing, roles in local.content.listings : listing if roles == null]

  required_keys = ["display_name", "priority"]
  optional_keys = ["description", "resources"]

  # `try` below would ignore a misspelt key.
  problems = {
    for key, role in local.roles : key => concat(
      [
        for name in setsubtract(try(keys(role.settings), []), concat(local.required_keys, local.optional_keys)) :
        "${name} is not a key of roles"
      ],
      [
        for name in setsubtract(local.required_keys, try(keys(role.settings), [])) :
        "${name} is missing"
      ],
    )
  }

  owners = merge([
    for integration, owners in local.content.integrations : {
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

  # Not managed if the file omits them. Only admins may set them.
  resources = try(each.value.settings.resources, null)

  lifecycle {
    precondition {
      condition     = length(local.problems[each.key]) == 0
      error_message = "${var.file}: ${each.key}: ${join(", ", local.problems[each.key])}."
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

  precondition {
    condition     = length(local.listings_without_roles) == 0
    error_message = "${var.file}: listings without roles: ${join(", ", local.listings_without_roles)}. Write their roles, or delete them."
  }
}
