//! The report as Markdown for a pull request.

use serde_json::Value;

use super::entries::{
    AttributeChange, Control, Counts, Drift, Entry, Name, Report, Resources, Revocation,
    RoleAction, RoleChange, Transfer, Unknown, Writer,
};
use super::inert::code;

/// How much of an entry is shown.
#[derive(Clone, Copy)]
struct Detail {
    /// Bytes of each text.
    text: usize,
    /// Elements of each list.
    elements: usize,
}

/// Everything, and then less and less until each section has an entry within the limit.
const DETAILS: [Detail; 5] = [
    Detail { text: usize::MAX, elements: usize::MAX },
    Detail { text: 400, elements: 40 },
    Detail { text: 120, elements: 10 },
    Detail { text: 60, elements: 3 },
    Detail { text: 24, elements: 1 },
];

const ADDED: &str = "resources added (present holders do not get it)";
const REMOVED: &str = "resources removed (present holders keep it)";

const VARIABLE_KEEPS: &str = "\nDeletes keep the object if the apply runs with `ACCESS_DELETION_POLICY=abandon`; a plan does not show \
     this variable.\n";

/// Returns the report in `limit` bytes at most, or the counts alone if the limit is too small for an entry
/// of each section.
pub(super) fn write(report: &Report, limit: usize) -> String {
    let line = format!("{}\n", counts_line(report));
    let mut head = line.clone();
    for note in &report.notes {
        head += &format!("\n{note}\n");
    }
    let has_sections = !sections(report, DETAILS[4]).is_empty();
    let tail = if has_sections { format!("\n{line}") } else { String::new() };
    let room = limit.saturating_sub(head.len() + tail.len());
    let body = DETAILS.iter().enumerate().find_map(|(place, detail)| {
        // A text or a list that is longer than the limit does not fit anyway.
        let detail = Detail { text: detail.text.min(limit), elements: detail.elements.min(limit) };
        fit(&sections(report, detail), room, place > 0)
    });
    match body {
        Some(body) if head.len() + body.len() + tail.len() <= limit => head + &body + &tail,
        _ => line,
    }
}

/// Returns the line of counts.
pub(super) fn counts_line(report: &Report) -> String {
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

/// Returns the sections that have an entry.
fn sections(report: &Report, detail: Detail) -> Vec<Section> {
    fn section<T>(
        title: &'static str,
        found: &[Entry<T>],
        write: fn(&Entry<T>, Detail) -> String,
        detail: Detail,
    ) -> Section {
        let entries = found.iter().map(|entry| format!("- {}\n", write(entry, detail))).collect();
        Section { title, entries, remark: "" }
    }
    let mut sections = vec![
        section("Owners, effective at once", &report.owners, owner, detail),
        section("Roles, effective for new requests", &report.roles, role, detail),
        section("To revoke by hand", &report.revoke, revocation, detail),
        section("Changed outside Terraform", &report.drift, drift, detail),
        section("Comes under Terraform, leaves Terraform", &report.management, transfer, detail),
        section("Known only after apply", &report.unknown, unknown, detail),
    ];
    if report.can_abandon {
        let deletes_role = report
            .roles
            .iter()
            .any(|role| matches!(role.what.action, RoleAction::Deleted | RoleAction::Replaced));
        sections[usize::from(deletes_role)].remark = VARIABLE_KEEPS;
    }
    sections.retain(|section| !section.entries.is_empty());
    sections
}

/// Returns the sections in `room` bytes. If `may_omit`, entries are left out, but one of each section stays.
/// A section that needs less than its share leaves the rest to the others.
fn fit(sections: &[Section], room: usize, may_omit: bool) -> Option<String> {
    let entries = |section: &Section| section.entries.iter().map(String::len).sum::<usize>();
    let size =
        |section: &Section| section.title.len() + section.remark.len() + 6 + entries(section);
    if !may_omit && sections.iter().map(size).sum::<usize>() > room {
        return None;
    }
    let mut smallest_first: Vec<_> = (0..sections.len()).collect();
    smallest_first.sort_by_key(|place| size(&sections[*place]));
    let (mut left, mut texts) = (room, vec![String::new(); sections.len()]);
    for (done, place) in smallest_first.into_iter().enumerate() {
        texts[place] = shortened(&sections[place], left / (sections.len() - done))?;
        left -= texts[place].len();
    }
    Some(texts.concat())
}

/// Returns a section in `room` bytes; `None` if that is too little for an entry.
fn shortened(section: &Section, room: usize) -> Option<String> {
    let Section { title, entries, remark } = section;
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

fn owner(entry: &Entry<Control>, detail: Detail) -> String {
    let Name::Owner { integration, principal } = &entry.name else { return String::new() };
    let integration = code(integration, detail.text);
    let principal = code(principal.as_deref().unwrap_or_default(), detail.text);
    let text = match entry.what {
        Control::Gains => format!("{principal} gains control of {integration}"),
        Control::GainsUnlessOwner => {
            format!("{principal} gains control of {integration}, unless it has it already")
        }
        Control::Loses => format!("{principal} loses control of {integration}"),
        Control::UnlistedLose => {
            format!("{integration}: owners that exist and are not listed lose control")
        }
        Control::Remain { owners, at_least } => {
            let at_least = if at_least { "at least " } else { "" };
            format!(
                "{integration}: {at_least}{}",
                counted(owners, "owner remains", "owners remain")
            )
        }
    };
    text + &addresses(entry, detail)
}

fn role(entry: &Entry<RoleChange>, detail: Detail) -> String {
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
            parts.push(format!("{what}: {}", list(resources, detail)));
        }
    }
    parts.extend(change.resources.and_then(|resources| match resources {
        Resources::Managed => None,
        Resources::NotManaged => Some("resources are not managed".to_owned()),
        Resources::PartlyUnknown => Some("more resources are known only after apply".to_owned()),
        Resources::NotManagedOrUnknown => {
            Some("resources are not managed, or known only after apply".to_owned())
        }
    }));
    let is_new = !matches!(change.action, RoleAction::Updated | RoleAction::Replaced);
    parts.extend(change.attributes.iter().map(|change| attribute(change, is_new, detail)));
    let separator = if parts.is_empty() { "" } else { ": " };
    format!("{} {verb}{separator}{}", subject(entry, detail), parts.join("; "))
}

