//! Importing an object, by GET. An import never writes.

use super::call::Call;
use super::message::Reported;
use super::next_step::NeededRead;
use super::read::get_needed;
use super::{Entity, Stored};

/// Imports an object.
pub(crate) async fn import<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
) -> Result<Stored<E>, Reported> {
    let instead = format!("Without reads, an object cannot be imported. {}", E::INSTEAD_OF_IMPORT);
    let needed = NeededRead {
        subject: format!("The {}", call.kind),
        operation: "reads",
        attribute: None,
        alternative: instead,
    };
    let object = get_needed::<E>(call, name, &needed).await?;
    let mut new = Stored::<E>::default();
    new.private.object.record_read(call.session, name.to_string());
    new.private.object.record_own(object.create_time());
    let mut stored = E::after_read(new, object);
    E::after_import(call, &mut stored);
    call.session.plans.record_import(&name.to_string());
    Ok(stored)
}
