terraform {
  required_version = ">= 1.8"

  required_providers {
    access = {
      source = "access/access"
    }
  }
}
