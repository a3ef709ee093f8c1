# The ID of the integration, or its name.
terraform import access_integration_owners.github github
terraform import access_integration_owners.github integrations/github
