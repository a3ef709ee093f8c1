variable "listing" {
  type = string
}

variable "file" {
  type = string
}

resource "terraform_data" "this" {
  for_each = yamldecode(file(var.file))
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
  value = { for role, this in terraform_data.this : role => this.id }
}
