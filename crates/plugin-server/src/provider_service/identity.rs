//! The identity of an object, which the responses of several calls contain.

use bytes::Bytes;
use tf_provider::Diagnostics;

use super::values::{Returned, msgpack_value};
use crate::diagnostic::error;
use crate::dynamic::Input;
use crate::pb::tfplugin6 as pb;
use crate::registry::ResourceEntry;
use crate::wire;

/// An identity as a message of the protocol.
pub(super) type Identity = Option<pb::ResourceIdentityData>;

/// The treatment of an identity with unknown values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnknownIdentity {
    /// The object does not have an identity yet. OpenTofu refuses a plan with an unknown identity,
    /// and Terraform does not use it.
    Omitted,
    Refused,
}

/// Returns the identity of the object with this state, or `before` if the provider does not return
/// one.
pub(super) async fn identity_of(
    entry: &ResourceEntry,
    diags: &mut Diagnostics,
    state: &Bytes,
    before: Identity,
    unknown: UnknownIdentity,
) -> Identity {
    const LEAD: &str = "The identity";
    let Some(identity) = &entry.identity else { return before };
    let state = Input::new(state.clone(), &entry.schema.ty);
    let had_errors = !diags.errors.is_empty();
    let Some(bytes) = identity.handler.identity(diags, &state).await else {
        return before;
    };
    if wire::decode(&bytes, &identity.ty).value.is_null() {
        return before;
    }
    let returned = Returned::read(diags, bytes, &identity.ty, LEAD);
    if returned.unknown.is_some() {
        if unknown == UnknownIdentity::Refused && !had_errors {
            returned.require_known(diags, LEAD);
        }
        return before;
    }
    let known_before = (before.as_ref().and_then(|before| before.identity_data.as_ref()))
        .map(|before| wire::decode(&before.msgpack, &identity.ty).value)
        .filter(|before| !before.is_null() && before.is_wholly_known());
    let now = wire::decode(&returned.bytes, &identity.ty).value;
    if known_before.is_some_and(|before| !before.equals(&now, &identity.ty)) {
        let detail = "The provider returned another identity than before for this object. \
                      Identities of this resource type never change, so it is another object.";
        error(diags, "Unexpected change of identity", detail);
        return before;
    }
    Some(pb::ResourceIdentityData { identity_data: Some(msgpack_value(returned.bytes)) })
}
