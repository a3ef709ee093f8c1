//! The report as Markdown for a pull request.

use serde_json::Value;

use super::entries::{
    AttributeChange, Control, Counts, Drift, Entry, Name, Report, Resources, Revocation,
    RoleAction, RoleChange, Transfer, Unknown, Writer,
};
use super::inert::code;

/// How much of an entry is shown: the bytes of each text. A list shows an element for each twenty.
#[derive(Clone, Copy)]
struct Detail(usize);

const WHOLE: Detail = Detail(usize::MAX);

/// Less and less, until each section has an entry within the limit.
const SHORTENED: [Detail; 4] = [Detail(400), Detail(120), Detail(60), Detail(24)];

const ADDED: &str = "resources added (present holders do not get it)";
const REMOVED: &str = "resources removed (present holders keep it)";

const VARIABLE_KEEPS: &str = "\nDeletes keep the object if the apply runs with `ACCESS_DELETION_POLICY=abandon`; a plan does not show \
     this variable.\n";

/// Returns the report in `limit` bytes at most, or the counts alone if the limit is too small for an entry
/// of each section.
pub(super) fn write(report: &Report, limit: usize) -> String {
    let line = format!("{}\n", counts_line(report));
    let notes: String = report.notes.iter().map(|note| format!("\n{note}\n")).collect();
    let sections = WHOLE.sections(report);
    let tail = if sections.is_empty() { String::new() } else { format!("\n{line}") };
    let framed = |body: String| format!("{line}{notes}{body}{tail}");
    let room = limit.checked_sub(framed(String::new()).len());
    let body = room.and_then(|room| {
        let whole = fit(&sections, usize::MAX).filter(|body| body.len() <= room);
        let shortened = |detail: Detail| fit(&detail.sections(report), room);
        whole.or_else(|| SHORTENED.into_iter().find_map(shortened))
    });
    body.map_or(line.clone(), framed)
}

