//! What must hold after every run, whatever the provider's own rules are: who made an object, who wants
//! it, and what its users have said.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::configuration::{Address, Block, Configuration, Kind, Quality};
use crate::fate::Fate;
use crate::host::{Action, Change, Instance, Plan, State, Walk};
use crate::life::{Command, Event, Flag, Mode};
use crate::link::{Effect, Identity, Seen};
use crate::provider::{Findings, Note};
use crate::world::{Oddity, Services};

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

/// Judges a run.
pub(crate) fn judge(services: &Services, after: &State, run: &Run) -> Result<(), Verdict> {
    let judge = Judge { services, after, run, now: services.objects() };
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
    let names: BTreeSet<_> = blocks.values().map(|block| (block.region(), block.object)).collect();
    let command = &run.command;
    run.plan.is_some()
        && !run.has_failed
        && command.mode == Mode::Apply
        && command.target.is_none()
        && command.is_calm()
        && command.between.is_none()
        && ![Flag::NoRefresh, Flag::Off, Flag::MinimalRefresh].iter().any(|flag| command.has(*flag))
        && services.world.is_truthful()
        && names.len() == blocks.len()
        && !hides_two_managers(blocks)
        // A create that could not add an owner says so: the service has it in a spelling of its own.
        && !run.found.notes.iter().any(|note| note.text.contains("Not all owners of"))
}

/// Returns whether an owner whose name is known only after apply is in an integration whose owners are
/// managed as a whole. Only the next plan can say so.
fn hides_two_managers(blocks: &BTreeMap<Address, Block>) -> bool {
    let parents = |kind, is_late: bool| {
        let of_kind = blocks.values().filter(move |block| {
            block.object.kind == kind && (!is_late || block.is(Quality::Late))
        });
        of_kind.map(|block| (block.region(), block.object.parent))
    };
    parents(Kind::Owner, true).any(|late| parents(Kind::Owners, false).any(|all| all == late))
}

struct Judge<'j> {
    services: &'j Services,
    /// The objects of the service after the run.
    now: Vec<(u8, Value)>,
    after: &'j State,
    run: &'j Run,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Instance {
    /// Returns whether this is an object of the service, as far as names tell.
    fn names(&self, region: u8, name: &str) -> bool {
        self.region == region && self.value["name"] == name
    }

    fn is(&self, identity: &Identity) -> bool {
        Identity::of(self.region, &self.value).as_ref() == Some(identity)
    }

    fn is_object(&self, region: u8, object: &Value) -> bool {
        Identity::of(region, object).is_some_and(|identity| self.is(&identity))
    }
}

