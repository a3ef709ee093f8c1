//! How many entries there are of each kind, and the first line of the report, which says it.

use serde::Serialize;

use crate::entries::{Control, Entries, RoleAction};
use crate::plan::Plan;

/// The parts of the first line.
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
    /// Whether a provider configuration may leave what is lost or deleted.
    pub(crate) or_left: bool,
    /// Whether an entry says so of a loss.
    #[serde(skip)]
    pub(crate) loss_or_left: bool,
    /// Whether an entry says so of a role.
    #[serde(skip)]
    pub(crate) delete_or_left: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Precision {
    #[default]
    Exactly,
    AtLeast,
    UpTo,
}

impl Counts {
    /// Returns the counts of a plan, of which `nothing` changes change nothing of access.
    pub(crate) fn of(plan: &Plan, entries: &Entries, nothing: usize) -> Self {
        let owners = || entries.owners.iter().map(|entry| entry.what);
        let roles = || entries.roles.iter().map(|entry| &entry.what);
        let has_unknown_owners = entries.unknown.iter().map(|entry| &entry.what).any(|unknown| {
            let mut names = unknown.attributes.iter();
            unknown.deferred.is_none() && names.any(|name| matches!(*name, "owner" | "owners"))
        });
        Self {
            gain: owners().filter(|it| it.gains()).count(),
            gain_is: match (has_unknown_owners, entries.may_gain_less) {
                (true, _) => Precision::AtLeast,
                (false, true) => Precision::UpTo,
                (false, false) => Precision::Exactly,
            },
            lose: owners().filter(|it| it.loses()).count(),
            lose_is: match owners().any(|it| it == Control::LosesOrKeeps) {
                true => Precision::UpTo,
                false => Precision::Exactly,
            },
            change_grants: roles().filter(|it| it.changes_grants()).count(),
            created: roles().filter(|it| it.is_created()).count(),
            deleted: roles().filter(|it| it.is_deleted()).count(),
            change_texts: roles().filter(|it| it.changes_texts_alone()).count(),
            revoke: entries.revoke.iter().map(|entry| entry.what.resources.len()).sum(),
            without_resources: roles()
                .filter(|it| it.is_created() && it.resources.is_none())
                .count(),
            unknown: entries.unknown.len(),
            unreadable: plan.unreadable,
            nothing,
            others: plan.others,
            or_left: plan.may_leave,
            loss_or_left: plan.may_leave && owners().any(|it| it == Control::Loses),
            delete_or_left: plan.may_leave && roles().any(|it| it.action == RoleAction::Deleted),
        }
    }

    /// Returns whether nothing changes access, except perhaps changes of other providers.
    pub(crate) fn is_quiet(&self) -> bool {
        let roles = [self.change_grants, self.created, self.deleted, self.change_texts];
        let others = [self.revoke, self.without_resources, self.unknown, self.unreadable];
        [self.gain, self.lose].iter().chain(&roles).chain(&others).all(|count| *count == 0)
    }

    /// Returns the first line of the report.
    pub(crate) fn line(&self) -> String {
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
            part(
                self.others,
                "change of other providers is not read",
                "changes of other providers are not read",
            ),
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
        let left = left(self.loss_or_left, self.lose);
        join([gain, lose.map(|lose| format!("{}{lose}{left}", self.lose_is.words()))], ", ")
    }

    /// Returns the part about roles: "2 roles change what they grant, 1 is created".
    fn roles(&self) -> Option<String> {
        // "1 is created, 1 deleted" has one auxiliary.
        let deleted =
            if self.created > 0 { ("deleted", "deleted") } else { ("is deleted", "are deleted") };
        let parts = [
            (self.change_grants, "changes what it grants", "change what they grant", ""),
            (self.created, "is created", "are created", ""),
            (self.deleted, deleted.0, deleted.1, left(self.delete_or_left, self.deleted)),
            (self.change_texts, "changes texts or order", "change texts or order", ""),
        ];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0).enumerate();
        let parts = parts.map(|(place, (count, one, many, end))| {
            let (noun, verb) = if count == 1 { ("role ", one) } else { ("roles ", many) };
            // The first part has the noun.
            format!("{count} {}{verb}{end}", if place == 0 { noun } else { "" })
        });
        join(parts.map(Some), ", ")
    }
}

/// Returns what is said about losses and deletes that a provider configuration may prevent.
fn left(is_said: bool, count: usize) -> &'static str {
    match (is_said, count) {
        (false, _) => "",
        (true, 1) => ", or is left",
        (true, _) => ", or are left",
    }
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

/// Returns a count with its words; `None` if it is zero.
fn part(count: usize, one: &str, many: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
}

/// Returns the parts that there are in one text; `None` if there are none.
fn join(parts: impl IntoIterator<Item = Option<String>>, separator: &str) -> Option<String> {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}