fn counts_line(report: &Report) -> String {
    let Counts { gain, lose, roles, revoke } = report.counts;
    let mut parts = Vec::new();
    if gain + lose > 0 {
        let (gains, loses) = (counted(gain, "gains", "gain"), counted(lose, "loses", "lose"));
        parts.push(format!("{gains} control, {loses} it"));
    }
    if roles > 0 {
        parts.push(counted(roles, "role changes", "roles change"));
    }
    if revoke > 0 {
        parts.push(counted(revoke, "grant", "grants") + " to revoke by hand");
    }
    match (parts.is_empty(), report.changes_access()) {
        (false, _) => parts.join("; "),
        (true, true) => "Changes of access that are known only after apply.".to_owned(),
        (true, false) => "No change of access.".to_owned(),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

struct Section {
    title: &'static str,
    entries: Vec<String>,
    /// A sentence beneath the entries.
    remark: &'static str,
}

/// Returns the sections in `room` bytes. Entries are left out, but one of each section stays. A section that
/// needs less than its share leaves the rest to the others.
fn fit(sections: &[Section], room: usize) -> Option<String> {
    let mut smallest_first: Vec<_> = (0..sections.len()).collect();
    smallest_first
        .sort_by_cached_key(|place| sections[*place].shortened(usize::MAX).map(|it| it.len()));
    let (mut left, mut texts) = (room, vec![String::new(); sections.len()]);
    for (done, place) in smallest_first.into_iter().enumerate() {
        texts[place] = sections[place].shortened(left / (sections.len() - done))?;
        left -= texts[place].len();
    }
    Some(texts.concat())
}

impl Section {
    fn new<T>(
        title: &'static str,
        entries: &[Entry<T>],
        text: impl Fn(&Entry<T>) -> String,
    ) -> Self {
        let entries = entries.iter().map(|entry| format!("- {}\n", text(entry))).collect();
        Self { title, entries, remark: "" }
    }

    /// Returns a section in `room` bytes; `None` if that is too little for an entry.
    fn shortened(&self, room: usize) -> Option<String> {
        let Self { title, entries, remark } = self;
        let mut text = format!("\n## {title}\n\n");
        let missing = |count| format!("\n{} not shown.\n", counted(count, "more is", "more are"));
        let reserve = missing(entries.len()).len() + remark.len();
        let mut rest: usize = entries.iter().map(String::len).sum();
        for (place, entry) in entries.iter().enumerate() {
            let fits = |more: usize| text.len() + more <= room;
            if !fits(rest + remark.len()) && !fits(entry.len() + reserve) {
                return (place > 0).then(|| text + &missing(entries.len() - place) + remark);
            }
            rest -= entry.len();
            text += entry;
        }
        Some(text + remark)
    }
}

impl Detail {
    fn sections(self, report: &Report) -> Vec<Section> {
        let Report { owners, roles, revoke, drift, management, unknown, .. } = report;
        let mut sections = vec![
            Section::new("Owners, effective at once", owners, |it| self.owner(it)),
            Section::new("Roles, effective for new requests", roles, |it| self.role(it)),
            Section::new("To revoke by hand", revoke, |it| self.revocation(it)),
            Section::new("Changed outside Terraform", drift, |it| self.drift(it)),
            Section::new("Comes under Terraform, leaves Terraform", management, |it| {
                self.transfer(it)
            }),
            Section::new("Known only after apply", unknown, |it| self.unknown(it)),
        ];
        if report.can_abandon {
            let is_delete = |action| matches!(action, RoleAction::Deleted | RoleAction::Replaced);
            let deletes_role = roles.iter().any(|role| is_delete(role.what.action));
            sections[usize::from(deletes_role)].remark = VARIABLE_KEEPS;
        }
        sections.retain(|section| !section.entries.is_empty());
        sections
    }

    fn owner(self, entry: &Entry<Control>) -> String {
        let Name::Owner { integration, principal } = &entry.name else { return String::new() };
        let integration = self.code(integration);
        let principal = self.code(principal.as_deref().unwrap_or_default());
        let gains = format!("{principal} gains control of {integration}");
        let text = match entry.what {
            Control::Gains => gains,
            Control::GainsUnlessOwner => gains + ", unless it has it already",
            Control::Loses => format!("{principal} loses control of {integration}"),
            Control::UnlistedLose => {
                format!("{integration}: owners that exist and are not listed lose control")
            }
            Control::Remain { owners, at_least } => {
                let at_least = if at_least { "at least " } else { "" };
                let remain = counted(owners, "owner remains", "owners remain");
                format!("{integration}: {at_least}{remain}")
            }
        };
        text + &self.addresses(entry)
    }

    fn role(self, entry: &Entry<RoleChange>) -> String {
        let change = &entry.what;
        let (verb, added, removed) = match change.action {
            RoleAction::Created => ("is created", "resources", ""),
            RoleAction::CreatedOrOverwritten => {
                ("is created, or overwritten if it exists", ADDED, REMOVED)
            }
            RoleAction::Overwritten => ("is overwritten", ADDED, REMOVED),
            RoleAction::Replaced => ("is replaced", ADDED, REMOVED),
            RoleAction::Updated => ("changes", ADDED, REMOVED),
            RoleAction::Deleted => ("is deleted", "", "present holders keep"),
        };
        let mut parts = Vec::new();
        for (what, resources) in [(added, &change.added), (removed, &change.removed)] {
            if !resources.is_empty() {
                parts.push(format!("{what}: {}", self.list(resources.iter().map(String::as_str))));
            }
        }
        let treatment = match change.resources {
            None | Some(Resources::Managed) => None,
            Some(Resources::NotManaged) => Some("resources are not managed"),
            Some(Resources::PartlyUnknown) => Some("more resources are known only after apply"),
            Some(Resources::NotManagedOrUnknown) => {
                Some("resources are not managed, or known only after apply")
            }
        };
        parts.extend(treatment.map(str::to_owned));
        let is_new = !matches!(change.action, RoleAction::Updated | RoleAction::Replaced);
        parts.extend(change.attributes.iter().map(|change| self.attribute(change, is_new)));
        let separator = if parts.is_empty() { "" } else { ": " };
        format!("{} {verb}{separator}{}", self.subject(entry), parts.join("; "))
    }

    fn revocation(self, entry: &Entry<Revocation>) -> String {
        let Name::Role { role } = &entry.name else { return String::new() };
        let (role, resource) = (self.code(role), self.code(&entry.what.resource));
        format!("[ ] {role}: {resource}{}", self.addresses(entry))
    }

    fn drift(self, entry: &Entry<Drift>) -> String {
        let Drift { deleted, attributes, update_time, by } = &entry.what;
        let mut parts: Vec<_> =
            attributes.iter().map(|change| self.attribute(change, false)).collect();
        parts.extend(deleted.then(|| "deleted".to_owned()));
        let time = update_time.iter().map(|time| self.code(time));
        let written: Vec<_> = time.chain(by.iter().map(|by| self.writer(by))).collect();
        if !written.is_empty() {
            parts.push(format!("last written: {}", written.join(", ")));
        }
        format!("{}: {}", self.subject(entry), parts.join("; "))
    }

    fn writer(self, writer: &Writer) -> String {
        match writer {
            Writer::NotTerraform => "not Terraform".to_owned(),
            Writer::SameRepository => "the same repository".to_owned(),
            Writer::Terraform { repo_uri: None, .. } => {
                "Terraform, without a repository".to_owned()
            }
            Writer::Terraform { repo_uri: Some(uri), repo_dir } => {
                let directory = repo_dir.iter().map(|it| format!(", directory {}", self.code(it)));
                let directory: String = directory.collect();
                format!("Terraform with repository {}{directory}", self.code(uri))
            }
        }
    }

    fn transfer(self, entry: &Entry<Transfer>) -> String {
        let text = match entry.what {
            Transfer::Imported => "comes under Terraform, imported",
            Transfer::Overwrites => "comes under Terraform, overwrites what exists",
            Transfer::Adopts => "comes under Terraform, adopts what exists",
            Transfer::Forgotten => "leaves Terraform, kept by a removed block",
            Transfer::Abandoned => "leaves Terraform, abandoned",
        };
        format!("{}: {text}", self.subject(entry))
    }

    fn unknown(self, entry: &Entry<Unknown>) -> String {
        let Unknown { attributes, deferred } = &entry.what;
        let attributes = Some(attributes.join(", ")).filter(|names| !names.is_empty());
        let deferred = deferred.iter().map(|reason| format!("deferred, {}", self.code(reason)));
        let parts: Vec<_> = attributes.into_iter().chain(deferred).collect();
        format!("{}: {}", self.subject(entry), parts.join("; "))
    }

    /// Returns the name of an object, with its addresses if the name alone does not identify it.
    fn subject<T>(self, entry: &Entry<T>) -> String {
        let name = match &entry.name {
            Name::Role { role } => self.code(role),
            Name::Owner { integration, principal: Some(principal) } => {
                format!("{} of {}", self.code(principal), self.code(integration))
            }
            Name::Owner { integration, principal: None } => {
                format!("all owners of {}", self.code(integration))
            }
        };
        name + &self.addresses(entry)
    }

    fn addresses<T>(self, entry: &Entry<T>) -> String {
        if !entry.is_ambiguous {
            return String::new();
        }
        format!(" ({})", self.list(entry.addresses.iter().map(String::as_str)))
    }

    fn code(self, text: &str) -> String {
        code(text, self.0)
    }

    /// Returns the elements as code, and how many more there are.
    fn list<'a>(self, elements: impl Iterator<Item = &'a str>) -> String {
        let elements: Vec<_> = elements.collect();
        let shown: Vec<_> = elements.iter().take(self.0 / 20).map(|it| self.code(it)).collect();
        match elements.len() - shown.len() {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    /// Returns the values of an attribute. For a new object, returns only the new value.
    fn attribute(self, change: &AttributeChange, is_new: bool) -> String {
        let AttributeChange { attribute, before, after } = change;
        let are_sets = before.is_array() && after.is_array();
        let (old, new) = (self.value(before), self.value(after));
        let text = match (old.as_str(), new.as_str()) {
            ("", "") if are_sets => String::new(),
            ("", added) if are_sets => format!("added {added}"),
            (removed, "") if are_sets => format!("removed {removed}"),
            (removed, added) if are_sets => format!("added {added}, removed {removed}"),
            _ if is_new => new,
            _ => format!("{old} → {new}"),
        };
        format!("{attribute}: {text}")
    }

    fn value(self, value: &Value) -> String {
        match value {
            Value::Null => "none".to_owned(),
            Value::String(text) if text.is_empty() => "none".to_owned(),
            Value::String(text) => self.code(text),
            Value::Array(elements) => self.list(elements.iter().filter_map(Value::as_str)),
            other => self.code(&other.to_string()),
        }
    }
}
