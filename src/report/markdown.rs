//! The report as Markdown for a pull request.

use std::collections::BTreeMap;

use serde_json::Value;

use super::entries::{
    Approvers, AttributeChange, Control, Counts, Drift, Entry, Name, Note, Parent, Part, Report,
    Resources, Revocation, RoleAction, RoleChange, Transfer, Unknown, Writer,
};
use super::inert::code;

/// How much of an entry is shown.
#[derive(Clone, Copy)]
struct Detail {
    /// Bytes of a text, such as a description. Addresses are texts as well, though longer.
    text: usize,
    /// Bytes of a name: of a role, a principal or a resource.
    name: usize,
    /// Elements of a list.
    list: usize,
}

/// Everything.
const WHOLE: Detail = Detail { text: usize::MAX, name: usize::MAX, list: usize::MAX };

/// Less and less: texts, then names and lists.
const SHORTENED: [Detail; 8] = [
    Detail { text: 400, ..WHOLE },
    Detail { text: 120, ..WHOLE },
    Detail { text: 60, ..WHOLE },
    Detail { text: 24, ..WHOLE },
    Detail { text: 24, name: 400, list: 100 },
    Detail { text: 24, name: 120, list: 40 },
    Detail { text: 24, name: 60, list: 12 },
    Detail { text: 24, name: 24, list: 4 },
];

/// The place of the first detail with the shortest texts.
const LEAST_TEXT: usize = 3;

/// The fewest bytes of an address that are shown.
const ADDRESS: usize = 60;

const ADDED: &str = "resources added (present holders do not get it)";
const REMOVED: &str = "resources removed (present holders keep it)";

/// The remark about deletes that the environment of the apply may turn into `abandon`.
const VARIABLE_KEEPS: &str = "\nCount on these deletes. Only whoever runs the apply can keep the objects, by setting \
     `ACCESS_DELETION_POLICY=abandon` there, and a plan does not show whether they will.\n";

/// The remark about roles that a create may overwrite.
const LOOK_FOR_ROLES: &str = "\nThe plan does not show whether a role that may be overwritten exists. Look at the service before \
     you approve: its texts, order and managed resources become those of the plan.\n";

/// The remark about owners that an adoption of all owners removes.
const LOOK_FOR_OWNERS: &str = "\nThe plan does not name the owners that are not listed. Look at the service before you approve: whoever \
     should stay must be listed.\n";

/// Returns the report in `limit` bytes at most, or the counts alone if the limit is too small for
/// an entry of each section.
///
/// Texts are shortened first. Then entries without a grant, a loss or something to revoke are left
/// out, then names and lists are shortened, and at last any entry may be left out. So whoever
/// writes texts does not choose what is missing.
pub(super) fn write(report: &Report, limit: usize) -> String {
    if let Some(whole) = Document::new(report, WHOLE).fit(limit, Keep::All) {
        return whole;
    }
    let shortened = SHORTENED.map(|detail| Document::new(report, detail));
    let first = |documents: &[Document], keep| documents.iter().find_map(|it| it.fit(limit, keep));
    first(&shortened, Keep::All)
        .or_else(|| first(&shortened[LEAST_TEXT..], Keep::Weighty))
        .or_else(|| first(&shortened[LEAST_TEXT + 1..], Keep::One))
        .unwrap_or_else(|| format!("{}\n", counts_line(report)))
}

/// The entries that have to stay, in addition to one of each section.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    All,
    /// Those about a grant, a loss or something to revoke.
    Weighty,
    One,
}

/// A report that is written in one detail.
struct Document {
    /// What stands before the sections: the counts and the sentences beneath them.
    head: String,
    sections: Vec<Section>,
    tail: String,
}

impl Document {
    /// Writes a report in one detail. The counts stand at both ends.
    fn new(report: &Report, detail: Detail) -> Self {
        let line = format!("{}\n", counts_line(report));
        let notes = detail.notes(report);
        let sections = detail.sections(report);
        let tail = if sections.is_empty() { String::new() } else { format!("\n{line}") };
        Self { head: line + &notes, sections, tail }
    }

