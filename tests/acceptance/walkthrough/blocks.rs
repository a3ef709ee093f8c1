//! The blocks of code of the pages that users read.

use std::fs;
use std::path::Path;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};

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
        ["sh", "shell", "bash", "console"].contains(&self.language.as_str())
    }
}

fn add(path: &Path, blocks: &mut Vec<Block>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a directory of pages").flatten() {
            add(&entry.path(), blocks);
        }
        return;
    }
    if path.extension().is_none_or(|extension| extension != "md") {
        return;
    }
    let text = fs::read_to_string(path).expect("a page");
    let page = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("a page").display().to_string();
    let arena = Arena::new();
    for node in parse_document(&arena, &text, &Options::default()).descendants() {
        let data = node.data.borrow();
        let NodeValue::CodeBlock(code) = &data.value else { continue };
        let (line, language) = (data.sourcepos.start.line + 1, code.info.clone());
        blocks.push(Block { page: page.clone(), line, language, text: code.literal.clone() });
    }
}

fn below(paths: &[&str]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for path in paths {
        add(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path), &mut blocks);
    }
    blocks.sort_by_key(|block| (block.page.clone(), block.line));
    blocks
}

/// Returns every block of the README, the guides, and the READMEs of the examples.
pub(super) fn all() -> Vec<Block> {
    below(&["README.md", "templates", "docs/guides", "examples"])
}

/// Returns the blocks of one page in one language.
pub(super) fn of(page: &str, is_wanted: impl Fn(&Block) -> bool) -> Vec<Block> {
    let blocks: Vec<_> =
        all().into_iter().filter(|block| block.page == page && is_wanted(block)).collect();
    assert!(!blocks.is_empty(), "{page} has such blocks");
    blocks
}

/// Returns the one block of a page that contains a text.
#[track_caller]
pub(in super::super) fn with(page: &str, text: &str) -> String {
    let mut blocks = of(page, |block| block.text.contains(text));
    assert_eq!(blocks.len(), 1, "{page}: {text:?}: {blocks:?}");
    blocks.remove(0).text
}

#[test]
fn blocks_name_their_language_and_can_be_pasted() {
    // The generated pages too: they quote commands of `examples/`.
    for block in
        below(&["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "templates", "examples"])
    {
        let place = block.place();
        let known = ["hcl", "terraform", "sh", "shell", "text", "yaml"];
        assert!(known.contains(&block.language.as_str()), "{place}: {:?}", block.language);
        // A tab completes a name in an interactive shell.
        assert!(!block.text.contains('\t'), "{place}: a tab");
        // zsh does not have comments in interactive shells by default.
        let is_comment = |line: &str| line.trim_start().starts_with('#') || line.contains(" # ");
        assert!(!block.is_shell() || !block.text.lines().any(is_comment), "{place}: a comment");
    }
}
