# A provider for any REST API.

terraform {
  required_providers {
    restapi = {
      source = "Mastercard/restapi"
    }
  }
}

variable "base_url" {
  type = string
}

variable "api_key" {
  type = string
}

variable "roles" {
  type = number
}

variable "edition" {
  type = number
}

provider "restapi" {
  uri                  = var.base_url
  headers              = { Authorization = "Bearer ${var.api_key}" }
  create_method        = "PATCH"
  update_method        = "PATCH"
  write_returns_object = true
  id_attribute         = "name"
}

locals {
  collection = "/api/v1/listings/listing-0/roles"
  mask       = "updateMask=displayName,description,priority,resources"
}

resource "restapi_object" "role" {
  count        = var.roles
  object_id    = "listings/listing-0/roles/role-${count.index}"
  path         = local.collection
  create_path  = "${local.collection}/role-${count.index}?allowMissing=true&${local.mask}"
  read_path    = "${local.collection}/role-${count.index}"
  update_path  = "${local.collection}/role-${count.index}?${local.mask}"
  destroy_path = "${local.collection}/role-${count.index}"
  data = jsonencode({
    displayName = "Role ${count.index}"
    description = "Edition ${var.edition}"
    priority    = tostring(count.index)
    resources   = ["repositories/handbook", "repositories/website"]
  })
}
