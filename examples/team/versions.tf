terraform {
  required_version = ">= 1.10"

  required_providers {
    access = {
      source = "access/access"
    }
  }
}
