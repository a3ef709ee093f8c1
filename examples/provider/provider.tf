terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

# The key is read from ACCESS_API_KEY, so that it is in no file.
provider "access" {
  base_url = "https://eu.access.example.com"
}
