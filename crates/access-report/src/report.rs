//! The report of a plan, and what it says about the plan as a whole.

use serde::Serialize;

use crate::changes;
use crate::counts::Counts;
use crate::entries::Entries;
use crate::plan::Plan;

/// What a plan says about access, a member for each section.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) format_version: &'static str,
    pub(crate) counts: Counts,
    pub(crate) notes: Vec<Note>,
    #[serde(flatten)]
    pub(crate) entries: Entries,
}

impl Report {
    pub(crate) fn of(plan: &Plan) -> Self {
        let (entries, nothing) = changes::entries(plan);
        let notes = [
            (NoteKind::Errored, plan.is_errored, &[][..]),
            (NoteKind::Incomplete, plan.is_incomplete, &[]),
            (NoteKind::Commands, !plan.commands.is_empty(), &plan.commands),
        ];
        let notes = notes.into_iter().filter(|(_, is_true, _)| *is_true);
        Self {
            format_version: "1.0",
            counts: Counts::of(plan, &entries, nothing),
            notes: notes.map(|(kind, _, it)| Note { kind, addresses: it.to_vec() }).collect(),
            entries,
        }
    }

    /// Returns whether the plan is whole, runs no commands, and changes no access.
    pub(crate) fn is_quiet(&self) -> bool {
        self.counts.is_quiet() && self.notes.is_empty()
    }
}

/// A fact about the plan as a whole.
#[derive(Serialize)]
pub(crate) struct Note {
    pub(crate) kind: NoteKind,
    pub(crate) addresses: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoteKind {
    Errored,
    Incomplete,
    /// What the addresses name runs commands in an apply.
    Commands,
}
