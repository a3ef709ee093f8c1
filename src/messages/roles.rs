//! Listing roles.

use super::messages;

messages! {
    /// A create that could not check whether the role existed.
    Warning MayBeOverwritten { object, response } = {
        summary: "An existing role may have been overwritten",
        fact: "{object}: the provider could not check whether the role existed ({response}). If it existed, it has been \
               overwritten with this configuration.",
        next: "If another configuration manages the role, remove it from one of the two. If the role must exist, set \
               `allow_missing = false`.",
        at: "role",
    }

    /// A refresh shows a write of another configuration.
    Warning WrittenElsewhere { object, located, ownership } = {
        summary: "{object} is written by another configuration",
        fact: "{located}: the role is {ownership}. Two configurations that write a role undo each other's changes. Other \
               roles may be affected.",
        next: "Remove it from one of them, with a `removed` block.",
        short: "{object} is written by another configuration",
    }

    /// An imported role records another repository.
    Warning OtherRepository { object, located, ownership } = {
        summary: "{object} records another repository",
        fact: "{located}: the role is {ownership}. The apply records this configuration's repository.",
        next: "If the other configuration keeps the role, two configurations undo each other's changes: remove it from \
               one of them, with a `removed` block. A configuration that only watches sets `repo_detection = \"off\"`.",
        short: "{object} records another repository",
    }

    /// The service did not recognise the caller of a write.
    Warning ManagerNotRecorded { object, manager, ours } = {
        summary: "The service did not record Terraform as the manager",
        fact: "{object}: the response to the write contains {manager}, not {ours}. The service did not recognise the \
               caller, so the role can be changed outside this configuration. A gateway or `request_headers` that \
               replace the User-Agent header have this effect. Further roles of this run are not reported, and the \
               manager is not planned again.",
        at: "manager",
    }

    /// Another client has written the role, and the apply records Terraform.
    Warning ManagerRecorded { object, manager, ours } = {
        summary: "The manager of a role will be recorded",
        fact: "{object}: the role {manager}: another client has created or changed it. Applying this plan records {ours}.",
        next: "If the role is to be managed elsewhere, replace its resource with a `removed` block instead.",
        at: "manager",
    }

    /// The service stored other values than were sent.
    Warning StoredDifferently { object, attributes } = {
        summary: "{object} was stored differently",
        fact: "The response to the write has other values of `{attributes}` than the request had. If the role can be \
               read, the next plan shows the difference.",
        short: "{object} was stored differently",
    }

    /// An update of `resources`.
    Warning EntitlementsStay { object, effect } = {
        summary: "Changing resources does not change granted access",
        fact: "{object}: {effect} for those who hold the role. The change applies to new requests.",
        at: "resources",
    }

    /// A destroy, or a replacement.
    Warning AccessStays { object, action } = {
        summary: "{action} a role does not revoke access",
        fact: "{object}: users keep the entitlements that were granted through earlier requests for the role. The same \
               holds for all other roles that this run destroys.",
        next: "Revoke them at the service if they are to lose access.",
    }

    /// A replacement of a role whose `resources` are not managed.
    Warning ResourcesNotCarriedOver { object } = {
        summary: "A replacement does not have the role's resources",
        fact: "{object}: the configuration does not manage `resources`, so the role that replaces this one is created \
               without them.",
        next: "Set `resources` if the new role is to grant the same access.",
        at: "resources",
    }

    /// An update has written a role that somebody else made.
    Warning UpdatedOther { object, located, created } = {
        summary: "{object} was recreated outside Terraform",
        fact: "{located}: since the plan, the role was deleted, and somebody has created another role of this name \
               (created {created}). The update has written that one.",
        next: "If another configuration manages it, remove it from one of the two.",
        at: "role",
        short: "{object} was recreated outside Terraform",
    }
}
