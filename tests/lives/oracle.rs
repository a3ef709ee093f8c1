//! The rules that hold after every run, whatever the provider's own rules are: each is a sentence
//! and its check.
//!
//! What a rule leaves open was noted when the simulated service answered (`link::May`), or follows
//! from what somebody has said: a policy, an adoption, a `removed` block. No rule reads the text of
//! a diagnostic, but for the names in it. An exception has a reason, and `excused` counts how often
//! it was needed.

use std::collections::BTreeSet;

use http::Method;
use serde_json::Value;

use crate::configuration::{Address, Blank, Block, Kind};
use crate::facts::{Judge, Run, excused};
use crate::fate::Fate;
use crate::host::{Action, Change, Instance, Place, Plan, State, has_object};
use crate::life::{Command, Flag, Mode};
use crate::link::{Effect, Identity, May, Note, Seen, collection};
use crate::world::{Oddity, Services, text};

/// A rule that was broken, and how.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) rule: &'static str,
    pub(crate) text: String,
}

/// The excuses.
const RACE: &str = "somebody else changed it meanwhile";
const HIDDEN: &str = "no response has shown the object as it is";
const FAILED: &str = "a call for it, or for another object of its parent, failed";
const ANEW: &str = "somebody has made the object anew, which a diagnostic says";
const TAINTED: &str = "a tainted object has no first plan, and its destroy shows in none";
const HALF_WAY: &str = "a list that failed half-way names whom it has added";
const LOST: &str = "no call has ended with the response to its write";
const TWO_BLOCKS: &str = "two blocks name it, and a call failed";

/// What has broken a rule.
type Broken = Option<String>;

