//! The lines of the page: what each entry says.

use serde_json::Value;

use crate::entries::{
    AttributeChange, Control, Drift, Entry, Name, Origin, Revocation, RoleAction, RoleChange,
    Transfer, TransferAction, Unknown,
};
use crate::inert::Texts;
use crate::report::{Note, NoteKind};

/// How lines are written.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a> {
    pub(crate) texts: &'a Texts,
    /// The most elements of a list.
    pub(crate) most: usize,
    /// What is said about losses and deletes that a provider configuration may prevent.
    pub(crate) or_left: &'static str,
}

impl Form<'_> {
    fn code(self, text: &str) -> String {
        self.texts.code(text)
    }

    /// Returns the first texts, and how many more there are.
    fn list(self, texts: &[String]) -> String {
        let shown: Vec<_> = texts.iter().take(self.most).map(|text| self.code(text)).collect();
        let more = match texts.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        shown.join(", ") + &more
    }

    /// Returns the name and the address of an object.
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
        format!("{name} ({})", self.address(&entry.origin))
    }

    /// Returns the address of an object, with the key of a deposed one.
    fn address(self, origin: &Origin) -> String {
        let deposed = origin.deposed.iter().map(|key| format!(", deposed {}", self.code(key)));
        self.code(&origin.address) + &deposed.collect::<String>()
    }

    /// Returns the facts that there are, each behind a semicolon.
    fn facts<const N: usize>(self, facts: [(&str, &Option<String>); N]) -> String {
        let fact = |(noun, fact): (_, &Option<String>)| {
            let fact = fact.as_deref().map(|fact| format!("; {noun}: {}", self.code(fact)));
            fact.unwrap_or_default()
        };
        facts.map(fact).concat()
    }

    /// Returns attributes before and after their change; of a new object, only after it.
    fn attributes(self, changes: &[AttributeChange], is_new: bool) -> String {
        let changes = changes.iter().map(|AttributeChange { name, before, after }| {
            let values = match (before, after) {
                (Value::Array(removed), Value::Array(added)) => self.differences(added, removed),
                (Value::Null, after) if is_new => self.value(after),
                _ => format!("{} → {}", self.value(before), self.value(after)),
            };
            format!("{name}: {values}")
        });
        changes.collect::<Vec<_>>().join("; ")
    }

    /// Returns the elements that a set gains and loses.
    fn differences(self, added: &[Value], removed: &[Value]) -> String {
        let sets = [("added", added), ("removed", removed)].map(|(verb, set)| {
            let texts: Vec<_> = set.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            (!texts.is_empty()).then(|| format!("{verb} {}", self.list(&texts)))
        });
        sets.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn value(self, value: &Value) -> String {
        match value {
            Value::Null => "none".to_owned(),
            Value::String(text) => self.code(text),
            other => self.code(&other.to_string()),
        }
    }
}

/// Returns a note as a sentence.
pub(crate) fn note(note: &Note, form: Form<'_>) -> String {
    match note.kind {
        NoteKind::Errored => {
            "The plan has failed, and shows only a part of the changes.".to_owned()
        }
        NoteKind::Incomplete => {
            "The plan is incomplete: it leaves changes to a later one.".to_owned()
        }
        NoteKind::Commands => {
            format!("An apply runs commands: at least {}.", form.list(&note.addresses))
        }
    }
}

/// Returns the line about the control of an integration.
pub(crate) fn owner(entry: &Entry<Control>, form: Form<'_>) -> String {
    let Name::Owner { integration, principal } = &entry.name else { return String::new() };
    let integration = form.code(integration);
    let principal = form.code(principal.as_deref().unwrap_or_default());
    let address = form.address(&entry.origin);
    let or_left = form.or_left;
    match entry.what {
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
        Control::Again => {
            let subject = form.subject(entry);
            format!("{subject} is removed and added again; if that fails, it is gone")
        }
        Control::Stays => {
            format!(
                "{integration} ({address}): owners that are not listed stay until the next plan"
            )
        }
        Control::Names { owners, at_least } => {
            let least = if at_least { "at least " } else { "" };
            let noun = if owners == 1 { "owner" } else { "owners" };
            format!("{integration} ({address}): the list names {least}{owners} {noun} afterwards")
        }
    }
}

