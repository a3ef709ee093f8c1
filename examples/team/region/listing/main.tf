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
  text     = trimprefix(file(var.file), "\ufeff")
  is_empty = !can(regex("(?m)^[ \t]*[^#\\s]", local.text))
  content  = local.is_empty ? null : yamldecode(file(var.file))
  roles    = try({ for role in keys(local.content) : role => local.content[role] }, {})

  required_keys = ["display_name", "priority"]
  optional_keys = ["description", "resources", "reason", "review_after"]
  known_keys    = concat(local.required_keys, local.optional_keys)
  text_keys     = ["display_name", "description", "reason"]

  # Terraform reads the last of two equal keys. The text has both: roles are the keys with the indent of the first, and
  # their settings the keys below, again with the indent of the first. A quoted text may have lines that look like keys.
  lines    = replace(local.text, "/(?m)^([ \t]*(?:-|[^\\s#:]+:)[ \t]+)(?:\"(?:[^\"\\\\]|\\\\[\\s\\S])*\"|'[^']*')/", "$1")
  indent   = try(regex("(?m)^([ \t]*)[^#\\s-]", local.lines)[0], "")
  key      = "[\"']?((?:[^\\s#\"'-]|-\\S).*?)[\"']?[ \t]*:(?:[ \t\r].*)?$"
  sections = regexall("(?m)^${local.indent}${local.key}((?:\n(?:${local.indent}[ \t].*|[ \t\r]*(?:#.*)?)$)*)", local.lines)
  bodies   = { for section in local.sections : section[0] => section[1]... }
  indents  = { for role, bodies in local.bodies : role => try(regex("\n([ \t]+)[^#\\s]", bodies[0])[0], " ") }
  settings = {
    for role, bodies in local.bodies :
    role => { for key in regexall("(?m)^${local.indents[role]}${local.key}", bodies[0]) : key[0] => true... }
  }

  # YAML reads no as false and 1.10 as 1.1, and the role would have that ID.
  misread = {
    for key in setsubtract(keys(local.bodies), keys(local.roles)) : try(tostring(yamldecode(key)), key) => key...
  }

  # A date without quotes is read as a time.
  times = [
    for date in regexall("(?m)^[ \t]*(?:-|(?:${join("|", local.text_keys)}):)[ \t]+(\\d{4}-\\d\\d-\\d\\d)[ \t\r]*(?:#.*)?$", local.lines) :
    "${date[0]}T00:00:00Z"
  ]
  review_dates = {
    for role, settings in local.roles :
    role => try(formatdate("YYYY-MM-DD", "${trimsuffix(settings.review_after, "T00:00:00Z")}T00:00:00Z"), null)
  }

  problems = {
    for role, settings in local.roles : role => concat(
      [for key in lookup(local.misread, role, []) : "${key} is read as ${role}: write it in quotes"],
      length(try(local.bodies[role], [])) > 1 ? ["the role is in the file twice"] : [],
      [for key, found in try(local.settings[role], {}) : "${key} is there twice" if length(found) > 1],
      [for key in try(keys(settings), []) : "${key} is not a key of roles" if !contains(local.known_keys, key)],
      [for key in local.required_keys : "${key} is missing" if !can(settings[key])],
      [
        for key, value in try({ for key in keys(settings) : key => settings[key] }, {}) : "${key} has no value"
        if value == null || try(anytrue([for element in value : element == null]), trimspace(value) == "" && key != "description", false)
      ],
      # Terraform turns false and 12 into texts without an error.
      [
        for key in local.text_keys : try("${key} is read as ${settings[key]}: write it in quotes", "${key} is not a text")
        if try(settings[key], null) != null && !try(settings[key] == tostring(settings[key]) && !contains(local.times, settings[key]), false)
      ],
      [
        for index, entry in try(concat(settings.resources, []), []) :
        try("entry ${index + 1} of resources is read as ${entry}: write it in quotes", "entry ${index + 1} of resources is not a text")
        if entry != null && !try(entry == tostring(entry) && !contains(local.times, entry), false)
      ],
      try(settings.resources == null || can(concat(settings.resources, [])), true) ? [] : ["resources is not a list"],
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
    error_message = "${var.file}: ${local.content == null || can(keys(local.content)) ? "no roles. Write a role, or delete the file" : "the file is not a map of roles"}."
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
