# The roles and owners of one region: a YAML file for each listing and integration, and a module for each file, because
# the time of a plan grows with the square of the instances of one resource.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

variable "directory" {
  description = "Directory of the region, with `listings` and `integrations`."
  type        = string
}

locals {
  listings     = { for file in fileset(var.directory, "listings/*.yaml") : trimsuffix(basename(file), ".yaml") => file }
  integrations = { for file in fileset(var.directory, "integrations/*.yaml") : trimsuffix(basename(file), ".yaml") => file }

  # A file that is not read any more would have all its objects destroyed, also if it is now production.yaml.bak.
  files = concat(values(local.listings), values(local.integrations))
  unread = [
    for file in setsubtract(fileset(var.directory, "**"), local.files) : file
    if !startswith(basename(file), ".") && (strcontains(lower(file), ".yml") || strcontains(lower(file), ".yaml"))
  ]
}

module "listing" {
  source   = "./listing"
  for_each = local.listings

  listing = each.key
  file    = "${var.directory}/${each.value}"
}

module "integration" {
  source   = "./integration"
  for_each = local.integrations

  integration = each.key
  file        = "${var.directory}/${each.value}"
}

output "roles" {
  description = "Names of the roles, by listing and ID."
  value       = { for id, listing in module.listing : id => listing.roles }

  precondition {
    condition     = length(local.files) > 0
    error_message = "${var.directory}: no listings/*.yaml or integrations/*.yaml."
  }

  precondition {
    condition     = length(local.unread) == 0
    error_message = "${var.directory}: only listings/*.yaml and integrations/*.yaml are read, and not ${join(", ", local.unread)}."
  }
}
