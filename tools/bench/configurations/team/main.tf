# One region of examples/team, whose modules are copied beside this file.

terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

module "region" {
  source    = "./region"
  directory = "${path.module}/data"
}
