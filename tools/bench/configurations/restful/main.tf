# Another provider for any REST API.

terraform {
  required_providers {
    restful = {
      source = "magodo/restful"
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

provider "restful" {
  base_url = var.base_url
  security = {
    http = {
      token = {
        token = var.api_key
      }
    }
  }
}

locals {
  mask = ["displayName,description,priority,resources"]
}

resource "restful_resource" "role" {
  count                = var.roles
  path                 = "/api/v1/listings/listing-0/roles/role-${count.index}"
  create_method        = "PATCH"
  create_query         = { allowMissing = ["true"], updateMask = local.mask }
  update_method        = "PATCH"
  update_query         = { updateMask = local.mask }
  merge_patch_disabled = true
  body = {
    displayName = "Role ${count.index}"
    description = "Edition ${var.edition}"
    priority    = tostring(count.index)
    resources   = ["repositories/handbook", "repositories/website"]
  }
}
