# The owners of one integration, from its YAML file.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

variable "integration" {
  description = "ID of the integration."
  type        = string
}

variable "file" {
  description = "YAML file with the list of the owners that are added to existing ones."
  type        = string
}

locals {
  # An empty file is not YAML.
  is_empty = !can(regex("(?m)^[ \t]*[^#\\s]", file(var.file)))
  content  = local.is_empty ? null : yamldecode(file(var.file))
  is_list  = local.content == null || can(concat(local.content, []))
  entries  = try(concat(local.content, []), [])
  owners   = [for entry in local.entries : entry if try(entry == tostring(entry) && trimspace(entry) != "", false)]
  by_owner = { for owner in local.owners : owner => true... }

  problems = concat(
    local.is_list ? [] : ["the file is not a list of owners"],
    local.is_list && length(local.entries) == 0 ? ["no owners. Write a list of owners, or delete the file"] : [],
    [for index, entry in local.entries : "entry ${index + 1} has no value" if entry == null || try(trimspace(entry) == "", false)],
    # YAML reads no as false, and what ends with a colon as a map.
    [
      for index, entry in local.entries : try("entry ${index + 1} is read as ${entry}: write it in quotes", "entry ${index + 1} is not a text")
      if !try(entry == tostring(entry), false)
    ],
    [for owner, found in local.by_owner : "${owner} is there twice" if length(found) > 1],
  )
}

resource "access_integration_owner" "this" {
  for_each = toset(local.owners)

  integration = var.integration
  owner       = each.value
}

output "owners" {
  description = "Names of the owners, by principal."
  value       = { for owner, this in access_integration_owner.this : owner => this.name }

  precondition {
    condition     = length(local.problems) == 0
    error_message = "${var.file}: ${join(", ", local.problems)}."
  }
}
