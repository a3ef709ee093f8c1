//! What must hold after every run, whatever the provider's own rules are: who made an object, who wants
//! it, and what its users have said.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::configuration::{Address, Block, Configuration, Kind, Quality};
use crate::fate::Fate;
use crate::host::{Action, Change, Instance, Place, Plan, State};
use crate::life::{Command, Event, Flag, Mode};
use crate::link::{Effect, Identity, Note, Seen};
use crate::world::{Oddity, Services, text};

/// A run of terraform, and what it has done.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) command: Command,
    pub(crate) before: State,
    pub(crate) configuration: Configuration,
    /// The plan that was applied.
    pub(crate) plan: Option<Plan>,
    /// The objects of the service when the apply began.
    pub(crate) present: Vec<Instance>,
    /// The objects of which the last response before the run was a gateway's 404 to an update.
    pub(crate) denied: BTreeSet<(u8, String)>,
    /// What the network has seen in the plan, and in the apply.
    pub(crate) seen: [Seen; 2],
    pub(crate) has_failed: bool,
}

/// A rule that was broken, and how.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) rule: &'static str,
    pub(crate) text: String,
}

/// The name of a rule, and what has broken it.
type Broken = Option<(&'static str, String)>;

pub(crate) fn judge(services: &Services, after: &State, run: &Run) -> Result<(), Verdict> {
    let judge = Judge { services, after, run, now: services.objects() };
    let rules = [
        Judge::plans_only_read,
        Judge::diagnostics_are_good,
        Judge::requests_are_bounded,
        Judge::short_outages_pass,
        Judge::calm_runs_succeed,
    ];
    let rules_of_applies = [
        Judge::refreshes_keep_what_exists,
        Judge::effects_are_planned,
        Judge::effects_are_allowed,
        Judge::nothing_wanted_is_gone,
        Judge::no_state_is_lost,
        Judge::no_new_object_is_lost,
        Judge::no_object_is_created_twice,
        Judge::success_is_complete,
        Judge::errors_are_foretold,
    ];
    let of_apply = |plan| rules_of_applies.iter().find_map(|rule| rule(&judge, plan));
    let broken = (run.seen.iter().find_map(|seen| seen.problems.first().cloned()))
        .or_else(|| rules.iter().find_map(|rule| rule(&judge)))
        .or_else(|| run.plan.as_ref().and_then(of_apply));
    broken.map_or(Ok(()), |(rule, text)| {
        let text = format!("{text}\n{}{}", run.effects(), run.texts());
        Err(Verdict { rule, text })
    })
}

pub(crate) fn is_quiet_after(services: &Services, run: &Run) -> bool {
    let blocks = &run.configuration.blocks;
    let names: BTreeSet<_> = blocks.values().map(|block| (block.region(), block.object)).collect();
    let command = &run.command;
    let mut changes = run.plan.iter().flat_map(|plan| &plan.changes);
    // Terraform passes nothing of a plan to the destroy of a deposed object, which may delete what another
    // address keeps.
    let create_first = Action::Replace { create_first: true };
    let is_deposed_unplanned =
        command.has(Flag::ChangesPolicy) && changes.any(|it| it.action == create_first);
    // Terraform does not show that a tainted object is destroyed, which another address has.
    let has_twin = |tainted: &Instance| {
        let of_name = |it: &&Instance| it.names(tainted.region, tainted.name());
        tainted.is_tainted && run.before.values().filter(of_name).count() > 1
    };
    run.plan.is_some()
        && !is_deposed_unplanned
        && !run.before.values().any(has_twin)
        && !run.has_failed
        && command.mode == Mode::Apply
        && command.target.is_none()
        && command.is_calm()
        && command.between.is_none()
        && !command.flags.has_any(&[Flag::NoRefresh, Flag::Off, Flag::MinimalRefresh])
        && services.world.is_truthful()
        && names.len() == blocks.len()
        && !hides_two_managers(blocks)
        // A create that could not add an owner says so: the service has it in a spelling of its own.
        && !run.tells("Not all owners of")
        // For some minutes, a read that lacks what was written counts as one that lags, and then no more.
        && !run.tells("returned an older version")
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

impl Run {
    fn effects(&self) -> String {
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

    fn notes(&self) -> impl Iterator<Item = &Note> {
        self.seen.iter().flat_map(|seen| &seen.notes)
    }

    fn errors(&self) -> impl Iterator<Item = &Note> {
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
    fn lacks(&self, old: &Instance) -> bool {
        old.identity().is_some_and(|own| !self.present.iter().any(|now| now.is(&own)))
    }

    /// Returns whether a diagnostic contains a text.
    fn tells(&self, part: &str) -> bool {
        self.notes().any(|note| note.has(&[part]))
    }

    /// Returns whether somebody else may have made the object between the check and the write.
    fn is_by_others(&self, region: u8, name: &str) -> bool {
        let is_gone = |Effect { identity: it, after, .. }: &Effect| {
            after.is_none() && it.region == region && it.name == name
        };
        let was_there = self.present.iter().any(|object| object.names(region, name))
            && !self.seen[1].effects.iter().any(is_gone);
        let parent = name.split('/').nth(1).unwrap_or_default();
        let fates = self.command.fates.iter().flatten();
        let mut others = fates.filter_map(|fate| fate.meanwhile(region, parent));
        others.any(|outside| outside.what == Event::Remake || !was_there)
    }
}

impl Seen {
    /// Returns whether the summary of a diagnostic names what was deleted meanwhile.
    fn has_deleted(&self, note: &Note) -> bool {
        let summary = note.text.split('\n').next().unwrap_or_default();
        let mut deleted = self.effects.iter().filter(|effect| effect.after.is_none());
        deleted.any(|effect| summary.contains(&effect.identity.name))
    }
}

impl Note {
    fn has(&self, parts: &[&str]) -> bool {
        parts.iter().any(|part| self.text.contains(part))
    }

    /// Returns the rule that a diagnostic breaks: every error names an object and a next step, and none
    /// shows the key.
    fn broken_rule(&self) -> Option<&'static str> {
        let steps = [
            "`", "gain", "heck", "Run", "Use", "Set", "import", "Remove", "Wait", "Create", "Keep",
            "Look", "pply", "Give",
        ];
        let has_detail = self.text.split('\n').nth(1).is_some_and(|detail| !detail.is_empty());
        if self.has(&["of-lives", "panicked", "bug in the provider"]) {
            Some("diagnostics")
        } else if self.is_error && !self.has(&["listing-", "integration-", "localhost"]) {
            Some("errors name an object")
        } else if self.is_error && has_detail && !self.has(&steps) {
            Some("errors name the next step")
        } else {
            None
        }
    }
}

impl Instance {
    /// Returns whether this is an object of the service, as far as names tell.
    fn names(&self, region: u8, name: &str) -> bool {
        self.region == region && self.value["name"] == name
    }

    fn name(&self) -> &str {
        text(&self.value["name"])
    }

    fn identity(&self) -> Option<Identity> {
        Identity::of(self.region, &self.value)
    }

    /// Creation times are unique, if the service shows them, and the region of a state follows its provider block.
    fn is(&self, Identity { name, created, .. }: &Identity) -> bool {
        let time = self.value.get("create_time").or_else(|| self.value.get("createTime"));
        let is_same = time.and_then(Value::as_str).is_none_or(|own| own == created);
        self.name() == name && is_same
    }

    /// Returns whether a read has shown the object. Private state is MessagePack: the field `reads` is true.
    fn was_read(&self) -> bool {
        self.private.windows(6).any(|field| field == b"reads\xc3")
    }

    /// Returns whether this is the state of all owners of an integration, and has this one.
    fn lists(&self, region: u8, owner: &Value) -> bool {
        let mut owners = self.value["owners"].as_array().into_iter().flatten();
        let is_parent = text(&owner["name"]).starts_with(&format!("{}/", self.name()));
        self.region == region && is_parent && owners.any(|listed| *listed == owner["owner"])
    }

    fn policy(&self) -> Option<&str> {
        self.value["deletion_policy"].as_str()
    }
}

struct Judge<'j> {
    services: &'j Services,
    /// The objects of the service after the run.
    now: Vec<Instance>,
    after: &'j State,
    run: &'j Run,
}

impl Judge<'_> {
    fn plans_only_read(&self) -> Broken {
        let mut requests = self.run.seen[0].requests.iter();
        let (_, method, path) = requests.find(|(_, method, _)| method != "GET")?;
        Some(("plans only read", format!("{method} {path}")))
    }

    fn diagnostics_are_good(&self) -> Broken {
        self.run.notes().find_map(|note| Some((note.broken_rule()?, note.text.clone())))
    }

    fn requests_are_bounded(&self) -> Broken {
        let run = self.run;
        let costly = [Oddity::SmallPages, Oddity::RateLimit];
        if !run.command.is_calm() || self.services.world.has_any(&costly) {
            return None;
        }
        let stored = run.before.keys().map(|place| place.0);
        let addresses: BTreeSet<Address> =
            run.configuration.blocks.keys().copied().chain(stored).collect();
        let deposed = run.before.keys().filter(|place| place.1.is_some());
        let objects = addresses.len() + deposed.count();
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
        let (count, limit) = limits.iter().find(|(count, limit)| count > limit)?;
        let text = format!("{count} requests, not {limit}: {objects} objects, {changes} changes");
        Some(("cost", text))
    }

    /// An outage of less than a minute fails no call. A POST that may have been processed is not sent again.
    fn short_outages_pass(&self) -> Broken {
        // The process of another region may have had no response before.
        let mut requests = self.run.seen.iter().flat_map(|seen| &seen.requests);
        let are_short = self.run.command.fates.iter().flatten().all(Fate::is_short_outage)
            && requests.all(|(region, ..)| *region == 0);
        let blames = ["out of order", "the connection failed", "could not connect"];
        let is_wrong = |note: &&Note| !note.has(&["POST", "PATCH"]) && note.has(&blames);
        let note = self.run.errors().find(is_wrong).filter(|_| are_short)?;
        Some(("short outages", note.text.clone()))
    }

    /// Without faults, a refresh succeeds, and so does the destroy of objects that nobody has made anew.
    /// Only an object that was last seen in another region is an error.
    fn calm_runs_succeed(&self) -> Broken {
        let run = self.run;
        let is_mode = match run.command.mode {
            Mode::RefreshOnly => true,
            Mode::Destroy => run.command.has(Flag::NoRefresh) && run.command.between.is_none(),
            Mode::Plan | Mode::Apply => false,
        };
        let is_anew = |old: &Instance| {
            let mut now = run.present.iter().filter(|now| now.names(old.region, old.name()));
            now.any(|now| now.identity() != old.identity())
        };
        // A 404 does not show that an object is gone which no read has ever shown.
        let is_doubtful = |old: &Instance| {
            !old.was_read() && !run.present.iter().any(|now| now.names(old.region, old.name()))
        };
        // The last owner of an integration is never removed.
        let has_all_owners = run.before.keys().any(|place| place.0.kind == Kind::Owners);
        let is_judged = is_mode
            && run.command.is_calm()
            && self.services.world.is_truthful()
            && !has_all_owners
            // An object that does not exist cannot be imported.
            && run.configuration.imports.is_empty();
        // A refresh has no excuse.
        let excused = run.before.values().filter(|_| run.plan.is_some());
        let excused = excused.filter(|old| is_anew(old) || is_doubtful(old));
        let excused: Vec<_> = excused.map(Instance::name).collect();
        let is_wrong = |note: &&Note| !note.has(&["last seen"]) && !note.has(&excused);
        let note = run.errors().find(is_wrong).filter(|_| is_judged)?;
        Some(("calm runs", note.text.clone()))
    }

    /// Returns whether a response hid that an object exists, or none could show it, such as a rival's.
    fn was_misled_about(&self, name: &str) -> bool {
        let mut effects = self.run.seen[1].effects.iter();
        let is_rivals = self.run.command.fates[1] == Some(Fate::Rival)
            && effects.any(|it| it.identity.name == name && it.after.is_none());
        (self.services.world.lacks_reads() && (is_rivals || self.run.tells(name)))
            || self.run.seen.iter().any(|seen| seen.lies.contains(name) || seen.was_disturbed)
    }

    /// Returns whether a block names this object, an owner by its principal.
    fn names_object(&self, block: &Block, region: u8, object: &Value) -> bool {
        let Some((parent, id)) = text(&object["name"]).rsplit_once('/') else { return false };
        if block.region() != region
            || parent.split('/').nth(1) != Some(&*block.object.parent_name())
        {
            return false;
        }
        let is_role = parent.starts_with("listings/");
        match block.object.kind {
            Kind::Role => is_role && id == block.object.own_name(),
            Kind::Owner => !is_role && object["owner"] == *self.services.principal(block.object),
            Kind::Owners => !is_role,
        }
    }

    /// Returns whether a block that wants the object may take an existing one.
    fn is_taken(&self, plan: &Plan, region: u8, object: &Value) -> bool {
        let mut blocks = plan.configuration.blocks.values();
        blocks.any(|block| block.takes() && self.names_object(block, region, object))
    }

    /// A refresh drops the state of an object only if it is gone, or the last response about it says so.
    fn refreshes_keep_what_exists(&self, plan: &Plan) -> Broken {
        let is_dropped = |old: &&Instance| {
            let Some(own) = old.identity() else { return false };
            let is_kept = plan.prior_state.values().any(|kept| kept.name() == own.name);
            // A 404 says nothing about what no read has shown.
            let was_told = (old.was_read() && self.run.seen[0].lies.contains(&own.name))
                || self.run.denied.contains(&(old.region, own.name));
            !self.run.lacks(old) && !is_kept && !was_told
        };
        let dropped = self.run.before.values().find(is_dropped)?;
        Some(("dropped by a refresh", dropped.name().to_owned()))
    }

    /// What the apply did is what the plan promised: it creates, changes and deletes the objects of these
    /// changes only.
    fn effects_are_planned(&self, plan: &Plan) -> Broken {
        let is_planned = |effect: &Effect| {
            plan.changes.iter().any(|change| self.is_effect_of(plan, change, effect))
        };
        let effect = self.run.seen[1].effects.iter().find(|effect| !is_planned(effect))?;
        Some(("not planned", effect.identity.name.clone()))
    }

    fn is_effect_of(&self, plan: &Plan, change: &Change, effect: &Effect) -> bool {
        let Identity { region, name, .. } = &effect.identity;
        let is_many = change.place.0.kind == Kind::Owners && change.action != Action::NoOp;
        let block = plan.configuration.blocks.get(&change.place.0);
        let writes = block.is_some_and(|block| self.names_object(block, *region, effect.object()));
        let prior = change.prior.as_ref();
        let has = prior.is_some_and(|it| it.names(*region, name) || it.is(&effect.identity));
        let has_parent = prior.is_some_and(|it| name.starts_with(&format!("{}/", it.name())));
        let replaces = matches!(change.action, Action::Replace { .. });
        match (effect.before.is_some(), effect.after.is_some()) {
            (false, _) => writes && (is_many || replaces || change.action == Action::Create),
            (true, true) => writes && change.action != Action::NoOp,
            (true, false) => {
                (is_many && (writes || has_parent))
                    || (has && (replaces || change.action == Action::Destroy))
            }
        }
    }

    /// Nothing that is somebody else's is deleted or overwritten, unless the user has said so.
    fn effects_are_allowed(&self, plan: &Plan) -> Broken {
        let effects = &self.run.seen[1].effects;
        let created: BTreeSet<_> = (effects.iter().filter(|effect| effect.before.is_none()))
            .map(|effect| &effect.identity)
            .collect();
        effects.iter().find_map(|effect| match (&effect.before, &effect.after) {
            (None, _) => self.new_owner_is_allowed(plan, effect),
            _ if created.contains(&&effect.identity) => None,
            (_, None) => self.delete_is_allowed(plan, effect),
            _ => self.overwrite_is_allowed(plan, effect),
        })
    }

    /// No owner is added twice, if the provider can know.
    fn new_owner_is_allowed(&self, plan: &Plan, effect: &Effect) -> Broken {
        let Effect { identity, after, twins, .. } = effect;
        let world = &self.services.world;
        let principal = after.as_ref().map_or("", |owner| text(&owner["owner"]));
        // What this run has deleted counts as gone: a service without lists shows no other.
        let parent = |name: &str| name.rsplit_once('/').map(|(parent, _)| parent.to_owned());
        let mut deletes = self.run.seen[1].effects.iter().filter(|effect| effect.after.is_none());
        let was_deleted = deletes.any(|Effect { identity: old, before, .. }| {
            let is_same = before.as_ref().is_some_and(|owner| owner["owner"] == principal);
            is_same && old.region == identity.region && parent(&old.name) == parent(&identity.name)
        });
        // A DELETE of what is gone counts as well: its response may be that of a repetition.
        let mut before = self.run.before.values();
        let is_made_again =
            was_deleted || before.any(|it| it.value["owner"] == principal && self.run.lacks(it));
        // The provider does not know under which spelling the service stores a principal.
        let is_excused = |twin: &str| {
            world.has(Oddity::Spellings)
                || (world.hides_absence() && (is_made_again || self.run.tells(principal)))
                || self.was_misled_about(twin)
                || self.run.is_by_others(identity.region, twin)
        };
        // A POST that the service has processed is not sent again: one block adds one owner.
        let adds = |other: &Effect, name: &str| {
            let Identity { region, name: added, .. } = &other.identity;
            other.before.is_none() && *region == identity.region && added == name
        };
        let is_added_too =
            |name: &str| self.run.seen[1].effects.iter().any(|other| adds(other, name));
        let names = |block: &&Block| self.names_object(block, identity.region, effect.object());
        let is_wanted_once = plan.configuration.blocks.values().filter(names).count() == 1;
        let is_wrong = |twin: &&String| !is_excused(twin) || (is_wanted_once && is_added_too(twin));
        let twin = twins.iter().find(is_wrong)?;
        Some(("added twice", format!("{} and {twin}", identity.name)))
    }

    fn delete_is_allowed(&self, plan: &Plan, effect: &Effect) -> Broken {
        let Identity { region, name, .. } = &effect.identity;
        let has_owner = |instance: &Instance| instance.lists(*region, effect.object());
        let is_respelled =
            self.services.world.has(Oddity::Spellings) && name.contains("/integration-2/");
        let known = plan.prior_state.values();
        // A refresh that lags lacks an owner, and Terraform 1.11 plans a destroy before it.
        if is_respelled || known.clone().chain(self.run.before.values()).any(has_owner) {
            return None;
        }
        let mine: Vec<_> = known.clone().filter(|instance| instance.is(&effect.identity)).collect();
        if mine.is_empty() {
            let is_known = known.clone().any(|instance| instance.names(*region, name));
            // A read that fails like a missing operation, or that lags, shows nothing.
            let world = &self.services.world;
            let is_unseen = self.run.seen[1].was_disturbed
                || world.has_any(&[Oddity::Lag, Oddity::OnlyLists])
                || (world.has(Oddity::Forbidden) && name.contains("/listing-0/"));
            let is_allowed = self.is_taken(plan, *region, effect.object())
                || self.run.is_by_others(*region, name)
                || (is_known && is_unseen);
            let what = if is_known { "made anew by somebody else" } else { "in no state" };
            let text = format!("{name}: {what}");
            return (!is_allowed).then_some(("deleted somebody else's", text));
        }
        let has_plan = !plan.changes.iter().any(|change| {
            let prior = change.prior.as_ref().filter(|prior| prior.is(&effect.identity));
            let is_deposed =
                change.place.1.is_some() || change.action == Action::Replace { create_first: true };
            prior.is_some_and(|prior| is_deposed || prior.is_tainted)
        });
        let abandons = |instance: &&Instance| match instance.policy() {
            Some(policy) => policy == "abandon",
            // Also what the plan leaves. Of deposed and tainted objects, Terraform passes nothing to the apply.
            None => self.run.command.abandons(1) || (has_plan && self.run.command.abandons(0)),
        };
        let is_wrong = mine.iter().all(abandons) && !self.is_taken(plan, *region, effect.object());
        is_wrong.then(|| ("deleted what is abandoned", name.clone()))
    }

    fn overwrite_is_allowed(&self, plan: &Plan, effect: &Effect) -> Broken {
        let Identity { region, name, .. } = &effect.identity;
        let mut known = plan.prior_state.values();
        let is_mine = known.clone().any(|instance| instance.is(&effect.identity));
        let is_named = known.any(|instance| instance.names(*region, name));
        // An update writes an object that somebody has made anew since the plan, and says so.
        let updates = plan.changes.iter().any(|change| {
            let prior = change.prior.as_ref();
            change.action == Action::Update && prior.is_some_and(|prior| prior.names(*region, name))
        });
        let made_anew = format!("{name} was made anew outside Terraform");
        let is_allowed = is_mine
            || (is_named && updates && self.run.tells(&made_anew))
            || self.is_taken(plan, *region, effect.object())
            || self.was_misled_about(name)
            || self.run.is_by_others(*region, name);
        (!is_allowed).then(|| ("overwrote somebody else's", name.clone()))
    }

    fn has_now(&self, identity: &Identity) -> bool {
        self.now.iter().any(|object| object.is(identity))
    }

    /// Nothing that a configuration wants, and that its state had, is gone afterwards.
    fn nothing_wanted_is_gone(&self, plan: &Plan) -> Broken {
        let Command { mode, .. } = self.run.command;
        let is_judged = |address| mode == Mode::Apply && self.run.command.targets(address);
        let mut blocks = plan.configuration.blocks.iter().filter(|(at, _)| is_judged(**at));
        blocks.find_map(|(address, block)| {
            let mut changes = plan.changes.iter();
            let change = changes.find(|change| change.place == (*address, None));
            self.wanted_is_there(plan, block, change)
        })
    }

    fn wanted_is_there(&self, plan: &Plan, block: &Block, change: Option<&Change>) -> Broken {
        let (seen, fates) = (&self.run.seen[1], &self.run.command.fates);
        if let Some(name) = change.and_then(|it| self.replaced_by_somebody_elses(block, it)) {
            return Some(("replaced by nothing", name));
        }
        let is_there = !self.services.find(block.region(), block.object).is_empty();
        // Somebody else may have deleted it.
        let (region, parent) = (block.region(), block.object.parent_name());
        let is_by_others =
            fates[1].as_ref().is_some_and(|fate| fate.meanwhile(region, &parent).is_some());
        // An adoption by a list that still has an owner who is gone removes the others. A plan that removes
        // the last one says so.
        let is_left_without = block.object.kind == Kind::Owners
            && (self.services.world.has(Oddity::Lag) || self.run.tells("is left without owners"));
        // A list of owners that was not created had none.
        let is_new = |it: &Change| it.prior.is_none() && !self.after.contains_key(&it.place);
        let had_none = block.object.kind == Kind::Owners && change.is_some_and(is_new);
        if is_there || is_by_others || is_left_without || had_none {
            return None;
        }
        // Whether the create that was to follow a delete could not.
        let is_interrupted = |fate: &Fate| matches!(fate, Fate::Interrupt { .. });
        let was_disturbed = seen.was_disturbed || fates.iter().flatten().any(is_interrupted);
        // Names that are known only after apply hide that one address deletes what another creates, and the
        // create may fail.
        let is_late = |other: &Block| {
            let has_parent = other.object.parent_name() == block.object.parent_name();
            other.is(Quality::Late) && has_parent && other.region() == block.region()
        };
        let is_late = plan.configuration.blocks.values().any(is_late);
        let action = change.map(|change| change.action);
        let prior = change.and_then(|change| change.prior.as_ref());
        // Without a read, nothing shows that the object is in the other region.
        let is_unread = self.run.command.flags.has_any(&[Flag::Off, Flag::NoRefresh]);
        let before = change.and_then(|change| self.run.before.get(&change.place));
        let is_elsewhere = is_unread && before.is_some_and(|old| old.region != block.region());
        let mut present = self.run.present.iter();
        let existed = present.find(|old| self.names_object(block, old.region, &old.value));
        // A create that was refused because the object exists protects it from its delete.
        let is_refused = |old: &Instance| {
            let owner = old.value["owner"].as_str();
            let object =
                owner.map_or_else(|| old.name().to_owned(), |it| format!("{} ({it})", old.name()));
            let summary = format!("{object} exists already");
            !self.services.world.has_any(&[Oddity::Lag, Oddity::Spellings])
                && self.run.errors().any(|note| note.text.starts_with(&summary))
        };
        let is_refused = existed.is_some_and(is_refused);
        // A read that lags shows what an earlier run has deleted.
        let shown = ["exists already", "must exist already", "will be adopted"];
        let mut shows = self.run.notes().filter(|note| note.has(&shown));
        let is_late_read =
            self.services.world.has(Oddity::Lag) && shows.any(|note| !seen.has_deleted(note));
        // A list that lags shows an owner that an earlier run has deleted, and the create adopts it.
        let adopts_unseen = self.services.world.has(Oddity::Lag)
            && block.object.kind != Kind::Role
            && block.is(Quality::Late)
            && block.is(Quality::Adopts);
        let is_excused = is_elsewhere
            || is_late_read
            || adopts_unseen
            || (is_late && self.run.has_failed && !is_refused);
        if let Some(old) = existed.filter(|_| !is_excused) {
            let is_same = |it: &Instance| it.names(old.region, old.name());
            let replaced = plan.changes.iter().filter(|change| {
                let is_own =
                    change.place.0.kind == block.object.kind && prior == change.prior.as_ref();
                let has = is_own || change.prior.as_ref().is_some_and(is_same);
                has && matches!(change.action, Action::Replace { .. })
            });
            let replaced: Vec<_> = replaced.map(|change| change.action).collect();
            // Terraform passes nothing of a plan to the destroy of a deposed object.
            let mut before = self.run.before.iter();
            let was_deposed = before.any(|(place, it)| place.1.is_some() && is_same(it));
            let is_deposed = self.run.command.has(Flag::ChangesPolicy)
                && (was_deposed || replaced.contains(&Action::Replace { create_first: true }));
            // Terraform does not show that a tainted object is destroyed. Its spelling hides a create of it.
            let is_kept_there = matches!(action, Some(Action::NoOp | Action::Update));
            // Nor where it was: a read that lags may hide that another one has its name here.
            let lags = self.services.world.has(Oddity::Lag);
            let is_at = |it: &Instance| is_same(it) || (lags && it.name() == old.name());
            let is_tainted = plan.prior_state.values().any(|it| it.is_tainted && is_at(it));
            // Nothing has shown that the owner of the address, under another name, is gone.
            let is_kept = action == Some(Action::NoOp)
                && prior.is_some_and(|prior| !is_same(prior))
                && self.run.tells("Drift detection unavailable");
            if is_deposed
                || is_kept
                || (was_disturbed && !replaced.is_empty())
                || (is_tainted && (is_kept_there || self.services.world.has(Oddity::Spellings)))
            {
                return None;
            }
            let was_managed = plan.prior_state.values().any(is_same);
            if was_managed || seen.effects.iter().any(|effect| effect.identity.name == old.name()) {
                return Some(("lost a wanted object", old.name().to_owned()));
            }
        }
        // A replacement by another name ends with the new object, or still with the old one, unless the
        // service shows nothing about the new name, or shows it late.
        let world = &self.services.world;
        let is_hiding = world.hides_absence() || world.has(Oddity::OddEntries);
        let is_unclear = (is_hiding && self.run.tells(&block.object.own_name()))
            || is_late_read
            || adopts_unseen;
        let has_fixed_name = |it: &Instance, id| {
            it.names(block.region(), &format!("integrations/{parent}/owners/fixed-{id}"))
        };
        let mut present = self
            .run
            .present
            .iter()
            .filter(|it| prior.is_none_or(|old| old.value["name"] != it.value["name"]));
        // Late names hide what is there, but not who has a fixed ID.
        let is_taken = block.fixed_id.is_some_and(|id| {
            present.any(|it| has_fixed_name(it, id) && !self.was_misled_about(it.name()))
        });
        let is_hidden = is_late && self.run.has_failed && !is_taken;
        let is_excused = was_disturbed || is_hidden || is_unclear;
        let replaces = action == Some(Action::Replace { create_first: false });
        let old = prior?.identity()?;
        let is_deleted = seen.effects.iter().any(|effect| effect.identity == old);
        (replaces && !is_excused && is_deleted && !self.has_now(&old))
            .then_some(("replaced by nothing", old.name))
    }

    /// Returns the object that a replacement has deleted although somebody else has had its new name since
    /// before the apply, so the destroy could see that, and the resource has no state afterwards.
    fn replaced_by_somebody_elses(&self, block: &Block, change: &Change) -> Option<String> {
        let old = change.prior.as_ref()?.identity()?;
        let is_taken = self.run.present.iter().any(|it| {
            let is_there =
                it.identity().is_some_and(|own| own.name != old.name && self.has_now(&own));
            is_there && self.names_object(block, it.region, &it.value)
        });
        let is_deleted = self.run.seen[1]
            .effects
            .iter()
            .any(|effect| effect.identity == old && effect.after.is_none());
        let is_excused = self.run.seen[1].was_disturbed
            || !self.run.command.is_calm()
            || !self.services.world.is_truthful()
            || self.services.world.has(Oddity::Spellings)
            || block.is(Quality::Late);
        let replaces = change.action == Action::Replace { create_first: false };
        let is_lost = is_taken && is_deleted && !self.after.contains_key(&change.place);
        (replaces && is_lost && !is_excused).then_some(old.name)
    }

    /// Returns whether the state after the run has an object, also under a provider of another region.
    fn is_kept(&self, Identity { region, name, created }: &Identity) -> bool {
        let lists = |it: &Instance| {
            self.now.iter().any(|now| now.names(*region, name) && it.lists(*region, &now.value))
        };
        self.after
            .values()
            .any(|it| it.names(*region, name) || it.value["create_time"] == **created || lists(it))
    }

    /// What existed and was managed before is managed afterwards.
    fn no_state_is_lost(&self, plan: &Plan) -> Broken {
        let run = self.run;
        let forgotten = plan.changes.iter().filter(|change| change.action == Action::Forget);
        let forgotten: Vec<_> = forgotten.filter_map(|change| change.prior.as_ref()).collect();
        let abandons = (0..2).any(|phase| run.command.abandons(phase))
            || plan.configuration.blocks.values().any(|block| block.is(Quality::Abandons));
        let may_go = |instance: &Instance, name: &str| {
            abandons
                || instance.policy() == Some("abandon")
                || forgotten.iter().any(|prior| prior.value["name"] == name)
                || run.seen.iter().any(|seen| seen.lies.contains(name))
                || run.denied.contains(&(instance.region, name.to_owned()))
        };
        let lost = run.before.values().find_map(|instance| {
            let identity = instance.identity()?;
            let is_lost = self.has_now(&identity) && !self.is_kept(&identity);
            (is_lost && !may_go(instance, &identity.name)).then_some(identity)
        });
        Some(("lost a state", lost?.name))
    }

    /// What was created is managed afterwards.
    fn no_new_object_is_lost(&self, _: &Plan) -> Broken {
        // The state of all owners has the spelling of the configuration.
        let is_respelled = self.services.world.has(Oddity::Spellings);
        let is_lost = |identity: &&Identity| {
            let is_part = is_respelled && identity.name.contains("/integration-2/");
            self.has_now(identity) && !self.is_kept(identity) && !is_part
        };
        let seen = &self.run.seen[1];
        let created = seen.effects.iter().filter(|effect| effect.before.is_none());
        let lost = created.map(|effect| &effect.identity).find(is_lost);
        Some(("lost a new object", lost.filter(|_| !seen.was_disturbed)?.name.clone()))
    }

    /// No two resources create one object, whatever a read that lags shows of the first create.
    fn no_object_is_created_twice(&self, plan: &Plan) -> Broken {
        let creates = plan.changes.iter().filter(|change| change.action == Action::Create);
        let created = creates.filter_map(|change| {
            let block = plan.configuration.blocks.get(&change.place.0)?;
            let new = self.after.get(&change.place).filter(|_| !block.takes())?;
            let (parent, id) = new.name().rsplit_once('/')?;
            Some((new.region, parent, new.value["owner"].as_str().unwrap_or(id)))
        });
        let mut known = BTreeSet::new();
        let (_, parent, id) = created.into_iter().find(|object| !known.insert(*object))?;
        let is_excused =
            self.run.seen[1].was_disturbed || self.services.world.has(Oddity::Spellings);
        (!is_excused).then(|| ("created twice", format!("{parent}/{id}")))
    }

    /// The object of a block is there, as the block has it.
    fn service_agrees(&self, block: &Block, stored: &Instance) -> Broken {
        let state = &stored.value;
        let found = self.services.find(block.region(), block.object);
        let object = found.iter().find(|object| object["name"] == state["name"]);
        let mut before = self.run.before.values();
        let is_tainted = before.any(|it| it.is_tainted && it.value["name"] == state["name"]);
        // A refresh keeps what was never read, with one warning for all.
        let is_kept = !stored.was_read() && self.run.tells("Drift detection unavailable");
        match (block.object.kind, object) {
            (Kind::Owners, _) => {
                let there: BTreeSet<_> = found.iter().map(|owner| text(&owner["owner"])).collect();
                let listed = state["owners"].as_array().into_iter().flatten();
                let is_same = there == listed.map(text).collect();
                (!is_same && !self.services.world.has(Oddity::Spellings))
                    .then(|| ("owners differ", format!("{}: {there:?}", state["name"])))
            }
            // Terraform does not show that a tainted object is destroyed, which another address has.
            (_, None) if is_kept || is_tainted || self.run.tells(text(&state["name"])) => None,
            (_, None) => {
                let text = format!("{} is in the state and not there", state["name"]);
                Some(("state without an object", text))
            }
            (Kind::Role, Some(object)) if object["displayName"] != block.display_name() => {
                let text = format!("{}: {}", state["name"], object["displayName"]);
                Some(("drift is not corrected", text))
            }
            _ => None,
        }
    }

    /// Where nothing is unusual, the plan says what the apply will refuse.
    fn errors_are_foretold(&self, plan: &Plan) -> Broken {
        let (run, command) = (self.run, &self.run.command);
        let unusual = [Flag::NoRefresh, Flag::MinimalRefresh, Flag::Off, Flag::ChangesPolicy];
        // Plans do not show that a create comes before the destroy of what it replaces, nor whether an object
        // that is not read is the resource's own.
        let hidden = [Action::Replace { create_first: true }, Action::Forget];
        // Until it is read, the object of an address without a block counts as one that the apply destroys.
        let is_gone_elsewhere = |(place, it): (&Place, &Instance)| {
            !plan.configuration.blocks.contains_key(&place.0) && run.lacks(it)
        };
        let is_judged = command.is_calm()
            && command.between.is_none()
            && !command.flags.has_any(&unusual)
            && !plan.changes.iter().any(|change| hidden.contains(&change.action))
            // Terraform does not show that a tainted object is destroyed, nor what an unread one is.
            && run.before.values().all(|it| it.was_read() && !it.is_tainted)
            && !run.before.iter().any(is_gone_elsewhere)
            && !run.tells("Others may exist as well and are not reported")
            && self.services.world.is_truthful()
            && !self.services.world.has(Oddity::Spellings)
            && !plan.configuration.blocks.values().any(|block| block.is(Quality::Late));
        let [foretold, seen] = &run.seen;
        let is_foretold = |error: &&Note| {
            let mut names = error.text.split(|c: char| c.is_whitespace() || "():,".contains(c));
            // One warning may speak for every object of a parent.
            let speaks_for = |note: &Note, name: &str| {
                let parent = name.split('/').take(2).collect::<Vec<_>>().join("/");
                note.has(&["may be affected"]) && note.has(&[&parent])
            };
            let is_told = |name: &str| {
                foretold.notes.iter().any(|note| note.has(&[name]) || speaks_for(note, name))
            };
            let is_name =
                |name: &&str| name.starts_with("listings/") || name.starts_with("integrations/");
            // The first one is the object of the error. The others belong to the advice.
            names.find(is_name).is_some_and(is_told)
        };
        let mut errors = seen.notes.iter().filter(|note| note.is_error);
        let error = errors.find(|error| !is_foretold(error)).filter(|_| is_judged)?;
        Some(("not foretold", error.text.clone()))
    }

    /// After a success, the state and the service have what the configuration names.
    fn success_is_complete(&self, plan: &Plan) -> Broken {
        let command = &self.run.command;
        if self.run.has_failed || command.mode != Mode::Apply {
            return None;
        }
        let incomplete = |what: String| Some(("incomplete", what));
        let is_quiet = is_quiet_after(self.services, self.run);
        let blocks = &plan.configuration.blocks;
        for (address, block) in blocks.iter().filter(|(at, _)| command.targets(**at)) {
            let Some(current) = self.after.get(&(*address, None)) else {
                return incomplete(format!("{address} is not in the state"));
            };
            let disagreement = self.service_agrees(block, current).filter(|_| is_quiet);
            if disagreement.is_some() {
                return disagreement;
            }
            if current.is_tainted {
                return incomplete(format!("{address} is tainted"));
            }
        }
        let mut places = self.after.keys().filter(|_| command.target.is_none());
        let (other, _) = places.find(|(at, key)| !blocks.contains_key(at) || key.is_some())?;
        incomplete(format!("{other} is still in the state"))
    }
}
