//! Refreshes, imports, data sources and lists.

use super::messages;

messages! {
    /// A refresh has found that the object is gone.
    Warning DeletedOutside { object, located, kind } = {
        summary: "{object} was deleted outside Terraform",
        fact: "{located}: the {kind} does not exist any more. The plan creates it again if the configuration contains \
               it.",
    }

    /// Further objects that are gone: the first ones are named.
    Warning MoreDeletedOutside { kinds } = {
        summary: "More {kinds} were deleted outside Terraform",
        fact: "The {kinds} do not exist any more. The plan creates those again that the configuration contains. \
               `terraform plan -refresh-only` lists them all.",
    }

    /// The object of the name is another one than the state's.
    Warning Recreated { object, located, kind, created } = {
        summary: "{object} was recreated outside Terraform",
        fact: "{located}: the {kind} in the state was deleted, and somebody has created another {kind} of this name \
               (created {created}). Terraform manages that one from now on, and a destroy deletes it. Others may be \
               affected.",
        next: "If it belongs to another configuration, replace this resource with a `removed` block.",
        short: "{object} was recreated outside Terraform",
    }

    /// The object was last seen at another base address, and another object, or none, is here.
    Error Elsewhere { object, summary, kind, seen, here, found } = {
        summary: "{summary}",
        fact: "{object}: the {kind} was last seen at {seen}, and the provider is configured with {here}. {found}. This \
               does not show that the {kind} was deleted, and its state is kept.",
        next: "Check `base_url` and ACCESS_BASE_URL. If the service has moved, the {kind} must be readable at the new \
               address. If the {kind} is to be managed in the other region instead, remove it from the state with \
               `terraform state rm`, and import or create it there.",
        short: "{summary} {object}: last seen at {seen}, and `base_url` is {here} (for all: set it back)",
        family: "elsewhere",
    }

    /// No read of a kind of objects is available.
    Warning DriftUnavailable { object, error, meaning, kind, kinds } = {
        summary: "Drift detection unavailable for {kinds}",
        fact: "{object}: {error}.\n\n{meaning} The state is kept, and the plan compares it with the configuration only.",
        next: "If the {kind} is gone, run `terraform state rm`. Set `drift_detection = \"off\"` to send no reads.",
    }

    /// A read was older than the state.
    Warning Stale { object } = {
        summary: "The service returned an older version",
        fact: "{object}: the response is older than the last write of this configuration. Reads of the service lag \
               behind its writes. The state is kept. Other objects may be affected.",
        next: "Run Terraform again later to detect changes made outside it.",
    }

    /// The object of a write, an import or a data source is deleted.
    Error WasDeleted { object, summary, kind, at } = {
        summary: "{summary}",
        fact: "{object}: the {kind} was deleted at {at}.",
        next: "Choose another ID, or have it restored.",
        short: "{summary} {object}: it was deleted at {at} (for all: choose other IDs, or have them restored)",
    }

    /// A list has entries that could not be read, and a result lacks them.
    Warning Skipped { object, kinds, reasons } = {
        summary: "Entries of the list of {kinds} were skipped",
        fact: "{object}: some entries could not be read and are missing from the result. {reasons}",
    }

    /// An import ID of another form, or with an ID that no request can contain.
    Error InvalidImportId { id, reason, kind } = {
        summary: "Could not import {kind}",
        fact: "The import ID {id} {reason}.",
        next: "Correct the `id`, or write the two IDs with a slash between them.",
    }

    /// The provider is not configured, or its arguments are known only after apply.
    Error NotConfigured { verb, object, reason } = {
        summary: "Could not {verb} {object}",
        fact: "{reason}",
    }
}
