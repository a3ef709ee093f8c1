//! Words that once were this project's dialect, and what to write instead.
//!
//! Few and sharp: each rule is about a term that has an established word in Terraform, HTTP or Rust, or
//! about a construction that a reader has to decipher. Style beyond that is a matter of review.

/// A term that must not come back.
pub(super) struct Rule {
    pub(super) pattern: Pattern,
    /// What to write instead, and why where it is not obvious.
    pub(super) instead: &'static str,
    /// Lower-case parts of a line for which the rule does not apply.
    pub(super) unless: &'static [&'static str],
}

/// What a rule matches.
pub(super) enum Pattern {
    /// Words that follow each other, in prose or in an identifier (`take_over`, `TakeOver`). Each
    /// alternative is in lower case.
    Words(&'static [&'static str]),
    /// The last part of a type's name.
    Type(&'static str),
    /// The first word of a comment.
    CommentStart(&'static str),
    /// `, for` in place of "because", with the words that can follow it.
    CausalFor(&'static [&'static str]),
    /// A heading in Markdown that ends with a question mark.
    Question,
}

use Pattern::{CausalFor, CommentStart, Question, Type, Words};

pub(super) const RULES: &[Rule] = &[
    Rule {
        pattern: Words(&["answer", "answers", "answered", "answering"]),
        instead: "response, or `returns` and `responds`: the words of HTTP",
        unless: &[],
    },
    Rule {
        pattern: Words(&["words"]),
        instead: "message, diagnostic, text or format: say which",
        unless: &[],
    },
    Rule {
        pattern: Words(&["blind", "blindly"]),
        instead: "drift detection is unavailable, or `unchecked`: name what is not read",
        unless: &[],
    },
    Rule {
        pattern: Words(&[
            "take over",
            "takes over",
            "taken over",
            "taking over",
            "took over",
            "takeover",
        ]),
        instead: "adopt, as the argument `adopt_existing`; import, for `terraform import`",
        unless: &[],
    },
    Rule {
        pattern: Words(&["settle", "settles", "settled", "settling"]),
        instead: "resolve, determine or decide; for planned values, resolve unknowns",
        unless: &[],
    },
    Rule {
        pattern: Words(&["remember", "remembers", "remembered", "remembering"]),
        instead: "private state records, or stores: software does not remember",
        unless: &[],
    },
    Rule {
        pattern: Type("Memory"),
        instead: "`…PrivateState`: Terraform's term for what the provider stores with a resource",
        unless: &[],
    },
    Rule {
        pattern: Type("Look"),
        instead: "`ExistenceCheck`: what the request is for",
        unless: &[],
    },
    Rule {
        pattern: Type("Held"),
        instead: "`Guard` or `Permit`, as in std and tokio",
        unless: &[],
    },
    Rule {
        pattern: Type("Surroundings"),
        instead: "`Context`, as in plugin frameworks",
        unless: &[],
    },
    Rule {
        pattern: Words(&["look before", "looks before", "looked before"]),
        instead: "existence check",
        unless: &[],
    },
    Rule {
        pattern: Words(&["phone book"]),
        instead: "registration, as in `register`",
        unless: &[],
    },
    Rule {
        pattern: Words(&["put off", "puts off", "putting off", "put_off"]),
        instead: "deferred change, deferral: Terraform's terms",
        unless: &[],
    },
    Rule {
        pattern: Words(&["gone", "vanished", "vanish", "vanishes"]),
        instead: "not found, or deleted outside Terraform",
        // The name of an HTTP status.
        unless: &["410", "statuscode::gone"],
    },
    Rule {
        pattern: Words(&["nobody", "somebody", "anybody", "everybody", "nobody's", "somebody's"]),
        instead: "name the actor: the user, another process, the service",
        unless: &[],
    },
    Rule {
        pattern: Words(&["says", "said", "tells", "told", "way out", "ways out"]),
        instead: "returns, contains, shows, warns: software does not speak; alternative",
        unless: &[],
    },
    Rule {
        pattern: Words(&["no such"]),
        instead: "does not exist, does not have",
        // The text of an operating system's error.
        unless: &["no such file", "no such host"],
    },
    Rule {
        pattern: Words(&["beside", "besides"]),
        instead: "in addition to, next to",
        unless: &[],
    },
    Rule {
        pattern: Words(&["this machine itself", "machine itself"]),
        instead: "localhost, loopback",
        unless: &[],
    },
    Rule {
        pattern: Words(&["hand over", "hands over", "handed over", "takes no notice"]),
        instead: "passes, returns, ignores",
        unless: &[],
    },
    Rule {
        pattern: CommentStart("What"),
        instead: "begin with a noun phrase (types, fields) or a verb (functions): Returns …",
        unless: &[],
    },
    Rule {
        pattern: CommentStart("Of a"),
        instead: "begin with the subject of the sentence",
        unless: &[],
    },
    Rule {
        pattern: CausalFor(&["a", "an", "the", "it", "they", "there", "these", "no", "nothing"]),
        instead: "because, or a sentence of its own",
        unless: &[],
    },
    Rule {
        pattern: Question,
        instead: "a noun phrase or an imperative: `Import existing roles`",
        unless: &[],
    },
];
