//! What must hold after every run, whatever the provider's own rules are: who made an object, who wants
//! it, and what its users have said.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::configuration::{Block, Configuration, Kind};
use crate::host::{Action, Instance, Plan, State};
use crate::life::{Command, Mode};
use crate::provider::{Findings, Note};
use crate::world::{Effect, Identity, Seen, Services};

/// A run of terraform, and what it has done.
pub(crate) struct Run {
    pub(crate) command: Command,
    /// The state before the run.
    pub(crate) before: State,
    pub(crate) configuration: Configuration,
    /// The plan that was applied.
    pub(crate) plan: Option<Plan>,
    /// The objects of the service when the apply began.
    pub(crate) present: Vec<(u8, Value)>,
    /// What the network has seen in the plan, and in the apply.
    pub(crate) seen: [Seen; 2],
    pub(crate) found: Findings,
    pub(crate) has_failed: bool,
}

/// A rule that was broken, and how.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) rule: &'static str,
    pub(crate) text: String,
}

pub(crate) fn verdict(rule: &'static str, text: String) -> Verdict {
    Verdict { rule, text }
}

/// Returns diagnostics as text.
pub(crate) fn texts(notes: &[Note]) -> String {
    let line = |note: &Note| {
        let kind = if note.is_error { "Error" } else { "Warning" };
        format!("    {kind}: {}\n", note.text.replace('\n', "\n      "))
    };
    notes.iter().map(line).collect()
}

/// Returns all objects of the service.
pub(crate) fn present(services: &Services) -> Vec<(u8, Value)> {
    (0..2)
        .flat_map(|region| services.objects(region).into_iter().map(move |object| (region, object)))
        .collect()
}

/// Judges a run.
pub(crate) fn judge(services: &Services, after: &State, run: &Run) -> Result<(), Verdict> {
    let result = judge_all(services, after, run);
    // `LIVES_EXCEPT` names rules, separated by semicolons, whose defects are known.
    let except = std::env::var("LIVES_EXCEPT").unwrap_or_default();
    result.or_else(|found| {
        if except.split(';').any(|rule| rule == found.rule) { Ok(()) } else { Err(found) }
    })
}

fn judge_all(services: &Services, after: &State, run: &Run) -> Result<(), Verdict> {
    let judge = Judge { services, after, run, now: present(services) };
    if let Some((rule, text)) = run.found.problems.first() {
        return Err(judge.broken(rule, text.clone()));
    }
    judge.plans_only_read()?;
    judge.diagnostics_are_good()?;
    judge.requests_are_bounded()?;
    judge.short_outages_pass()?;
    judge.calm_runs_succeed()?;
    let Some(plan) = &run.plan else { return Ok(()) };
    judge.effects_are_planned(plan)?;
    judge.effects_are_allowed(plan)?;
    judge.nothing_wanted_is_gone(plan)?;
    judge.no_state_is_lost(plan)?;
    judge.success_is_complete(plan)
}

/// Returns whether a plan after this run must be quiet.
pub(crate) fn is_quiet_after(services: &Services, run: &Run) -> bool {
    let blocks = &run.configuration.blocks;
    let names: BTreeSet<_> = blocks.values().map(|block| (block.region, block.object)).collect();
    let command = &run.command;
    run.plan.is_some()
        && command.mode == Mode::Apply
        && command.target.is_none()
        && command.is_calm()
        && command.between.is_none()
        && command.refresh
        && !command.off
        && !command.minimal_refresh
        && services.world.is_truthful()
        && names.len() == blocks.len()
}

struct Judge<'j> {
    services: &'j Services,
    /// The objects of the service after the run.
    now: Vec<(u8, Value)>,
    after: &'j State,
    run: &'j Run,
}

/// Returns whether an object of a state is this object of the service, as far as names tell.
fn names(instance: &Instance, region: u8, name: &str) -> bool {
    instance.region == region && instance.value["name"] == name
}

fn is_same(instance: &Instance, identity: &Identity) -> bool {
    Identity::of(instance.region, &instance.value).as_ref() == Some(identity)
}

fn instances(state: &State) -> impl Iterator<Item = &Instance> {
    state.values().flat_map(|slot| slot.all())
}

