//! The errors of two resources of a plan that contradict each other: complete a few times, then one line
//! each.

use super::call::Call;
use super::message::{Message, Reported};
use super::messages::{import_block, removed_block};
use crate::service::Contradiction;

/// What the resource does that is planned second, and gets the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Creates,
    Keeps,
    /// It, or a deposed object of its address, destroys the object or leaves it at the service.
    Destroys,
}

/// The way out for an object that a state still has to destroy, and that a configuration wants.
pub(crate) const DEPOSED_WAYS: &str = "If a deposed object is the cause (`terraform state list` does not \
     show it, the plan does), run `terraform state rm` for its address, which also removes the present object \
     of the address, and import what the configuration wants.";

/// The errors that `moved` blocks and `for_each` solve: one full text a run.
pub(crate) const MOVED: &str = "moved";

/// Terraform plans the configuration before it destroys everything.
pub(crate) const DESTROY_ALL: &str = "`terraform destroy` works with `-refresh=false`.";

/// Adds the error of a contradiction, at the attribute that names the object.
pub(crate) fn report(call: &mut Call<'_>, found: &Contradiction, side: Side) -> Reported {
    report_at(call, found, side, call.words.subject_argument)
}

pub(crate) fn report_at(
    call: &mut Call<'_>,
    found: &Contradiction,
    side: Side,
    attribute: &'static str,
) -> Reported {
    let (summary, detail) = describe(call, found, side);
    let short = format!("{summary}: {} (for all: {})", call.located_object(), step_for_all(found));
    let detail = format!("{detail}\n\n{DESTROY_ALL}");
    let message = Message::new(summary, detail).at(attribute);
    match found {
        Contradiction::CreatedAndKept
        | Contradiction::CreatedAndDestroyed
        | Contradiction::CreatedAndAbandoned => call.fail_once(MOVED, message, short),
        _ => {
            let cause = message.summary.clone();
            call.fail_shortened(&cause, message, short)
        }
    }
}

/// Returns what to do about all objects with this contradiction, as a one-line error ends.
fn step_for_all(found: &Contradiction) -> &'static str {
    match found {
        Contradiction::CreatedTwice
        | Contradiction::ListAndOwners(_)
        | Contradiction::WrittenDifferently => "keep one resource for each",
        Contradiction::CreatedAndKept
        | Contradiction::CreatedAndDestroyed
        | Contradiction::CreatedAndAbandoned => {
            "add `moved` blocks, with `for_each` over keys that are names"
        }
        Contradiction::KeptAndDestroyed => {
            "apply once with `-target` for what is destroyed and ACCESS_DELETION_POLICY=abandon"
        }
        Contradiction::ListToOwners | Contradiction::OwnersToList => {
            "apply once with `adopt_existing = true` and ACCESS_DELETION_POLICY=abandon"
        }
    }
}

/// What to do about a resource that has only a new address.
fn moved(resource_type: &str) -> String {
    format!(
        "If a resource has a new address, add a `moved` block, with which nothing is destroyed (guide *Rename a \
         role or an owner*). If the indices of `count` or of a list have shifted, use `for_each` over keys that \
         are names, with a `moved` block for each:\n\n  \
         moved {{\n    from = {resource_type}.example[0]\n    to   = {resource_type}.example[\"key\"]\n  \
         }}\n\nA chain of new names is applied one by one, a swap through a third name."
    )
}

fn describe(call: &Call<'_>, found: &Contradiction, side: Side) -> (String, String) {
    let kind = call.kind;
    let object = call.located_object();
    let resource_type = call.words.resource_type;
    match found {
        Contradiction::CreatedTwice => (
            format!("Two resources create one {kind}"),
            format!(
                "{object}: two new resources of this configuration have the same {}. This one was planned \
                 second. Change it in the one that was copied, or keep one of the two.",
                call.words.shared
            ),
        ),
        Contradiction::CreatedAndKept => {
            let which = match side {
                Side::Creates => {
                    "This block is new, and another block of this configuration has the object in the state"
                }
                Side::Keeps | Side::Destroys => {
                    "This block has the object in the state, and a new block of this configuration would \
                     create it"
                }
            };
            (
                format!("Two resources manage one {kind}"),
                format!(
                    "{object}: {which}. If the new block is a copy, change its {}, or keep one of the two. {}",
                    call.words.shared,
                    moved(resource_type)
                ),
            )
        }
        Contradiction::CreatedAndDestroyed => (
            format!("One {kind} is destroyed and created under two addresses"),
            format!(
                "{object}: one address, or a deposed object, destroys it, and another address creates it. \
                 Terraform does this in either order, and the object could be lost. {}\n\nOtherwise apply the \
                 removal first and the addition afterwards. If it was deleted outside Terraform, run \
                 `terraform apply -refresh-only` first. {DEPOSED_WAYS}",
                moved(resource_type)
            ),
        ),
        Contradiction::CreatedAndAbandoned => (
            format!("One {kind} is abandoned and created under two addresses"),
            format!(
                "{object}: one address, or a deposed object, leaves it at the service, and another address \
                 creates it. {}\n\nOtherwise apply the removal first, under `abandon`. Then add the new block \
                 together with\n\n{}\n\n{DEPOSED_WAYS}",
                moved(resource_type),
                import_block(resource_type, &call.object)
            ),
        ),
        Contradiction::KeptAndDestroyed => (
            format!("One {kind} is destroyed and kept"),
            format!(
                "{object}: one resource, or a deposed object, destroys what another resource keeps. To \
                 discard the older state and keep the object, apply once with `-target` for the address \
                 that is destroyed and ACCESS_DELETION_POLICY=abandon, or replace the removed resource \
                 with\n\n{}",
                removed_block(resource_type)
            ),
        ),
        Contradiction::WrittenDifferently => (
            format!("Two resources write one {kind}"),
            format!(
                "{object}: two resources of this configuration have this object in the state or import it, \
                 and write different values. Each would undo the other's. Keep one of the two. To discard \
                 the other from the state, replace its block with\n\n{}\n\nIf it is an import of this \
                 plan, delete its `import` and `resource` blocks.",
                removed_block(resource_type)
            ),
        ),
        Contradiction::ListAndOwners(owners) => (
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
        Contradiction::ListToOwners | Contradiction::OwnersToList => {
            let (from, to) = match found {
                Contradiction::ListToOwners => {
                    ("access_integration_owners", "access_integration_owner")
                }
                _ => ("access_integration_owner", "access_integration_owners"),
            };
            (
                "The owners of an integration change their resource type".to_owned(),
                format!(
                    "{object}: `{from}` would remove an owner that `{to}` wants. Terraform cannot move objects \
                     between these two types. Set `adopt_existing = true` in `{to}`, and apply once with \
                     ACCESS_DELETION_POLICY=abandon: the owners stay at the service under the new type. The \
                     variable also leaves whatever else this apply destroys. If the block of `{from}` is deleted, \
                     and does not stay with an empty `for_each`, a `removed` block leaves the owners as well."
                ),
            )
        }
    }
}
