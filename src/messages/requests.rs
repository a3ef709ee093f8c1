//! The next steps after failed requests: what the status alone determines, and what the operation
//! adds.
//!
//! `base_url` is suspected only where no read of this run has succeeded there.

use super::failures;

failures! {
    // What the status alone determines.

    /// 401.
    Failure Unauthorized {} = {
        next: "The API key is missing or not valid there. Check `api_key` or `api_key_file` (or ACCESS_API_KEY, \
               ACCESS_API_KEY_FILE), and that `base_url` names the region that issued the key.",
        for_all: "correct the API key",
    }

    /// 403.
    Failure Forbidden {} = {
        next: "This API key is not allowed to do this. Use a key with the permission, or have the permission granted.",
        for_all: "use a key with the permission",
    }

    /// 403 without a JSON body.
    Failure ForbiddenByGateway { next } = {
        next: "The response does not look like the service's own: a gateway or proxy may have refused the request. \
               Check `base_url` and the gateways in front of the service. If it is the service: {next}",
    }

    /// 404 of the service.
    Failure NotFound {} = {
        next: "The service does not have this object. Check the identifiers, and that `base_url` names the right \
               region.",
        for_all: "check the IDs and `base_url`",
    }

    /// 404 of the service, which this run has read.
    Failure NotFoundHere {} = {
        next: "The service does not have this object. Check the identifiers.",
        for_all: "check the IDs",
    }

    /// 404 without a JSON body.
    Failure NotFoundByGateway {} = {
        next: "The response does not look like the service's own. Check `base_url`: the region and the path prefix. \
               The provider adds /api/v1 itself.",
        for_all: "check `base_url`",
    }

    /// 404 without a JSON body, at an address that this run has read.
    Failure NotFoundByGatewayHere {} = {
        next: "The response does not look like the service's own, although other reads of this run have succeeded \
               there: a gateway in front of the service does not know this path, or fails. Check the identifiers, and \
               run Terraform again.",
        for_all: "check the IDs, and run Terraform again",
    }

    /// 405, 501.
    Failure NotOffered {} = {
        next: "The service does not offer this operation.",
        for_all: "the complete error names the ways without it",
    }

    /// 429.
    Failure Throttled {} = {
        next: "The service limits requests. Wait and run Terraform again, lower `-parallelism`, set \
               `max_requests_per_second`, or raise `max_retry_wait`.",
        for_all: "lower `-parallelism`, or raise `max_retry_wait`",
    }

    /// 3xx.
    Failure Redirected {} = {
        next: "The provider never follows redirects, so the API key is sent to `base_url` alone. If the service has \
               moved, set `base_url` to its new base address, without /api/v1.",
        for_all: "check `base_url`",
    }

    /// A body that is not the documented one.
    Failure Unreadable {} = {
        next: "The response does not have the documented form. Check that `base_url` leads to the service itself. \
               TF_LOG_PROVIDER=TRACE logs the body.",
        for_all: "check that `base_url` leads to the service",
    }

    /// A body that is not the documented one, at an address that this run has read.
    Failure UnreadableHere {} = {
        next: "The response does not have the documented form. Report it to the service's operators; \
               TF_LOG_PROVIDER=TRACE logs the body.",
        for_all: "report the response to the service's operators",
    }

    /// A body, or a list, that is larger than the provider reads.
    Failure TooLarge {} = {
        next: "The provider reads no more than this, because a response without an end would take all memory. If the \
               list really has so many entries, manage the objects with resources and data sources for single objects, \
               which are read one by one. Otherwise report the list to the service's operators.",
        for_all: "report the list to the service's operators",
    }

    /// The service spells the ID of the object in another way.
    Failure OtherSpelling { name, id, argument } = {
        next: "The service spells the name {name}. Set `{argument} = {id}`.",
        for_all: "write the IDs as the service spells them",
    }

    /// TLS: the certificate.
    Failure Certificate {} = {
        next: "The certificate was refused. Check the host of `base_url`. If a private authority signed the \
               certificate, set `ca_file` to the authority's PEM file. Certificate checks cannot be turned off.",
        for_all: "set `ca_file`",
    }

    /// TLS: there is none.
    Failure NotTls {} = {
        next: "The response is not TLS, so no request was sent. Check the scheme and the port of `base_url`. The \
               provider accepts `http` for loopback hosts only.",
        for_all: "check `base_url`",
    }

    /// The proxy.
    Failure Proxy {} = {
        next: "There is no connection through the proxy. Check the proxy variable and its credentials, or add the host \
               of `base_url` to NO_PROXY.",
        for_all: "check the proxy variable",
    }

    /// No response.
    Failure Unreachable {} = {
        next: "The service could not be reached or did not respond in time. Check host, port and scheme of `base_url`, \
               the proxy settings and `request_timeout`, and run Terraform again.",
        for_all: "run Terraform again",
    }

    /// No response, at an address that this run has read.
    Failure UnreachableHere {} = {
        next: "The service responded earlier in this run, and has stopped responding in time. Run Terraform again. If \
               it happens again, raise `request_timeout`.",
        for_all: "run Terraform again",
    }

    /// An interrupt.
    Failure Interrupted {} = {
        next: "Terraform was interrupted. Run it again.",
        for_all: "run Terraform again",
    }

    /// Arguments of the provider are unknown.
    Failure ArgumentUnknown {} = {
        next: "Use known values, or apply what they come from first (`-target`).",
        for_all: "apply what the values come from first",
    }

    /// 5xx.
    Failure ServerFailed {} = {
        next: "The service failed. The configuration does not need to change: run Terraform again, and report the \
               failure to the service's operators if it persists.",
        for_all: "run Terraform again",
    }

    /// 409, and any other 4xx.
    Failure Refused {} = {
        next: "The service did not accept the request. Correct what its message names, and run Terraform again.",
        for_all: "correct what the service's messages name, and run Terraform again",
    }

    // Reads that an operation cannot do without: imports, data sources, lists, exports.

    /// 404 to a read that is needed. Nothing is inferred from it.
    Failure NeededNotFound { subject, operation, check, alternative } = {
        next: "{subject} does not exist, this API key may not see it, or the service does not offer {operation}. Check \
               {check}. {alternative}",
    }

    /// 404 without a JSON body to a read that is needed.
    Failure NeededNotFoundByGateway { subject, operation, check, alternative } = {
        next: "The response does not look like the service's own. {subject} does not exist, this API key may not see \
               it, or the service does not offer {operation}. Check {check}. {alternative}",
    }

    /// 405, 501 to a read that is needed.
    Failure NeededNotOffered { operation, alternative } = {
        next: "The service does not offer {operation}. {alternative}",
    }

    /// 403 to a read that is needed.
    Failure NeededForbidden { alternative } = {
        next: "This API key may not read this. Use a key that may. {alternative}",
        for_all: "use a key that may read them",
    }

    // Refreshes.

    /// 403 to a refresh.
    Failure ReadForbidden { kind, removed } = {
        next: "This API key may not read the {kind}. Use a key that may, or set `drift_detection = \"off\"` to send no \
               reads. The state is kept. If the service responds like this because the {kind} is gone, replace its \
               block with\n\n{removed}\n\n(OpenTofu reads such objects: apply with `-refresh=false`), or run `terraform \
               state rm`.",
        for_all: "use a key that may read them, or set `drift_detection = \"off\"`",
    }

    /// The parent's list is a 404 as well.
    Failure ParentNotFound { list, kind, parent, check, removed } = {
        next: "The list of its {parent} is not found either ({list}). The {parent} is gone, or a gateway or a wrong path \
               responds like this to everything, so this does not show that the {kind} was deleted. The state is \
               kept. {check}If the {parent} is gone, replace each resource block with\n\n{removed}\n\n(OpenTofu reads \
               such objects: apply with `-refresh=false`), or run `terraform state rm`.\n\nFor all: delete the blocks, \
               and apply once with ACCESS_DELETION_POLICY=abandon and -refresh=false.",
        for_all: "delete the blocks, and apply once with ACCESS_DELETION_POLICY=abandon and -refresh=false",
    }

    /// The list that would decide about a 404 has failed.
    Failure ListFailed { kind, list, next } = {
        next: "This does not show that the {kind} was deleted, because the list of its parent failed: {list}. The state \
               is kept. {next} `drift_detection = \"off\"` plans without reads.",
    }

    /// The list contains an object to whose GET the service returned 404.
    Failure ListContains { kind } = {
        next: "This does not show that the {kind} was deleted: the list contains the {kind}. The state is kept. Check \
               that this API key may read the {kind}, and run Terraform again. `drift_detection = \"off\"` plans \
               without reads.",
        for_all: "check that this API key may read them",
    }

    /// The list of owners that a resource has is a 404.
    Failure OwnersNotFound { check, removed } = {
        next: "The integration is gone, this API key may not see it, or a gateway or a wrong path responds like this; \
               the response does not tell which. The state is kept. {check}If the integration is gone, replace the \
               resource block with\n\n{removed}\n\n(OpenTofu reads it: apply with `-refresh=false`), or run `terraform \
               state rm`.\n\nFor all: delete the blocks, and apply once with ACCESS_DELETION_POLICY=abandon and \
               -refresh=false.",
        for_all: "delete the blocks, and apply once with ACCESS_DELETION_POLICY=abandon and -refresh=false",
    }

    /// No response at an address to which the configuration has changed.
    Failure ElsewhereUnreachable { seen, next } = {
        next: "{next} The state was last seen at {seen}, and is kept.",
        for_all: "check `base_url`, or run Terraform again",
    }

    // Replacements by another name.

    /// The look for the new name has failed.
    Failure NotReplaced { old, next, way } = {
        next: "Before a replacement, the provider looks for the new name. Nothing was changed. An apply that destroys \
               first could destroy {old} and create nothing. {next} {way}\n\n`terraform destroy` works with \
               `-refresh=false`.",
    }

    // Writes of roles.

    /// 404 to a create with `allow_missing = false`.
    Failure MustExist {} = {
        next: "With `allow_missing = false` the role must exist already. Create it at the service, correct `listing` and \
               `role`, or omit `allow_missing`.",
        for_all: "omit `allow_missing`, or correct the IDs",
        at: "role",
    }

    /// 404 to a create, under a listing of which nothing was read.
    Failure ListingMissing {} = {
        next: "The listing does not exist, or this API key may not see it. Check `listing` and `base_url`.",
        for_all: "check `listing`",
        at: "listing",
    }

    /// 404 to a create, under a listing that was read.
    Failure SomethingMissing {} = {
        next: "The listing was read in this run, so its message is about something else that the request names, such as \
               one of `resources`. Correct it in the configuration, and run Terraform again.",
        for_all: "correct what the service's messages name",
    }

    /// 404 to an update.
    Failure RoleGone {} = {
        next: "The role may have been deleted outside Terraform after the plan. The state is kept. Run Terraform again \
               with a refresh (ACCESS_DRIFT_DETECTION=auto): if the role is gone, the plan creates it again. If the \
               service offers no reads, run `terraform state rm`.",
        for_all: "run Terraform again with a refresh, ACCESS_DRIFT_DETECTION=auto",
    }

    /// The response to a create has no role.
    Failure CreatedUnreadable {} = {
        next: "The service reported success without the role, so the role may exist now, and the state does not have it. \
               If the next plan says that it exists already, import it.",
        for_all: "import those that the next plan reports as existing",
    }

    /// The response to an update has no role.
    Failure UpdatedUnreadable {} = {
        next: "The service reported success without the role. The state is kept; the next plan shows whether the role has \
               changed.",
        for_all: "the next plan shows which have changed",
    }

    /// The response to a create has the role under another spelling.
    Failure CreatedUnderOtherSpelling { name, id, import } = {
        next: "The service spells the name {name}, and may have created the role under it. Set `role = {id}`, and \
               import the role:\n\n{import}",
        for_all: "write the IDs as the service spells them, and import the roles",
        at: "role",
    }

    /// 403 to a write of `resources`.
    Failure ResourcesForbidden {} = {
        next: "This API key is not allowed to do this. Only admins may set `resources`: omit them from the configuration, \
               so they are not managed, or use an admin's key. A listing that is managed elsewhere also refuses.",
        for_all: "omit `resources`, or use an admin's key",
        at: "resources",
    }

    // Additions and removals of owners.

    /// 404 to a POST, under an integration of which nothing was read.
    Failure IntegrationMissing {} = {
        next: "The integration does not exist, or this API key may not see it. Check `integration` and `base_url`.",
        for_all: "check `integration`",
        at: "integration",
    }

    /// 404 to a POST, under an integration that was read.
    Failure PrincipalMissing { owner } = {
        next: "The integration was read in this run, so {owner} is what the service does not have: the user, group or \
               team may have been deleted. Correct it, or remove it from the configuration.",
        for_all: "remove the users, groups and teams that are gone from the configuration",
        at: "owner",
    }

    /// 409 to a POST, and no read shows the owner.
    Failure OwnerConflict { owner, import } = {
        next: "{owner} is an owner already, perhaps in another spelling, or the ID is taken, and no read shows which, so \
               the owner is not adopted. If reads lag, run Terraform again in a few minutes. Otherwise find the owner's \
               ID at the service and import it:\n\n{import}",
        for_all: "find the owners at the service, and import them",
    }

    /// 409 to a POST for a list of owners.
    Failure ListedOwnerConflict { owner } = {
        next: "{owner} may be an owner already: the list lags, or contains it in another spelling. Use that spelling in \
               `owners`: the data source `access_integration_owners` returns it. If it does not, run Terraform again in \
               a few minutes. No owner was removed.",
        for_all: "use the spelling that the service lists",
    }

    /// A POST that failed after the service may have processed it; another principal has the ID
    /// now.
    Failure MayExistAsOther { found, stored, owner, import } = {
        next: "The owner may exist: the service may have processed the request before it failed. The request was not sent \
               again, so there are never two owners. {found} belongs to {stored} now, and nothing shows whether it did \
               before. If {stored} is the service's spelling of {owner}, import it:\n\n{import}\n\nIf not, run \
               Terraform again.",
        for_all: "they may exist: look at the service, and import those that do",
    }

    /// A POST that failed after the service may have processed it, and no read shows the owner.
    Failure MayExist { integration, owner, import } = {
        next: "The owner may exist: the service may have processed the request before it failed. The request was not sent \
               again, so there are never two owners. No read shows the owner. Look at the owners of {integration} at \
               the service. If {owner} is one of them, also in another spelling, import it:\n\n{import}\n\nIf not, run \
               Terraform again.",
        for_all: "they may exist: look at the service, and import those that do",
    }

    /// The same for a list of owners.
    Failure ListedMayExist {} = {
        next: "The owner may exist: the service may have processed the request before it failed, and no read shows the \
               owner. The request was not sent again, so there are never two owners, and no owner was removed. Run \
               Terraform again in a few minutes, and look at the owners in its plan before you apply it.",
        for_all: "they may exist: look at the owners in the next plan before you apply it",
        at: "owners",
    }

    /// The list that a resource of all owners needs.
    Failure ListNeeded { effect, next } = {
        next: "{effect}{next}",
        at: "integration",
    }

    /// An owner that an apply has to remove stays.
    Failure OwnerStays { object, owner } = {
        next: "The state contains the owners that {object} has now. Either add {owner} to `owners`, or remove it at the \
               service by other means and run Terraform again. If owners can never be removed by this API, \
               `access_integration_owner` manages single owners.",
        for_all: "add them to `owners`, or remove them at the service",
    }

    // Deletes.

    /// The service does not offer the DELETE.
    Failure DeleteNotOffered { ways } = {
        next: "The service does not offer this operation. {ways}",
        for_all: "ACCESS_DELETION_POLICY=abandon leaves them at the service",
    }

    /// The DELETE returned 404, and no read shows that the object is gone.
    Failure NotDeleted { kind, ways } = {
        next: "No response shows that the {kind} was deleted. {ways}",
        for_all: "ACCESS_DELETION_POLICY=abandon leaves them at the service",
    }
}
