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
  content = yamldecode(file(var.file))

  # An entry that is not a text becomes one that the provider refuses.
  owners = [for entry in try(concat(local.content, []), []) : coalesce(try(tostring(entry), null), jsonencode(entry))]
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
    condition     = length(local.owners) > 0
    error_message = "${var.file}: no list of owners. Write an owner, or delete the file."
  }
}
