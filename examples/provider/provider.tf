terraform {
  required_providers {
    access = {
      source = "access/access"
    }
  }
}

# The API key is read from ACCESS_API_KEY.
provider "access" {
  base_url = "https://eu.access.example.com"
}

resource "access_listing_role" "viewer" {
  listing      = "github"
  role         = "viewer"
  display_name = "Viewer"
  priority     = 0
}
