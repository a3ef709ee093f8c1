//! The texts of the warnings and errors that resources, data sources and list resources print.
//!
//! A message is one declaration: its name, the facts that it shows, and the templates of its parts.
//! The code fills in the facts, and a test follows the advice of each one
//! (`tests/acceptance/advice.rs`). Whoever looks for a text finds it here, in the file of its
//! subject. A [`Severity::Failure`] has the next step after a failed request, whose summary and
//! fact are those of the request (`Call::failed_with`).

mod blocks;
pub(crate) mod conflicts;
pub(crate) mod deletes;
pub(crate) mod existing;
pub(crate) mod message;
pub(crate) mod owners;
pub(crate) mod reads;
pub(crate) mod requests;
pub(crate) mod roles;

pub(crate) use blocks::{import_block, moved_block, removed_block};

/// How a message is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The operation fails.
    Error,
    /// The operation goes on.
    Warning,
    /// The next step of an error about a failed request.
    Failure,
}

/// What is declared about a message. Its texts are templates, with `{fact}` for each fact.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The name of the type that the code fills in.
    pub name: &'static str,
    /// How it is reported.
    pub severity: Severity,
    /// Empty for a failure.
    pub summary: &'static str,
    /// What happened, and what it means for the state or for access. Empty for a failure.
    pub fact: &'static str,
    /// What to do. Empty if there is nothing to do.
    pub next: &'static str,
    /// The summary that replaces all this after a few objects. Of a failure, only the step for all
    /// objects.
    pub short: &'static str,
}

/// Returns the declarations of all messages.
#[must_use]
pub fn declarations() -> Vec<Declaration> {
    let subjects = [
        conflicts::ALL,
        deletes::ALL,
        existing::ALL,
        owners::ALL,
        reads::ALL,
        requests::ALL,
        roles::ALL,
    ];
    subjects.concat()
}

/// Declares messages: for each one a type with its facts, which converts into a
/// [`Message`](message::Message).
///
/// `at` is the attribute that Terraform shows; the code sets it if it differs by resource. `short`
/// replaces the message after a few objects of a kind, or after `complete` ones. A `once` family is
/// complete once in a run.
macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $severity:ident $name:ident { $($fact:ident),+ } = {
            summary: $summary:literal,
            fact: $text:literal,
            $(next: $next:literal,)?
            $(at: $attribute:literal,)?
            $(short: $short:literal,)?
            $(family: $family:literal,)?
            $(complete: $complete:literal,)?
            $(once: $once:literal,)?
        }
    )+) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name<'m> {
                $(pub(crate) $fact: &'m dyn std::fmt::Display,)+
            }

            impl From<$name<'_>> for $crate::messages::message::Message {
                fn from(facts: $name<'_>) -> Self {
                    let $name { $($fact),+ } = facts;
                    let message = Self::new(stringify!($name), format!($summary), format!($text));
                    $(let message = message.with_next(&format!($next));)?
                    $(let message = message.at($attribute);)?
                    $(let message = message.shortened(format!($short));)?
                    $(let message = message.of_family($family);)?
                    $(let message = message.complete($complete);)?
                    $(let message = message.once($once);)?
                    message
                }
            }
        )+

        /// The declarations of this file.
        pub(super) const ALL: &[$crate::messages::Declaration] = &[
            $($crate::messages::Declaration {
                name: stringify!($name),
                severity: $crate::messages::Severity::$severity,
                summary: $summary,
                fact: $text,
                next: concat!($($next)?),
                short: concat!($($short)?),
            },)+
        ];
    };
}
use messages;

/// Declares the next steps after failed requests: for each one a type with its facts, which
/// converts into an [`Advice`](message::Advice).
macro_rules! failures {
    (@type $(#[$doc:meta])* $name:ident {}) => {
        $(#[$doc])*
        pub(crate) struct $name;

    };
    (@type $(#[$doc:meta])* $name:ident { $($fact:ident),+ }) => {
        $(#[$doc])*
        pub(crate) struct $name<'m> {
            $(pub(crate) $fact: &'m dyn std::fmt::Display,)+
        }
    };
    (@advice $name:ident {} $next:literal ($($for_all:literal)?) ($($attribute:literal)?)) => {
        impl From<$name> for $crate::messages::message::Advice {
            fn from(_: $name) -> Self {
                let advice = Self::new(format!($next));
                $(let advice = advice.for_all(format!($for_all));)?
                $(let advice = advice.at($attribute);)?
                advice
            }
        }
    };
    (@advice $name:ident { $($fact:ident),+ } $next:literal ($($for_all:literal)?) ($($attribute:literal)?)) => {
        impl From<$name<'_>> for $crate::messages::message::Advice {
            fn from(facts: $name<'_>) -> Self {
                let $name { $($fact),+ } = facts;
                let advice = Self::new(format!($next));
                $(let advice = advice.for_all(format!($for_all));)?
                $(let advice = advice.at($attribute);)?
                advice
            }
        }
    };
    ($(
        $(#[$doc:meta])*
        Failure $name:ident $facts:tt = {
            next: $next:literal,
            $(for_all: $for_all:literal,)?
            $(at: $attribute:literal,)?
        }
    )+) => {
        $(
            $crate::messages::failures!(@type $(#[$doc])* $name $facts);
            $crate::messages::failures!(@advice $name $facts $next ($($for_all)?) ($($attribute)?));
        )+

        /// The declarations of this file.
        pub(super) const ALL: &[$crate::messages::Declaration] = &[
            $($crate::messages::Declaration {
                name: stringify!($name),
                severity: $crate::messages::Severity::Failure,
                summary: "",
                fact: "",
                next: $next,
                short: concat!($($for_all)?),
            },)+
        ];
    };
}
use failures;
