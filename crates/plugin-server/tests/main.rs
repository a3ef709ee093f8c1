//! The crate as hosts see it: by a client that behaves as go-plugin does, and by Terraform itself.

mod generated_code;
mod suite;
