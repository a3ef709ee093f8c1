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

output "eu_reviews" {
  description = "Why roles of the EU region exist and when that is to be reviewed, for `export --reviews`."
  value       = module.eu.reviews
}

output "us_reviews" {
  description = "The same for the US region."
  value       = module.us.reviews
}