    /// Returns the text in `limit` bytes; `None` if what has to stay needs more. A section that
    /// needs less than its share of the rest leaves it to the others.
    fn fit(&self, limit: usize, keep: Keep) -> Option<String> {
        let Self { head, sections, tail } = self;
        let room = limit.checked_sub(head.len() + tail.len())?;
        let must: Vec<_> = sections.iter().map(|it| it.size(keep)).collect();
        let mut left = room.checked_sub(must.iter().sum())?;
        let mut smallest_first: Vec<_> = (0..sections.len()).collect();
        smallest_first.sort_by_key(|place| sections[*place].size(Keep::All) - must[*place]);
        let mut texts = vec![String::new(); sections.len()];
        for (done, place) in smallest_first.into_iter().enumerate() {
            let share = must[place] + left / (sections.len() - done);
            texts[place] = sections[place].shortened(share, keep);
            left -= texts[place].len().saturating_sub(must[place]);
        }
        Some(format!("{head}{}{tail}", texts.concat()))
    }
}

/// Returns the first line: the counts, or why there are none.
fn counts_line(report: &Report) -> String {
    let Counts { gain, lose, roles, revoke } = report.counts;
    let mut parts = Vec::new();
    if gain + lose > 0 {
        let gains = counted(gain, "gains", "gain");
        let loses = counted(lose, "loses", "lose");
        parts.push(format!("{gains} control, {loses} it"));
    }
    if roles > 0 {
        parts.push(counted(roles, "role changes", "roles change"));
    }
    if revoke > 0 {
        parts.push(counted(revoke, "grant", "grants") + " to revoke by hand");
    }
    if report.unreadable > 0 {
        let resources = counted(report.unreadable, "resource", "resources");
        parts.push(format!("{resources} could not be read"));
    }
    match (parts.is_empty(), report.changes_access(), report.has_failed) {
        (false, _, _) => parts.join("; "),
        (true, true, _) => "Changes of access that are known only after apply.".to_owned(),
        (true, false, true) => "The plan failed before it showed a change of access.".to_owned(),
        (true, false, false) => "No change of access.".to_owned(),
    }
}

/// Returns whether a change of a role grants something, or leaves something to revoke, or may.
fn changes_grants(role: &RoleChange) -> bool {
    let is_text = matches!(role.action, RoleAction::Created | RoleAction::Updated);
    let is_known = matches!(role.resources, Some(Resources::Managed | Resources::NotManaged));
    !is_text || !is_known || !role.added.is_empty() || !role.removed.is_empty()
}

/// Returns what the role does in a sentence.
fn verb(action: RoleAction) -> &'static str {
    match action {
        RoleAction::Created => "is created",
        RoleAction::CreatedOrOverwritten => "is created, or overwritten if it exists",
        RoleAction::Overwritten => "is overwritten",
        RoleAction::ForgottenAndCreated => {
            "leaves Terraform and is made again, which fails while it exists"
        }
        RoleAction::Replaced => "is replaced",
        RoleAction::Becomes => "becomes",
        RoleAction::Updated => "changes",
        RoleAction::Deleted => "is deleted",
    }
}

/// Returns whether the service deletes the role.
fn is_delete(role: &RoleChange) -> bool {
    matches!(role.action, RoleAction::Deleted | RoleAction::Replaced | RoleAction::Becomes)
}

/// Returns whether a change overwrites a role, if the role exists.
fn may_overwrite(role: &RoleChange) -> bool {
    let actions = [Some(role.action), role.successor.as_ref().map(|it| it.action)];
    actions.contains(&Some(RoleAction::CreatedOrOverwritten))
        || actions.contains(&Some(RoleAction::Overwritten))
}

/// Returns a count with its noun: "1 grant", "2 grants".
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A section, with its entries as lines.
struct Section {
    title: &'static str,
    /// Each with whether it is about a grant, a loss or something to revoke.
    entries: Vec<(String, bool)>,
    /// Sentences beneath the entries.
    remarks: String,
}

