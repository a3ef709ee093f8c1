# The least that so many resources cost: `terraform_data` is part of Terraform and calls no service.

variable "roles" {
  type = number
}

variable "edition" {
  type = number
}

resource "terraform_data" "role" {
  count = var.roles
  input = {
    listing      = "listing-0"
    role         = "role-${count.index}"
    display_name = "Role ${count.index}"
    description  = "Edition ${var.edition}"
    priority     = count.index
    resources    = ["repositories/handbook", "repositories/website"]
  }
}
