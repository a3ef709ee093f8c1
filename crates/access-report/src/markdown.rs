//! The report as Markdown for a pull request.

use std::collections::HashMap;

use serde_json::Value;

use crate::entries::{
    AttributeChange, Control, Counts, Drift, Entries, Entry, Name, Origin, Precision, Revocation,
    RoleAction, RoleChange, Transfer, TransferAction, Unknown,
};
use crate::inert::code;
use crate::report::{Note, NoteKind, Report};

/// The most roles of an entry, and the most addresses of a note.
const MOST_NAMES: usize = 20;

/// Returns the report in `limit` bytes at most, or the first line alone if the rest does not fit.
///
/// Entries are left out one by one, each from the end of the section that is the longest then.
pub(crate) fn write(report: &Report, limit: usize) -> String {
    let line = format!("{}\n", report.counts.line());
    let notes: String = report.notes.iter().map(|it| format!("\n{}\n", note(it))).collect();
    let mut sections = sections(&report.entries, report.counts.or_left);
    if notes.is_empty() && sections.is_empty() {
        return line;
    }
    let around = notes.len() + 2 * line.len() + 1;
    let mut size = around + sections.iter().map(Section::size).sum::<usize>();
    while size > limit {
        let with_entries = sections.iter_mut().filter(|section| !section.entries.is_empty());
        let Some(longest) = with_entries.max_by_key(|section| section.size()) else { return line };
        size -= longest.size();
        longest.leave_out_last();
        size += longest.size();
    }
    let sections: String = sections.iter().map(Section::text).collect();
    format!("{line}{notes}{sections}\n{line}")
}

/// A section, with its entries as lines.
struct Section {
    title: &'static str,
    entries: Vec<String>,
    /// The bytes of the entries.
    length: usize,
    left_out: usize,
    /// What stands at the end, however many entries are left out.
    remark: &'static str,
}

impl Section {
    fn new(title: &'static str, entries: Vec<String>) -> Self {
        let entries: Vec<_> = entries.into_iter().map(|entry| format!("- {entry}\n")).collect();
        let length = entries.iter().map(String::len).sum();
        Self { title, entries, length, left_out: 0, remark: "" }
    }

    fn leave_out_last(&mut self) {
        self.length -= self.entries.pop().map_or(0, |entry| entry.len());
        self.left_out += 1;
    }

    fn around(&self) -> [String; 2] {
        let missing = match self.left_out {
            0 => String::new(),
            1 => "\n1 more is not shown.\n".to_owned(),
            count => format!("\n{count} more are not shown.\n"),
        };
        [format!("\n## {}\n\n", self.title), missing + self.remark]
    }

    fn size(&self) -> usize {
        self.length + self.around().iter().map(String::len).sum::<usize>()
    }

    fn text(&self) -> String {
        let [heading, end] = self.around();
        format!("{heading}{}{end}", self.entries.concat())
    }
}

/// Returns a note as a sentence.
fn note(note: &Note) -> String {
    match note.kind {
        NoteKind::Errored => {
            "The plan has failed, and shows only a part of the changes.".to_owned()
        }
        NoteKind::Incomplete => {
            "The plan is incomplete: it leaves changes to a later one.".to_owned()
        }
        NoteKind::Commands => {
            let addresses = note.addresses.iter().map(|address| code(address));
            format!("An apply runs commands: at least {}.", first(addresses))
        }
    }
}

