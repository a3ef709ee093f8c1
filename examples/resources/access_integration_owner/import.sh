# By its full name, or by the IDs of integration and owner.
terraform import access_integration_owner.platform integrations/github/owners/platform
terraform import access_integration_owner.platform github/platform
