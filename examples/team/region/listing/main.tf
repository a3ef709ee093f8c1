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
  # An empty file is not YAML.
  is_empty = !can(regex("(?m)^[ \t]*[^#\\s]", file(var.file)))
  content  = local.is_empty ? null : yamldecode(file(var.file))
  roles    = try({ for role in keys(local.content) : role => local.content[role] }, {})

  required_keys = ["display_name", "priority"]
  optional_keys = ["description", "resources", "reason", "review_after"]

  # Terraform reads the last of two equal keys. The text has both: roles are the keys without an indent, and their
  # settings the keys below with the indent of the first.
  key      = "[\"']?((?:[^\\s#\"'-]|-\\S).*?)[\"']?[ \t]*:(?:[ \t\r].*)?$"
  sections = regexall("(?m)^${local.key}((?:\n(?:[ \t#\r].*)?$)*)", file(var.file))
  bodies   = { for section in local.sections : section[0] => section[1]... }
  indents  = { for role, bodies in local.bodies : role => try(regex("\n([ \t]+)[^#\\s]", bodies[0])[0], " ") }
  settings = {
    for role, bodies in local.bodies :
    role => { for key in regexall("(?m)^${local.indents[role]}${local.key}", bodies[0]) : key[0] => true... }
  }

  review_dates = {
    for role, settings in local.roles :
    role => try(formatdate("YYYY-MM-DD", "${substr(settings.review_after, 0, 10)}T00:00:00Z"), null)
  }

  problems = {
    for role, settings in local.roles : role => concat(
      length(try(local.bodies[role], [])) > 1 ? ["the role is in the file twice"] : [],
      [for key, found in try(local.settings[role], {}) : "${key} is there twice" if length(found) > 1],
      [
        for key in setsubtract(try(keys(settings), []), concat(local.required_keys, local.optional_keys)) :
        "${key} is not a key of roles"
      ],
      [for key in setsubtract(local.required_keys, try(keys(settings), [])) : "${key} is missing"],
      [
        for key, value in try({ for key in keys(settings) : key => settings[key] }, {}) : "${key} has no value"
        if value == null || try(anytrue([for element in value : element == null]), trimspace(value) == "" && key != "description", false)
      ],
      try(settings.priority == null || can(tonumber(settings.priority)), true) ? [] : ["priority is not a number"],
      can(settings.review_after) && local.review_dates[role] == null ? ["review_after is not a date, such as 2027-01-31"] : [],
    )
  }

  overdue = [
    for role, date in local.review_dates : join(" ", compact([role, "(${date})", try(local.roles[role].reason, null)]))
    if try(timecmp("${date}T23:59:59Z", plantimestamp()) < 0, false)
  ]
}

resource "access_listing_role" "this" {
  for_each = local.roles

  listing      = var.listing
  role         = each.key
  display_name = each.value.display_name
  priority     = each.value.priority
  description  = try(each.value.description, null)

  # Not managed if the file omits them. Only admins may set them.
  resources = try(each.value.resources, null)

  lifecycle {
    precondition {
      condition     = length(local.problems[each.key]) == 0
      error_message = "${var.file}: ${each.key}: ${join(", ", local.problems[each.key])}."
    }
  }
}

check "reviews" {
  assert {
    condition     = length(local.overdue) == 0
    error_message = "${var.file}: review these roles: ${join("; ", local.overdue)}."
  }
}

output "roles" {
  description = "Names of the roles, by ID."
  value       = { for role, this in access_listing_role.this : role => this.name }

  precondition {
    condition     = length(local.roles) > 0
    error_message = "${var.file}: no roles. Write a role, or delete the file."
  }
}

output "reviews" {
  description = "Why roles exist and when that is to be reviewed, by ID."
  value = {
    for role, settings in local.roles : role => {
      reason       = try(settings.reason, null)
      review_after = local.review_dates[role]
    } if can(settings.reason) || can(settings.review_after)
  }
}
