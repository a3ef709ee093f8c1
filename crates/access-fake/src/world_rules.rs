//! The rules of a world that apply to an object, a collection or a path.

use serde_json::Value;

use crate::object::Object;
use crate::pattern::matches;
use crate::rules::{HiddenObject, OddList, Read, ResponseTo, Write};
use crate::world::World;

/// The numbers of reads that lag behind a write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lag {
    pub(crate) get: u32,
    pub(crate) list: u32,
}

impl World {
    /// Returns the rules that hide an object or a collection.
    pub(crate) fn hidden<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a HiddenObject> {
        self.hidden.iter().filter(|hidden| matches(&hidden.object, name))
    }

    /// Returns the lag of reads after a write of an object.
    pub(crate) fn lag(&self, name: &str, write: Write) -> Lag {
        let mut lag = Lag::default();
        for rule in &self.lags {
            let applies = rule.object.as_deref().is_none_or(|object| matches(object, name))
                && rule.after.is_none_or(|after| after == write);
            if applies && rule.read != Some(Read::List) {
                lag.get = lag.get.max(rule.reads);
            }
            if applies && rule.read != Some(Read::Get) {
                lag.list = lag.list.max(rule.reads);
            }
        }
        lag
    }

    /// Removes the fields that a kind of response omits.
    pub(crate) fn omit_fields(&self, name: &str, response: ResponseTo, object: &mut Value) {
        let Value::Object(fields) = object else { return };
        let rules = self.omitted_fields.iter().filter(|rule| {
            rule.object.as_deref().is_none_or(|object| matches(object, name))
                && (rule.responses.is_empty() || rule.responses.contains(&response))
        });
        for field in rules.flat_map(|rule| &rule.fields) {
            fields.remove(field);
        }
    }

    /// Returns the first rule for a collection.
    pub(crate) fn odd_list(&self, collection: &str) -> Option<&OddList> {
        self.lists.iter().find(|rule| {
            rule.collection.as_deref().is_none_or(|pattern| matches(pattern, collection))
        })
    }

    /// Returns a path without the base path that it begins with.
    pub(crate) fn without_base_path<'a>(&self, path: &'a str) -> &'a str {
        let rest = |base: &String| path.strip_prefix(base.trim_end_matches('/'));
        self.base_paths.iter().filter_map(rest).find(|rest| rest.starts_with('/')).unwrap_or(path)
    }

    /// Returns the spelling under which the service stores an owner's principal.
    pub(crate) fn canonical_owner(&self, owner: String) -> String {
        self.canonical_owners.get(&owner).cloned().unwrap_or(owner)
    }

    /// Returns whether an owner is this principal, which is in the spelling under which it is
    /// stored.
    pub(crate) fn is_same_owner(&self, principal: &str, owner: &Object) -> bool {
        let other = owner.get("owner").and_then(Value::as_str).unwrap_or_default();
        let ignores_case = self.owners_ignore_case;
        other == principal || ignores_case && other.to_lowercase() == principal.to_lowercase()
    }

    /// Returns the spelling under which the service stores a `repoUri`.
    pub(crate) fn canonical_repo_uri(&self, uri: &str) -> String {
        let mut uri = uri.to_owned();
        if self.repo_uri_upper_host
            && let Some((scheme, rest)) = uri.split_once("://")
        {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            uri = format!("{scheme}://{}{path}", host.to_ascii_uppercase());
        }
        if self.repo_uri_git_suffix && !uri.is_empty() && !uri.ends_with(".git") {
            uri.push_str(".git");
        }
        uri
    }
}
