//! A create whose object exists, or for which that is not known: in a plan, in an apply, and before
//! the destroy of a replacement by another name.

use access_client::Error;

use super::blocks::import_block;
use super::claims::{CHANGED_NOTHING, NOTHING_SENT};
use super::message::{Advice, Message};
use super::requests::by_status;
use super::words::{Words, with_article};
use crate::resource::seen::Seen;

/// What messages say about an object that exists.
pub(crate) struct Existing {
    pub(crate) name: String,
    /// What is known about it, without a full stop: "managed by TERRAFORM".
    pub(crate) sentence: String,
    /// Whether it records the repository and directory of this configuration, which may have it itself.
    pub(crate) may_be_ours: bool,
    /// Whether this resource may have it itself, in an apply.
    pub(crate) may_be_own: bool,
    /// What an adoption does: "overwrites it".
    pub(crate) adoption: &'static str,
    /// What to do if it can be neither imported nor adopted as it is configured.
    pub(crate) instead: Option<String>,
    /// The attribute to blame.
    pub(crate) attribute: &'static str,
}

/// What an adoption changes.
pub(crate) struct Effects {
    /// The attributes, for the summary.
    attributes: String,
    /// The same with their present values, and what else follows.
    sentence: String,
}

impl Effects {
    /// Returns the effects on these attributes, which have these values now. `more` is a sentence.
    pub(crate) fn new(present: &[(&str, String)], more: &str) -> Self {
        let names: Vec<_> = present.iter().map(|(name, _)| format!("`{name}`")).collect();
        let values: Vec<_> =
            present.iter().map(|(name, value)| format!("`{name}`, now {value}")).collect();
        let (attributes, sentence) = match names.len() {
            0 => ("changes nothing".to_owned(), "Nothing of it changes.".to_owned()),
            _ => (
                format!("changes {}", names.join(", ")),
                format!("The apply overwrites {}.", values.join("; ")),
            ),
        };
        Self { attributes, sentence: format!("{sentence} {more}").trim_end().to_owned() }
    }
}

/// Whose an object that exists may be, as far as the run knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Nothing shows that this configuration has it.
    Unknown,
    /// In an apply: the resource itself may have it, if Terraform has deposed it for this create.
    ThisResource,
    /// This run has a state of it.
    ThisRun,
}

/// The create of an object that exists and may not be adopted, and its plan.
pub(crate) fn exists(words: &Words, existing: &Existing, holder: Holder) -> Message {
    let Existing { name, sentence, may_be_ours, may_be_own, adoption, instead, attribute } =
        existing;
    let message = Message::error("exists already").at(*attribute).spares_destroy();
    if let Some(instead) = instead {
        return message.fact(format!("{sentence}. {NOTHING_SENT}")).step(instead);
    }
    let mut ways = vec![format!("{sentence}. {NOTHING_SENT}")];
    if *may_be_ours && holder != Holder::ThisRun {
        ways.push(format!(
            "If the plan shows `(deposed object ...)`: `terraform state rm`, then import it. If another address has it: a \
             `moved` block. If this block is a copy: change its `{}`.",
            words.main_argument
        ));
    }
    if holder == Holder::ThisRun || (holder == Holder::ThisResource && *may_be_own) {
        let untaint =
            "If this resource still has it: `terraform untaint`, or plan without `-replace`.";
        ways.push(untaint.to_owned());
    }
    let import = if ways.len() == 1 { "Import it:" } else { "Otherwise import it:" };
    ways.push(import.to_owned());
    // Its lines are counted: without empty ones.
    message
        .fact(format!("{}\n{}", ways.join(" "), import_block(words.resource_type, name)))
        .step(format!(
            "For many: guide *Import existing roles*. Or set `adopt_existing = true`, which {adoption}."
        ))
}

/// The plan of a create that adopts an object, or the destroy before it, which does not know the effects.
pub(crate) fn will_be_adopted(
    words: &Words,
    existing: &Existing,
    effects: Option<&Effects>,
) -> Message {
    let (attributes, effect) = match effects {
        Some(effects) => (effects.attributes.clone(), effects.sentence.clone()),
        None => (String::new(), format!("The create that follows {}.", existing.adoption)),
    };
    let moved = if existing.may_be_ours {
        "If another address of this configuration has it, add a `moved` block instead."
    } else {
        ""
    };
    Message::ownership("will be adopted")
        .note(attributes)
        .fact(format!("{}. {effect}", existing.sentence))
        .step(moved)
        .at(words.main_argument)
}

/// The create of an object that another create of this run has made.
pub(crate) fn made_by_this_run(words: &Words) -> Message {
    Message::error("was made by another resource of this run")
        .fact("Two resources of this configuration describe it, and this one changed nothing.")
        .step(format!(
            "Change `{}` here if the block was copied, or remove this resource.",
            words.main_argument
        ))
        .at(words.main_argument)
}

/// A plan or an apply that does not know what exists: one summary, which hosts show once.
fn could_not_look_for(fact: String) -> Message {
    Message::run("Could not look for existing objects").fact(fact)
}

/// A plan that does not know what exists. `response` is that of the first look that failed.
pub(crate) fn could_not_look(words: &Words, response: &str, step: &str) -> Message {
    could_not_look_for(format!(
        "{response}. So this plan does not say which of the objects that it creates exist. The apply looks again."
    ))
    .step(step)
    .at(words.main_argument)
}

