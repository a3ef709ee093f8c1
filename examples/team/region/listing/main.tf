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
  # An empty file is not YAML, but an empty document is. If neither can be read, the second error has the line.
  content = try(yamldecode("---\n${trimprefix(file(var.file), "\ufeff")}"), yamldecode(file(var.file)))
  roles   = try({ for role in keys(local.content) : role => local.content[role] }, {})

  # The type of each key. Terraform would turn the false that YAML reads from no into a text.
  types = { display_name = "a text", description = "a text", priority = "a number", resources = "a list" }

  # The type that a value has, by the first character of its JSON; any other character begins a number.
  type_of = { "\"" = "a text", "[" = "a list", "{" = "a map", n = "empty", t = "true", f = "false" }

  problems = flatten([
    for role, settings in local.roles : [
      contains(["true", "false", "null"], role) ? ["${role} is not an ID. If YAML made it of yes or no, use quotes or another ID"] : [],
      can(keys(settings)) ? [] : ["${role} has no keys"],
      [for key in ["display_name", "priority"] : "${role}: ${key} is missing" if !can(settings[key])],
      [for key in try(keys(settings), []) : "${role}: ${key} is not a key of roles" if !can(local.types[key])],
      [
        for key, type in local.types : "${role}: ${key} must be ${type} and is ${lookup(local.type_of, substr(jsonencode(settings[key]), 0, 1), "a number")}"
        if can(settings[key]) && lookup(local.type_of, try(substr(jsonencode(settings[key]), 0, 1), ""), "a number") != type
      ],
      [
        for entry in try(concat(settings.resources, []), []) : "${role}: resources contains ${jsonencode(entry)}, which is not a text"
        if !startswith(jsonencode(entry), "\"")
      ],
    ]
  ])
}

resource "access_listing_role" "this" {
  for_each = local.roles

  listing      = var.listing
  role         = each.key
  display_name = try(each.value.display_name, null)
  priority     = try(each.value.priority, null)
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
