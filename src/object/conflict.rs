//! The errors of two resources that manage one object.

use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::operation::import_block;
use super::{Object, ResourceType};
use crate::service::Conflict;

/// Adds an error and returns `None` if a plan for this object conflicts with that of another
/// resource. `attribute` is the one that names the object.
pub(crate) fn check(
    planned: Result<(), Conflict>,
    resource: ResourceType,
    object: &str,
    attribute: &'static str,
    diags: &mut Diagnostics,
) -> Option<()> {
    let Err(conflict) = planned else { return Some(()) };
    let ResourceType { kind, name: resource_type } = resource;
    let (summary, detail) = match conflict {
        Conflict::CreatedTwice => (
            format!("Two resources create one {kind}"),
            "Another resource of this configuration creates the same object. Applied, the two \
             would overwrite each other, and removing one would delete the other's object. Keep \
             one of them."
                .to_owned(),
        ),
        Conflict::CreatedAndManaged => (
            format!("Two resources manage one {kind}"),
            "Another resource in the state manages this object already. Keep one of the two. If \
             this resource is the other one under a new address, add a `moved` block."
                .to_owned(),
        ),
        Conflict::DestroyedAndCreated => (
            format!("One {kind} is destroyed and created under two addresses"),
            format!(
                "Terraform may do this in either order, and the object could be lost. If the \
                 resource was renamed, add a `moved` block, with which nothing is destroyed:\n\n  \
                 moved {{\n    from = {resource_type}.old_name\n    to   = {resource_type}.new_name\n  \
                 }}\n\nIf not, apply the removal first and the addition afterwards. To discard \
                 the older state without deleting the {kind}, such as a deposed object that a \
                 failed apply left, apply once with ACCESS_DELETION_POLICY=abandon, and import the \
                 {kind} to the resource that creates it, or set `adopt_existing = true` there."
            ),
        ),
        Conflict::DestroyedAndKept => (
            format!("One {kind} is destroyed and kept"),
            format!(
                "One resource, or a deposed object of it, destroys the object that another one \
                 keeps. To discard the older state without deleting the object, apply once with \
                 ACCESS_DELETION_POLICY=abandon, or replace the removed resource by\n\n  removed \
                 {{\n    from = {resource_type}.old_name\n    lifecycle {{\n      destroy = \
                 false\n    }}\n  }}"
            ),
        ),
    };
    diags.report_attribute_error(attribute, summary, format!("{object}: {detail}"));
    None
}

/// Warns that the plan takes an existing object for the tainted one that its create replaces. One that a
/// `removed` block takes out of the state looks the same: OpenTofu reads it as well, and Terraform
/// loads it, as without a refresh.
pub(crate) fn warn_taken_for_tainted(
    resource: ResourceType,
    object: &str,
    attribute: &'static str,
    diags: &mut Diagnostics,
) {
    let kind = resource.kind;
    diags.report_attribute_warning(
        attribute,
        format!("The existing {kind} is taken for the tainted one"),
        format!(
            "{object}: the state contains the {kind}, and this plan creates it. A tainted {kind} is \
             replaced in this way, so the plan takes it for this resource's own. If another \
             resource had it, such as one that a `removed` block takes out of the state, cancel the \
             run and apply that removal first: the next plan is then an error that contains the \
             `import` block."
        ),
    );
}

/// Warns that an object exists which the apply of a saved plan creates. Terraform ends the apply with an
/// error of its own unless the saved plan has the mark of a same-name replacement.
pub(crate) fn warn_exists_at_apply<O: Object>(
    object: &str,
    id: &dyn std::fmt::Display,
    attribute: &'static str,
    diags: &mut Diagnostics,
) {
    diags.report_attribute_warning(
        attribute,
        format!("The {} exists already", O::KIND),
        format!(
            "{object}: the {kind} exists. If the saved plan replaces it, it stays in place. \
             Otherwise it was created after the plan, or the plan did not know its name: Terraform \
             then reports that the final plan is inconsistent, and nothing is written. To manage the \
             existing {kind} in this case, import it:\n\n{block}\n\nUse the address of this resource \
             in place of `{resource_type}.example`.",
            kind = O::KIND,
            resource_type = O::TYPE,
            block = import_block(O::TYPE, id),
        ),
    );
}

/// Returns the advice for an object that exists although no resource of this state has it.
pub(crate) fn existing_advice<O: Object>(id: &dyn std::fmt::Display) -> String {
    format!(
        "Nothing was changed. To manage the existing {kind}, import it:\n\n{block}\n\nUse the \
         address of this resource in place of `{resource_type}.example`. This is also what to do \
         if an earlier apply was interrupted after it had created the {kind}. {adoption}",
        kind = O::KIND,
        adoption = O::ADOPTION,
        resource_type = O::TYPE,
        block = import_block(O::TYPE, id),
    )
}
