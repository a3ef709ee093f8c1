data "access_integration_owners" "github" {
  integration = "github"
}

output "owners" {
  value = data.access_integration_owners.github.owners[*].owner
}
