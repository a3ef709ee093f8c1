//! The kinds of objects, with everything that is about one kind alone: its fields and its documented
//! write.

use std::iter;

use http::Method;
use serde_json::{Value, json};

use crate::api::{Caller, Operation, Result, check_writable};
use crate::names::{Target, check_identifier};
use crate::object::{Field, Form, in_response, is_deleted, sent, set_by_service};
use crate::request::ApiRequest;
use crate::response::{ApiError, json_response};
use crate::rules::{ResponseTo, Write};
use crate::state::{Rank, State};
use crate::world::{Operations, World};

/// The manager that writes of the provider record.
const MANAGER: &str = "TERRAFORM";

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Role,
    Owner,
}

impl Kind {
    /// Returns all kinds.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        // The match does not compile without a new kind.
        let next = |kind: &Self| match kind {
            Self::Role => Some(Self::Owner),
            Self::Owner => None,
        };
        iter::successors(Some(Self::Role), next)
    }

    /// Returns the names of the collection of the parents and of that of the objects.
    pub(crate) fn collections(self) -> (&'static str, &'static str) {
        match self {
            Self::Role => ("listings", "roles"),
            Self::Owner => ("integrations", "owners"),
        }
    }

    /// Returns the fields of the objects of this kind.
    pub(crate) fn fields(self) -> &'static [Field] {
        match self {
            Self::Role => &ROLE,
            Self::Owner => &OWNER,
        }
    }

    /// Returns the fields that a body must contain.
    pub(crate) fn required(self) -> &'static [&'static str] {
        match self {
            Self::Role => &["displayName", "priority"],
            Self::Owner => &["owner"],
        }
    }

    /// Returns the field of a page that contains the objects.
    pub(crate) fn list_field(self) -> &'static str {
        match self {
            Self::Role => "listingRoles",
            Self::Owner => "integrationOwners",
        }
    }

    /// Returns the undocumented operations.
    pub(crate) fn operations(self, world: &World) -> Operations {
        match self {
            Self::Role => world.roles,
            Self::Owner => world.owners,
        }
    }

    /// Returns the documented write.
    pub(crate) fn write(self) -> DocumentedWrite {
        match self {
            Self::Role => {
                DocumentedWrite { method: Method::PATCH, names_object: true, operation: patch }
            }
            Self::Owner => DocumentedWrite {
                method: Method::POST,
                names_object: false,
                operation: create_owner,
            },
        }
    }

    /// Returns whether an object stays stored after its delete.
    pub(crate) fn keeps_deleted(self) -> bool {
        self == Self::Role
    }

    /// Returns what an object has if nothing was said about it.
    pub(crate) fn made_up(self, id: &str) -> Value {
        match self {
            Self::Role => json!({"displayName": id, "priority": "0"}),
            Self::Owner => json!({"owner": format!("users/{id}")}),
        }
    }
}

/// The documented write of a kind of object.
pub(crate) struct DocumentedWrite {
    pub(crate) method: Method,
    /// Whether its path names an object, and not the collection.
    pub(crate) names_object: bool,
    pub(crate) operation: Operation,
}

/// The fields of a role, without `name` and `management`, which are not stored with it.
static ROLE: [Field; 10] = [
    sent("displayName", Form::Text),
    sent("description", Form::Text),
    sent("resources", Form::Texts),
    sent("priority", Form::Decimal),
    sent("repoUri", Form::Text),
    sent("repoDir", Form::Text),
    set_by_service("manager", true),
    set_by_service("createTime", false),
    set_by_service("updateTime", false),
    set_by_service("deleteTime", true),
];

/// The fields of an owner, without `name`.
static OWNER: [Field; 3] = [
    sent("owner", Form::Text),
    set_by_service("createTime", false),
    set_by_service("updateTime", false),
];

