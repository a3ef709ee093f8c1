//! The errors of two resources that manage one object.

use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::Object;
use super::operation::import_block;
use crate::service::Conflict;

/// Adds the error of a conflict found while planning. `attribute` is the one that names the object.
pub(crate) fn report<O: Object>(
    conflict: Conflict,
    name: &str,
    attribute: &'static str,
    diags: &mut Diagnostics,
) {
    report_for((O::KIND, O::TYPE), conflict, name, attribute, diags);
}

/// Adds the error of a conflict about something of this kind, which resources of this type manage.
pub(crate) fn report_for(
    (kind, resource_type): (&str, &str),
    conflict: Conflict,
    name: &str,
    attribute: &'static str,
    diags: &mut Diagnostics,
) {
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
    diags.report_attribute_error(attribute, summary, format!("{name}: {detail}"));
}

/// Returns the advice for an object that exists although no resource of this state has it.
pub(crate) fn existing_advice<O: Object>(id: &dyn std::fmt::Display) -> String {
    format!(
        "Nothing was changed. To manage the existing {kind}, import it:\n\n{block}\n\nUse the \
         address of this resource in place of `{resource_type}.example`. This is also what to do \
         if an earlier apply was interrupted after it had created the {kind}. Or set \
         `adopt_existing = true`, and the apply writes this configuration to it.",
        kind = O::KIND,
        resource_type = O::TYPE,
        block = import_block(O::TYPE, id),
    )
}
