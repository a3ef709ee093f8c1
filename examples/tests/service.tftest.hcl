# These runs create roles at the local service, and destroy them at the end.
variables {
  base_url = "http://127.0.0.1:8484"
  roles = {
    viewer = { display_name = "Viewer", priority = 0, resources = ["repositories/website"] }
  }
}

run "role_is_created" {
  assert {
    condition     = access_listing_role.github["viewer"].manager == "TERRAFORM"
    error_message = "The service records Terraform as the manager."
  }
}

run "role_gets_another_display_name_in_place" {
  command = plan

  variables {
    roles = {
      viewer = { display_name = "Reader", priority = 0, resources = ["repositories/website"] }
    }
  }

  # The times of a replacement are unknown, and an unknown condition fails the run.
  assert {
    condition     = access_listing_role.github["viewer"].create_time != ""
    error_message = "The role is replaced."
  }
}
