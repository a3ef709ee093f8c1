//! A create, whose object exists, or of which that is not known: in a plan, in an apply, and in the
//! plan of a replacement by another name.

use super::messages;

messages! {
    /// The create of an object that exists and may not be adopted.
    Error Exists { object, existing, ways, export } = {
        summary: "{object} exists already",
        fact: "{existing}. This resource changed nothing.",
        next: "{ways}",
        short: "{object} exists already (for all: import them; {export} prints the block)",
        family: "exists",
    }

    /// The same for an object that cannot be imported as it is configured.
    Error ExistsOtherwise { object, existing, instead } = {
        summary: "{object} exists already",
        fact: "{existing}. This resource changed nothing.",
        next: "{instead}",
        short: "{existing} (for all: the complete errors show what to set)",
        family: "exists otherwise",
    }

    /// The plan of a create that will be refused. Only the first ones are reported.
    Warning WillExist { object, existing, others, ways } = {
        summary: "{object} exists already",
        fact: "{existing}. The apply will not create it.{others}",
        next: "{ways}",
    }

    /// A replacement by the name of an object that exists and may not be adopted.
    Error ExistsInReplacement { object, existing, old, way } = {
        summary: "{object} exists already",
        fact: "{existing}. Nothing was changed. An apply that destroys first would destroy {old} and create \
               nothing.",
        next: "{way}\n\nIf another resource of this configuration has the name: use `for_each` over keys that are \
               names, and `moved` blocks, if indices have shifted; rename a chain one by one, with an apply each; \
               swap two names through a third one (guide *Rename a role or an owner*). `terraform destroy` works with \
               `-refresh=false`.",
        short: "{old} is not replaced: {object} exists already (for all: restore the old names; if indices have \
                shifted, use `for_each` and `moved` blocks)",
        complete: 1,
    }

    /// A replacement whose adoption depends on values that are known only after apply.
    Error AdoptionUnknown { object, existing, arguments, old, way } = {
        summary: "{object} exists already",
        fact: "{existing}. Whether it may be adopted depends on {arguments}, known only after apply. Nothing was \
               changed. An apply that destroys first could destroy {old} and create nothing.",
        next: "Apply first, with `-target`, what the value comes from, or set a value that is known. {way}\n\n`terraform \
               destroy` works with `-refresh=false`.",
        short: "{object} exists already (for all: set {arguments} to a value that is known)",
    }

    /// The plan of a create that adopts an object.
    Warning WillAdopt { object, existing, effects, renamed } = {
        summary: "{object} will be adopted",
        fact: "{existing}. {effects}",
        next: "{renamed}",
        short: "{object} will be adopted",
        family: "adoption",
    }

    /// The plan of a create that adopts an object if values allow it that are known only after
    /// apply.
    Warning MayAdopt { object, existing, arguments, effects, renamed } = {
        summary: "{object} may be adopted",
        fact: "{existing}. Whether it is adopted depends on {arguments}, known only after apply. If not, the apply \
               fails and changes nothing about it. {effects}",
        next: "{renamed}",
        short: "{object} may be adopted",
        family: "adoption",
    }

    /// The plan of a create that cannot check whether the object exists.
    Warning CheckUnavailable { object, response, reason, kinds } = {
        summary: "Could not check whether {object} exists",
        fact: "{object}: {response}. Other {kinds} of this run may be affected.",
        next: "{reason}",
    }

    /// The plan of a create whose check has failed, as the check of the create will.
    Warning CreateWillFail { object, error, kinds, next } = {
        summary: "The create of {object} will fail",
        fact: "{object}: {error}.\n\nThe create checks again, and sends nothing if that check fails as well. Other \
               {kinds} of this run may be affected.",
        next: "{next}",
    }

    /// The plan of a create whose check has failed for a cause that may pass.
    Warning CreateMayFail { object, error, kinds, next } = {
        summary: "The create of {object} may fail",
        fact: "{object}: {error}.\n\nThe create checks again, and sends nothing if that check fails as well. Other \
               {kinds} of this run may be affected.",
        next: "{next}",
    }

    /// A replacement whose new name cannot be looked up: the response is a 404 that shows nothing.
    Error NewNameUnclear { object, response, parent, parent_kind, argument, old, way } = {
        summary: "Could not check whether {object} exists",
        fact: "{response}.\n\nThis 404 does not show whether the new name is free: {parent} may not exist, this API \
               key may not see it, or the service does not offer reads. Nothing was changed. An apply that destroys \
               first could destroy {old} and create nothing.",
        next: "Check `{argument}` and `base_url`. If another resource of this plan creates the {parent_kind}, refer \
               to that resource, or apply it first with `-target`. {way}\n\n`terraform destroy` works with \
               `-refresh=false`.",
        short: "Could not check whether {object} exists, so {old} is not replaced (for all: check `{argument}`)",
    }

    /// The plan of a create with `allow_missing = false`, whose role does not exist.
    Warning WillBeMissing { object, kind, arguments } = {
        summary: "{object} does not exist",
        fact: "{object}: with `allow_missing = false` the {kind} must exist already. The apply will fail.",
        next: "Create it at the service, correct {arguments}, or omit `allow_missing`.",
        short: "{object} does not exist",
    }

    /// A replacement with `allow_missing = false` by a role that does not exist.
    Error MissingInReplacement { object, kind, arguments, old, way } = {
        summary: "{object} does not exist",
        fact: "{object}: with `allow_missing = false` the {kind} must exist already. Nothing was changed. An apply that \
               destroys first would destroy {old} and create nothing.",
        next: "Create it at the service, correct {arguments}, or omit `allow_missing`. {way}\n\n`terraform destroy` \
               works with `-refresh=false`.",
        short: "{object} does not exist, so {old} is not replaced (for all: omit `allow_missing`)",
    }

    /// A resource that would leave its object at the service and then could not create it.
    Error AbandonsItself { object, kind } = {
        summary: "Could not replace {kind}",
        fact: "{object}: this resource has the {kind}, and the deletion policy `abandon` leaves it at the service. It \
               cannot be created again, and its state would be lost. Nothing was sent, and the state is kept.",
        next: "Run `terraform untaint`, or plan without `-replace` and `replace_triggered_by`. If a new spelling is \
               meant, set `adopt_existing = true`. An owner that stays keeps its ID: leave `integration_owner_id` as \
               it was. `terraform destroy` works with `-refresh=false`.",
        short: "Could not replace {kind} {object} under `abandon` (for all: run `terraform untaint`, or plan without \
                `-replace`)",
    }

    /// A plan that imports an object and replaces it.
    Error ImportedAndReplaced { imported, kind, new, argument } = {
        summary: "{imported} is imported and would be destroyed",
        fact: "This plan imports {imported} into a resource that describes {new}: the apply would destroy the \
               imported {kind} and create the other.",
        next: "Correct the `id` of the `import` block, or `{argument}`. If the {kind} is to be replaced, import it \
               first, with an apply of its own.\n\n`terraform destroy` works with `-refresh=false`.",
        short: "{imported} is imported and would be destroyed (for all: correct the `id` of the `import` blocks)",
    }

    /// A replacement by another name that sets `deletion_policy = "abandon"` in the same plan.
    Error AbandonedWithNewName { old, kind } = {
        summary: "Could not replace {kind}",
        fact: "{old}: the destroy of this {kind} still has the policy of the state, `delete`. Nothing was changed.",
        next: "To leave the {kind} at the service, apply `deletion_policy = \"abandon\"` first, and the new name \
               afterwards. `terraform destroy` works with `-refresh=false`.",
        at: "deletion_policy",
        short: "Could not replace {kind} {old} (for all: apply `deletion_policy` first, and the new names afterwards)",
    }

    /// A state without a valid name.
    Error InvalidState { kind } = {
        summary: "Invalid state of {kind}",
        fact: "The state does not contain a valid name. It may have been edited.",
        next: "Remove it with `terraform state rm` and import the object again.",
    }
}

/// What a plan says about a role that records our own repository and directory.
pub(crate) const PERHAPS_RENAMED: &str = "The role records this repository and directory: perhaps another address \
     of this configuration has it, also under another provider alias. Then add a `moved` block, or remove one of \
     the two: the destroy at that address would delete it.";

/// The same for a role that the plan adopts.
pub(crate) const PERHAPS_LOST: &str = "The role records this repository and directory: if this plan destroys it under \
     another address or provider alias, add a `moved` block instead, or it is lost.";

/// What the first error about an object says that this configuration may have itself.
pub(crate) const PERHAPS_OWN: &str = "If this resource replaces itself with `create_before_destroy`, it still has the \
     object, unless `lifecycle { destroy = false }` is set: run `terraform untaint`, or plan without `-replace` \
     and `replace_triggered_by`. If another address of this configuration has the object, also under another \
     provider alias, add a `moved` block.";