/// A sentence, and a check that returns what has broken it.
type Rule<J> = (&'static str, fn(&J) -> Broken);
type RuleOfApplies<J> = (&'static str, fn(&J, &Plan) -> Broken);

impl Judge<'_> {
    const RULES: [Rule<Self>; 8] = [
        ("A plan, a refresh and an import send nothing but GET.", Self::plan_writes),
        (
            "No diagnostic shows the key, and every error names an object or the service.",
            Self::bad_diagnostic,
        ),
        ("A run sends a few requests for each object.", Self::too_many_requests),
        ("An outage of less than a minute fails no call.", Self::short_outage_fails),
        (
            "Without faults, a refresh succeeds, and so does a destroy of what nobody has touched.",
            Self::calm_run_fails,
        ),
        ("A plan without contradictions succeeds.", Self::good_plan_fails),
        ("A required argument without a value is an error at plan.", Self::blank_is_planned),
        ("Where nothing happens to an object, no warning names it.", Self::false_warning),
    ];

    const RULES_OF_APPLIES: [RuleOfApplies<Self>; 12] = [
        ("A refresh keeps the state of what exists.", Self::dropped_by_refresh),
        ("An apply does what its plan shows, and nothing else.", Self::unplanned_effect),
        (
            "No apply deletes what is somebody else's, or what its policy leaves.",
            Self::wrong_delete,
        ),
        ("No apply overwrites what is somebody else's.", Self::wrong_overwrite),
        ("No owner is added twice.", Self::owner_added_twice),
        ("What a configuration wants and had is there afterwards.", Self::wanted_is_gone),
        (
            "A replacement ends with the new object, or still with the old one.",
            Self::replaced_by_nothing,
        ),
        ("What existed and was managed is managed afterwards.", Self::state_is_lost),
        ("What was created is managed afterwards.", Self::new_object_is_lost),
        ("No two resources create one object.", Self::created_by_two),
        (
            "After a success, state and service have what the configuration names.",
            Self::success_is_incomplete,
        ),
        (
            "Where nothing is unusual, the plan says what the apply will refuse.",
            Self::error_is_a_surprise,
        ),
    ];
}

/// Rules that are checked while a run is played.
pub(crate) mod played {
    pub(crate) const HAS_RESPONSE: &str = "Every call has a response.";
    pub(crate) const ENDS_IN_TIME: &str = "No call takes longer than its retries allow.";
    pub(crate) const PLAN_IS_ACCEPTED: &str = "Terraform accepts every plan.";
    pub(crate) const RESULT_IS_ACCEPTED: &str =
        "Terraform accepts the result of every apply, which is a state or an error.";
    pub(crate) const CREATE_ENDS_SOON: &str = "A create ends soon after its write.";
    pub(crate) const PLANS_AGREE: &str = "The plan inside an apply agrees with the first one.";
    pub(crate) const NEXT_PLAN_IS_EMPTY: &str = "After a success, the next plan is empty.";
    pub(crate) const EMPTY_PLAN_IS_CHEAP: &str =
        "A plan without changes sends a few requests for each parent.";
    pub(crate) const IMPORTS_LEAD_OUT: &str =
        "Whatever has happened, imports and an apply lead out of it.";
}

/// Judges a run by every rule, and by those that were broken while it was played.
pub(crate) fn judge(services: &Services, after: &State, run: &Run) -> Result<(), Verdict> {
    let judge = Judge { services, after, run, now: services.objects() };
    let while_played = run.seen.iter().find_map(|seen| seen.problems.first().cloned());
    let by_rule = || Judge::RULES.iter().find_map(|(rule, check)| Some((*rule, check(&judge)?)));
    let of_apply = |plan| {
        Judge::RULES_OF_APPLIES.iter().find_map(|(rule, check)| Some((*rule, check(&judge, plan)?)))
    };
    let broken = while_played.or_else(by_rule).or_else(|| run.plan.as_ref().and_then(of_apply));
    broken.map_or(Ok(()), |(rule, text)| {
        let text = format!("{text}\n{}{}{}", run.effects(), run.requests(), run.texts());
        Err(Verdict { rule, text })
    })
}

/// Returns whether the next plan has to be empty.
pub(crate) fn next_plan_is_empty(services: &Services, after: &State, run: &Run) -> bool {
    let judge = Judge { services, after, run, now: Vec::new() };
    judge.next_plan_is_empty()
}

impl Judge<'_> {
    fn plan_writes(&self) -> Broken {
        let mut requests = self.run.seen[0].requests.iter();
        let (method, path) = requests.find(|(method, _)| method != "GET")?;
        Some(format!("{method} {path}"))
    }

    fn bad_diagnostic(&self) -> Broken {
        let is_bad = |note: &&Note| {
            let has = |parts: &[&str]| parts.iter().any(|part| note.text.contains(part));
            has(&["of-lives", "panicked", "bug in the provider"])
                || (note.is_error
                    && !has(&["listing-", "integration-", "localhost"])
                    && !note.is_of_argument)
        };
        self.run.notes().find(is_bad).map(|note| note.text.clone())
    }

    fn too_many_requests(&self) -> Broken {
        let run = self.run;
        let costly = [Oddity::SmallPages, Oddity::RateLimit];
        if !run.command.is_calm() || self.has_any(&costly) {
            return None;
        }
        let stored = run.before.keys().map(|place| place.0);
        let addresses: BTreeSet<Address> =
            run.configuration.blocks.keys().copied().chain(stored).collect();
        let deposed = run.before.keys().filter(|place| place.1.is_some());
        let objects = addresses.len() + deposed.count();
        let changes = run.plan.iter().flat_map(|plan| &plan.changes);
        // A list may add and remove three owners, each with a look before and after it.
        let weight = |change: &Change| if change.place.0.kind == Kind::Owners { 4 } else { 1 };
        let changes = changes.filter(|change| change.action != Action::NoOp);
        let changes: usize = changes.map(weight).sum();
        let [plan, apply] = &run.seen;
        let writes = apply.requests.iter().filter(|(method, _)| method != "GET").count();
        let writes_many = addresses.iter().any(|address| address.kind == Kind::Owners);
        let limits = [
            (plan.requests.len(), 5 * objects + 12),
            (apply.requests.len(), 6 * changes + 8),
            (if writes_many { 0 } else { writes }, 2 * changes),
        ];
        let (count, limit) = limits.iter().find(|(count, limit)| count > limit)?;
        Some(format!("{count} requests, not {limit}: {objects} objects, {changes} changes"))
    }

    /// A POST that may have been processed is not sent again, and a look of a plan waits for five
    /// seconds only: beside an import of the same object, the error may be the import's.
    fn short_outage_fails(&self) -> Broken {
        let mut fates = self.run.command.fates.iter().flatten();
        let are_short = !self.run.command.is_calm() && fates.all(Fate::is_short_outage);
        let imports = &self.run.configuration.imports;
        if !are_short || !imports.is_empty() {
            return None;
        }
        self.run.seen.iter().find_map(|seen| {
            let errors = || seen.notes.iter().filter(|note| note.is_error);
            let mut failed = seen.requests_without_answer();
            // Not a longer path.
            let named = |path: &str| errors().any(|note| note.text.contains(&format!("{path}:")));
            let (method, path) = failed.find(|(method, path)| {
                [Method::GET, Method::DELETE].contains(method) && named(path)
            })?;
            Some(format!("{method} {path}"))
        })
    }

    fn calm_run_fails(&self) -> Broken {
        let run = self.run;
        let is_mode = match run.command.mode {
            Mode::RefreshOnly => run.command.is_calm(),
            Mode::Destroy => run.command.has(Flag::NoRefresh) && run.is_undisturbed(),
            Mode::Plan | Mode::Apply => false,
        };
        let is_judged = is_mode
            && self.is_truthful()
            // The last owner of an integration is never removed.
            && !run.before.keys().any(|place| place.0.kind == Kind::Owners)
            // An object that does not exist cannot be imported.
            && run.configuration.imports.is_empty()
            && self.refused_blocks().next().is_none();
        let is_wrong = |note: &&Note| {
            let mut named = run.before.iter().filter(|(_, it)| note.text.contains(it.name()));
            !named.any(|(_, it)| self.may_be_refused(it))
        };
        let errors = run.errors().filter(|_| is_judged);
        errors.filter(is_wrong).map(|note| note.text.clone()).next()
    }

    /// Returns whether a destroy may refuse an object.
    fn may_be_refused(&self, old: &Instance) -> bool {
        let run = self.run;
        let same = || run.present.iter().filter(|now| now.name() == old.name());
        excused([(ANEW, run.plan.is_some() && same().any(|now| now.identity() != old.identity()))])
    }

    /// Returns the blocks with an argument that has to be refused at plan.
    fn refused_blocks(&self) -> impl Iterator<Item = (&Address, &Block)> {
        let targets = |address: &Address| self.run.command.targets(*address);
        let blocks = self.run.configuration.blocks.iter().filter(move |(at, _)| targets(at));
        blocks.filter(|(_, block)| block.blank.as_ref().is_some_and(Blank::is_refused))
    }

    fn blank_is_planned(&self) -> Broken {
        let plans =
            matches!(self.run.command.mode, Mode::Plan | Mode::Apply) && !self.run.is_import;
        let (address, block) = self.refused_blocks().next().filter(|_| plans)?;
        let is_silent = self.run.errors().next().is_none() && !self.run.seen[0].has_ended_early;
        let has_plan = self.run.plan.is_some() || is_silent;
        has_plan.then(|| format!("{address}: {block}"))
    }

    /// Contradictions are: two blocks for one object, an object that another address has, an import of
    /// what is not there, and a create or a replacement whose name is taken or cannot be had. The plan
    /// has failed, so the service is as it has found it.
    fn good_plan_fails(&self) -> Broken {
        let run = self.run;
        let blocks = &run.configuration.blocks;
        // The object of a block is its own, or in no state.
        let has_own = |address: &Address, block: &Block| {
            let mut states =
                run.before.iter().filter(|(_, it)| self.names_object(block, &it.value));
            let own = run.before.get(&(*address, None));
            let may_take = || block.takes() || self.services.find(block.object).is_empty();
            // Somebody may have deleted an owner, and added the principal under another name.
            let is_same = |own: &Instance| {
                let found = self.services.find(block.object);
                self.names_object(block, &own.value)
                    && found.iter().all(|it| it["name"] == own.name())
            };
            let is_own = |own: &Instance| !own.is_tainted && (is_same(own) || may_take());
            let is_free = || run.configuration.imports.contains(address) || may_take();
            states.all(|(place, _)| *place == (*address, None)) && own.map_or_else(is_free, is_own)
        };
        let is_there = |address: &Address| {
            let found = |block: &Block| self.services.find(block.object).len();
            has_object(&run.before, *address)
                || blocks.get(address).is_none_or(|block| found(block) == 1)
        };
        let is_ordinary = |block: &Block| {
            block.blank.is_none() && block.object.parent < 3 && block.fixed_id.is_none()
        };
        let is_settled = |place: &Place, it: &Instance| {
            place.1.is_none() && place.0.kind != Kind::Owners && !self.is_in_two_states(it)
        };
        let is_judged = run.is_undisturbed()
            && run.plans_all_changes()
            && self.is_truthful()
            && run.configuration.imports.iter().all(is_there)
            && run.configuration.moved.is_none()
            && self.has_a_block_for_each_object()
            && run.integrations(Kind::Owner).is_disjoint(&run.integrations(Kind::Owners))
            && blocks.iter().all(|(address, block)| is_ordinary(block) && has_own(address, block))
            && run.before.iter().all(|(place, it)| is_settled(place, it));
        let plan_errors = run.seen[0].notes.iter().find(|note| note.is_error);
        plan_errors.filter(|_| is_judged).map(|note| note.text.clone())
    }

    /// A warning about an object that is as its state and its block say, and that the plan leaves
    /// alone.
    fn false_warning(&self) -> Broken {
        let run = self.run;
        let is_usual = |flag| matches!(flag, Flag::OneByOne | Flag::TwoAtOnce);
        let is_harmless = |oddity| matches!(oddity, Oddity::Faults | Oddity::Blanks);
        let is_judged = run.is_undisturbed()
            && run.command.mode == Mode::Apply
            && run.command.flags.iter().all(is_usual)
            && self.services.world.iter().all(is_harmless)
            && run.configuration.moved.is_none();
        let plan = run.plan.as_ref().filter(|_| is_judged)?;
        let blocks = &run.configuration.blocks;
        let others =
            |own: Address| blocks.iter().filter(move |(at, _)| **at != own).map(|(_, block)| block);
        plan.changes.iter().filter(|change| change.action == Action::NoOp).find_map(|change| {
            let own = run.before.get(&change.place)?;
            let is_unchanged = change.prior.as_ref().is_some_and(|prior| prior.value == own.value)
                && !self.is_in_two_states(own)
                && !others(change.place.0).any(|block| self.names_object(block, &own.value))
                && change.place.0.kind != Kind::Owners;
            let named = |note: &&Note| {
                let summary = note.text.split('\n').next().unwrap_or_default();
                !note.is_error
                    && summary
                        .split(|c: char| c.is_whitespace() || ":(),".contains(c))
                        .any(|word| word == own.name())
            };
            let note = run.notes().find(named).filter(|_| is_unchanged)?;
            Some(format!("{}: {}", own.name(), note.text))
        })
    }

    fn dropped_by_refresh(&self, plan: &Plan) -> Broken {
        let is_dropped = |old: &&Instance| {
            let Some(own) = old.identity() else { return false };
            let is_kept = plan.prior_state.values().any(|kept| kept.name() == own.name);
            let was_told = self.run.seen[0].may(May::Forget, &own.name);
            !self.run.lacks(old) && !is_kept && !was_told
        };
        self.run.before.values().find(is_dropped).map(|dropped| dropped.name().to_owned())
    }

    fn unplanned_effect(&self, plan: &Plan) -> Broken {
        let is_planned = |effect: &Effect| {
            plan.changes.iter().any(|change| self.is_effect_of(plan, change, effect))
        };
        let effect = self.apply().effects.iter().find(|effect| !is_planned(effect))?;
        Some(effect.identity.name.clone())
    }

    fn is_effect_of(&self, plan: &Plan, change: &Change, effect: &Effect) -> bool {
        let name = &effect.identity.name;
        let is_many = change.place.0.kind == Kind::Owners && change.action != Action::NoOp;
        let block = plan.configuration.blocks.get(&change.place.0);
        let writes = block.is_some_and(|block| self.names_object(block, effect.object()));
        let prior = change.prior.as_ref();
        let has = prior.is_some_and(|it| it.name() == name || it.is(&effect.identity));
        let has_parent = prior.is_some_and(|it| name.starts_with(&format!("{}/", it.name())));
        let replaces = matches!(change.action, Action::Replace { .. });
        match (effect.before.is_some(), effect.after.is_some()) {
            (false, _) => writes && (is_many || replaces || change.action == Action::Create),
            (true, true) => writes && change.action != Action::NoOp,
            (true, false) => {
                (is_many && (writes || has_parent))
                    || (has && !change.forgets && (replaces || change.action == Action::Destroy))
            }
        }
    }

    fn replaces_itself(&self, plan: &Plan, change: &Change) -> bool {
        let block = plan.configuration.blocks.get(&change.place.0);
        let names = |old: &Instance| {
            block.is_some_and(|block| self.names_object(block, &old.value))
                || change.place.0.kind == Kind::Owners
        };
        matches!(change.action, Action::Replace { .. }) && change.prior.as_ref().is_some_and(names)
    }

    /// Returns the effects on objects that this run has not created itself.
    fn effects_on_others(&self) -> impl Iterator<Item = &Effect> {
        let effects = &self.apply().effects;
        let created: BTreeSet<_> = (effects.iter().filter(|effect| effect.before.is_none()))
            .map(|effect| &effect.identity)
            .collect();
        effects
            .iter()
            .filter(move |effect| effect.before.is_some() && !created.contains(&effect.identity))
    }

    fn wrong_delete(&self, plan: &Plan) -> Broken {
        let mut deletes = self.effects_on_others().filter(|effect| effect.after.is_none());
        deletes.find_map(|effect| self.wrong_delete_of(plan, effect))
    }

    fn wrong_delete_of(&self, plan: &Plan, effect: &Effect) -> Broken {
        let name = &effect.identity.name;
        let has_owner = |instance: &Instance| instance.lists(effect.object());
        let known = plan.prior_state.values();
        let lists = || plan.changes.iter().filter(|it| it.prior.as_ref().is_some_and(has_owner));
        // The destroy of a list, which Terraform passes all that the plan has decided.
        let is_left = |list: &Change| {
            list.action == Action::Destroy
                && list.place.1.is_none()
                && list.prior.iter().all(|it| !it.is_tainted && self.run.command.abandons(1))
        };
        let is_single = |it: &Instance| it.is(&effect.identity);
        let is_adopted = self.may_be_adopted(plan, effect.object());
        if lists().next().is_some()
            && lists().all(is_left)
            && !is_adopted
            && !known.clone().any(is_single)
        {
            return Some(format!("{name} is abandoned by its list"));
        }
        // A refresh that lags lacks an owner, and Terraform 1.11 plans a destroy before it.
        if known.clone().chain(self.run.before.values()).any(has_owner) {
            return None;
        }
        // Terraform 1.11 destroys what the state has, and not what a refresh has made of it.
        let prior = plan.changes.iter().filter_map(|change| change.prior.as_ref());
        let own_states: Vec<_> =
            known.clone().chain(prior).filter(|it| it.is(&effect.identity)).collect();
        if own_states.is_empty() {
            let is_known = known.clone().any(|instance| instance.name() == name);
            let is_allowed = is_adopted
                || excused([
                    (RACE, self.apply().may(May::Race, name)),
                    (HIDDEN, is_known && self.was_hidden_or_misread(name)),
                ]);
            let what = if is_known { "made anew by somebody else" } else { "in no state" };
            return (!is_allowed).then(|| format!("{name}: {what}"));
        }
        // Terraform passes nothing of a plan to the destroy of a deposed or tainted object, and a
        // replacement by itself goes by the policy of its apply.
        let obeys_plan = !plan.changes.iter().any(|change| {
            let is_deposed = change.place.1.is_some() || change.replaces(true);
            let is_tainted = change.prior.as_ref().is_some_and(|prior| prior.is_tainted);
            change.has(&effect.identity)
                && (is_deposed || is_tainted || self.replaces_itself(plan, change))
        });
        // Also what the plan leaves.
        let abandons = self.run.command.abandons(1) || (obeys_plan && self.run.command.abandons(0));
        (abandons && !is_adopted).then(|| format!("{name} is abandoned"))
    }

    /// Returns whether no response of the apply has shown an object as it is.
    fn was_hidden_or_misread(&self, name: &str) -> bool {
        let apply = self.apply();
        apply.may(May::Overwrite, name) || apply.may(May::Mistake, name)
    }

    fn wrong_overwrite(&self, plan: &Plan) -> Broken {
        let mut changes = self.effects_on_others().filter(|effect| effect.after.is_some());
        let wrong = changes.find(|effect| {
            let name = &effect.identity.name;
            let mut known = plan.prior_state.values();
            let is_mine = known.clone().any(|instance| instance.is(&effect.identity));
            let is_named = known.any(|instance| instance.name() == name);
            let updates = plan.changes.iter().any(|change| {
                let prior = change.prior.as_ref();
                change.action == Action::Update && prior.is_some_and(|prior| prior.name() == name)
            });
            !(is_mine
                || self.may_be_adopted(plan, effect.object())
                || excused([
                    (ANEW, is_named && updates && self.run.names(name)),
                    (HIDDEN, self.was_hidden_or_misread(name)),
                    (RACE, self.apply().may(May::Race, name)),
                ]))
        });
        wrong.map(|effect| effect.identity.name.clone())
    }

    fn owner_added_twice(&self, plan: &Plan) -> Broken {
        let effects = &self.apply().effects;
        let is_added = |name: &str| {
            let mut added = effects.iter().filter(|effect| effect.before.is_none());
            added.any(|it| it.identity.name == name)
        };
        effects.iter().filter(|effect| effect.before.is_none()).find_map(|effect| {
            let names = |block: &&Block| self.names_object(block, effect.object());
            let is_wanted_once = plan.configuration.blocks.values().filter(names).count() == 1;
            let twin = effect.twins.iter().find(|twin| {
                // A POST that the service has processed is not sent again: one block adds one
                // owner.
                let is_own_twin = is_wanted_once && is_added(twin);
                let apply = self.apply();
                is_own_twin
                    || !excused([
                        (HIDDEN, apply.may(May::Overwrite, twin)),
                        (RACE, apply.may(May::Race, twin)),
                    ])
            })?;
            Some(format!("{} and {twin}", effect.identity.name))
        })
    }

    /// Returns the blocks of an apply, and what it does with them.
    fn applied<'p>(
        &'p self,
        plan: &'p Plan,
    ) -> impl Iterator<Item = (&'p Block, Option<&'p Change>)> {
        let Command { mode, .. } = self.run.command;
        let is_judged = move |address| mode == Mode::Apply && self.run.command.targets(address);
        let blocks = plan.configuration.blocks.iter().filter(move |(at, _)| is_judged(**at));
        blocks.map(|(address, block)| {
            let change = plan.changes.iter().find(|change| change.place == (*address, None));
            (block, change)
        })
    }

    fn wanted_is_gone(&self, plan: &Plan) -> Broken {
        self.applied(plan).find_map(|(block, change)| {
            let is_there = !self.services.find(block.object).is_empty();
            if is_there || block.object.kind == Kind::Owners {
                return None;
            }
            let mut present = self.run.present.iter();
            let old = present.find(|old| self.names_object(block, &old.value))?;
            let name = old.name();
            let mut known = plan.prior_state.values();
            let was_managed = known.any(|it| it.name() == name);
            let was_touched = self.apply().effects.iter().any(|it| it.identity.name == name);
            let is_lost =
                (was_managed || was_touched) && !self.may_be_gone(plan, block, change, old);
            is_lost.then(|| name.to_owned())
        })
    }

    fn may_be_gone(
        &self,
        plan: &Plan,
        block: &Block,
        change: Option<&Change>,
        old: &Instance,
    ) -> bool {
        let (name, apply) = (old.name(), self.apply());
        let is_same = |it: &Instance| it.name() == name;
        let mut deleting = plan.changes.iter().filter(|it| it.prior.as_ref().is_some_and(is_same));
        let replaced = deleting.any(|it| matches!(it.action, Action::Replace { .. }));
        let keeps = change.is_some_and(|it| matches!(it.action, Action::NoOp | Action::Update));
        let is_tainted = plan.prior_state.values().any(|it| it.is_tainted && it.name() == name);
        excused([
            (RACE, apply.may(May::Race, name)),
            (FAILED, replaced && apply.may_fail(name)),
            (HIDDEN, replaced && self.hides_fixed_id(block)),
            (TAINTED, is_tainted && (keeps || (replaced && self.run.has_failed))),
        ])
    }

    /// Returns whether a response has hidden the owner that has the fixed ID of a block.
    fn hides_fixed_id(&self, block: &Block) -> bool {
        block.fixed_name().is_some_and(|name| self.run.may(May::Overwrite, &name))
    }

    fn replaced_by_nothing(&self, plan: &Plan) -> Broken {
        self.applied(plan).find_map(|(block, change)| {
            let change = change.filter(|change| change.replaces(false) && !change.forgets)?;
            let old = change.prior.as_ref()?.identity()?;
            let is_deleted = self.deletes().any(|effect| effect.identity == old);
            let is_there = !self.services.find(block.object).is_empty();
            let has_state = self.after.contains_key(&change.place);
            let is_lost = is_deleted && !self.has_now(&old) && !(is_there && has_state);
            (is_lost && !self.may_end_with_nothing(plan, block, &old)).then_some(old.name)
        })
    }

    fn may_end_with_nothing(&self, plan: &Plan, block: &Block, old: &Identity) -> bool {
        let apply = self.apply();
        let parent = match block.object.kind {
            Kind::Role => format!("listings/{}/roles", block.object.parent_name()),
            _ => format!("integrations/{}/owners", block.object.parent_name()),
        };
        let new = format!("{parent}/{}", block.object.own_name());
        let present = self.services.find(block.object);
        let objects = || apply.effects.iter().map(Effect::object);
        let named = || objects().filter(|object| self.names_object(block, object));
        let mut names = present.iter().chain(named()).map(|object| text(&object["name"]));
        let races = names.any(|name| apply.may(May::Race, name))
            || apply.may(May::Race, &new)
            || apply.may(May::Race, &old.name);
        let mut states = self.after.values();
        let adopted = states.find(|it| self.names_object(block, &it.value));
        let was_hidden = |seen: &Seen| {
            seen.may(May::Overwrite, &new)
                || seen.may(May::Mistake, &new)
                || adopted.is_some_and(|it| seen.may(May::Mistake, it.name()))
                || present.iter().any(|it| seen.may(May::Overwrite, text(&it["name"])))
        };
        let was_taken = self.run.command.between.is_some() && !present.is_empty();
        excused([
            (FAILED, apply.may_fail(&new) || apply.may_fail(&old.name)),
            (RACE, races || was_taken),
            (HIDDEN, self.hides_fixed_id(block) || self.run.seen.iter().any(was_hidden)),
            (TAINTED, plan.prior_state.values().any(|it| it.is_tainted && it.is(old))),
        ])
    }

    fn state_is_lost(&self, plan: &Plan) -> Broken {
        let run = self.run;
        let lost = run.before.iter().find_map(|(place, instance)| {
            let identity = instance.identity()?;
            let is_lost = self.has_now(&identity) && !self.is_kept(&identity);
            let own = plan.changes.iter().find(|change| change.place == *place);
            let change = own.or_else(|| plan.changes.iter().find(|it| it.has(&identity)));
            let goes = change
                .is_some_and(|it| matches!(it.action, Action::Destroy | Action::Replace { .. }));
            let is_forgotten = change.is_some_and(|it| it.forgets || it.action == Action::Forget);
            let is_abandoned = goes && (0..2).any(|phase| run.command.abandons(phase));
            let may_go = || excused([(HIDDEN, run.may(May::Forget, &identity.name))]);
            (is_lost && !is_forgotten && !is_abandoned && !may_go()).then_some(identity)
        });
        lost.map(|identity| identity.name)
    }

    fn new_object_is_lost(&self, plan: &Plan) -> Broken {
        let apply = self.apply();
        let created = apply.effects.iter().filter(|effect| effect.before.is_none());
        let mut lost = created
            .map(|effect| &effect.identity)
            .filter(|identity| self.has_now(identity) && !self.is_kept(identity));
        let wrong = lost.find(|it| {
            let object = self.now.iter().find(|now| now.is(it)).map(|now| &now.value);
            let blocks = plan.configuration.blocks.values();
            let names = |block: &&Block| {
                block.fixed_name().is_some_and(|name| name == it.name)
                    || object.is_some_and(|of| self.names_object(block, of))
            };
            !excused([
                (HALF_WAY, self.is_added_and_named(plan, object)),
                (LOST, apply.may(May::Lose, &it.name)),
                (TWO_BLOCKS, self.run.has_failed && blocks.filter(names).count() > 1),
            ])
        });
        wrong.map(|identity| identity.name.clone())
    }

    /// Returns whether an error names an owner whom a list of the plan adds.
    fn is_added_and_named(&self, plan: &Plan, owner: Option<&Value>) -> bool {
        let Some(owner) = owner else { return false };
        let adds = |change: &Change| {
            let block = plan.configuration.blocks.get(&change.place.0);
            change.place.0.kind == Kind::Owners
                && change.action != Action::NoOp
                && block.is_some_and(|block| self.names_object(block, owner))
        };
        plan.changes.iter().any(adds)
            && self.run.errors().any(|error| error.text.contains(text(&owner["owner"])))
    }

    fn created_by_two(&self, plan: &Plan) -> Broken {
        let creates = plan.changes.iter().filter(|change| change.action == Action::Create);
        let created = creates.filter_map(|change| {
            let block = plan.configuration.blocks.get(&change.place.0)?;
            let new = self.after.get(&change.place).filter(|_| !block.takes())?;
            let (parent, id) = new.name().rsplit_once('/')?;
            Some((parent, new.value["owner"].as_str().unwrap_or(id)))
        });
        let mut known = BTreeSet::new();
        let (parent, id) = created.into_iter().find(|object| !known.insert(*object))?;
        Some(format!("{parent}/{id}"))
    }

    fn success_is_incomplete(&self, plan: &Plan) -> Broken {
        let command = &self.run.command;
        if self.run.has_failed || command.mode != Mode::Apply {
            return None;
        }
        let is_quiet = self.next_plan_is_empty();
        let blocks = &plan.configuration.blocks;
        for (address, block) in blocks.iter().filter(|(at, _)| command.targets(**at)) {
            let Some(current) = self.after.get(&(*address, None)) else {
                return Some(format!("{address} is not in the state"));
            };
            let disagreement = is_quiet.then(|| self.disagreement(block, current)).flatten();
            if disagreement.is_some() {
                return disagreement;
            }
            if current.is_tainted {
                return Some(format!("{address} is tainted"));
            }
        }
        let mut places = self.after.keys().filter(|_| command.target.is_none());
        let (other, _) = places.find(|(at, key)| !blocks.contains_key(at) || key.is_some())?;
        Some(format!("{other} is still in the state"))
    }

    /// Returns how the service differs from a block and its state.
    fn disagreement(&self, block: &Block, stored: &Instance) -> Broken {
        let state = &stored.value;
        let found = self.services.find(block.object);
        let object = found.iter().find(|object| object["name"] == state["name"]);
        match (block.object.kind, object) {
            (Kind::Owners, _) => {
                let there: BTreeSet<_> = found.iter().map(|owner| text(&owner["owner"])).collect();
                let listed = state["owners"].as_array().into_iter().flatten();
                let is_same = there == listed.map(text).collect();
                (!is_same).then(|| format!("{}: {there:?}", state["name"]))
            }
            (_, None) => {
                let mut before = self.run.before.values();
                let is_tainted =
                    before.any(|it| it.is_tainted && it.value["name"] == state["name"]);
                let is_excused = excused([(TAINTED, is_tainted)]);
                (!is_excused).then(|| format!("{} is in the state and not there", state["name"]))
            }
            (Kind::Role, Some(object)) if object["displayName"] != block.display_name() => {
                Some(format!("{}: {}", state["name"], object["displayName"]))
            }
            _ => None,
        }
    }

    fn error_is_a_surprise(&self, plan: &Plan) -> Broken {
        let run = self.run;
        // Plans do not show that a create comes before the destroy of what it replaces, nor whether
        // an object that is not read is the resource's own.
        let is_hidden = |change: &Change| {
            change.replaces(true)
                || change.forgets
                || change.action == Action::Forget
                // It has no plan rule of its own.
                || self.replaces_itself(plan, change)
        };
        // Until it is read, the object of an address without a block counts as one that the apply
        // destroys.
        let is_gone_elsewhere = |(place, it): (&Place, &Instance)| {
            !plan.configuration.blocks.contains_key(&place.0) && run.lacks(it)
        };
        let has_blank = |block: &Block| block.blank.is_some();
        let [planned, applied] = &run.seen;
        let is_judged = run.is_undisturbed()
            && run.reads_all()
            && !run.command.has(Flag::ChangesPolicy)
            && !plan.changes.iter().any(is_hidden)
            // Terraform does not show that a tainted object is destroyed, nor what an unread one
            // is.
            && !run.before.values().any(|it| it.is_tainted)
            && !run.before.iter().any(is_gone_elsewhere)
            && self.is_truthful()
            // The second create of one object is refused in the apply.
            && self.has_a_block_for_each_object()
            && !plan.configuration.blocks.values().any(has_blank);
        let first_name = |text: &str| {
            let mut words = text.split(|c: char| c.is_whitespace() || "():,".contains(c));
            let name = words
                .find(|word| word.starts_with("listings/") || word.starts_with("integrations/"))?;
            Some(name.to_owned())
        };
        // After three warnings of a kind, the plan says how to see the others.
        let warned: BTreeSet<_> =
            planned.notes.iter().filter_map(|note| first_name(&note.text)).collect();
        // It comes once, for all objects.
        let could_not_look =
            planned.notes.iter().any(|note| note.text.starts_with("Could not look"));
        let is_told = |name: &str| {
            let parent = collection(name).rsplit_once('/').map_or(name, |(parent, _)| parent);
            could_not_look
                || warned.len() >= 3
                || planned
                    .notes
                    .iter()
                    .any(|note| note.text.contains(name) || note.text.contains(parent))
        };
        let mut errors = applied.notes.iter().filter(|note| note.is_error);
        let error =
            errors.find(|error| !first_name(&error.text).is_some_and(|name| is_told(&name)))?;
        is_judged.then(|| error.text.clone())
    }

    /// Returns whether the next plan has to be empty.
    fn next_plan_is_empty(&self) -> bool {
        let (run, command) = (self.run, &self.run.command);
        let mut changes = run.plan.iter().flat_map(|plan| &plan.changes);
        // Terraform passes nothing of a plan to the destroy of a deposed object, which may delete
        // what another address keeps.
        let is_deposed_unplanned =
            command.has(Flag::ChangesPolicy) && changes.any(|it| it.replaces(true));
        // Terraform does not show that a tainted object is destroyed, which another address has.
        let has_tainted_object_twice =
            run.before.values().any(|it| it.is_tainted && self.is_in_two_states(it));
        // The last write did not record a manager, so this one promises none, and no read shows it.
        let has_hidden_manager = self.has(Oddity::ReadsOmit)
            && run
                .before
                .iter()
                .any(|(place, it)| place.0.kind == Kind::Role && it.value["manager"].is_null());
        // A list's create only adds: the next plan shows that owners who are not listed are removed.
        let creates_list = run.plan.iter().flat_map(|plan| &plan.changes).any(|change| {
            let makes_new = matches!(change.action, Action::Create | Action::Replace { .. });
            change.place.0.kind == Kind::Owners && makes_new
        });
        run.plan.is_some()
            && !creates_list
            && !has_hidden_manager
            && !is_deposed_unplanned
            && !has_tainted_object_twice
            && !run.has_failed
            && command.mode == Mode::Apply
            && command.target.is_none()
            && run.is_undisturbed()
            && run.reads_all()
            && self.is_truthful()
            && self.has_a_block_for_each_object()
            // A write that failed after others is a warning, and the next plan shows the rest.
            && !run.seen[1].may_fail_anywhere()
            && !run.seen[1].may_any(May::Mistake)
    }
}
