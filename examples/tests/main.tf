# A configuration with tests, which `terraform test` runs. mocked.tftest.hcl needs no service.
# service.tftest.hcl needs a local one, access-fake --address 127.0.0.1:8484, and ACCESS_API_KEY=admin-key.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

# Here and not in a test file: Terraform 1.15 runs one process of such a provider for a whole file, and does
# not tell it that the plan inside an apply is no second create of its objects. Later versions do.
provider "access" {
  base_url = var.base_url
}

variable "base_url" {
  description = "Regional address of the service; by default ACCESS_BASE_URL."
  type        = string
  default     = null
}

variable "roles" {
  description = "Roles of the listing github, by ID."
  type = map(object({
    display_name = string
    priority     = number
    resources    = set(string)
  }))

  validation {
    condition     = length(distinct([for role in var.roles : role.priority])) == length(var.roles)
    error_message = "Each role has a priority of its own."
  }
}

data "access_integration_owner" "founder" {
  integration = "github"
  owner       = "users/founder"
}

resource "access_listing_role" "github" {
  for_each = var.roles

  listing      = "github"
  role         = each.key
  display_name = each.value.display_name
  priority     = each.value.priority
  resources    = each.value.resources

  lifecycle {
    # For a service that adds resources to a role by itself. The create sends those of the configuration.
    ignore_changes = [resources]
  }
}

output "founder" {
  value = data.access_integration_owner.founder.name
}
