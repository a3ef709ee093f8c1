//! The blocks of code of the pages that users read.

use std::fs;
use std::path::Path;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};

use crate::pages::files;
use crate::support::in_repository;

/// A fenced block of code.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The page, relative to the repository.
    pub(super) page: String,
    /// The number of its first line.
    pub(super) line: usize,
    pub(super) language: String,
    pub(super) text: String,
}

impl Block {
    /// Returns page and line, for messages.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.page, self.line)
    }

    pub(super) fn is_configuration(&self) -> bool {
        ["hcl", "terraform"].contains(&self.language.as_str())
    }

    pub(super) fn is_shell(&self) -> bool {
        ["sh", "shell"].contains(&self.language.as_str())
    }
}

fn blocks_of(path: &Path) -> Vec<Block> {
    let text = fs::read_to_string(path).expect("a page");
    let page = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("a page").display().to_string();
    let arena = Arena::new();
    let nodes = parse_document(&arena, &text, &Options::default()).descendants();
    let blocks = nodes.filter_map(|node| {
        let data = node.data.borrow();
        let NodeValue::CodeBlock(code) = &data.value else { return None };
        let (line, language) = (data.sourcepos.start.line + 1, code.info.clone());
        Some(Block { page: page.clone(), line, language, text: code.literal.clone() })
    });
    blocks.collect()
}

/// Returns every block of the README, the guides, and the READMEs of the examples.
pub(super) fn all() -> Vec<Block> {
    let mut pages = vec![in_repository("README.md")];
    for (directory, extension) in [("templates", "tmpl"), ("docs/guides", "md"), ("examples", "md")]
    {
        pages.extend(files(&in_repository(directory), extension));
    }
    pages.sort();
    pages.iter().flat_map(|page| blocks_of(page)).collect()
}

/// Returns the one block of a page that contains a text.
#[track_caller]
pub(in super::super) fn with(page: &str, text: &str) -> String {
    let mut blocks = all();
    blocks.retain(|block| block.page == page && block.text.contains(text));
    assert_eq!(blocks.len(), 1, "{page}: {text:?}: {blocks:?}");
    blocks.remove(0).text
}

#[test]
fn blocks_name_their_language_and_can_be_pasted() {
    for block in all() {
        let place = block.place();
        let is_known = block.is_configuration() || block.is_shell();
        let is_other = ["text", "yaml", "json"].contains(&block.language.as_str());
        assert!(is_known || is_other, "{place}: {:?}", block.language);
        // A tab completes a name in an interactive shell.
        assert!(!block.text.contains('\t'), "{place}: a tab");
        // zsh does not have comments in interactive shells by default.
        let is_comment = |line: &str| line.trim_start().starts_with('#') || line.contains(" # ");
        assert!(!block.is_shell() || !block.text.lines().any(is_comment), "{place}: a comment");
    }
}
