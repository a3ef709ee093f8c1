# This provider. ACCESS_BASE_URL and ACCESS_API_KEY configure it.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

variable "roles" {
  type = number
}

variable "edition" {
  type = number
}

resource "access_listing_role" "role" {
  count        = var.roles
  listing      = "listing-0"
  role         = "role-${count.index}"
  display_name = "Role ${count.index}"
  description  = "Edition ${var.edition}"
  priority     = count.index
  resources    = ["repositories/handbook", "repositories/website"]
}
