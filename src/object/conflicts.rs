//! The errors of two resources of a plan that contradict each other: complete a few times, then one line
//! each.

use super::call::Call;
use super::message::{Message, Reported};
use super::messages::removed_block;
use crate::service::Contradiction;

/// The ways out for an object that a state still has to destroy, and that a configuration wants.
pub(crate) const DEPOSED_WAYS: &str = "If a deposed object is the cause (`terraform state list` does not \
     show it, the plan does) and the configuration wants the object, either run `terraform state rm` for its \
     address, which also removes the present object of the address, and import what the configuration wants, \
     or set `adopt_existing = true` and apply once with ACCESS_DELETION_POLICY=abandon, which also leaves at \
     the service whatever else this apply destroys. `terraform destroy` works with `-refresh=false`.";

/// Adds the error of a contradiction, at the attribute that names the object.
pub(crate) fn report(call: &mut Call<'_>, found: &Contradiction) -> Reported {
    report_at(call, found, call.words.subject_argument)
}

pub(crate) fn report_at(
    call: &mut Call<'_>,
    found: &Contradiction,
    attribute: &'static str,
) -> Reported {
    let (summary, detail) = describe(call, found);
    let short = format!("{summary}: {} (for all: {})", call.located_object(), step_for_all(found));
    let cause = summary.clone();
    call.fail_shortened(&cause, Message::new(summary, detail).at(attribute), short)
}

/// Returns what to do about all objects with this contradiction, as a one-line error ends.
fn step_for_all(found: &Contradiction) -> &'static str {
    match found {
        Contradiction::CreatedTwice | Contradiction::AllOwnersAndOwners(_) => {
            "keep one resource for each"
        }
        Contradiction::CreatedAndKept | Contradiction::CreatedAndDestroyed => "add `moved` blocks",
        Contradiction::KeptAndDestroyed => {
            "apply once with `-target` for what is destroyed and ACCESS_DELETION_POLICY=abandon"
        }
        Contradiction::CreatedAndAbandoned => {
            "add `moved` blocks, drop `-replace`, or set `adopt_existing = true`"
        }
    }
}

fn describe(call: &Call<'_>, found: &Contradiction) -> (String, String) {
    let (kind, object, resource_type) =
        (call.kind, call.located_object(), call.words.resource_type);
    let shifted = format!(
        "If the indices of `count` have shifted, use `for_each`. {}\n\nA chain of new names is applied one by \
         one, a swap through a third name.",
        moved_blocks(resource_type)
    );
    match found {
        Contradiction::CreatedTwice => (
            format!("Two resources create one {kind}"),
            format!(
                "{object}: another resource of this configuration creates the same object: it has the same \
                 {}. This resource has sent nothing. Each would overwrite the other's changes, and removing \
                 one would delete the object of both. Keep one of them. {DEPOSED_WAYS}",
                call.words.shared
            ),
        ),
        Contradiction::CreatedAndKept => (
            format!("Two resources manage one {kind}"),
            format!(
                "{object}: a resource in the state has this object, and another creates it. {shifted} \
                 Otherwise keep one of the two resources."
            ),
        ),
        Contradiction::CreatedAndDestroyed => (
            format!("One {kind} is destroyed and created under two addresses"),
            format!(
                "{object}: one address, or a deposed object, destroys it, and another address creates it. \
                 Terraform does this in either order, and the object could be lost. {shifted} Otherwise \
                 apply the removal first and the addition afterwards. {DEPOSED_WAYS}"
            ),
        ),
        Contradiction::KeptAndDestroyed => (
            format!("One {kind} is destroyed and kept"),
            format!(
                "{object}: one resource, or a deposed object, destroys what another resource keeps. To \
                 discard the older state and keep the object, apply once with `-target` for the address \
                 that is destroyed and ACCESS_DELETION_POLICY=abandon, or replace the removed resource \
                 with\n\n{}\n\n`terraform destroy` works with `-refresh=false`.",
                removed_block(resource_type)
            ),
        ),
        Contradiction::CreatedAndAbandoned => (
            format!("Could not replace {kind}"),
            format!(
                "{object}: a state has this {kind}, and the deletion policy `abandon` leaves it at the \
                 service. It cannot be created again, and its state would be lost. If the resource \
                 has a new address, add a `moved` block. If it is replaced by itself, drop `-replace` or \
                 run `terraform untaint`. Otherwise set `adopt_existing = true`, which writes it in place, \
                 or apply `deletion_policy = \"delete\"` first, without the replacement. `terraform destroy` \
                 works with `-refresh=false`: it leaves the {kind} only if the state or the provider has the policy \
                 `abandon` already."
            ),
        ),
        Contradiction::AllOwnersAndOwners(owners) => (
            "The owners of an integration are managed twice".to_owned(),
            format!(
                "{object}: `access_integration_owners` manages all owners of this integration, and \
                 `access_integration_owner` manages {}. The first removes what the second adds. Keep \
                 one of them. To keep `access_integration_owners`, list the owners in its `owners`, and \
                 replace each resource for a single owner with\n\n{}",
                owners.join(", "),
                removed_block("access_integration_owner")
            ),
        ),
    }
}

pub(crate) fn moved_blocks(resource_type: &str) -> String {
    format!(
        "For each resource with a new address, add a `moved` block, with which nothing is destroyed (guide \
         *Rename a role or an owner*):\n\n  \
         moved {{\n    from = {resource_type}.example[0]\n    to   = {resource_type}.example[\"key\"]\n  \
         }}"
    )
}