fn instances(state: &State) -> impl Iterator<Item = &Instance> + Clone {
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
        if !run.command.is_calm() || self.services.world.has(Oddity::SmallPages) {
            return Ok(());
        }
        let addresses: BTreeSet<_> =
            run.before.keys().chain(run.configuration.blocks.keys()).collect();
        let objects =
            addresses.len() + run.before.values().map(|slot| slot.deposed.len()).sum::<usize>();
        let changes = run.plan.iter().flat_map(|plan| &plan.changes);
        let changes = changes.filter(|change| change.action != Action::NoOp).count();
        let [plan, apply] = &run.seen;
        let writes = apply.requests.iter().filter(|(_, method, _)| method != "GET").count();
        let writes_many = addresses.iter().any(|address| address.kind == Kind::Owners);
        let limits = [
            (plan.requests.len(), 5 * objects + 12),
            (apply.requests.len(), 6 * changes + 8),
            (if writes_many { 0 } else { writes }, 2 * changes),
        ];
        match limits.iter().find(|(count, limit)| count > limit) {
            Some((count, limit)) => {
                let text =
                    format!("{count} requests, not {limit}: {objects} objects, {changes} changes");
                Err(self.broken("cost", text))
            }
            None => Ok(()),
        }
    }

    /// An outage of less than a minute fails no call. A POST is not sent again.
    fn short_outages_pass(&self) -> Result<(), Verdict> {
        let fates = &self.run.command.fates;
        // The process of another region may have had no response before.
        let mut requests = self.run.seen.iter().flat_map(|seen| &seen.requests);
        let are_short = fates.iter().flatten().all(Fate::is_short_outage)
            && requests.all(|(region, ..)| *region == 0);
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
            Mode::Destroy => run.command.has(Flag::NoRefresh) && run.command.between.is_none(),
            Mode::Plan | Mode::Apply => false,
        };
        let is_anew = |instance: &Instance| {
            let mut now =
                run.present.iter().filter(|(at, it)| instance.names(*at, text(&it["name"])));
            now.any(|(at, it)| !instance.is_object(*at, it))
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
        (self.services.world.lacks_reads() && self.warns_about(name))
            || self.run.seen.iter().any(|seen| seen.lies.contains(name) || seen.was_disturbed)
    }

    /// Returns whether a block names this object, an owner by its principal.
    fn names_object(&self, block: &Block, region: u8, name: &str, principal: Option<&str>) -> bool {
        let Some((parent, _)) = name.rsplit_once('/') else { return false };
        let object = block.object;
        if block.region() != region || parent.split('/').nth(1) != Some(&*object.parent_name()) {
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
            if !plan.changes.iter().any(|change| self.is_effect_of(plan, change, effect)) {
                let Effect { method, identity, .. } = effect;
                return Err(self.broken("not planned", format!("{method} {}", identity.name)));
            }
        }
        Ok(())
    }

    fn is_effect_of(&self, plan: &Plan, change: &Change, effect: &Effect) -> bool {
        let Identity { region, name, .. } = &effect.identity;
        let object = effect.before.as_ref().or(effect.after.as_ref());
        let principal = object.and_then(|object| object["owner"].as_str());
        let is_many = change.address.kind == Kind::Owners;
        let block = plan.configuration.blocks.get(&change.address);
        let writes = block.is_some_and(|block| {
            block.object.kind == Kind::Owners || self.names_object(block, *region, name, principal)
        });
        let has = change.prior.as_ref().is_some_and(|prior| prior.names(*region, name));
        let replaces = matches!(change.action, Action::Replace { .. });
        match (effect.before.is_some(), effect.after.is_some()) {
            (false, _) => writes && (is_many || replaces || change.action == Action::Create),
            (true, true) => writes && change.action != Action::NoOp,
            (true, false) => is_many || (has && (replaces || change.action == Action::Destroy)),
        }
    }

    /// Nothing that is somebody else's is deleted or overwritten, unless the user has said so.
    fn effects_are_allowed(&self, plan: &Plan) -> Result<(), Verdict> {
        let mut own: BTreeSet<Identity> = BTreeSet::new();
        for effect in &self.run.seen[1].effects {
            let Effect { identity, before, after, twins, .. } = effect;
            match (before, after) {
                (None, Some(owner)) => {
                    if let Some(twin) =
                        twins.iter().find(|twin| self.is_wrong_twin(identity.region, owner, twin))
                    {
                        let text = format!("{} and {twin}", identity.name);
                        return Err(self.broken("added twice", text));
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

    /// Returns whether the provider knew that it adds an owner twice.
    fn is_wrong_twin(&self, region: u8, owner: &Value, twin: &str) -> bool {
        let world = &self.services.world;
        let cannot_look = world.lacks_reads() || world.has(Oddity::NoLists);
        // The provider does not know under which spelling the service stores a principal.
        let is_excused = world.has(Oddity::Spellings)
            || (cannot_look && self.warns_about(text(&owner["owner"])))
            || self.was_misled_about(twin)
            || self.is_by_others(region, twin);
        !is_excused
    }

    /// Returns whether somebody else may have made the object while the apply ran: nothing protects it
    /// between the look and the write.
    fn is_by_others(&self, region: u8, name: &str) -> bool {
        let was_there =
            self.run.present.iter().any(|(at, object)| *at == region && object["name"] == name);
        self.run.command.fates.iter().flatten().any(|fate| match fate {
            Fate::Meanwhile { outside, .. } => {
                outside.region == region && (outside.what == Event::Remake || !was_there)
            }
            _ => false,
        })
    }

    fn delete_is_allowed(
        &self,
        plan: &Plan,
        identity: &Identity,
        object: &Option<Value>,
    ) -> Result<(), Verdict> {
        let Identity { region, name, .. } = identity;
        let principal = object.as_ref().map_or(&Value::Null, |object| &object["owner"]);
        let has_owner = |instance: &Instance| {
            let mut owners = instance.value["owners"].as_array().into_iter().flatten();
            let is_parent = name.starts_with(&format!("{}/", text(&instance.value["name"])));
            instance.region == *region && is_parent && owners.any(|owner| owner == principal)
        };
        let is_respelled =
            self.services.world.has(Oddity::Spellings) && name.contains("/integration-2/");
        if is_respelled || instances(&plan.prior_state).any(has_owner) {
            return Ok(());
        }
        let mine: Vec<&Instance> =
            instances(&plan.prior_state).filter(|instance| instance.is(identity)).collect();
        if mine.is_empty() {
            if self.is_taken(plan, *region, name) || self.is_by_others(*region, name) {
                return Ok(());
            }
            let known = instances(&plan.prior_state).any(|instance| instance.names(*region, name));
            let what = if known { "made anew by somebody else" } else { "in no state" };
            return Err(self.broken("deleted somebody else's", format!("{name}: {what}")));
        }
        let abandons = |instance: &&Instance| match instance.value["deletion_policy"].as_str() {
            Some(policy) => policy == "abandon",
            None => self.run.command.abandons(1),
        };
        if mine.iter().all(abandons) {
            return Err(self.broken("deleted what is abandoned", name.clone()));
        }
        Ok(())
    }

    fn overwrite_is_allowed(&self, plan: &Plan, identity: &Identity) -> Result<(), Verdict> {
        let Identity { region, name, .. } = identity;
        let mut known = instances(&plan.prior_state);
        let is_mine = known.clone().any(|instance| instance.is(identity));
        let is_named = known.any(|instance| instance.names(*region, name));
        // An update writes an object that somebody has made anew since the plan, and says so.
        let updates = plan.changes.iter().any(|change| {
            let prior = change.prior.as_ref();
            change.action == Action::Update && prior.is_some_and(|prior| prior.names(*region, name))
        });
        let has_said = is_named && updates && self.warns_about(name);
        let is_allowed = is_mine || has_said || self.is_taken(plan, *region, name);
        if is_allowed || self.was_misled_about(name) || self.is_by_others(*region, name) {
            return Ok(());
        }
        Err(self.broken("overwrote somebody else's", name.clone()))
    }

    fn has_now(&self, identity: &Identity) -> bool {
        self.now.iter().any(|(at, object)| Identity::of(*at, object).as_ref() == Some(identity))
    }

    /// Nothing that a configuration wants, and that its state had, is gone afterwards.
    fn nothing_wanted_is_gone(&self, plan: &Plan) -> Result<(), Verdict> {
        if self.run.command.mode != Mode::Apply {
            return Ok(());
        }
        for (address, block) in &plan.configuration.blocks {
            if self.run.command.target.is_none_or(|target| target == *address) {
                let of_block =
                    |change: &&Change| change.address == *address && change.deposed.is_none();
                self.wanted_is_there(plan, block, plan.changes.iter().find(of_block))?;
            }
        }
        Ok(())
    }

    fn wanted_is_there(
        &self,
        plan: &Plan,
        block: &Block,
        change: Option<&Change>,
    ) -> Result<(), Verdict> {
        let seen = &self.run.seen[1];
        // Somebody else may have deleted it.
        let is_by_others = matches!(self.run.command.fates[1], Some(Fate::Meanwhile { .. }));
        if is_by_others || !self.services.find(block.region(), block.object).is_empty() {
            return Ok(());
        }
        // An adoption by a list that still has an owner who is gone removes the others. A plan that removes
        // the last one says so.
        let is_left_without =
            self.services.world.has(Oddity::Lag) || self.warns_about("is left without owners");
        if block.object.kind == Kind::Owners && is_left_without {
            return Ok(());
        }
        // Whether the create that was to follow a delete could not.
        let was_disturbed = seen.was_disturbed || seen.was_ended || self.run.is_interrupted();
        // Names that are known only after apply hide that one address deletes what another creates, and the
        // create may fail.
        let is_late = block.is(Quality::Late);
        let action = change.map(|change| change.action);
        let replaces = matches!(action, Some(Action::Replace { .. }));
        let is_excused = (replaces && was_disturbed) || (is_late && self.run.has_failed);
        let existed = self
            .run
            .present
            .iter()
            .find(|(region, object)| self.is_wanted_by(block, *region, text(&object["name"])));
        if let Some((region, object)) = existed.filter(|_| !is_excused) {
            let name = text(&object["name"]);
            // Terraform shows a plan nothing of a tainted object: two addresses have it.
            let is_other_tainted = instances(&plan.prior_state)
                .any(|instance| instance.is_tainted && instance.names(*region, name));
            if is_other_tainted && change.is_some_and(|change| change.action == Action::NoOp) {
                return Ok(());
            }
            let managed =
                instances(&plan.prior_state).any(|instance| instance.names(*region, name));
            if managed || seen.effects.iter().any(|effect| effect.identity.name == name) {
                return Err(self.broken("lost a wanted object", name.to_owned()));
            }
        }
        // A replacement by another name ends with the new object, or still with the old one, unless the
        // service shows nothing about the new name.
        let world = &self.services.world;
        let cannot_look = world.lacks_reads() || world.has(Oddity::NoLists);
        let is_unclear = cannot_look && self.warns_about(&block.object.own_name());
        let prior = change.and_then(|change| change.prior.as_ref());
        let old = prior.and_then(|prior| Identity::of(prior.region, &prior.value));
        if let Some(old) = old
            && action == Some(Action::Replace { create_first: false })
            && !was_disturbed
            && !is_late
            && !is_unclear
            && seen.effects.iter().any(|effect| effect.identity == old)
            && !self.has_now(&old)
        {
            return Err(self.broken("replaced by nothing", old.name));
        }
        Ok(())
    }

    /// What existed and was managed before is managed afterwards, and so is what was created.
    fn no_state_is_lost(&self, plan: &Plan) -> Result<(), Verdict> {
        let run = self.run;
        let is_kept = |identity: &Identity| {
            // A provider block of another region loses no state: the private state records the address.
            instances(self.after).any(|instance| {
                instance.names(identity.region, &identity.name)
                    || instance.value["create_time"] == *identity.created
            })
        };
        let forgets = |instance: &Instance| {
            let forgotten = plan.changes.iter().filter(|change| change.action == Action::Forget);
            let mut priors = forgotten.filter_map(|change| change.prior.as_ref());
            priors.any(|prior| prior.value["name"] == instance.value["name"])
        };
        for instance in instances(&run.before) {
            let Some(identity) = Identity::of(instance.region, &instance.value) else { continue };
            let policy = instance.value["deletion_policy"].as_str();
            let may_go = policy == Some("abandon")
                || (0..2).any(|phase| run.command.abandons(phase))
                || plan.configuration.blocks.values().any(|block| block.is(Quality::Abandons))
                || forgets(instance)
                || run.seen.iter().any(|seen| seen.lies.contains(&identity.name));
            if self.has_now(&identity) && !is_kept(&identity) && !may_go {
                return Err(self.broken("lost a state", identity.name));
            }
        }
        if run.seen[1].was_disturbed || run.seen[1].was_ended {
            return Ok(());
        }
        for effect in &run.seen[1].effects {
            let is_part = effect.identity.name.contains("/integration-2/");
            if effect.before.is_none()
                && self.has_now(&effect.identity)
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
        let found = self.services.find(block.region(), block.object);
        let object = found.iter().find(|object| object["name"] == state["name"]);
        match (block.object.kind, object) {
            (Kind::Owners, _) => Ok(()),
            // A refresh keeps, with a warning, what was never read.
            (_, None) if self.warns_about(text(&state["name"])) => Ok(()),
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
    pub(crate) fn new(command: Command, before: State, configuration: Configuration) -> Self {
        Self {
            command,
            before,
            configuration,
            plan: None,
            present: Vec::new(),
            seen: Default::default(),
            found: Findings::default(),
            has_failed: false,
        }
    }

    /// Keeps what a walk has seen, and ends its processes.
    pub(crate) fn add(&mut self, phase: usize, walk: &Walk) {
        let seen = walk.shared.end();
        let before = &mut self.seen[phase];
        before.requests.extend(seen.requests);
        before.effects.extend(seen.effects);
        before.lies.extend(seen.lies);
        before.was_disturbed |= seen.was_disturbed;
        before.was_ended |= seen.was_ended;
        let found = walk.found.take();
        self.found.notes.extend(found.notes);
        self.found.problems.extend(found.problems);
    }

    fn is_interrupted(&self) -> bool {
        let fates = self.command.fates.iter().flatten();
        fates.into_iter().any(|fate| matches!(fate, Fate::Interrupt { .. }))
    }
}
