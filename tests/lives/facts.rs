//! What is known about a run: who had an object before it, who wants it, and what its users have
//! said.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::configuration::{Block, Configuration, Kind};
use crate::host::{Action, Change, Instance, Plan, State};
use crate::life::{Command, Flag, Mode};
use crate::link::{Effect, Identity, May, Note, Seen};
use crate::marks;
use crate::world::{Oddity, Services, text};

/// A run of terraform, and what it has done.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) command: Command,
    pub(crate) before: State,
    pub(crate) configuration: Configuration,
    /// Whether it is `terraform import`.
    pub(crate) is_import: bool,
    /// The plan that was applied.
    pub(crate) plan: Option<Plan>,
    /// The objects of the service when the apply began.
    pub(crate) present: Vec<Instance>,
    /// What the network has seen in the plan, and in the apply.
    pub(crate) seen: [Seen; 2],
    pub(crate) has_failed: bool,
}

impl Run {
    pub(crate) fn effects(&self) -> String {
        let line = |effect: &Effect| {
            let what = match (&effect.before, &effect.after) {
                (None, _) => "creates",
                (_, None) => "deletes",
                _ => "changes",
            };
            format!("    {what} {}\n", effect.identity.name)
        };
        self.seen.iter().flat_map(|seen| &seen.effects).map(line).collect()
    }

    /// Returns the requests of the apply.
    pub(crate) fn requests(&self) -> String {
        let line = |(method, path): &(String, String)| format!("    {method} {path}\n");
        self.seen[1].requests.iter().map(line).collect()
    }

    pub(crate) fn notes(&self) -> impl Iterator<Item = &Note> {
        self.seen.iter().flat_map(|seen| &seen.notes)
    }

    pub(crate) fn errors(&self) -> impl Iterator<Item = &Note> {
        self.notes().filter(|note| note.is_error)
    }

    /// Returns the diagnostics as text.
    pub(crate) fn texts(&self) -> String {
        let line = |note: &Note| {
            let kind = if note.is_error { "Error" } else { "Warning" };
            format!("    {kind}: {}\n", note.text.replace('\n', "\n      "))
        };
        self.notes().map(line).collect()
    }

    /// Returns whether the object of a state was gone when the apply began.
    pub(crate) fn lacks(&self, old: &Instance) -> bool {
        old.identity().is_some_and(|own| !self.present.iter().any(|now| now.is(&own)))
    }

    /// Returns whether a diagnostic names an object.
    pub(crate) fn names(&self, object: &str) -> bool {
        self.notes().any(|note| note.text.contains(object))
    }

    /// Returns whether nothing fails, and nothing happens between plan and apply.
    pub(crate) fn is_undisturbed(&self) -> bool {
        self.command.is_calm() && self.command.between.is_none()
    }

    /// Returns whether the plan reads every object.
    pub(crate) fn reads_all(&self) -> bool {
        let all = [Flag::NoRefresh, Flag::MinimalRefresh, Flag::Off];
        !self.command.flags.has_any(&all)
    }

    /// Returns whether the plan has the changes of all blocks, and nothing is replaced by hand.
    pub(crate) fn plans_all_changes(&self) -> bool {
        let Command { mode, target, replace, .. } = &self.command;
        let plans = matches!(mode, Mode::Plan | Mode::Apply) && !self.is_import;
        plans && target.is_none() && replace.is_none()
    }

    /// Returns the integrations of the blocks of a kind.
    pub(crate) fn integrations(&self, kind: Kind) -> BTreeSet<u8> {
        let blocks = self.configuration.blocks.values().filter(|block| block.object.kind == kind);
        blocks.map(|block| block.object.parent).collect()
    }

    pub(crate) fn may(&self, may: May, name: &str) -> bool {
        self.seen.iter().any(|seen| seen.may(may, name))
    }
}

impl Instance {
    pub(crate) fn name(&self) -> &str {
        text(&self.value["name"])
    }

    pub(crate) fn identity(&self) -> Option<Identity> {
        Identity::of(&self.value)
    }

    /// Creation times are unique, if the service shows them.
    pub(crate) fn is(&self, Identity { name, created }: &Identity) -> bool {
        let time = self.value.get("create_time").or_else(|| self.value.get("createTime"));
        self.name() == name && time.and_then(Value::as_str).is_none_or(|own| own == created)
    }

