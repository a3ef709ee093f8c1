//! Importing an object, by GET. An import never writes.

use access_client::{Object, ObjectName as _};
use tf_provider::Diagnostics;

use crate::resource::call::Call;
use crate::resource::describe::{Describe, StoredOf};
use crate::resource::entity::Entity;
use crate::run::Configured;
use crate::say::Reported;
use crate::say::call::{invalid_state, was_deleted};
use crate::say::read::Needed;

/// Importing the object of a resource.
pub(crate) trait Import: Describe {
    /// Returns the full name that an import ID selects, or adds an error.
    fn find_import(
        configured: &Configured,
        id: &str,
        diags: &mut Diagnostics,
    ) -> impl Future<Output = Result<String, Reported>> + Send;
    /// Imports the object of the full name that `call` has.
    fn import(call: &mut Call<'_>)
    -> impl Future<Output = Result<StoredOf<Self>, Reported>> + Send;
}

impl<E: Entity> Import for E {
    async fn find_import(
        configured: &Configured,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<String, Reported> {
        Ok(E::import_name(configured, id, diags).await?.to_string())
    }

    async fn import(call: &mut Call<'_>) -> Result<StoredOf<Self>, Reported> {
        let Ok(name) = E::Name::parse(&call.object) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let instead =
            format!("Without reads, an object cannot be imported. {}", E::INSTEAD_OF_IMPORT);
        let needed = Needed {
            missing: format!("The {}", call.words.noun),
            operation: "reads",
            attribute: None,
            alternative: instead,
        };
        let object = get_needed::<E>(call, &name, &needed).await?;
        let mut stored = E::after_read(StoredOf::<Self>::default(), object);
        stored.private.record_seen(call.run, name.to_string());
        E::after_import(call, &mut stored);
        call.run.plans.record_import(&call.object);
        Ok(stored)
    }
}

/// Reads an object by GET for an operation that cannot do without it, or adds an error.
pub(crate) async fn get_needed<E: Object>(
    call: &mut Call<'_>,
    name: &E::Name,
    needed: &Needed,
) -> Result<E, Reported> {
    let object = match E::get(&call.run.client, name).await {
        Ok(object) => object,
        Err(error) => return Err(call.failed_with(&error, needed.advice(&error))),
    };
    let Some(at) = object.delete_time() else { return Ok(object) };
    let deleted = was_deleted(call.operation.failure(), &call.run.client.presentable(at));
    Err(call.fail(deleted.at(needed.attribute)))
}
