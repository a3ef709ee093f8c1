import {
  to = access_integration_owners.github
  id = "integrations/github"
}
