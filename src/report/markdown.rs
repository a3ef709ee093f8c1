//! The report as Markdown for a pull request.

use super::findings::{
    AttributeChange, Control, Counts, Drift, Management, Name, OwnerChange, Report, Resources,
    Revocation, RoleAction, RoleChange, Subject, Transfer, Unknown, Writer,
};
use super::inert::code;
use super::plan::Value;

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
    let has_sections =
        sections(report, DETAILS[4]).iter().any(|section| !section.entries.is_empty());
    let tail = if has_sections { format!("\n{line}") } else { String::new() };
    let room = limit.saturating_sub(head.len() + tail.len());
    let body = DETAILS
        .iter()
        .enumerate()
        .find_map(|(place, &detail)| fit(&sections(report, detail), room, place > 0));
    match body {
        Some(body) if head.len() + body.len() + tail.len() <= limit => head + &body + &tail,
        _ => line,
    }
}

/// Returns the line of counts.
pub(super) fn counts_line(report: &Report) -> String {
    let Counts { gain, lose, roles, revoke } = report.counts;
    let verb =
        |count, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let mut parts = Vec::new();
    if gain + lose > 0 {
        let (gains, loses) = (verb(gain, "gains", "gain"), verb(lose, "loses", "lose"));
        parts.push(format!("{gains} control, {loses} it"));
    }
    if roles > 0 {
        parts.push(verb(roles, "role changes", "roles change"));
    }
    if revoke > 0 {
        parts.push(verb(revoke, "grant", "grants") + " to revoke by hand");
    }
    match (parts.is_empty(), report.changes_access()) {
        (false, _) => parts.join("; "),
        (true, true) => "Changes of access that are known only after apply.".to_owned(),
        (true, false) => "No change of access.".to_owned(),
    }
}

struct Section {
    title: &'static str,
    entries: Vec<String>,
    /// A sentence beneath the entries.
    remark: &'static str,
}

fn sections(report: &Report, detail: Detail) -> [Section; 6] {
    fn section<T>(title: &'static str, found: &[T], write: impl Fn(&T) -> String) -> Section {
        let entries = found.iter().map(|entry| format!("- {}\n", write(entry))).collect();
        Section { title, entries, remark: "" }
    }
    let mut sections = [
        section("Owners, effective at once", &report.owners, |it| owner(it, detail)),
        section("Roles, effective for new requests", &report.roles, |it| role(it, detail)),
        section("To revoke by hand", &report.revoke, |it| revocation(it, detail)),
        section("Changed outside Terraform", &report.drift, |it| drift(it, detail)),
        section("Comes under Terraform, leaves Terraform", &report.management, |it| {
            management(it, detail)
        }),
        section("Known only after apply", &report.unknown, |it| unknown(it, detail)),
    ];
    if report.can_abandon {
        let deletes_role = report
            .roles
            .iter()
            .any(|role| matches!(role.action, RoleAction::Deleted | RoleAction::Replaced));
        sections[usize::from(deletes_role)].remark = VARIABLE_KEEPS;
    }
    sections
}

/// Returns the sections in `room` bytes. If `may_omit`, entries are left out, but one of each section stays.
/// A section that needs less than its share leaves the rest to the others.
fn fit(sections: &[Section], room: usize, may_omit: bool) -> Option<String> {
    let mut used: Vec<_> = sections.iter().filter(|section| !section.entries.is_empty()).collect();
    let fixed = |section: &Section| section.title.len() + section.remark.len() + 6;
    let size =
        |section: &Section| fixed(section) + section.entries.iter().map(String::len).sum::<usize>();
    let total: usize = used.iter().map(|section| size(section)).sum();
    if total > room && !may_omit {
        return None;
    }
    used.sort_by_key(|section| size(section));
    let (mut left, mut kept) = (room, Vec::new());
    for (place, section) in used.iter().enumerate() {
        let share = left / (used.len() - place);
        let text = shortened(section, share)?;
        left -= text.len();
        kept.push((section.title, text));
    }
    let order = |title: &str| sections.iter().position(|section| section.title == title);
    kept.sort_by_key(|(title, _)| order(title));
    Some(kept.into_iter().map(|(_, text)| text).collect())
}

