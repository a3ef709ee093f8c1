//! The integration tests: the real binary, driven as users and Terraform drive it.
//!
//! - `acceptance`: a real `terraform` (or `tofu`) against the local service. `TERRAFORM_BINARY`
//!   chooses one; without any on PATH these tests fail.
//! - `support`: the working directory of a test, what it runs, and what it reads from it.

mod acceptance;
mod support;