/// A plan whose look got no answer, and what an apply does that gets none either.
pub(crate) fn not_answered<T>(words: &Words, seen: &Seen<T>, risk: &str) -> Message {
    let parent = words.parent_argument();
    let (check, attribute) = match seen {
        Seen::Unexplained(_) => (format!("Check `{parent}` and `base_url`. "), parent),
        _ => (String::new(), words.main_argument),
    };
    let step = format!(
        "{check}Where the apply gets no answer either, it writes, and {} that exists {risk} then.",
        with_article(words.noun)
    );
    could_not_look(words, &seen.text(), &step).at(attribute)
}

/// An apply whose look got no answer, for the first such object.
pub(crate) fn written_unchecked(words: &Words, risk: &'static str, response: &str) -> Message {
    could_not_look_for(format!(
        "{response}. If there was {} of this name, it {risk}, and so it is for each object of this apply that could not \
         be looked for.",
        with_article(words.noun)
    ))
    .step("Look at the objects at the service.")
    .at(words.main_argument)
}

/// The objects of a replacement by another name.
pub(crate) struct Renaming<'r> {
    pub(crate) old: &'r str,
    /// Both have the same ID, or the same principal, so they cannot exist at one time.
    pub(crate) is_exclusive: bool,
}

impl Renaming<'_> {
    /// What was not done.
    fn effect(&self) -> String {
        format!("{CHANGED_NOTHING}, {} included.", self.old)
    }

    /// The way that keeps the old object in any case.
    fn way(&self, block: &str) -> String {
        let old = self.old;
        if self.is_exclusive {
            return format!(
                "The new object needs what {old} has until it is deleted: delete this block, apply, and add it again \
                 with the new name."
            );
        }
        format!(
            "Keep {old} in this block, add a block of its own for the new name{block}, apply, and then delete the \
             block of {old}."
        )
    }
}

/// A replacement by the name of an object that exists and may not be adopted.
pub(crate) fn exists_in_replacement(
    words: &Words,
    existing: &Existing,
    renaming: &Renaming<'_>,
) -> Message {
    let Existing { name, sentence, instead, attribute, .. } = existing;
    let block = import_block(words.resource_type, name);
    let shifted = if existing.may_be_ours {
        "If another resource of this configuration has it, names have shifted: use `for_each` over keys that are names, \
         with `moved` blocks. Otherwise: "
    } else {
        ""
    };
    let way = instead.clone().unwrap_or_else(|| {
        format!("{shifted}{}\n\n{block}", renaming.way(" with this `import` block"))
    });
    Message::error("exists already, so nothing is replaced by it")
        .spares_destroy()
        .fact(format!("{sentence}. {}", renaming.effect()))
        .step(way)
        .at(*attribute)
}

/// A replacement by the name of an object that another create of this run has made.
pub(crate) fn made_in_replacement(words: &Words, renaming: &Renaming<'_>) -> Message {
    Message::error("was made by another resource of this run, so nothing is replaced by it")
        .spares_destroy()
        .fact(renaming.effect())
        .step(renaming.way(""))
        .at(words.main_argument)
}

/// A replacement by a name for which there is a 404 that no list explains.
pub(crate) fn not_found_in_replacement(
    words: &Words,
    response: &str,
    renaming: &Renaming<'_>,
) -> Message {
    let argument = words.parent_argument();
    Message::error("may not have a parent, so nothing is replaced by it")
        .spares_destroy()
        .fact(format!(
            "{response}. This does not show that the name is free: the {} may not exist, this API key may not see it, \
             or the service does not offer reads. {}",
            words.parent_noun,
            renaming.effect()
        ))
        .step(format!(
            "Check `{argument}` and `base_url`. If another resource of this plan creates the {}, refer to that \
             resource. {}",
            words.parent_noun,
            renaming.way("")
        ))
        .at(argument)
}

/// A replacement by a name that could not be looked up.
pub(crate) fn failed_in_replacement(
    words: &Words,
    error: &Error,
    renaming: &Renaming<'_>,
) -> Message {
    let advice = by_status(error).after(&renaming.effect());
    let step = format!("{} {}", advice.step, renaming.way(""));
    Message::failed("could not be looked up", error, Advice::new(step).at(words.main_argument))
}

/// A plan that imports an object and replaces it by `new`.
pub(crate) fn imported_and_replaced(words: &Words, new: Option<&str>) -> Message {
    let new = new.unwrap_or("an object whose name is known only after apply");
    Message::error("is imported, and would be destroyed")
        .spares_destroy()
        .fact(format!(
            "this plan imports it into a resource that describes {new}. An apply would destroy the imported {}.",
            words.noun
        ))
        .step(format!(
            "Correct the `id` of the `import` block, or `{}`. If it is to be replaced, import it first, with an apply \
             of its own.",
            words.main_argument
        ))
        .at(words.main_argument)
}

/// The remark of a create for which this run has destroyed an object; empty without one.
pub(crate) fn destroyed_before(old: Option<String>) -> String {
    old.map(|old| format!("This run has destroyed {old} for it.")).unwrap_or_default()
}
