# By its full name, or by the IDs of integration and owner. The last is the service's ID of the owner,
# not the user, group or team: the data source access_integration_owner finds it by `owner`.
terraform import access_integration_owner.platform integrations/github/owners/own-1
terraform import access_integration_owner.platform github/own-1