fn revocation(entry: &Entry<Revocation>, detail: Detail) -> String {
    let Name::Role { role } = &entry.name else { return String::new() };
    let (role, resource) = (code(role, detail.text), code(&entry.what.resource, detail.text));
    format!("[ ] {role}: {resource}{}", addresses(entry, detail))
}

fn drift(entry: &Entry<Drift>, detail: Detail) -> String {
    let Drift { deleted, attributes, update_time, by } = &entry.what;
    let mut parts: Vec<_> =
        attributes.iter().map(|change| attribute(change, false, detail)).collect();
    parts.extend(deleted.then(|| "deleted".to_owned()));
    let by = by.as_ref().map(|by| match by {
        Writer::NotTerraform => "not Terraform".to_owned(),
        Writer::SameRepository => "the same repository".to_owned(),
        Writer::Terraform { repo_uri: None, .. } => "Terraform, without a repository".to_owned(),
        Writer::Terraform { repo_uri: Some(uri), repo_dir } => {
            let uri = code(uri, detail.text);
            let directory =
                repo_dir.iter().map(|it| format!(", directory {}", code(it, detail.text)));
            format!("Terraform with repository {uri}{}", directory.collect::<String>())
        }
    });
    let time = update_time.as_ref().map(|time| code(time, detail.text));
    let written: Vec<_> = [time, by].into_iter().flatten().collect();
    if !written.is_empty() {
        parts.push(format!("last written: {}", written.join(", ")));
    }
    format!("{}: {}", subject(entry, detail), parts.join("; "))
}

fn transfer(entry: &Entry<Transfer>, detail: Detail) -> String {
    let text = match entry.what {
        Transfer::Imported => "comes under Terraform, imported",
        Transfer::Overwrites => "comes under Terraform, overwrites what exists",
        Transfer::Adopts => "comes under Terraform, adopts what exists",
        Transfer::Forgotten => "leaves Terraform, kept by a removed block",
        Transfer::Abandoned => "leaves Terraform, abandoned",
    };
    format!("{}: {text}", subject(entry, detail))
}

fn unknown(entry: &Entry<Unknown>, detail: Detail) -> String {
    let deferred = entry.what.deferred.as_ref();
    let deferred = deferred.map(|reason| format!("deferred, {}", code(reason, detail.text)));
    let attributes = Some(entry.what.attributes.join(", ")).filter(|names| !names.is_empty());
    let parts: Vec<_> = [attributes, deferred].into_iter().flatten().collect();
    format!("{}: {}", subject(entry, detail), parts.join("; "))
}

/// Returns the name of an object, with its addresses if the name alone does not identify it.
fn subject<T>(entry: &Entry<T>, detail: Detail) -> String {
    let code = |text: &str| code(text, detail.text);
    let name = match &entry.name {
        Name::Role { role } => code(role),
        Name::Owner { integration, principal: Some(principal) } => {
            format!("{} of {}", code(principal), code(integration))
        }
        Name::Owner { integration, principal: None } => {
            format!("all owners of {}", code(integration))
        }
    };
    name + &addresses(entry, detail)
}

fn addresses<T>(entry: &Entry<T>, detail: Detail) -> String {
    if !entry.is_ambiguous {
        return String::new();
    }
    let addresses: Vec<_> = entry.addresses.iter().cloned().collect();
    format!(" ({})", list(&addresses, detail))
}

/// Returns the elements as code, and how many more there are.
fn list(elements: &[String], detail: Detail) -> String {
    let shown = elements.iter().take(detail.elements).map(|element| code(element, detail.text));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if elements.len() > detail.elements {
        text += &format!(" and {} more", elements.len() - detail.elements);
    }
    text
}

/// Returns the values of an attribute. Of a new object, only the new one.
fn attribute(change: &AttributeChange, is_new: bool, detail: Detail) -> String {
    let AttributeChange { attribute, before, after } = change;
    let text = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => code(text, detail.text),
        Value::Array(elements) => {
            let texts = elements.iter().filter_map(Value::as_str).map(str::to_owned);
            list(&texts.collect::<Vec<_>>(), detail)
        }
        other => code(&other.to_string(), detail.text),
    };
    let (old, new) = (text(before), text(after));
    match (before, after) {
        (Value::Array(_), Value::Array(_)) => {
            let mut parts = vec![("added ", new), ("removed ", old)];
            parts.retain(|(_, elements)| !elements.is_empty());
            let parts: Vec<_> =
                parts.into_iter().map(|(what, elements)| what.to_owned() + &elements).collect();
            format!("{attribute}: {}", parts.join(", "))
        }
        _ if is_new => format!("{attribute}: {new}"),
        _ => format!("{attribute}: {old} → {new}"),
    }
}