    /// Returns whether this is the state of all owners of an integration, and has this one.
    pub(crate) fn lists(&self, owner: &Value) -> bool {
        let mut owners = self.value["owners"].as_array().into_iter().flatten();
        let is_parent = text(&owner["name"]).starts_with(&format!("{}/", self.name()));
        is_parent && owners.any(|listed| *listed == owner["owner"])
    }
}

impl Change {
    pub(crate) fn replaces(&self, first_created: bool) -> bool {
        self.action == Action::Replace { create_first: first_created }
    }

    pub(crate) fn has(&self, identity: &Identity) -> bool {
        self.prior.as_ref().is_some_and(|prior| prior.is(identity))
    }
}

/// A run, and what is there after it.
pub(crate) struct Judge<'j> {
    pub(crate) services: &'j Services,
    /// The objects of the service after the run.
    pub(crate) now: Vec<Instance>,
    pub(crate) after: &'j State,
    pub(crate) run: &'j Run,
}

impl Judge<'_> {
    pub(crate) fn has(&self, oddity: Oddity) -> bool {
        self.services.world.has(oddity)
    }

    pub(crate) fn has_any(&self, oddities: &[Oddity]) -> bool {
        self.services.world.has_any(oddities)
    }

    pub(crate) fn is_truthful(&self) -> bool {
        self.services.world.is_truthful()
    }

    pub(crate) fn apply(&self) -> &Seen {
        &self.run.seen[1]
    }

    pub(crate) fn has_now(&self, identity: &Identity) -> bool {
        self.now.iter().any(|object| object.is(identity))
    }

    /// Returns whether a block names this object, an owner by its principal.
    pub(crate) fn names_object(&self, block: &Block, object: &Value) -> bool {
        let name = text(&object["name"]);
        let Some((parent, id)) = name.rsplit_once('/') else { return false };
        let has_parent = parent.split('/').nth(1) == Some(&*block.object.parent_name());
        let is_role = parent.starts_with("listings/");
        let is_named = match block.object.kind {
            Kind::Role => is_role && id == block.object.own_name(),
            Kind::Owner => !is_role && object["owner"] == block.object.own_name(),
            Kind::Owners => !is_role,
        };
        has_parent && is_named
    }

    /// Returns whether a block that wants the object may take an existing one.
    pub(crate) fn may_be_adopted(&self, plan: &Plan, object: &Value) -> bool {
        let mut blocks = plan.configuration.blocks.values();
        blocks.any(|block| block.takes() && self.names_object(block, object))
    }

    /// Returns whether the state after the run has an object.
    pub(crate) fn is_kept(&self, Identity { name, .. }: &Identity) -> bool {
        let lists =
            |it: &Instance| self.now.iter().any(|now| now.name() == name && it.lists(&now.value));
        self.after.values().any(|it| it.name() == name || lists(it))
    }

    /// Returns the effects that deleted something.
    pub(crate) fn deletes(&self) -> impl Iterator<Item = &Effect> {
        self.apply().effects.iter().filter(|effect| effect.after.is_none())
    }

    /// Returns whether a state had an object more than once before the run.
    pub(crate) fn is_in_two_states(&self, of: &Instance) -> bool {
        let is_same = |it: &&Instance| it.name() == of.name();
        self.run.before.values().filter(is_same).count() > 1
    }

    /// Returns whether no two blocks name one object, or one fixed ID of an owner.
    pub(crate) fn has_a_block_for_each_object(&self) -> bool {
        let mut known = BTreeSet::new();
        self.run.configuration.blocks.values().all(|block| {
            let (kind, parent) = (block.object.kind, block.object.parent_name());
            let id = block.fixed_id.filter(|_| kind == Kind::Owner).map(|id| format!("fixed-{id}"));
            let names = [Some(block.object.import_id()), id.map(|id| format!("{parent}/{id}"))];
            let mut names = names.into_iter().flatten();
            names.all(|name| known.insert((kind.resource_type(), name)))
        })
    }
}

/// Returns whether a rule does not apply although it is broken, and counts the first reason that
/// holds.
pub(crate) fn excused<const N: usize>(reasons: [(&'static str, bool); N]) -> bool {
    let first = reasons.iter().find(|(_, holds)| *holds);
    first.into_iter().for_each(|(reason, _)| marks::count(reason));
    first.is_some()
}
