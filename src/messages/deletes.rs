//! Destroys, and what stands in their way.

use super::messages;

messages! {
    /// Another object has the name, and is older than the state's.
    Error OlderObject { object, summary, kind, created, removed } = {
        summary: "{summary}",
        fact: "{object}: the service returned a {kind} (created {created}) that is older than the one in the state. \
               Reads lag behind writes, or a backup was restored. No DELETE was sent, and the state is kept.",
        next: "Run Terraform again in a few minutes. If the service still returns the older {kind}, replace the \
               resource block with\n\n{removed}\n\nor delete the block and run `terraform state rm`. To manage the older \
               {kind}, import it afterwards.",
        short: "{summary} {object}: the service returned an older one (for all: run Terraform again later)",
    }

    /// Somebody has made another object under the name.
    Error OtherObject { object, summary, kind, created, removed, deposed } = {
        summary: "{summary}",
        fact: "{object}: since the plan, the {kind} was deleted, and somebody has created another {kind} of this name \
               (created {created}). No DELETE was sent, and the state is kept.",
        next: "To delete the new one, apply again with a refresh: `terraform apply -refresh-only` with \
               ACCESS_DRIFT_DETECTION=auto shows it, and the apply after it deletes it. To leave it to them, replace \
               the resource block with\n\n{removed}\n\nor delete the block and run `terraform state rm`. To take it, run `terraform state rm` and import it. {deposed}",
        short: "{summary} {object}: somebody has created another one (for all: apply again with a refresh, \
                ACCESS_DRIFT_DETECTION=auto)",
    }

    /// A create of this run wants the object that a destroy would delete.
    Error Wanted { object, summary, kind, deposed } = {
        summary: "{summary}",
        fact: "{object}: a resource of this configuration wants this {kind}, and its create has failed in this run. The \
               {kind} was not deleted, and its state is kept.",
        next: "If the resource was renamed, add a `moved` block. If not, remove one of the two resources. {deposed}",
        short: "{summary} {object}: a resource of this configuration wants it (for all: add `moved` blocks)",
    }

    /// This run has written the object of an older state.
    Warning KeptInUse { object, kind } = {
        summary: "{object} was not deleted",
        fact: "This run has written the {kind} for a resource that keeps it. Deleting it for this older state would \
               delete the {kind} in use. No DELETE was sent, and the older state was discarded.",
        short: "{object} was not deleted",
    }

    /// A destroy under `abandon`.
    Warning Abandoned { object, kinds } = {
        summary: "Abandoned {kinds} stay at the service",
        fact: "{object}: with `abandon`, its destroy sends no request. The same holds for all other {kinds} that this \
               run abandons.",
    }

    /// The destroy of a list of owners, which a create of the same list would follow.
    Error ListReplaced { object, kind } = {
        summary: "Could not replace {kind}",
        fact: "{object}: a replacement would leave the integration without owners, and an apply adds and removes owners \
               already. Nothing was sent, and the state is kept.",
        next: "Run `terraform untaint`, or plan without `-replace` and `replace_triggered_by`.",
        at: "integration",
        short: "Could not replace {kind} {object} (for all: run `terraform untaint`, or plan without `-replace`)",
    }
}
