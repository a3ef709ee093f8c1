list "access_integration_owner" "okta" {
  provider = access

  config {
    integration = "okta"
  }
}
