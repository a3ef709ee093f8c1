import {
  to = access_integration_owner.platform
  id = "integrations/github/owners/own-1"
}
