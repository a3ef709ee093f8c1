//! A create whose object exists, or for which that is not known: in a plan, in an apply, and before
//! the destroy of a replacement by another name.

use access_client::Error;

use super::blocks::import_block;
use super::message::{Advice, Message};
use super::requests::by_status;
use super::words::{Words, with_article};

/// What messages say about an object that exists.
pub(crate) struct Existing {
    pub(crate) name: String,
    /// The name of its parent: "listings/github".
    pub(crate) parent: String,
    /// What is known about it, without a full stop: "managed by TERRAFORM".
    pub(crate) sentence: String,
    /// Whether this configuration may have the object itself.
    pub(crate) may_have_address: bool,
    /// What an adoption does: "overwrites it with this configuration".
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

/// The create of an object that exists and may not be adopted.
pub(crate) fn exists(words: &Words, existing: &Existing) -> Message {
    let Existing { name, parent, sentence, may_have_address, adoption, instead, attribute } =
        existing;
    let message = Message::error("exists already")
        .fact(format!("{sentence}. This resource changed nothing."))
        .at(*attribute);
    if let Some(instead) = instead {
        return message.step(instead);
    }
    let moved = if *may_have_address {
        " If another address of this configuration has it, add a `moved` block; if this resource still has it, run \
         `terraform untaint`, or plan without `-replace`."
    } else {
        ""
    };
    message.step(format!(
        "To manage it, import it:\n\n{}\n\nFor all: `export {parent}` (guide *Import existing roles*). Or set \
         `adopt_existing = true`, which {adoption}.{moved}",
        import_block(words.resource_type, name),
    ))
}

/// The plan of a create that will be refused.
pub(crate) fn will_be_refused(existing: &Existing) -> Message {
    let Existing { sentence, may_have_address, adoption, instead, attribute, .. } = existing;
    let moved = if *may_have_address {
        " If another address of this configuration has it, add a `moved` block."
    } else {
        ""
    };
    let ways = format!("Import it, or set `adopt_existing = true`, which {adoption}.{moved}");
    Message::warning("exists, and the apply will not create it")
        .fact(format!("{sentence}."))
        .step(instead.clone().unwrap_or(ways))
        .at(*attribute)
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
    let moved = if existing.may_have_address {
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
        .fact("Two resources of this configuration describe it. This resource changed nothing.")
        .step(format!(
            "Change `{}` here if the block was copied, or remove this resource.",
            words.main_argument
        ))
        .at(words.main_argument)
}

/// A plan that does not know what exists. `response` is that of the first look that failed.
pub(crate) fn could_not_look(words: &Words, response: &str, step: &str) -> Message {
    Message::run("Could not look for existing objects")
        .fact(format!(
            "{response}. So this plan does not say which of the objects that it creates exist. The apply looks again."
        ))
        .step(step)
        .at(words.main_argument)
}

/// What an apply does that gets no answer either.
pub(crate) fn writes_unchecked(words: &Words, risk: &str) -> String {
    format!(
        "Where the apply gets no answer either, it writes, and {} that exists {risk} then.",
        with_article(words.noun)
    )
}

/// A create that could not look.
pub(crate) fn written_unchecked(words: &Words, risk: &'static str, response: &str) -> Message {
    Message::warning(risk)
        .fact(format!(
            "this create could not look for an existing {} ({response}). If there was one, it {risk}.",
            words.noun
        ))
        .step("Look at the object at the service.")
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
        format!("This resource changed nothing, {} included.", self.old)
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
    let shifted = if existing.may_have_address {
        "If another resource of this configuration has it, names have shifted: use `for_each` over keys that are names, \
         with `moved` blocks. Otherwise: "
    } else {
        ""
    };
    let way = instead.clone().unwrap_or_else(|| {
        format!("{shifted}{}\n\n{block}", renaming.way(" with this `import` block"))
    });
    Message::error("exists already, so nothing is replaced by it")
        .fact(format!("{sentence}. {}", renaming.effect()))
        .step(way)
        .at(*attribute)
}

/// A replacement by the name of an object that another create of this run has made.
pub(crate) fn made_in_replacement(words: &Words, renaming: &Renaming<'_>) -> Message {
    Message::error("was made by another resource of this run, so nothing is replaced by it")
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

/// The remark of a create for which this run has destroyed an object. `others` were destroyed for names that
/// were known only after apply, of which this may be one.
pub(crate) fn destroyed_before(old: Option<String>, others: &[String]) -> String {
    match (old, others) {
        (Some(old), _) => format!("This run has destroyed {old} for it."),
        (None, []) => String::new(),
        (None, others) => {
            format!(
                "This run has destroyed {} for a name known only after apply.",
                others.join(", ")
            )
        }
    }
}