impl Section {
    /// Writes each entry by `text`; `is_weighty` is whether it is about a grant, a loss or
    /// something to revoke.
    fn new<T>(
        title: &'static str,
        entries: &[Entry<T>],
        text: impl Fn(&Entry<T>) -> String,
        is_weighty: impl Fn(&T) -> bool,
    ) -> Self {
        let entries = entries.iter();
        let entries =
            entries.map(|entry| (format!("- {}\n", text(entry)), is_weighty(&entry.what)));
        Self { title, entries: entries.collect(), remarks: String::new() }
    }

    fn heading(&self) -> String {
        format!("\n## {}\n\n", self.title)
    }

    /// Returns the sentence about entries that are left out.
    fn missing(count: usize) -> String {
        match count {
            0 => String::new(),
            _ => format!("\n{} not shown.\n", counted(count, "more is", "more are")),
        }
    }

    /// Returns which entries have to stay: never none.
    fn kept(&self, keep: Keep) -> Vec<bool> {
        let first = self.entries.iter().position(|(_, is_weighty)| *is_weighty).unwrap_or(0);
        let entries = self.entries.iter().enumerate();
        let kept = entries.map(|(place, (_, is_weighty))| match keep {
            Keep::All => true,
            Keep::Weighty => *is_weighty || place == first,
            Keep::One => place == first,
        });
        kept.collect()
    }

    /// Returns the bytes of what has to stay, and of the sentence about the rest.
    fn size(&self, keep: Keep) -> usize {
        let kept = self.kept(keep);
        let rest = kept.iter().filter(|is_kept| !**is_kept).count();
        let entries = self.entries.iter().zip(kept).filter(|(_, is_kept)| *is_kept);
        let entries: usize = entries.map(|((text, _), _)| text.len()).sum();
        self.heading().len() + entries + Self::missing(rest).len() + self.remarks.len()
    }

    /// Returns the section in `room` bytes: what has to stay, and more entries in their order,
    /// first those that are about a grant, a loss or something to revoke.
    fn shortened(&self, room: usize, keep: Keep) -> String {
        let mut kept = self.kept(keep);
        let mut size = self.size(keep);
        for is_weighty in [true, false] {
            let open = (0..kept.len()).filter(|place| self.entries[*place].1 == is_weighty);
            for place in open.filter(|place| !kept[*place]).collect::<Vec<_>>() {
                // The sentence about the rest only becomes shorter.
                size += self.entries[place].0.len();
                if size > room {
                    break;
                }
                kept[place] = true;
            }
            if size > room {
                break;
            }
        }
        let rest = kept.iter().filter(|is_kept| !**is_kept).count();
        let shown = self.entries.iter().zip(kept).filter(|(_, is_kept)| *is_kept);
        let shown: String = shown.map(|((text, _), _)| text.as_str()).collect();
        format!("{}{shown}{}{}", self.heading(), Self::missing(rest), self.remarks)
    }
}

impl Detail {
    /// Returns the sentences beneath the first line: contradictions first, and whom to ask last.
    fn notes(self, report: &Report) -> String {
        let (objects, others): (Vec<_>, Vec<_>) =
            report.notes.iter().partition(|note| note.is_about_object);
        let most = self.list.saturating_mul(2);
        let mut paragraphs: Vec<_> = objects.iter().take(most).map(|it| self.note(it)).collect();
        if objects.len() > most {
            paragraphs.push(format!("More contradictions: {}.", objects.len() - most));
        }
        paragraphs.extend(others.into_iter().map(|it| self.note(it)));
        paragraphs.extend(self.approvers(&report.approvers));
        paragraphs.iter().map(|paragraph| format!("\n{paragraph}\n")).collect()
    }

    /// Returns a note with the texts of others as code.
    fn note(self, note: &Note) -> String {
        let parts = note.parts.iter();
        let text = parts.map(|part| match part {
            Part::Words(words) => words.clone(),
            Part::Code(text) => code(text, self.name.max(ADDRESS)),
        });
        text.collect()
    }