/// Updates a role, or creates it with `allowMissing`.
fn patch(state: &mut State, caller: &Caller, request: &ApiRequest, target: &Target) -> Result {
    let parameters = request.parameters(&["updateMask", "allowMissing"])?;
    let mask = parameters.get("updateMask");
    let mask = mask.map(|mask| Kind::Role.read_mask(mask)).transpose()?;
    let allow_missing = match parameters.get("allowMissing").map(String::as_str) {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            let problem = format!("allowMissing must be true or false, not {other:?}");
            return Err(ApiError::bad_request(problem));
        }
    };
    let body = Kind::Role.read_body(request.json_object()?)?;
    check_writable(state, caller, target)?;
    let name = target.name();
    let now = state.stamp();
    let current = state.collection(target).and_then(|stored| stored.current(target)).cloned();
    let current = current.filter(|role| !is_deleted(role));
    let creates = current.is_none() && allow_missing;
    if caller.rank == Rank::Member {
        check_member(mask.as_deref(), creates && body.contains_key("resources"))?;
    }
    let (mut role, write, fields) = match (current, mask) {
        (Some(current), Some(mask)) => (current, Write::Update, mask),
        (Some(current), None) => (current, Write::Update, Kind::Role.fields_of(&body)),
        (None, _) if !creates => return Err(ApiError::not_found(&name)),
        (None, _) => (Kind::Role.blank(&now), Write::Create, Kind::Role.fields_of(&body)),
    };
    // Exactly these fields are set. Those that the body does not contain are cleared.
    for field in fields {
        let value = body.get(field.name).cloned().unwrap_or_else(|| field.cleared());
        match (field.name, value.as_str()) {
            ("repoUri", Some(uri)) => {
                role.insert("repoUri".to_owned(), json!(state.world.canonical_repo_uri(uri)));
            }
            _ => _ = role.insert(field.name.to_owned(), value),
        }
    }
    role.remove("manager");
    role.extend(caller.is_provider.then(|| ("manager".to_owned(), json!(MANAGER))));
    role.insert("updateTime".to_owned(), json!(state.stamp()));
    let lag = state.world.lag(&name, write);
    let (world, stored) = state.world_and_collection(target)?;
    let mut response = in_response(&role, &name, stored.management.as_ref(), world);
    world.omit_fields(&name, ResponseTo::Write, &mut response);
    stored.slot(target).write(Some(role), lag);
    Ok(json_response(200, &response))
}

/// Checks the mask of a non-admin key: it is required and cannot contain `resources`. A create,
/// which ignores the mask, cannot set them either.
fn check_member(mask: Option<&[&Field]>, creates_resources: bool) -> Result<()> {
    let mask =
        mask.ok_or_else(|| ApiError::bad_request("updateMask is required for non-admin keys"))?;
    if creates_resources || mask.iter().any(|field| field.name == "resources") {
        return Err(ApiError::forbidden("setting resources requires an admin key"));
    }
    Ok(())
}

/// Adds an owner.
fn create_owner(state: &mut State, _: &Caller, request: &ApiRequest, target: &Target) -> Result {
    let parameters = request.parameters(&["integrationOwnerId"])?;
    let id = parameters.get("integrationOwnerId");
    id.map(|id| check_identifier(id)).transpose()?;
    let id = id.map(|id| if state.world.lower_case_ids { id.to_lowercase() } else { id.clone() });
    let body = Kind::Owner.read_body(request.json_object()?)?;
    let principal = body.get("owner").and_then(Value::as_str).unwrap_or_default();
    check_principal(principal)?;
    let principal = state.world.canonical_owner(principal.to_owned());
    let mut owner = Kind::Owner.blank(&state.stamp());
    owner.insert("owner".to_owned(), json!(principal));
    let (world, stored) = state.world_and_collection(target)?;
    let same = stored.existing().find(|(_, other)| world.is_same_owner(&principal, other));
    if world.returns_existing_owner
        && let Some((id, same)) = same
    {
        let name = Target { id: Some(id.clone()), ..target.clone() }.name();
        let mut response = in_response(same, &name, None, world);
        world.omit_fields(&name, ResponseTo::Write, &mut response);
        return Ok(json_response(200, &response));
    }
    if let Some(id) = id.as_ref().filter(|id| stored.existing().any(|(other, _)| other == *id)) {
        return Err(ApiError::new(409, format!("{}/{id} already exists", target.name())));
    }
    if !world.duplicate_owners && same.is_some() {
        return Err(ApiError::new(409, format!("{principal} is already an owner")));
    }
    let id = id.unwrap_or_else(|| stored.new_id());
    let target = Target { id: Some(id), ..target.clone() };
    let name = target.name();
    let mut response = in_response(&owner, &name, None, world);
    world.omit_fields(&name, ResponseTo::Write, &mut response);
    stored.slot(&target).write(Some(owner), world.lag(&name, Write::Create));
    Ok(json_response(200, &response))
}

/// Rejects text that is not a user, a group or a team.
fn check_principal(text: &str) -> Result<()> {
    let is_valid = text.split_once('/').is_some_and(|(kind, id)| {
        ["users", "groups", "teams"].contains(&kind) && check_identifier(id).is_ok()
    });
    if is_valid {
        return Ok(());
    }
    Err(ApiError::bad_request(format!(
        "owner must be users/{{user}}, groups/{{group}} or teams/{{team}}, not {text:?}"
    )))
}
