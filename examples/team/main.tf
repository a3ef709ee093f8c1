provider "access" {
  alias    = "eu"
  base_url = var.eu_base_url
  api_key  = var.eu_api_key
}

provider "access" {
  alias    = "us"
  base_url = var.us_base_url
  api_key  = var.us_api_key
}

module "eu" {
  source    = "./region"
  directory = "${path.module}/eu"
  providers = { access = access.eu }
}

module "us" {
  source    = "./region"
  directory = "${path.module}/us"
  providers = { access = access.us }
}

output "roles" {
  description = "Names of the roles, by region."
  value = {
    eu = module.eu.roles
    us = module.us.roles
  }
}