    /// Returns a line for all listings and integrations with the same owners.
    fn approvers(self, approvers: &[Approvers]) -> Vec<String> {
        let mut asked = BTreeMap::<_, Vec<_>>::new();
        for entry in approvers {
            let (kind, id) = match &entry.parent {
                Parent::Integration(id) => ("integration", id),
                Parent::Listing(id) => ("listing", id),
            };
            let addresses = entry.addresses.iter().filter(|_| entry.is_ambiguous);
            let addresses: Vec<_> = addresses.map(String::as_str).collect();
            let by = Some(addresses).filter(|addresses| !addresses.is_empty());
            let by = by.map(|it| format!(" by {}", self.address_list(it.into_iter())));
            let parent = format!("{kind} {}{}", self.code(id), by.unwrap_or_default());
            asked.entry((entry.become_owners, &entry.owners)).or_default().push(parent);
        }
        let most = self.list.saturating_mul(2);
        let missing = asked.len().saturating_sub(most);
        let lines = asked.into_iter().take(most).map(|((become_owners, owners), parents)| {
            let owners = self.list(owners.iter().map(String::as_str));
            let more = parents.len().saturating_sub(most);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let parents = parents.into_iter().take(most).collect::<Vec<_>>().join(", ");
            let hint = if become_owners { "; owners only after this apply" } else { "" };
            format!("Ask: {owners} ({parents}{more}{hint})")
        });
        let mut lines: Vec<_> = lines.collect();
        if missing > 0 {
            lines.push(format!("Ask others as well: {missing} more."));
        }
        lines
    }

    /// Returns the sections that have entries, in their order.
    fn sections(self, report: &Report) -> Vec<Section> {
        let Report { owners, roles, revoke, drift, management, unknown, .. } = report;
        let is_control = |control: &Control| !matches!(control, Control::Remain { .. });
        let mut sections = vec![
            Section::new("Owners, effective at once", owners, |it| self.owner(it), is_control),
            Section::new(
                "Roles, effective for new requests",
                roles,
                |it| self.role(it),
                changes_grants,
            ),
            Section::new("To revoke by hand", revoke, |it| self.revocation(it), |_| true),
            Section::new("Changed outside Terraform", drift, |it| self.drift(it), |_| false),
            Section::new(
                "Comes under Terraform, leaves Terraform",
                management,
                |it| self.transfer(it),
                |_| false,
            ),
            Section::new("Known only after apply", unknown, |it| self.unknown(it), |_| false),
        ];
        let is_unlisted = |owner: &Entry<Control>| owner.what == Control::UnlistedLose;
        if owners.iter().any(is_unlisted) {
            sections[0].remarks += LOOK_FOR_OWNERS;
        }
        if roles.iter().any(|role| may_overwrite(&role.what)) {
            sections[1].remarks += LOOK_FOR_ROLES;
        }
        let deletes_role = roles.iter().any(|role| is_delete(&role.what));
        if report.can_abandon && (deletes_role || report.deletes_owner) {
            sections[usize::from(deletes_role)].remarks += VARIABLE_KEEPS;
        }
        sections.retain(|section| !section.entries.is_empty());
        sections
    }

    /// Returns the line about the control of an owner, or about how many remain.
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

    /// Returns the line about a role: what happens to it, its resources, and its other attributes.
    fn role(self, entry: &Entry<RoleChange>) -> String {
        let change = &entry.what;
        let (added, removed) = match change.action {
            RoleAction::Created => ("resources", REMOVED),
            RoleAction::Becomes => ("its resources", "present holders of the old role keep"),
            RoleAction::Deleted => ("", "present holders keep"),
            RoleAction::CreatedOrOverwritten
            | RoleAction::Overwritten
            | RoleAction::ForgottenAndCreated
            | RoleAction::Replaced
            | RoleAction::Updated => (ADDED, REMOVED),
        };
        let mut verb = verb(change.action).to_owned();
        if let Some(successor) = &change.successor {
            verb += &format!(" {}", self.code(&successor.role));
            if successor.action != RoleAction::Created {
                verb += &format!(", which {}", self::verb(successor.action));
            }
        }
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
        let is_new = matches!(
            change.action,
            RoleAction::Created | RoleAction::CreatedOrOverwritten | RoleAction::Overwritten
        );
        parts.extend(change.attributes.iter().map(|change| self.attribute(change, is_new)));
        let separator = if parts.is_empty() { "" } else { ": " };
        format!("{} {verb}{separator}{}", self.subject(entry), parts.join("; "))
    }