/// Returns a section in `room` bytes; `None` if that is too little for an entry.
fn shortened(section: &Section, room: usize) -> Option<String> {
    let Section { title, entries, remark } = section;
    let head = format!("\n## {title}\n\n");
    let mut text = head.clone();
    for (place, entry) in entries.iter().enumerate() {
        let missing = |count| {
            format!("\n{count} more {} not shown.\n", if count == 1 { "is" } else { "are" })
        };
        let rest: usize = entries[place..].iter().map(String::len).sum();
        let reserve = missing(entries.len()).len();
        if text.len() + rest + remark.len() > room
            && text.len() + entry.len() + reserve + remark.len() > room
        {
            let has_entries = text.len() > head.len();
            return has_entries.then(|| text + &missing(entries.len() - place) + remark);
        }
        text += entry;
    }
    Some(text + remark)
}

fn owner(change: &OwnerChange, detail: Detail) -> String {
    let subject = |name: String| name + &addresses(&change.subject, detail);
    let integration = match &change.subject.name {
        Name::Owner { integration, principal } => {
            let (principal, integration) =
                (code(principal, detail.text), code(integration, detail.text));
            let text = match change.action {
                Control::Loses => format!("{principal} loses control of {integration}"),
                Control::GainsUnlessOwner => {
                    format!("{principal} gains control of {integration}, unless it has it already")
                }
                _ => format!("{principal} gains control of {integration}"),
            };
            return subject(text);
        }
        Name::Owners { integration } | Name::Role { role: integration } => {
            code(integration, detail.text)
        }
    };
    let at_least = if change.at_least == Some(true) { "at least " } else { "" };
    subject(match change.owners {
        None => format!("{integration}: owners that exist and are not listed lose control"),
        Some(1) => format!("{integration}: {at_least}1 owner remains"),
        Some(count) => format!("{integration}: {at_least}{count} owners remain"),
    })
}

fn role(change: &RoleChange, detail: Detail) -> String {
    let verb = match change.action {
        RoleAction::Created => "is created",
        RoleAction::CreatedOrOverwritten => "is created, or overwritten if it exists",
        RoleAction::Overwritten => "is overwritten",
        RoleAction::Replaced => "is replaced",
        RoleAction::Updated => "changes",
        RoleAction::Deleted => "is deleted",
    };
    let mut parts = Vec::new();
    let mut resources = |what: &str, resources: &[String]| {
        if !resources.is_empty() {
            parts.push(format!("{what}: {}", list(resources, detail)));
        }
    };
    match change.action {
        RoleAction::Created => resources("resources", &change.added),
        _ => resources("resources added (present holders do not get it)", &change.added),
    }
    match change.action {
        RoleAction::Deleted => resources("present holders keep", &change.removed),
        _ => resources("resources removed (present holders keep it)", &change.removed),
    }
    match change.resources {
        Some(Resources::NotManaged) => parts.push("its resources are not managed".to_owned()),
        Some(Resources::NotManagedOrUnknown) => {
            parts.push("its resources are not managed, or known only after apply".to_owned());
        }
        Some(Resources::PartlyUnknown) => {
            parts.push("more resources are known only after apply".to_owned());
        }
        Some(Resources::Managed) | None => {}
    }
    parts.extend(change.attributes.iter().map(|change| attribute(change, detail)));
    let separator = if parts.is_empty() { "" } else { ": " };
    format!("{} {verb}{separator}{}", subject(&change.subject, detail), parts.join("; "))
}

fn revocation(revocation: &Revocation, detail: Detail) -> String {
    let Name::Role { role } = &revocation.subject.name else { return String::new() };
    let resource = code(&revocation.resource, detail.text);
    let addresses = addresses(&revocation.subject, detail);
    format!("[ ] {}: {resource}{addresses}", code(role, detail.text))
}

