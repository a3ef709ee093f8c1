# What Terraform costs for the modules of examples/team: the same modules and files, with `terraform_data` and without checks.

module "region" {
  source    = "./region"
  directory = "${path.module}/data"
}
