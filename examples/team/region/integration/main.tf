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
  entries  = can(keys(local.content)) ? [] : try([for owner in local.content : owner == null ? "" : owner], [])
  owners   = compact(local.entries)
  by_owner = { for owner in local.owners : owner => true... }

  problems = concat(
    length(local.entries) == 0 ? ["no owners. Write a list of owners, or delete the file"] : [],
    length(local.entries) > length(local.owners) ? ["an entry has no value"] : [],
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
