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
  # As in ../listing/main.tf.
  content = try(yamldecode("---\n${trimprefix(file(var.file), "\ufeff")}"), yamldecode(file(var.file)))
  entries = try(concat(local.content, []), [])
  owners  = [for entry in local.entries : entry if startswith(jsonencode(entry), "\"")]
}

resource "access_integration_owner" "this" {
  for_each = toset(local.owners)

  integration = var.integration
  owner       = each.value
}

output "owners" {
  description = "The owners."
  value       = local.owners

  precondition {
    condition     = length(local.entries) > 0
    error_message = "${var.file}: no list of owners. Write an owner, or delete the file."
  }

  precondition {
    condition     = length(local.owners) == length(local.entries)
    error_message = "${var.file}: not a text: ${join(", ", [for entry in local.entries : jsonencode(entry) if !startswith(jsonencode(entry), "\"")])}."
  }
}
