list "access_integration_owners" "okta" {
  provider = access

  config {
    integration = "okta"
  }
}
