# The roles of one listing, from its YAML file.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

variable "listing" {
  description = "ID of the listing."
  type        = string
}

variable "file" {
  description = "YAML file with the roles of the listing, by ID."
  type        = string
}

locals {
  content = yamldecode(file(var.file))
  roles   = try(merge(local.content), {})
  keys    = ["display_name", "description", "priority", "resources"]

  # What would otherwise be ignored, or turned into a text: YAML reads no as false, and 1.10 as 1.1.
  problems = flatten([
    for role, settings in local.roles : [
      [for key in try(keys(settings), []) : "${role}: ${key} is not a key of roles" if !contains(local.keys, key)],
      [
        for key in ["display_name", "description", "resources"] : [
          for value in flatten([try(settings[key], [])]) : "${role}: ${key} has ${jsonencode(value)} where a text belongs: use quotes"
          if try(value == null || tostring(value) != value, false)
        ]
      ],
    ]
  ])
}

resource "access_listing_role" "this" {
  for_each = local.roles

  listing      = var.listing
  role         = each.key
  display_name = try(each.value.display_name, null)
  priority     = try(tonumber(each.value.priority), null)
  description  = try(each.value.description, null)

  # Not managed if the file omits them. Only admins may set them.
  resources = try(each.value.resources, null)
}

output "roles" {
  description = "Names of the roles, by ID."
  value       = { for role in keys(local.roles) : role => "listings/${var.listing}/roles/${role}" }

  precondition {
    condition     = length(local.roles) > 0
    error_message = "${var.file}: no roles by ID. Write a role, or delete the file."
  }

  precondition {
    condition     = length(local.problems) == 0
    error_message = "${var.file}:\n- ${join("\n- ", local.problems)}"
  }
}