/// Returns the line about a role: what it gains and loses, then its texts.
pub(crate) fn role(entry: &Entry<RoleChange>, form: Form<'_>) -> String {
    let RoleChange { action, added, removed, resources, attributes } = &entry.what;
    let added = (!added.is_empty())
        .then(|| format!("adds {} (present holders do not get it)", form.list(added)));
    let removed = (!removed.is_empty())
        .then(|| format!("removes {} (present holders keep it)", form.list(removed)));
    let resources = match resources.as_deref() {
        None => "its resources are not in the plan".to_owned(),
        Some([]) => "no resources".to_owned(),
        Some(resources) => format!("resources: {}", form.list(resources)),
    };
    let is_new = matches!(action, RoleAction::Created | RoleAction::CreatedOrOverwritten);
    let texts = form.attributes(attributes, is_new);
    let grants = match action {
        RoleAction::Changed => added.into_iter().chain(removed).collect::<Vec<_>>().join(", "),
        RoleAction::Created => format!("is created; {resources}"),
        RoleAction::CreatedOrOverwritten => format!(
            "is created, or overwrites what exists; what that had and is not listed is to revoke, and the plan does not name it; {resources}"
        ),
        RoleAction::Deleted => format!("is deleted{}", form.or_left),
        RoleAction::Replaced => {
            let removed = removed.map(|removed| format!("; {removed}"));
            format!("is replaced; {resources}{}", removed.unwrap_or_default())
        }
    };
    let subject = form.subject(entry);
    match (grants.is_empty(), texts.is_empty()) {
        (true, _) => format!("{subject}: {texts}"),
        (false, true) => format!("{subject} {grants}"),
        (false, false) => format!("{subject} {grants}; {texts}"),
    }
}

/// Returns the line of a task list.
pub(crate) fn revocation(entry: &Entry<Revocation>, form: Form<'_>) -> String {
    format!("[ ] {}: {}", form.subject(entry), form.list(&entry.what.resources))
}

/// Returns the line about what is known only after apply.
pub(crate) fn unknown(entry: &Entry<Unknown>, form: Form<'_>) -> String {
    let Unknown { attributes, deferred } = &entry.what;
    let attributes = Some(attributes.join(", ")).filter(|attributes| !attributes.is_empty());
    let deferred = deferred.iter().map(|reason| format!("deferred: {}", form.code(reason)));
    let parts: Vec<_> = attributes.into_iter().chain(deferred).collect();
    format!("{}: {}", form.subject(entry), parts.join("; "))
}

/// Returns the line about a change outside Terraform.
pub(crate) fn drift(entry: &Entry<Drift>, form: Form<'_>) -> String {
    let Drift { gone, attributes, manager, repo_uri, repo_dir, update_time } = &entry.what;
    if *gone {
        return format!("{} is gone", form.subject(entry));
    }
    let facts = form.facts([
        ("last update", update_time),
        ("recorded manager", manager),
        ("recorded repository", repo_uri),
        ("recorded directory", repo_dir),
    ]);
    format!("{}: {}{facts}", form.subject(entry), form.attributes(attributes, false))
}

/// Returns the line about an object that comes under Terraform or leaves it.
pub(crate) fn transfer(entry: &Entry<Transfer>, form: Form<'_>) -> String {
    let Transfer { action, repo_uri, repo_dir } = &entry.what;
    let verb = match action {
        TransferAction::Comes => "comes under Terraform",
        TransferAction::Leaves => "leaves Terraform",
    };
    let facts = form.facts([("recorded repository", repo_uri), ("recorded directory", repo_dir)]);
    format!("{} {verb}{facts}", form.subject(entry))
}
