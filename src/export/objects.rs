//! What is exported: a row for each resource type, and the objects that the service returns.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::LazyLock;

use access_client::{Identifier, IntegrationOwner, ListingRole, Principal};
use serde_json::Value;
use unicode_normalization::is_nfc;

use super::service::list;
use crate::integration_owner::attributes as integration_owner;
use crate::listing_role::attributes as listing_role;
use crate::resource::attributes::{Row, exported, recorded};
use crate::resource::entity::Convert;
use crate::run::Run;
use crate::say::Words;

/// A resource type whose objects are exported.
pub(super) struct Exported {
    pub(super) words: &'static Words,
    /// The arguments that the service records, in the order of a block: the parent, what a data file has
    /// as the key, and the others. HCL and YAML write them and no others, so a plan after the export shows
    /// no change of them.
    pub(super) arguments: Vec<&'static str>,
    /// Everything that the service records.
    pub(super) attributes: Vec<&'static str>,
    pub(super) read: for<'a> fn(&'a Run, &'a Identifier, &'a mut Vec<String>) -> Reading<'a>,
    problem: fn(&Value, &Place) -> Option<String>,
}

type Reading<'a> = Pin<Box<dyn Future<Output = Vec<Value>> + Send + 'a>>;

/// Where an object is written.
struct Place {
    is_yaml: bool,
    /// The key stands for another object already.
    is_taken: bool,
}

/// The resource types, in the order of an export.
pub(super) static EXPORTED: LazyLock<[Exported; 2]> = LazyLock::new(|| {
    [
        Exported::new::<ListingRole, _>(listing_role::ATTRIBUTES, problem_of_role),
        Exported::new::<IntegrationOwner, _>(integration_owner::ATTRIBUTES, problem_of_owner),
    ]
});

impl Exported {
    fn new<E: Convert, F>(
        rows: &'static [Row<F>],
        problem: fn(&Value, &Place) -> Option<String>,
    ) -> Self {
        let attributes = recorded(rows).map(|row| row.name).collect();
        Self { words: E::WORDS, arguments: exported(rows), attributes, read: read::<E>, problem }
    }
}

/// The objects of a type: by parent in the order of the arguments, then by ID. Each is a JSON object of
/// attributes by name; what the service does not record is null.
pub(super) struct Objects {
    pub(super) exported: &'static Exported,
    pub(super) all: Vec<Value>,
}

fn read<'a, E: Convert>(
    run: &'a Run,
    parent: &'a Identifier,
    left_out: &'a mut Vec<String>,
) -> Reading<'a> {
    Box::pin(async move {
        let objects = list::<E>(run, parent, left_out).await;
        objects.into_iter().map(attributes).collect()
    })
}

/// Returns the attributes of an object, as a state has them.
fn attributes<E: Convert>(object: E) -> Value {
    serde_json::to_value(E::from_response(object)).unwrap_or_default()
}

impl Objects {
    /// Keeps what a configuration can manage. Adds the rest to `left_out`, each with its reason. `has_keys`
    /// is whether objects are written by key.
    pub(super) fn retain_manageable(
        &mut self,
        is_yaml: bool,
        has_keys: bool,
        left_out: &mut Vec<String>,
    ) {
        let Self { exported: Exported { arguments, problem, .. }, all } = self;
        let mut seen = HashSet::new();
        all.retain(|object| {
            let is_first = seen.insert([0, 1].map(|it| text(&object[arguments[it]])));
            let place = Place { is_yaml, is_taken: has_keys && !is_first };
            let Some(problem) = problem(object, &place) else { return true };
            left_out.push(format!("{} is left out: {problem}.", text(&object["name"])));
            false
        });
    }
}

/// Returns why a configuration cannot manage a role.
fn problem_of_role(role: &Value, place: &Place) -> Option<String> {
    let is_merge_key = place.is_yaml && role["role"] == "<<";
    let problem = "Terraform merges what is below the key << of YAML, also in quotes";
    problem_of_name(&role["name"]).or_else(|| is_merge_key.then(|| problem.to_owned()))
}

