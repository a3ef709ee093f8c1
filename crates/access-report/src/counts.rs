//! The counts of the first line.

use serde::Serialize;

use crate::entries::{Control, Entries, RoleAction};
use crate::plan::Plan;

/// How many entries there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Counts {
    /// Pairs of principal and integration.
    pub(crate) gain: usize,
    pub(crate) gain_is: Precision,
    pub(crate) lose: usize,
    pub(crate) lose_is: Precision,
    /// Roles whose resources change.
    pub(crate) change_grants: usize,
    pub(crate) created: usize,
    pub(crate) deleted: usize,
    /// Roles of which only texts or the order change.
    pub(crate) change_texts: usize,
    /// Pairs of role and resource.
    pub(crate) revoke: usize,
    /// New roles whose resources are not in the plan.
    pub(crate) without_resources: usize,
    pub(crate) unknown: usize,
    pub(crate) unreadable: usize,
    /// Changes of this provider that change nothing of access.
    pub(crate) nothing: usize,
    /// Changes of other providers.
    pub(crate) others: usize,
    /// Whether what is lost or deleted may be left instead.
    pub(crate) or_left: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Precision {
    #[default]
    Exactly,
    AtLeast,
    UpTo,
}

impl Precision {
    fn words(self) -> &'static str {
        match self {
            Self::Exactly => "",
            Self::AtLeast => "at least ",
            Self::UpTo => "up to ",
        }
    }
}

impl Counts {
    pub(crate) fn of(entries: &Entries, plan: &Plan, nothing: usize) -> Self {
        let Entries { owners, roles, revoke, unknown, .. } = entries;
        let owners = || owners.iter().map(|entry| entry.what);
        let roles = || roles.iter().map(|entry| &entry.what);
        let is_any = |control| owners().any(|it| it == control);
        let has_unknown_owners = unknown.iter().map(|entry| &entry.what).any(|unknown| {
            let mut names = unknown.attributes.iter();
            unknown.deferred.is_none() && names.any(|name| matches!(*name, "owner" | "owners"))
        });
        Self {
            gain: owners().filter(|it| it.gains()).count(),
            gain_is: match (has_unknown_owners, is_any(Control::GainsOrHas)) {
                (true, _) => Precision::AtLeast,
                (false, true) => Precision::UpTo,
                (false, false) => Precision::Exactly,
            },
            lose: owners().filter(|it| it.loses()).count(),
            lose_is: match is_any(Control::LosesOrKeeps) {
                true => Precision::UpTo,
                false => Precision::Exactly,
            },
            change_grants: roles().filter(|it| it.changes_grants()).count(),
            created: roles().filter(|it| it.is_created()).count(),
            deleted: roles().filter(|it| it.is_deleted()).count(),
            change_texts: roles()
                .filter(|it| it.action == RoleAction::Changed && !it.changes_grants())
                .count(),
            revoke: revoke.iter().map(|entry| entry.what.resources.len()).sum(),
            without_resources: roles()
                .filter(|it| it.is_created() && it.resources.is_none())
                .count(),
            unknown: unknown.len(),
            unreadable: plan.unreadable,
            nothing,
            others: plan.others,
            or_left: plan.may_leave,
        }
    }

    /// Returns whether nothing changes access, except perhaps changes of other providers.
    pub(crate) fn is_quiet(&self) -> bool {
        let Self { nothing, others, or_left, .. } = *self;
        *self == Self { nothing, others, or_left, ..Self::default() }
    }

    /// Returns the first line of the report.
    pub(crate) fn line(&self) -> String {
        let others =
            ("change of other providers is not read", "changes of other providers are not read");
        let parts = [
            self.control(),
            self.roles(),
            part(self.revoke, "grant to revoke by hand", "grants to revoke by hand"),
            part(
                self.without_resources,
                "role without resources in the plan",
                "roles without resources in the plan",
            ),
            part(self.unknown, "known only after apply", "known only after apply"),
            part(
                self.unreadable,
                "change that could not be read",
                "changes that could not be read",
            ),
            part(self.nothing, "changes nothing of access", "change nothing of access"),
            part(self.others, others.0, others.1),
        ];
        let parts = join(parts, "; ");
        let quiet = self.is_quiet().then(|| "No change of access by this provider.".to_owned());
        join([quiet, parts], " ").unwrap_or_default()
    }

    /// Returns the part about owners: "2 gain control, 1 loses it".
    fn control(&self) -> Option<String> {
        let gain = part(self.gain, "gains control", "gain control");
        let lose = match self.gain {
            0 => part(self.lose, "loses control", "lose control"),
            _ => part(self.lose, "loses it", "lose it"),
        };
        let gain = gain.map(|gain| format!("{}{gain}", self.gain_is.words()));
        let left = self.left(self.lose);
        join([gain, lose.map(|lose| format!("{}{lose}{left}", self.lose_is.words()))], ", ")
    }

    /// Returns the part about roles: "2 roles change what they grant, 1 is created".
    fn roles(&self) -> Option<String> {
        // The first part has the noun, and "1 is created, 1 deleted" has one auxiliary.
        let deleted =
            if self.created > 0 { ("deleted", "deleted") } else { ("is deleted", "are deleted") };
        let parts = [
            part(self.change_grants, "changes what it grants", "change what they grant"),
            part(self.created, "is created", "are created"),
            part(self.deleted, deleted.0, deleted.1).map(|it| it + self.left(self.deleted)),
            part(self.change_texts, "changes texts or order", "change texts or order"),
        ];
        let parts = join(parts, ", ")?;
        let (count, rest) = parts.split_once(' ')?;
        Some(format!("{count} {} {rest}", if count == "1" { "role" } else { "roles" }))
    }

    /// Returns what is said about losses and deletes that a provider configuration may prevent.
    fn left(&self, count: usize) -> &'static str {
        match (self.or_left, count) {
            (false, _) => "",
            (true, 1) => ", or is left",
            (true, _) => ", or are left",
        }
    }
}

/// Returns a count with its words; `None` if it is zero.
fn part(count: usize, one: &str, many: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
}

/// Returns the parts that there are in one text; `None` if there are none.
fn join<const N: usize>(parts: [Option<String>; N], separator: &str) -> Option<String> {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}
