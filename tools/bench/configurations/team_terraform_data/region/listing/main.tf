variable "listing" {
  type = string
}

variable "file" {
  type = string
}

locals {
  # Terraform evaluates `for_each` for each instance.
  roles = yamldecode(file(var.file))
}

resource "terraform_data" "this" {
  for_each = local.roles

  input = {
    listing      = var.listing
    role         = each.key
    display_name = each.value.display_name
    description  = each.value.description
    priority     = each.value.priority
    resources    = each.value.resources
  }
}

output "roles" {
  value = { for role in keys(local.roles) : role => "listings/${var.listing}/roles/${role}" }
}
