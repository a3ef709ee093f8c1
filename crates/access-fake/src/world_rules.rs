//! The rules of a world that apply to an object, a collection or a path.

use std::time::Duration;

use serde_json::Value;

use crate::pattern::matches;
use crate::rules::{Gateway, HiddenObject, OddList, Read, ResponseTo, Write};
use crate::world::World;

/// A kind of call, as far as [`HiddenObject`] distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Get,
    List,
    Delete,
    Write,
}

/// The lag of reads after a write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lag {
    /// The lag that counts reads of both kinds together.
    pub(crate) any: LagSpan,
    pub(crate) get: LagSpan,
    pub(crate) list: LagSpan,
}

/// A number of reads and a time; reads lag until both are over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LagSpan {
    pub(crate) reads: u32,
    pub(crate) time: Duration,
}

impl LagSpan {
    fn extend(&mut self, reads: u32, time: Duration) {
        self.reads = self.reads.max(reads);
        self.time = self.time.max(time);
    }
}

impl World {
    /// Returns the status of a call that a rule in `hidden` rejects.
    pub(crate) fn hidden_status(&self, name: &str, key: &str, access: Access) -> Option<u16> {
        self.hidden_from(name, key).find_map(|hidden| match access {
            Access::Get => hidden.get,
            Access::List => hidden.list,
            Access::Delete => hidden.delete,
            Access::Write => hidden.write,
        })
    }

    /// Returns whether lists contain an object for a key.
    pub(crate) fn is_listed(&self, name: &str, key: &str) -> bool {
        !self.hidden_from(name, key).any(|hidden| hidden.omit_from_list)
    }

    fn hidden_from(&self, name: &str, key: &str) -> impl Iterator<Item = &HiddenObject> {
        self.hidden.iter().filter(move |hidden| {
            matches(&hidden.object, name) && hidden.key.as_deref().is_none_or(|only| only == key)
        })
    }

    /// Returns the lag of reads after a write of an object.
    pub(crate) fn lag(&self, name: &str, write: Write) -> Lag {
        let mut lag = Lag::default();
        lag.any.extend(self.reads_lag, Duration::ZERO);
        for rule in &self.lags {
            let applies = rule.object.as_deref().is_none_or(|object| matches(object, name))
                && rule.after.is_none_or(|after| after == write);
            if !applies {
                continue;
            }
            let time = Duration::from_millis(rule.ms);
            if rule.read != Some(Read::List) {
                lag.get.extend(rule.reads, time);
            }
            if rule.read != Some(Read::Get) {
                lag.list.extend(rule.reads, time);
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

    /// Returns the gateway that responds to a path.
    pub(crate) fn gateway(&self, path: &str) -> Option<&Gateway> {
        self.gateways.iter().find(|gateway| path.starts_with(&gateway.prefix))
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

    /// Returns the spelling under which the service stores a `repoUri`.
    pub(crate) fn canonical_repo_uri(&self, uri: String) -> String {
        let mut uri = uri;
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