/// Returns why a configuration cannot manage an owner.
fn problem_of_owner(owner: &Value, place: &Place) -> Option<String> {
    let principal = text(&owner["owner"]);
    if Principal::parse(&principal).is_err() {
        return Some(format!("its owner, {principal:?}, is not a user, group or team"));
    }
    if place.is_taken {
        return Some(format!("{principal} owns the integration under another ID already"));
    }
    problem_of_name(&owner["name"]).or_else(|| problem_of_text(&owner["owner"]))
}

/// Returns why an object cannot be imported by its name.
fn problem_of_name(name: &Value) -> Option<String> {
    let text = text(name);
    let id = text.splitn(4, '/').nth(3).unwrap_or_default();
    let fault = Identifier::parse(id).err().map(|fault| format!("its ID {fault}"));
    fault.or_else(|| problem_of_text(name))
}

/// Returns why Terraform would change a text with an ID: it stores every text in normal form C.
fn problem_of_text(id: &Value) -> Option<String> {
    let text = text(id);
    let problem = "Terraform changes its ID, which is not in Unicode's form C";
    (!is_nfc(&text)).then(|| format!("{problem} ({})", text.escape_default()))
}

/// Returns an attribute as text: "" for null.
pub(super) fn text(attribute: &Value) -> String {
    match attribute {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::attributes::Form;

    /// An argument that is missing here would be cleared by the apply after an export.
    #[test]
    fn every_argument_that_the_service_records_is_exported() {
        fn settable<F>(rows: &[Row<F>]) -> Vec<&'static str> {
            let is_settable = |row: &&Row<F>| !matches!(row.form, Form::Computed | Form::Behaviour);
            rows.iter().filter(is_settable).map(|row| row.name).collect()
        }
        let [role, owner] = &*EXPORTED;
        assert_eq!(settable(listing_role::ATTRIBUTES), role.arguments);
        let mut settable = settable(integration_owner::ATTRIBUTES);
        settable.retain(|name| *name != "integration_owner_id");
        assert_eq!(settable, owner.arguments);
    }

    #[test]
    fn what_no_configuration_can_manage_is_left_out_with_the_reason() {
        let role = |id: &str| json!({"name": format!("listings/l/roles/{id}"), "role": id});
        let owner = |id: &str, principal: &str| json!({"name": format!("integrations/i/owners/{id}"), "integration": "i", "owner": principal});
        let decomposed = "e\u{301}";
        for (is_yaml, has_keys, expected) in [
            (
                false,
                false,
                vec![" form C (listings/l/roles/e\\u{301})", "\"bots/x\"", "users/e\\u{301}"],
            ),
            (false, true, vec![" form C", "o2 is left out: users/a owns", "\"bots/x\"", " form C"]),
            (
                true,
                true,
                vec!["key <<", " form C", "o2 is left out: users/a", "\"bots/x\"", " form C"],
            ),
        ] {
            let principal = format!("users/{decomposed}");
            let roles = ["<<", "\u{e9}", decomposed].map(role).into();
            let owners =
                [("o1", "users/a"), ("o2", "users/a"), ("o3", "bots/x"), ("o4", &principal)]
                    .map(|(id, principal)| owner(id, principal))
                    .into();
            let mut left_out = Vec::new();
            let mut kept = 0;
            for (exported, all) in EXPORTED.iter().zip([roles, owners]) {
                let mut objects = Objects { exported, all };
                objects.retain_manageable(is_yaml, has_keys, &mut left_out);
                kept += objects.all.len();
            }
            assert_eq!(left_out.len(), expected.len(), "{left_out:#?}");
            for (text, part) in left_out.iter().zip(expected) {
                assert!(text.contains(part), "{text}: {part}");
            }
            assert_eq!(kept + left_out.len(), 7);
        }
    }
}