fn drift(drift: &Drift, detail: Detail) -> String {
    let mut parts: Vec<_> =
        drift.attributes.iter().map(|change| attribute(change, detail)).collect();
    if drift.deleted {
        parts.push("deleted".to_owned());
    }
    let by = drift.by.as_ref().map(|by| match by {
        Writer::NotTerraform => "not by Terraform".to_owned(),
        Writer::SameRepository => "by Terraform, with the same repository and directory".to_owned(),
        Writer::Terraform { repo_uri: None, .. } => "by Terraform, without a repository".to_owned(),
        Writer::Terraform { repo_uri: Some(uri), repo_dir } => {
            let directory = repo_dir.as_deref().map(|directory| code(directory, detail.text));
            let directory = directory.map_or(String::new(), |it| format!(", directory {it}"));
            format!("by Terraform with repository {}{directory}", code(uri, detail.text))
        }
    });
    let time = drift.update_time.as_ref().map(|time| code(time, detail.text));
    let written = [time, by].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if !written.is_empty() {
        parts.push(format!("last written {written}"));
    }
    format!("{}: {}", subject(&drift.subject, detail), parts.join("; "))
}

fn management(management: &Management, detail: Detail) -> String {
    let text = match management.action {
        Transfer::Imported => "comes under Terraform: it is imported",
        Transfer::Overwrites => "comes under Terraform: the apply overwrites what exists",
        Transfer::Adopts => "comes under Terraform: the apply adopts what exists",
        Transfer::Forgotten => "leaves Terraform: a removed block keeps it at the service",
        Transfer::Abandoned => "leaves Terraform: its deletion policy keeps it at the service",
    };
    format!("{} {text}", subject(&management.subject, detail))
}

fn unknown(unknown: &Unknown, detail: Detail) -> String {
    let mut parts = unknown.attributes.join(", ");
    if let Some(reason) = &unknown.deferred {
        let separator = if parts.is_empty() { "" } else { "; " };
        parts += &format!("{separator}deferred, {}", code(reason, detail.text));
    }
    format!("{}: {parts}", subject(&unknown.subject, detail))
}

/// Returns the name of an object, with its addresses if the name alone does not identify it.
fn subject(subject: &Subject, detail: Detail) -> String {
    let name = match &subject.name {
        Name::Role { role } => code(role, detail.text),
        Name::Owner { integration, principal } => {
            format!("{} of {}", code(principal, detail.text), code(integration, detail.text))
        }
        Name::Owners { integration } => format!("owners of {}", code(integration, detail.text)),
    };
    name + &addresses(subject, detail)
}

fn addresses(subject: &Subject, detail: Detail) -> String {
    if !subject.is_ambiguous {
        return String::new();
    }
    let addresses: Vec<_> = subject.addresses.iter().cloned().collect();
    format!(" ({})", list(&addresses, detail))
}

/// Returns the elements as code, and how many more there are.
fn list(elements: &[String], detail: Detail) -> String {
    let shown = elements.iter().take(detail.elements).map(|element| code(element, detail.text));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if let Some(more) = elements.len().checked_sub(detail.elements).filter(|more| *more > 0) {
        text += &format!(" and {more} more");
    }
    text
}

fn attribute(change: &AttributeChange, detail: Detail) -> String {
    let AttributeChange { attribute, before, after } = change;
    if let (Value::Set(removed), Value::Set(added)) = (before, after) {
        let part = |what: &str, set: &std::collections::BTreeSet<String>| {
            let elements: Vec<_> = set.iter().cloned().collect();
            (!elements.is_empty()).then(|| format!("{what} {}", list(&elements, detail)))
        };
        let parts = [part("added", added), part("removed", removed)];
        return format!(
            "{attribute}: {}",
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        );
    }
    match before {
        Value::Null => format!("{attribute}: {}", value(after, detail)),
        _ => format!("{attribute}: {} → {}", value(before, detail), value(after, detail)),
    }
}

fn value(value: &Value, detail: Detail) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Flag(flag) => code(&flag.to_string(), detail.text),
        Value::Number(number) => code(&number.to_string(), detail.text),
        Value::Text(text) if text.is_empty() => "none".to_owned(),
        Value::Text(text) => code(text, detail.text),
        Value::Set(set) => list(&set.iter().cloned().collect::<Vec<_>>(), detail),
    }
}
