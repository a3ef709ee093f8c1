import {
  to = access_integration_owners.github
  identity = {
    integration = "github"
  }
}
