//! An integration owner as the shared procedures see it.

use access_client::api::IntegrationOwner;
use access_client::{Client, Error, Identifier, IntegrationOwnerName, NameError, Pages, Response};

use super::schema;
use crate::object::{Object, object_methods};
use crate::service::{Run, Service};

impl Object for IntegrationOwner {
    const KIND: &'static str = "integration owner";
    const A_KIND: &'static str = "an integration owner";
    const TYPE: &'static str = "access_integration_owner";
    const PARENT_KIND: &'static str = "integration";
    const WITHOUT_READS: &'static str = "Set `drift_detection = \"off\"` to send no reads.";
    const ADOPTION: &'static str = "Or set `adopt_existing = true` to adopt the owner as it is.";
    const CREATE_IS_IDEMPOTENT: bool = false;
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2] =
        [("integration", schema::INTEGRATION), ("owner", schema::INTEGRATION_OWNER_ID)];
    const NAME_FORM: &'static str = "integrations/{integration}/owners/{owner}";

    /// Returns `None`: the service does not keep owners that were removed.
    fn delete_time(&self) -> Option<&str> {
        None
    }

    object_methods!(IntegrationOwnerName { integration, owner },
        owners: get_integration_owner delete_integration_owner integration_owner_pages);
}
