//! The commands of a bash script, without running it.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

/// Returns every word of a script that bash would run as a command: programs, builtins and
/// functions, also those of substitutions and subshells. A word is returned as it is written, so a
/// command that a variable names is returned as `$name`.
///
/// Panics at syntax that it does not understand, rather than overlook a command.
pub(super) fn commands(script: &str) -> BTreeSet<String> {
    let mut scanner = Scanner { text: script.chars().peekable(), found: BTreeSet::new() };
    scanner.list(None);
    scanner.found
}

/// Words after which a command follows, and words that end a compound command.
const OPENING: [&str; 8] = ["if", "then", "elif", "else", "while", "until", "do", "!"];
const CLOSING: [&str; 3] = ["fi", "done", "}"];

/// Compound commands that no job with rights needs, and commands that run the text of an argument.
const NOT_UNDERSTOOD: [&str; 8] =
    ["case", "select", "function", "coproc", "eval", "trap", "source", "."];

struct Scanner<'a> {
    text: Peekable<Chars<'a>>,
    found: BTreeSet<String>,
}

impl Scanner<'_> {
    /// Reads commands up to the end of the text, or up to this closing bracket.
    fn list(&mut self, end: Option<char>) {
        let mut is_command = true;
        loop {
            match self.text.peek().copied() {
                None => {
                    assert_eq!(end, None, "a bracket is not closed");
                    return;
                }
                Some(')') => {
                    assert_eq!(end, Some(')'), "a bracket is not opened");
                    self.text.next();
                    return;
                }
                Some(' ' | '\t') => _ = self.text.next(),
                Some('\n' | ';' | '&' | '|') => {
                    self.text.next();
                    is_command = true;
                }
                Some('#') => while self.text.next_if(|next| *next != '\n').is_some() {},
                Some('(') => {
                    assert!(is_command, "a bracket within a command");
                    self.text.next();
                    self.list(Some(')'));
                    is_command = false;
                }
                Some('<' | '>') => self.redirection(),
                Some(_) => {
                    let word = self.word();
                    if is_command {
                        is_command = self.first(word);
                    }
                }
            }
        }
    }

    /// Takes the first word of a command, and returns whether another one follows that is a command.
    fn first(&mut self, word: String) -> bool {
        assert!(!NOT_UNDERSTOOD.contains(&word.as_str()), "{word} is not understood");
        if OPENING.contains(&word.as_str()) || word == "{" {
            return true;
        }
        let name = word.split(['=', '[']).next().unwrap_or_default().trim_end_matches('+');
        let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if word.contains('=') && !name.is_empty() && name.chars().all(is_name) {
            if word.ends_with('=') && self.text.next_if_eq(&'(').is_some() {
                // Values of an array.
                while self.text.next_if_eq(&')').is_none() {
                    if self.text.next_if(|it| it.is_whitespace()).is_none() {
                        self.word();
                    }
                }
            }
            return true;
        }
        if !CLOSING.contains(&word.as_str()) && word != "for" {
            self.found.insert(word);
        }
        false
    }

    /// Reads the operator of a redirection and its target.
    fn redirection(&mut self) {
        let mut operator = String::new();
        while let Some(next) = self.text.next_if(|next| "<>&".contains(*next)) {
            operator.push(next);
        }
        assert_ne!(operator, "<<", "a here-document is not understood");
        while self.text.next_if_eq(&' ').is_some() {}
        _ = self.text.next_if(|next| "<>".contains(*next));
        if self.text.next_if_eq(&'(').is_some() {
            // The output of commands, as a file.
            self.list(Some(')'));
        } else {
            self.word();
        }
    }

    /// Reads a word, and the commands of its substitutions.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(next) =
            self.text.next_if(|next| !next.is_whitespace() && !";&|()<>".contains(*next))
        {
            word.push(next);
            match next {
                '\\' => word.extend(self.text.next()),
                '\'' => {
                    for next in self.text.by_ref() {
                        word.push(next);
                        if next == '\'' {
                            break;
                        }
                    }
                }
                '"' => self.quoted(&mut word),
                '$' => self.expansion(&mut word),
                '`' => panic!("a substitution in backticks is not understood"),
                _ => {}
            }
        }
        assert!(!word.is_empty(), "{:?} is not understood", self.text.peek());
        // A line that goes on in the next one.
        word.replace("\\\n", "")
    }

    fn quoted(&mut self, word: &mut String) {
        while let Some(next) = self.text.next() {
            word.push(next);
            match next {
                '\\' => word.extend(self.text.next()),
                '"' => return,
                '$' => self.expansion(word),
                '`' => panic!("a substitution in backticks is not understood"),
                _ => {}
            }
        }
        panic!("a quote is not closed");
    }

    /// Reads what follows a dollar sign, if it is in brackets.
    fn expansion(&mut self, word: &mut String) {
        if self.text.next_if_eq(&'(').is_some() {
            assert_ne!(self.text.peek(), Some(&'('), "arithmetic is not understood");
            self.list(Some(')'));
            word.push_str("(…)");
        } else if self.text.next_if_eq(&'{').is_some() {
            let mut name = String::new();
            while let Some(next) = self.text.next_if(|next| *next != '}') {
                name.push(next);
            }
            assert!(!name.contains(['$', '`']), "${{{name}}} is not understood");
            word.push_str(&name);
        }
    }
}

#[test]
fn every_command_of_a_script_is_found() {
    for (script, expected) in [
        ("gpg --verify a b", &["gpg"][..]),
        ("hosts/terraform init", &["hosts/terraform"]),
        ("\"hosts/$host\" init", &["\"hosts/$host\""]),
        ("env -i gpg; $tool", &["$tool", "env"]),
        ("HOME=\"$PWD\" PATH=. gpg", &["gpg"]),
        ("a | b && c || d & e\nf", &["a", "b", "c", "d", "e", "f"]),
        ("x=$(one \"$(two)\") three '$(four)' # five\nsix", &["one", "six", "three", "two"]),
        ("a=(--b \"$(one)\") && two \"${a[@]}\"", &["one", "two"]),
        (
            "if ! one; then two; elif three; then four; else five; fi",
            &["five", "four", "one", "three", "two"],
        ),
        ("for one in two three; do four; done < <(five)", &["five", "four"]),
        ("{ one; (two); } > three 2>&1 <<< \"$(four)\"", &["four", "one", "two"]),
        ("> one two", &["two"]),
        ("one \\\n  two \"three\nfour\"\\\n", &["one"]),
        ("exec one; command two", &["command", "exec"]),
    ] {
        let expected = expected.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(commands(script), expected, "{script}");
    }
    for script in ["`one`", "eval one", "trap 'one' EXIT", "one << END", "one() { two; }", ". one"]
    {
        let caught = std::panic::catch_unwind(|| commands(script));
        assert!(caught.is_err(), "{script}: {caught:?}");
    }
}
