import {
  to = access_integration_owner.platform
  identity = {
    integration          = "github"
    integration_owner_id = "own-1"
  }
}
