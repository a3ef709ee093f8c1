//! Two resources of a plan that contradict each other. `terraform destroy` plans the configuration
//! first, so each text names the option with which it does not.

use super::messages;

messages! {
    /// Both create the object.
    Error CreatedTwice { object, kind, shared } = {
        summary: "Two resources create one {kind}",
        fact: "{object}: two new resources of this configuration have the same {shared}. This resource was planned \
               second.",
        next: "Change it in the block that was copied, or keep one of the two.\n\n`terraform destroy` works with \
               `-refresh=false`.",
        short: "Two resources create one {kind}: {object} (for all: keep one resource for each)",
    }

    /// One creates what another has in the state and keeps.
    Error CreatedAndKept { object, kind, which, shared, moved } = {
        summary: "Two resources manage one {kind}",
        fact: "{object}: {which}.",
        next: "If the new block is a copy, change its {shared}, or keep one of the two. {moved}\n\n`terraform destroy` \
               works with `-refresh=false`.",
        short: "Two resources manage one {kind}: {object} (for all: keep one resource for each, or add `moved` \
                blocks, with `for_each` over keys that are names)",
        once: "moved",
    }

    /// One creates what another, or a deposed object, destroys.
    Error CreatedAndDestroyed { object, kind, moved, deposed } = {
        summary: "One {kind} is destroyed and created under two addresses",
        fact: "{object}: one address, or a deposed object, destroys it, and another address creates it. Terraform \
               does this in either order, and the object could be lost.",
        next: "{moved}\n\nOtherwise apply the removal first and the addition afterwards. If it was deleted outside \
               Terraform, run `terraform apply -refresh-only` first. {deposed}\n\n`terraform destroy` works with \
               `-refresh=false`.",
        short: "One {kind} is destroyed and created under two addresses: {object} (for all: add `moved` blocks, with \
                `for_each` over keys that are names)",
        once: "moved",
    }

    /// One creates what another, or a deposed object, leaves at the service.
    Error CreatedAndAbandoned { object, kind, moved, import, deposed } = {
        summary: "One {kind} is abandoned and created under two addresses",
        fact: "{object}: one address, or a deposed object, leaves it at the service, and another address creates it.",
        next: "{moved}\n\nOtherwise apply the removal first, under `abandon`. Then add the new block together \
               with\n\n{import}\n\n{deposed}\n\n`terraform destroy` works with `-refresh=false`.",
        short: "One {kind} is abandoned and created under two addresses: {object} (for all: add `moved` blocks, with \
                `for_each` over keys that are names)",
        once: "moved",
    }

    /// One keeps what another, or a deposed object, destroys.
    Error KeptAndDestroyed { object, kind, removed } = {
        summary: "One {kind} is destroyed and kept",
        fact: "{object}: one resource, or a deposed object, destroys what another resource keeps.",
        next: "To discard the older state and keep the object, apply once with `-target` for the address that is \
               destroyed and ACCESS_DELETION_POLICY=abandon, or replace the removed resource \
               with\n\n{removed}\n\n`terraform destroy` works with `-refresh=false`.",
        short: "One {kind} is destroyed and kept: {object} (for all: apply once with `-target` for what is destroyed \
                and ACCESS_DELETION_POLICY=abandon)",
    }

    /// Two lists of owners for one integration.
    Error TwoLists { object, removed } = {
        summary: "The owners of an integration are managed twice",
        fact: "{object}: two `access_integration_owners` of this configuration manage all owners of this integration, \
               and they differ. Each would remove owners that the other adds.",
        next: "Keep one of the two. To discard the other from the state, replace its block with\n\n{removed}\n\nIf it \
               is an import of this plan, delete its `import` and `resource` blocks.\n\n`terraform destroy` works \
               with `-refresh=false`.",
        short: "The owners of an integration are managed twice: {object} (for all: keep one resource for each)",
    }

    /// A resource manages all owners of an integration, and others manage these.
    Error ListAndOwners { object, owners, removed } = {
        summary: "The owners of an integration are managed twice",
        fact: "{object}: `access_integration_owners` manages all owners of this integration, and \
               `access_integration_owner` manages {owners}. The first removes what the second adds.",
        next: "Keep one of them. To keep `access_integration_owners`, list the owners in its `owners`, and replace \
               each resource for a single owner with\n\n{removed}\n\n`terraform destroy` works with `-refresh=false`.",
        short: "The owners of an integration are managed twice: {object} (for all: keep one resource for each)",
    }

    /// The owners move between the two resource types.
    Error TypeChanged { object, from, to } = {
        summary: "The owners of an integration change their resource type",
        fact: "{object}: `{from}` would remove an owner that `{to}` wants. Terraform cannot move objects between these \
               two types.",
        next: "Set `adopt_existing = true` in `{to}`, and apply once with ACCESS_DELETION_POLICY=abandon: the owners \
               stay at the service under the new type. The variable also leaves whatever else this apply destroys. If \
               the block of `{from}` is deleted, and does not stay with an empty `for_each`, a `removed` block leaves \
               the owners as well.\n\n`terraform destroy` works with `-refresh=false`.",
        short: "The owners of an integration change their resource type: {object} (for all: apply once with \
                `adopt_existing = true` and ACCESS_DELETION_POLICY=abandon)",
    }
}

/// What a resource is that creates an object which another keeps, and the error is about the new
/// block.
pub(crate) const NEW_BLOCK: &str =
    "This block is new, and another block of this configuration has the object in the state";

/// The same if the error is about the other block.
pub(crate) const OLD_BLOCK: &str = "This block has the object in the state, and a new block of this configuration \
     would create it";

/// The way out for an object that a state still has to destroy, and that a configuration wants.
pub(crate) const DEPOSED: &str = "If a deposed object is the cause (`terraform state list` does not show it, the plan \
     does), run `terraform state rm` for its address, which also removes the present object of the address, and \
     import what the configuration wants.";
