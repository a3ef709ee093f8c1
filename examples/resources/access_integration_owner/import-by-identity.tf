import {
  to = access_integration_owner.platform
  identity = {
    integration = "github"
    owner       = "own-1"
  }
}
