# The last part is the ID of the owner in its integration, or the user, group or team.
terraform import access_integration_owner.platform integrations/github/owners/own-1
terraform import access_integration_owner.platform github/own-1
terraform import access_integration_owner.platform github/teams/platform
