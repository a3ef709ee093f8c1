//! Owners of integrations: single ones, and all of an integration.

use super::messages;

messages! {
    /// A create that could not check whether the owner existed.
    Warning MayBeAddedTwice { object, response } = {
        summary: "An existing owner may have been added twice",
        fact: "{object}: the provider could not check whether it was an owner already ({response}). If the service allows \
               that, there are two owners now.",
        next: "Look at the owners of the integration at the service.",
        at: "owner",
    }

    /// The service stored an owner under another ID than the configuration sets.
    Warning OtherId { object, id, stored, literal } = {
        summary: "{object} has another ID than was set",
        fact: "The configuration sets the ID {id}, and the service stored the owner under {stored}. The next plan that \
               reads it will replace it.",
        next: "Set `integration_owner_id = {literal}`, or omit it.",
        at: "integration_owner_id",
    }

    /// Entries of a list that cannot be read.
    Warning OwnersSkipped { integration, count, shown } = {
        summary: "Owners of {integration} were skipped",
        fact: "{count} of the listed owners could not be read ({shown}). The provider ignores them. If one of them is an \
               owner of this configuration, it is not recognised.",
        short: "Owners of {integration} were skipped",
    }

    /// A plan destroys every owner that the list shows.
    Warning WithoutOwners { integration } = {
        summary: "{integration} is left without owners",
        fact: "This plan destroys every owner that the service lists. Without owners, the integration's settings and \
               owners can no longer be managed, and owners that the plan adds may be refused. Other integrations may be \
               affected: the access report of the plan counts the owners that remain.",
        next: "Keep at least one owner, set `deletion_policy = \"abandon\"` on one, or replace owners with \
               `create_before_destroy`.",
        short: "{integration} is left without owners",
    }

    /// The identity names a principal in place of the owner's ID.
    Error PrincipalAsId { principal, id } = {
        summary: "Invalid owner",
        fact: "{principal} is a user, group or team. `owner` of the identity is the ID that the service assigned to the \
               owner, as in `integration_owner_id`.",
        next: "To import by user, group or team, use `id = {id}` in place of `identity`.",
        at: "owner",
    }

    /// No owner has the principal.
    Error NoSuchOwner { object, summary, candidates } = {
        summary: "{summary}",
        fact: "{object} is not among the owners. The service lists:\n{candidates}",
        next: "Use one of these, or its ID.",
        at: "owner",
    }

    /// Several owners have the principal.
    Error AmbiguousOwner { object, summary, by_id, candidates } = {
        summary: "{summary}",
        fact: "{object} is an owner more than once:\n{candidates}",
        next: "To select one by its ID, {by_id}.",
        at: "owner",
    }

    /// A create of all owners of an integration that has owners, which may not be adopted.
    Error OwnersExist { object, located, owners, import } = {
        summary: "{object} has owners already",
        fact: "{located}: {owners}. This resource changed nothing.",
        next: "To manage them, import them. The next plan then shows which owners it adds and \
               removes:\n\n{import}\n\n`terraform-provider-access export {object}` prints resources for single owners \
               instead. Or set `adopt_existing = true`, which adds the owners that are missing and removes those that \
               `owners` does not contain.",
        at: "owners",
        short: "{object} has owners already (for all: import them)",
    }

    /// The plan of a create that will be refused.
    Warning OwnersWillExist { object, located, owners, import } = {
        summary: "{object} has owners already",
        fact: "{located}: {owners}. The apply will not create this resource.",
        next: "To manage them, import them. The next plan then shows which owners it adds and \
               removes:\n\n{import}\n\n`terraform-provider-access export {object}` prints resources for single owners \
               instead. Or set `adopt_existing = true`, which adds the owners that are missing and removes those that \
               `owners` does not contain.",
        at: "owners",
        short: "{object} has owners already",
    }

    /// A replacement by the owners of an integration that has owners.
    Error OwnersExistInReplacement { object, located, owners, old, import } = {
        summary: "{object} has owners already",
        fact: "{located}: {owners}. Nothing was changed. An apply that destroys first would destroy {old} and create \
               nothing.",
        next: "To get there without risk, restore the old name in this block, add a block of its own for the new name, \
               apply, and then delete the block of {old}. Give the new block `adopt_existing = true`, which removes the \
               owners that `owners` does not contain, or this block:\n\n{import}\n\n`terraform destroy` works with \
               `-refresh=false`.",
        at: "owners",
        short: "{object} has owners already, so {old} is not replaced (for all: restore the old names)",
    }

    /// The plan of a create that adopts the owners.
    Warning OwnersAdopted { object, located, kept, removed } = {
        summary: "The owners of {object} will be adopted",
        fact: "{located}: the integration has owners already. Kept: {kept}. Removed by the apply: {removed}.",
        at: "owners",
        short: "The owners of {object} will be adopted",
    }

    /// The same if `adopt_existing` is known only after apply.
    Warning OwnersMayBeAdopted { object, located, kept, removed } = {
        summary: "The owners of {object} may be adopted",
        fact: "{located}: the integration has owners already. `adopt_existing` is known only after apply. If it is false, \
               the apply fails and changes nothing. Kept: {kept}. Removed by the apply: {removed}.",
        at: "owners",
        short: "The owners of {object} may be adopted",
    }

    /// Two spellings of one owner.
    Error SameOwner { object, owner, stored } = {
        summary: "Invalid owners",
        fact: "{object}: {owner} and {stored} are one owner: the service stores the first as the second.",
        next: "Remove one of them from `owners`.",
        at: "owners",
    }

    /// A value that names no user, group or team.
    Error InvalidPrincipal { argument, owner, fault } = {
        summary: "Invalid {argument}",
        fact: "{owner} is not a user, group or team: it {fault}.",
        next: "Write `users/ID`, `groups/ID` or `teams/ID`.",
    }

    /// A list that names no owner.
    Error NoOwners { argument } = {
        summary: "Invalid owners",
        fact: "An integration without owners cannot be managed any more.",
        next: "List at least one owner in `{argument}`.",
        at: "owners",
    }

    /// An update would leave the integration without owners.
    Error NeverEmpty { object, summary } = {
        summary: "{summary}",
        fact: "{object}: no read shows the owners that the configuration keeps. They were removed outside Terraform, or \
               reads lag. No owner was removed, because the integration might be left without owners.",
        next: "Run Terraform again in a few minutes: the next plan adds the missing owners first.",
        at: "owners",
        short: "{summary} {object}: no read shows the owners that stay (for all: run Terraform again)",
    }

    /// A create could not make all changes.
    Warning Incomplete { object } = {
        summary: "Not all owners of {object} were changed",
        fact: "Some owners could not be added or removed; the other warnings contain the failed requests. This is not an \
               error, because Terraform would destroy the resource at the next apply.",
        next: "The next plan shows the owners that the integration has, and what is left to change.",
        at: "owners",
    }

    /// An import ID of another form.
    Error InvalidIntegrationId { id, kind } = {
        summary: "Could not import {kind}",
        fact: "The import ID {id} is neither `integrations/{{integration}}` nor the ID of an integration.",
        next: "Correct the `id`. To import a single owner, use `access_integration_owner`.",
    }

    /// An import found an integration without owners.
    Error NothingToImport { object, summary } = {
        summary: "{summary}",
        fact: "{object}: the list of owners is empty.",
        next: "Check the ID. If the integration has no owners, an apply without the import adds them.",
    }
}