impl Judge<'_> {
    fn broken(&self, rule: &'static str, text: String) -> Verdict {
        let effects = self.run.seen.iter().flat_map(|seen| &seen.effects);
        let effects: String = effects
            .map(|effect| {
                let what = match (&effect.before, &effect.after) {
                    (None, _) => "creates",
                    (_, None) => "deletes",
                    _ => "changes",
                };
                format!("    {} {what} {}\n", effect.method, effect.identity.name)
            })
            .collect();
        verdict(rule, format!("{text}\n{effects}{}", texts(&self.run.found.notes)))
    }

    fn plans_only_read(&self) -> Result<(), Verdict> {
        match self.run.seen[0].requests.iter().find(|(_, method, _)| method != "GET") {
            Some((_, method, path)) => {
                Err(self.broken("plans only read", format!("{method} {path}")))
            }
            None => Ok(()),
        }
    }

    /// Every error names an object and a next step, and none shows the key.
    fn diagnostics_are_good(&self) -> Result<(), Verdict> {
        for note in &self.run.found.notes {
            let has = |parts: &[&str]| parts.iter().any(|part| note.text.contains(part));
            if has(&["of-lives", "panicked", "bug in the provider"]) {
                return Err(self.broken("diagnostics", note.text.clone()));
            }
            if !note.is_error {
                continue;
            }
            if !has(&["listing-", "integration-", "localhost"]) {
                return Err(self.broken("errors name an object", note.text.clone()));
            }
            let is_complete = note.text.split('\n').nth(1).is_some_and(|detail| !detail.is_empty());
            let steps = [
                "`", "gain", "heck", "Run", "Use", "Set", "import", "Remove", "Wait", "Create",
                "Keep", "Look", "pply", "Give",
            ];
            if is_complete && !has(&steps) {
                return Err(self.broken("errors name the next step", note.text.clone()));
            }
        }
        Ok(())
    }

    fn requests_are_bounded(&self) -> Result<(), Verdict> {
        let run = self.run;
        if !run.command.is_calm() {
            return Ok(());
        }
        let addresses: BTreeSet<_> =
            run.before.keys().chain(run.configuration.blocks.keys()).collect();
        let deposed: usize = run.before.values().map(|slot| slot.deposed.len()).sum();
        let objects = addresses.len() + deposed;
        let [plan, apply] = &run.seen;
        let changes = run.plan.as_ref().map_or(0, |plan| {
            plan.changes.iter().filter(|change| change.action != Action::NoOp).count()
        });
        let writes = apply.requests.iter().filter(|(_, method, _)| method != "GET").count();
        let lists_all = run.configuration.blocks.keys().any(|address| address.kind == Kind::Owners)
            || run.before.keys().any(|address| address.kind == Kind::Owners);
        let counts =
            [plan.requests.len(), apply.requests.len(), if lists_all { 0 } else { writes }];
        let limits = [5 * objects + 12, 6 * changes + 8, 2 * changes];
        match counts
            .iter()
            .zip(&limits)
            .find(|(count, limit)| count > limit && !self.services.world.small_pages)
        {
            Some((count, limit)) => Err(self.broken(
                "cost",
                format!(
                    "{count} requests instead of {limit} for {objects} objects, {changes} changes"
                ),
            )),
            None => Ok(()),
        }
    }

    /// An outage of less than a minute fails no call. A POST is not sent again.
    fn short_outages_pass(&self) -> Result<(), Verdict> {
        let fates = &self.run.command.fates;
        let are_short = fates.iter().flatten().all(crate::world::Fate::is_short_outage);
        let blames = ["out of order", "the connection failed", "could not connect"];
        let is_wrong = |note: &&Note| {
            note.is_error
                && !note.text.contains("POST")
                && !note.text.contains("PATCH")
                && blames.iter().any(|blame| note.text.contains(blame))
        };
        match self.run.found.notes.iter().find(is_wrong).filter(|_| are_short) {
            Some(note) => Err(self.broken("short outages", note.text.clone())),
            None => Ok(()),
        }
    }

    /// Without faults, a refresh succeeds, and so does the destroy of objects that nobody has made anew.
    /// Only an object that was last seen in another region is an error.
    fn calm_runs_succeed(&self) -> Result<(), Verdict> {
        let run = self.run;
        let is_mode = match run.command.mode {
            Mode::RefreshOnly => true,
            Mode::Destroy => !run.command.refresh && run.command.between.is_none(),
            Mode::Plan | Mode::Apply => false,
        };
        let is_anew = |instance: &Instance| {
            let name = instance.value["name"].as_str().unwrap_or_default();
            let mut now = run
                .present
                .iter()
                .filter(|(region, object)| *region == instance.region && object["name"] == name);
            now.any(|(region, object)| {
                Identity::of(*region, object).is_none_or(|it| !is_same(instance, &it))
            })
        };
        // The last owner of an integration is never removed.
        let has_all_owners = run.before.keys().any(|address| address.kind == Kind::Owners);
        let is_judged = is_mode
            && run.command.is_calm()
            && self.services.world.is_truthful()
            && !has_all_owners
            // An object that does not exist cannot be imported.
            && run.configuration.imports.is_empty()
            && !instances(&run.before).any(is_anew);
        let error =
            run.found.notes.iter().find(|note| note.is_error && !note.text.contains("last seen"));
        match error.filter(|_| is_judged) {
            Some(note) => Err(self.broken("calm runs", note.text.clone())),
            None => Ok(()),
        }
    }

    fn warns_about(&self, name: &str) -> bool {
        self.run.found.notes.iter().any(|note| note.text.contains(name))
    }

    /// Returns whether a response has said that an existing object does not exist, or none could say it.
    fn was_misled_about(&self, name: &str) -> bool {
        let world = &self.services.world;
        let cannot_look = world.absent.is_some() && self.warns_about(name);
        cannot_look
            || self.run.seen.iter().any(|seen| seen.lies.contains(name) || seen.was_disturbed)
    }

    /// Returns whether a block names this object, an owner by its principal.
    fn names_object(&self, block: &Block, region: u8, name: &str, principal: Option<&str>) -> bool {
        let Some((parent, _)) = name.rsplit_once('/') else { return false };
        let object = block.object;
        if block.region != region || parent.split('/').nth(1) != Some(&*object.parent_name()) {
            return false;
        }
        let is_role = name.starts_with("listings/");
        match object.kind {
            Kind::Role => is_role && name.ends_with(&format!("/{}", object.own_name())),
            Kind::Owner => !is_role && principal == Some(&*self.services.principal(object)),
            Kind::Owners => !is_role,
        }
    }

    /// Returns whether a block names this object of the service, before or after the apply.
    fn is_wanted_by(&self, block: &Block, region: u8, name: &str) -> bool {
        let mut known = self.run.present.iter().chain(&self.now);
        let found = known.find(|(at, object)| *at == region && object["name"] == name);
        let principal = found.and_then(|(_, object)| object["owner"].as_str());
        self.names_object(block, region, name, principal)
    }

    /// Returns whether a block that wants the object may take an existing one.
    fn is_taken(&self, plan: &Plan, region: u8, name: &str) -> bool {
        let mut blocks = plan.configuration.blocks.values();
        blocks.any(|block| block.takes() && self.is_wanted_by(block, region, name))
    }

    /// What the apply did is what the plan promised: it creates, changes and deletes the objects of these
    /// changes only.
    fn effects_are_planned(&self, plan: &Plan) -> Result<(), Verdict> {
        for effect in &self.run.seen[1].effects {
            let Identity { region, name, .. } = &effect.identity;
            let object = effect.before.as_ref().or(effect.after.as_ref());
            let principal = object.and_then(|object| object["owner"].as_str());
            let is_planned = plan.changes.iter().any(|change| {
                let writes = plan.configuration.blocks.get(&change.address).is_some_and(|block| {
                    block.object.kind == Kind::Owners
                        || self.names_object(block, *region, name, principal)
                });
                let prior = change.prior.as_ref();
                let has = change.address.kind == Kind::Owners
                    || prior.is_some_and(|prior| names(prior, *region, name));
                let replaces = matches!(change.action, Action::Replace { .. });
                match (effect.before.is_some(), effect.after.is_some()) {
                    (false, _) => {
                        writes
                            && (replaces
                                || change.action == Action::Create
                                || change.address.kind == Kind::Owners)
                    }
                    (true, true) => writes && change.action != Action::NoOp,
                    (true, false) => {
                        has && (replaces
                            || change.action == Action::Destroy
                            || change.address.kind == Kind::Owners)
                    }
                }
            });
            if !is_planned {
                return Err(self.broken("not planned", format!("{} {name}", effect.method)));
            }
        }
        Ok(())
    }

    /// Nothing that is somebody else's is deleted or overwritten, unless the user has said so.
    fn effects_are_allowed(&self, plan: &Plan) -> Result<(), Verdict> {
        let mut own: BTreeSet<Identity> = BTreeSet::new();
        for effect in &self.run.seen[1].effects {
            let Effect { identity, before, after, twins, .. } = effect;
            match (before, after) {
                (None, Some(_)) => {
                    // The provider does not know under which spelling the service stores a principal.
                    let is_visible = !self.services.world.canonical_owners;
                    let principal = after.as_ref().and_then(|owner| owner["owner"].as_str());
                    let warned = self.services.world.absent.is_some()
                        && principal.is_some_and(|principal| self.warns_about(principal));
                    let is_wrong =
                        |twin: &&String| is_visible && !warned && !self.was_misled_about(twin);
                    let doubled = twins.iter().find(is_wrong);
                    if let Some(twin) = doubled {
                        return Err(
                            self.broken("added twice", format!("{} and {twin}", identity.name))
                        );
                    }
                    own.insert(identity.clone());
                }
                (Some(_), None) if !own.remove(identity) => {
                    self.delete_is_allowed(plan, identity, before)?
                }
                (Some(_), Some(_)) if !own.contains(identity) => {
                    self.overwrite_is_allowed(plan, identity)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn delete_is_allowed(
        &self,
        plan: &Plan,
        identity: &Identity,
        object: &Option<Value>,
    ) -> Result<(), Verdict> {
        let Identity { region, name, .. } = identity;
        let all_owners = instances(&plan.prior_state).any(|instance| {
            let owners = instance.value["owners"].as_array().into_iter().flatten();
            let principal = object.as_ref().map_or(&Value::Null, |object| &object["owner"]);
            let parent = instance.value["name"]
                .as_str()
                .is_some_and(|parent| name.starts_with(&format!("{parent}/")));
            instance.region == *region
                && parent
                && owners.into_iter().any(|owner| owner == principal)
        });
        if all_owners || (self.services.world.canonical_owners && name.contains("/integration-2/"))
        {
            return Ok(());
        }
        let mine: Vec<&Instance> =
            instances(&plan.prior_state).filter(|instance| is_same(instance, identity)).collect();
        if mine.is_empty() {
            let known = instances(&plan.prior_state).any(|instance| names(instance, *region, name));
            let takes = self.is_taken(plan, *region, name);
            if takes {
                return Ok(());
            }
            let what = if known { "made anew by somebody else" } else { "in no state" };
            return Err(self.broken("deleted somebody else's", format!("{name}: {what}")));
        }
        let abandons = |instance: &&Instance| match instance.value["deletion_policy"].as_str() {
            Some(policy) => policy == "abandon",
            None => self.run.command.abandon[1],
        };
        if mine.iter().all(abandons) {
            return Err(self.broken("deleted what is abandoned", name.clone()));
        }
        Ok(())
    }

    fn overwrite_is_allowed(&self, plan: &Plan, identity: &Identity) -> Result<(), Verdict> {
        let Identity { region, name, .. } = identity;
        let is_mine = instances(&plan.prior_state).any(|instance| is_same(instance, identity));
        let is_named = instances(&plan.prior_state).any(|instance| names(instance, *region, name));
        let takes = self.is_taken(plan, *region, name);
        // An update writes an object that somebody has made anew since the plan, and says so.
        let updates = plan.changes.iter().any(|change| {
            let prior = change.prior.as_ref();
            change.action == Action::Update
                && prior.is_some_and(|prior| names(prior, *region, name))
        });
        let has_said = is_mine || takes || (is_named && updates && self.warns_about(name));
        if has_said || self.was_misled_about(name) {
            return Ok(());
        }
        Err(self.broken("overwrote somebody else's", name.clone()))
    }

    /// Nothing that a configuration wants, and that its state had, is gone afterwards.
    fn nothing_wanted_is_gone(&self, plan: &Plan) -> Result<(), Verdict> {
        if self.run.command.mode != Mode::Apply {
            return Ok(());
        }
        // Whether the create that was to follow a delete could not. Names that are known only after apply
        // hide that one address deletes what another creates.
        let seen = &self.run.seen[1];
        let was_disturbed = seen.was_disturbed || seen.was_ended || self.run.is_interrupted();
        for (address, block) in &plan.configuration.blocks {
            if self.run.command.target.is_some_and(|target| target != *address) {
                continue;
            }
            let change = plan
                .changes
                .iter()
                .find(|change| change.address == *address && change.deposed.is_none());
            let action = change.map(|change| change.action);
            let replaces = matches!(action, Some(Action::Replace { .. }));
            let prior = change.and_then(|change| change.prior.as_ref());
            let existed = self.run.present.iter().find(|(region, object)| {
                let name = object["name"].as_str().unwrap_or_default();
                self.is_wanted_by(block, *region, name)
            });
            let exists = !self.services.find(block.region, block.object).is_empty();
            if let Some((region, object)) = existed
                && !exists
                && !((replaces || block.is_late) && was_disturbed)
            {
                let name = object["name"].as_str().unwrap_or_default();
                let managed =
                    instances(&plan.prior_state).any(|instance| names(instance, *region, name));
                if managed
                    || self.run.seen[1].effects.iter().any(|effect| effect.identity.name == name)
                {
                    return Err(self.broken("lost a wanted object", format!("{address}: {name}")));
                }
            }
            // A replacement by another name ends with the new object, or still with the old one, unless the
            // service shows nothing about the new name.
            let is_unclear = (self.services.world.absent.is_some()
                || self.services.world.lists_absent)
                && self.warns_about(&block.object.own_name());
            if let Some(prior) = prior
                && !is_unclear
                && action == Some(Action::Replace { create_first: false })
                && !was_disturbed
                && !block.is_late
                && !exists
                && self.run.present.iter().any(|(region, object)| {
                    Identity::of(*region, object).is_some_and(|it| is_same(prior, &it))
                })
                && !self.now.iter().any(|(region, object)| {
                    Identity::of(*region, object).is_some_and(|it| is_same(prior, &it))
                })
            {
                return Err(self
                    .broken("replaced by nothing", format!("{address}: {}", prior.value["name"])));
            }
        }
        Ok(())
    }

    /// What existed and was managed before is managed afterwards, and so is what was created.
    fn no_state_is_lost(&self, plan: &Plan) -> Result<(), Verdict> {
        let run = self.run;
        let exists = |identity: &Identity| {
            self.now
                .iter()
                .any(|(region, object)| Identity::of(*region, object).as_ref() == Some(identity))
        };
        let is_kept = |identity: &Identity| {
            instances(self.after).any(|instance| names(instance, identity.region, &identity.name))
        };
        for instance in instances(&run.before) {
            let Some(identity) = Identity::of(instance.region, &instance.value) else { continue };
            let policy = instance.value["deletion_policy"].as_str();
            let may_go = policy == Some("abandon")
                || run.command.abandon.contains(&true)
                || plan.configuration.blocks.values().any(|block| block.abandon == Some(true))
                || run.seen.iter().any(|seen| seen.lies.contains(&identity.name));
            if exists(&identity) && !is_kept(&identity) && !may_go {
                return Err(self.broken("lost a state", identity.name));
            }
        }
        if run.seen[1].was_disturbed || run.seen[1].was_ended {
            return Ok(());
        }
        for effect in &run.seen[1].effects {
            let is_part = effect.identity.name.contains("/integration-2/");
            if effect.before.is_none()
                && exists(&effect.identity)
                && !is_kept(&effect.identity)
                && !is_part
            {
                return Err(self.broken("lost a new object", effect.identity.name.clone()));
            }
        }
        Ok(())
    }

    /// The object of a block is there, as the block has it.
    fn service_agrees(&self, block: &Block, state: &Value) -> Result<(), Verdict> {
        let found = self.services.find(block.region, block.object);
        let object = found.iter().find(|object| object["name"] == state["name"]);
        match (block.object.kind, object) {
            (Kind::Owners, _) => Ok(()),
            (_, None) => {
                let text = format!("{} is in the state and not there", state["name"]);
                Err(self.broken("state without an object", text))
            }
            (Kind::Role, Some(object)) if object["displayName"] != block.display_name() => {
                let text = format!("{}: {}", state["name"], object["displayName"]);
                Err(self.broken("drift is not corrected", text))
            }
            _ => Ok(()),
        }
    }

    /// After a success, the state and the service have what the configuration names.
    fn success_is_complete(&self, plan: &Plan) -> Result<(), Verdict> {
        let run = self.run;
        if run.has_failed || run.command.mode != Mode::Apply {
            return Ok(());
        }
        let target = run.command.target;
        let is_targeted = |address| target.is_none_or(|target| target == address);
        for (address, block) in plan.configuration.blocks.iter().filter(|(at, _)| is_targeted(**at))
        {
            let current = self.after.get(address).and_then(|slot| slot.current.as_ref());
            let Some(current) = current else {
                return Err(self.broken("incomplete", format!("{address} is not in the state")));
            };
            if is_quiet_after(self.services, run) {
                self.service_agrees(block, &current.value)?;
            }
            if current.is_tainted {
                return Err(self.broken("incomplete", format!("{address} is tainted")));
            }
        }
        if target.is_some() {
            return Ok(());
        }
        let other =
            self.after.keys().find(|address| !plan.configuration.blocks.contains_key(address));
        if let Some(address) = other {
            return Err(self.broken("incomplete", format!("{address} is still in the state")));
        }
        match self.after.iter().find(|(_, slot)| !slot.deposed.is_empty()) {
            Some((address, _)) => {
                Err(self.broken("incomplete", format!("{address} has a deposed object")))
            }
            None => Ok(()),
        }
    }
}

impl Run {
    fn is_interrupted(&self) -> bool {
        self.command
            .fates
            .iter()
            .flatten()
            .any(|fate| matches!(fate, crate::world::Fate::Interrupt { .. }))
    }
}