    /// Returns the line of a check list.
    fn revocation(self, entry: &Entry<Revocation>) -> String {
        let Name::Role { role } = &entry.name else { return String::new() };
        let role = self.code(role);
        let resource = self.code(&entry.what.resource);
        format!("[ ] {role}: {resource}{}", self.addresses(entry))
    }

    /// Returns the line about a change outside Terraform.
    fn drift(self, entry: &Entry<Drift>) -> String {
        let Drift { deleted, unmanaged, attributes, update_time, by } = &entry.what;
        let mut parts: Vec<_> =
            attributes.iter().map(|change| self.attribute(change, false)).collect();
        parts.extend(deleted.then(|| "deleted".to_owned()));
        parts.extend(unmanaged.then(|| "an owner that no resource has".to_owned()));
        let time = update_time.iter().map(|time| self.text(time));
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
                let directory = repo_dir.iter().map(|it| format!(", directory {}", self.text(it)));
                let directory: String = directory.collect();
                format!("Terraform with repository {}{directory}", self.text(uri))
            }
        }
    }

    /// Returns the line about an object that comes under Terraform or leaves it.
    fn transfer(self, entry: &Entry<Transfer>) -> String {
        let text = match entry.what {
            Transfer::Imported => "comes under Terraform, imported",
            Transfer::Overwrites => "comes under Terraform, overwrites what exists",
            Transfer::Adopts => "comes under Terraform, adopts what exists",
            Transfer::Forgotten => "leaves Terraform, kept by a removed block",
            Transfer::KeptByLifecycle => {
                "leaves Terraform, kept by `destroy = false` of its lifecycle"
            }
            Transfer::Abandoned => "leaves Terraform, abandoned",
        };
        format!("{}: {text}", self.subject(entry))
    }

    /// Returns the line about an object of which something is known only after apply.
    fn unknown(self, entry: &Entry<Unknown>) -> String {
        let Unknown { attributes, now, deferred } = &entry.what;
        let mut attributes = attributes.join(", ");
        if !now.is_empty() {
            attributes += &format!(", now {}", self.list(now.iter().map(String::as_str)));
        }
        let attributes = Some(attributes).filter(|names| !names.is_empty());
        let deferred = deferred.iter().map(|reason| format!("deferred, {}", self.text(reason)));
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

    /// Returns the addresses in parentheses, if the name alone does not identify the object.
    fn addresses<T>(self, entry: &Entry<T>) -> String {
        if !entry.is_ambiguous {
            return String::new();
        }
        format!(" ({})", self.address_list(entry.addresses.iter().map(String::as_str)))
    }

    /// Returns a name as code.
    fn code(self, text: &str) -> String {
        code(text, self.name)
    }

    /// Returns a text as code.
    fn text(self, text: &str) -> String {
        code(text, self.text)
    }

    /// Returns names as code, and how many more there are.
    fn list<'a>(self, names: impl Iterator<Item = &'a str>) -> String {
        list(names.map(|name| self.code(name)), self.list)
    }

    /// Returns addresses as code, and how many more there are.
    fn address_list<'a>(self, addresses: impl Iterator<Item = &'a str>) -> String {
        list(addresses.map(|address| code(address, self.text.max(ADDRESS))), self.list)
    }

    /// Returns the values of an attribute. For a new object, returns only the new value.
    fn attribute(self, change: &AttributeChange, is_new: bool) -> String {
        let AttributeChange { attribute, before, after } = change;
        let are_sets = before.is_array() && after.is_array();
        let old = self.value(before);
        let new = self.value(after);
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

    /// Returns a value as code; none and an empty text are "none".
    fn value(self, value: &Value) -> String {
        match value {
            Value::Null => "none".to_owned(),
            Value::String(text) if text.is_empty() => "none".to_owned(),
            Value::String(text) => self.text(text),
            Value::Array(elements) => self.list(elements.iter().filter_map(Value::as_str)),
            other => self.text(&other.to_string()),
        }
    }
}

/// Returns as many elements as may be shown, and how many more there are.
fn list(elements: impl Iterator<Item = String>, most: usize) -> String {
    let elements: Vec<_> = elements.collect();
    let shown = elements.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    match elements.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
