mock_provider "access" {
  mock_data "access_integration_owner" {
    defaults = {
      name = "integrations/github/owners/own-1"
    }
  }
}

variables {
  roles = {
    viewer = { display_name = "Viewer", priority = 0, resources = ["repositories/website"] }
    admin  = { display_name = "Admin", priority = 10, resources = ["repositories/website"] }
  }
}

run "plan_contains_every_role" {
  command = plan

  assert {
    condition     = access_listing_role.github["viewer"].priority < access_listing_role.github["admin"].priority
    error_message = "The role with less access comes first."
  }

  assert {
    condition     = output.founder == "integrations/github/owners/own-1"
    error_message = "The data source returns the value of this file."
  }
}

run "equal_priorities_are_refused" {
  command = plan

  variables {
    roles = {
      viewer = { display_name = "Viewer", priority = 0, resources = [] }
      reader = { display_name = "Reader", priority = 0, resources = [] }
    }
  }

  expect_failures = [var.roles]
}
