//! The service of the pantry, in which jars are files with their labels as names.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The directory, which the configuration of the provider sets.
#[derive(Default)]
pub(crate) struct Shelf(pub OnceLock<PathBuf>);

impl Shelf {
    fn directory(&self) -> Result<&Path> {
        let missing = || Error::new(ErrorKind::NotFound, "the provider is not configured");
        self.0.get().map(PathBuf::as_path).ok_or_else(missing)
    }

    /// Returns the file of a jar.
    pub(crate) fn file(&self, label: &str) -> Result<PathBuf> {
        if label.is_empty() || label.contains(['/', '\\']) || label.starts_with('.') {
            return Err(Error::new(ErrorKind::InvalidInput, "the label is not a file name"));
        }
        Ok(self.directory()?.join(label))
    }

    /// Returns the content of a jar, if it exists.
    pub(crate) fn find(&self, label: &str) -> Result<Option<String>> {
        match std::fs::read_to_string(self.file(label)?) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            content => content.map(Some),
        }
    }

    /// Writes the content of a jar.
    pub(crate) fn fill(&self, label: &str, content: &str) -> Result<()> {
        std::fs::write(self.file(label)?, content)
    }

    /// Returns all labels, sorted.
    pub(crate) fn labels(&self) -> Result<Vec<String>> {
        let mut labels: Vec<String> = std::fs::read_dir(self.directory()?)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        labels.sort();
        Ok(labels)
    }
}