impl Counts {
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
fn join<const N: usize>(parts: [Option<String>; N], separator: &str) -> Option<String> {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}

/// Returns the sections that have entries, in their order.
fn sections(entries: &Entries, or_left: bool) -> Vec<Section> {
    let Entries { owners, roles, revoke, unknown, drift, management } = entries;
    let owners = owners.iter().map(|entry| owner(entry, or_left)).collect();
    let is_written = roles.iter().any(|entry| entry.what.is_created());
    let mut roles = Section::new("Roles, effective for new requests", role_lines(roles, or_left));
    if is_written {
        roles.remark = "\nWhat exists and could not be read in the plan is overwritten.\n";
    }
    let mut sections = vec![
        Section::new("Owners, effective at once", owners),
        roles,
        Section::new("To revoke by hand", revoke.iter().map(revocation).collect()),
        Section::new("Known only after apply", unknown.iter().map(self::unknown).collect()),
        Section::new("Changed outside Terraform", drift.iter().map(self::drift).collect()),
        Section::new(
            "Comes under Terraform, leaves Terraform",
            management.iter().map(transfer).collect(),
        ),
    ];
    sections.retain(|section| !section.entries.is_empty());
    sections
}

/// Returns the line about the control of an integration.
fn owner(entry: &Entry<Control>, or_left: bool) -> String {
    let Entry { name: Name::Owner { integration, principal }, origin, what } = entry else {
        return String::new();
    };
    let integration = code(integration);
    let principal = code(principal.as_deref().unwrap_or_default());
    let address = address(origin);
    let or_left = if or_left { ", or is left" } else { "" };
    match *what {
        Control::Gains => format!("{principal} gains control of {integration} ({address})"),
        Control::GainsOrHas => {
            format!("{principal} gains control of {integration}, or has it already ({address})")
        }
        Control::Loses => {
            format!("{principal} loses control of {integration}{or_left} ({address})")
        }
        Control::LosesOrKeeps => {
            format!("{principal} loses control of {integration}, or keeps it ({address})")
        }
        Control::Again => format!(
            "{principal} of {integration} ({address}) is removed and added again; if that fails, it is gone"
        ),
        Control::Stays => {
            format!(
                "{integration} ({address}): owners that are not listed stay until the next plan"
            )
        }
        Control::Names { owners, is_least } => {
            let least = if is_least { "at least " } else { "" };
            let noun = if owners == 1 { "owner" } else { "owners" };
            format!("{integration} ({address}): the list names {least}{owners} {noun} afterwards")
        }
    }
}

/// Returns the lines about roles: one for all roles with the same change of resources, and one for
/// the texts of each role.
fn role_lines(roles: &[Entry<RoleChange>], or_left: bool) -> Vec<String> {
    let mut lines = Vec::<(String, Vec<String>)>::new();
    let mut places = HashMap::new();
    for role in roles {
        let Some(change) = role_change(&role.what, or_left) else { continue };
        // The line of a delete does not have the resources.
        let key = (change.clone(), &role.what.removed);
        let place = *places.entry(key).or_insert(lines.len());
        if place == lines.len() {
            lines.push((change, Vec::new()));
        }
        lines[place].1.push(subject(role));
    }
    let changes = lines.into_iter().map(|(change, roles)| match &*roles {
        [role] => format!("{role} {change}"),
        _ => format!("{change}: {}", first(roles.into_iter())),
    });
    let texts = roles.iter().filter(|role| !role.what.attributes.is_empty());
    let texts =
        texts.map(|role| format!("{}: {}", subject(role), attributes(&role.what.attributes)));
    changes.chain(texts).collect()
}

/// Returns what happens to the resources of a role; `None` if only its texts change.
fn role_change(change: &RoleChange, or_left: bool) -> Option<String> {
    let RoleChange { action, added, removed, resources, .. } = change;
    let removed = match removed.is_empty() {
        true => String::new(),
        false => format!("removes {} (present holders keep it)", list(removed)),
    };
    let resources = match resources.as_deref() {
        None => "; its resources are not in the plan".to_owned(),
        Some([]) => ", without resources".to_owned(),
        Some(resources) => format!(", with {}", list(resources)),
    };
    Some(match action {
        RoleAction::Changed if !change.changes_grants() => return None,
        RoleAction::Changed if added.is_empty() => removed,
        RoleAction::Changed => {
            let and = if removed.is_empty() { "" } else { ", " };
            format!("adds {} (present holders do not get it){and}{removed}", list(added))
        }
        RoleAction::Created => format!("is created{resources}"),
        RoleAction::CreatedOrOverwritten => format!(
            "is created, or overwrites what exists{resources}; what that had and is not listed is to revoke, and the plan does not name it"
        ),
        RoleAction::Deleted if or_left => "is deleted, or is left".to_owned(),
        RoleAction::Deleted => "is deleted".to_owned(),
        RoleAction::Replaced => {
            let and = if removed.is_empty() { "" } else { "; " };
            format!("is replaced{resources}{and}{removed}")
        }
    })
}

/// Returns the line of a check list.
fn revocation(entry: &Entry<Revocation>) -> String {
    format!("[ ] {}: {}", subject(entry), list(&entry.what.resources))
}

/// Returns the line about what is known only after apply.
fn unknown(entry: &Entry<Unknown>) -> String {
    let Unknown { attributes, deferred } = &entry.what;
    let attributes = Some(attributes.join(", ")).filter(|attributes| !attributes.is_empty());
    let deferred = deferred.iter().map(|reason| format!("deferred: {}", code(reason)));
    let parts: Vec<_> = attributes.into_iter().chain(deferred).collect();
    format!("{}: {}", subject(entry), parts.join("; "))
}

/// Returns the line about a change outside Terraform.
fn drift(entry: &Entry<Drift>) -> String {
    let Drift { gone, attributes, manager, repo_uri, repo_dir, update_time } = &entry.what;
    if *gone {
        return format!("{} is gone", subject(entry));
    }
    let facts = facts([
        ("last update", update_time),
        ("recorded manager", manager),
        ("recorded repository", repo_uri),
        ("recorded directory", repo_dir),
    ]);
    format!("{}: {}{facts}", subject(entry), self::attributes(attributes))
}

/// Returns the line about an object that comes under Terraform or leaves it.
fn transfer(entry: &Entry<Transfer>) -> String {
    let Transfer { action, repo_uri, repo_dir } = &entry.what;
    let verb = match action {
        TransferAction::Comes => "comes under Terraform",
        TransferAction::Leaves => "leaves Terraform",
    };
    let facts = facts([("recorded repository", repo_uri), ("recorded directory", repo_dir)]);
    format!("{} {verb}{facts}", subject(entry))
}

/// Returns the facts that there are, each behind a semicolon.
fn facts<const N: usize>(facts: [(&str, &Option<String>); N]) -> String {
    let fact = |(noun, fact): (_, &Option<String>)| {
        fact.as_deref().map(|fact| format!("; {noun}: {}", code(fact))).unwrap_or_default()
    };
    facts.map(fact).concat()
}

/// Returns the name and the address of an object.
fn subject<T>(entry: &Entry<T>) -> String {
    let name = match &entry.name {
        Name::Role { role } => code(role),
        Name::Owner { integration, principal: Some(principal) } => {
            format!("{} of {}", code(principal), code(integration))
        }
        Name::Owner { integration, principal: None } => {
            format!("all owners of {}", code(integration))
        }
    };
    format!("{name} ({})", address(&entry.origin))
}

/// Returns the address of an object, with the key of a deposed one.
fn address(origin: &Origin) -> String {
    let deposed = origin.deposed.iter().map(|key| format!(", deposed {}", code(key)));
    code(&origin.address) + &deposed.collect::<String>()
}

/// Returns texts as code.
fn list(texts: &[String]) -> String {
    texts.iter().map(|text| code(text)).collect::<Vec<_>>().join(", ")
}

/// Returns the first names, and how many more there are.
fn first(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let names = names.take(MOST_NAMES).collect::<Vec<_>>().join(", ");
    if more == 0 { names } else { format!("{names} and {more} more") }
}

/// Returns attributes before and after their change.
fn attributes(changes: &[AttributeChange]) -> String {
    let changes = changes.iter().map(|AttributeChange { name, before, after }| {
        let (old, new) = (value(before), value(after));
        match (before, after) {
            (Value::Array(_), Value::Array(added)) if added.is_empty() => {
                format!("{name}: removed {old}")
            }
            (Value::Array(removed), Value::Array(_)) if removed.is_empty() => {
                format!("{name}: added {new}")
            }
            (Value::Array(_), Value::Array(_)) => format!("{name}: added {new}, removed {old}"),
            _ => format!("{name}: {old} → {new}"),
        }
    });
    changes.collect::<Vec<_>>().join("; ")
}

/// Returns a value as code.
fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => code(text),
        Value::Array(elements) => elements.iter().map(self::value).collect::<Vec<_>>().join(", "),
        other => code(&other.to_string()),
    }
}
