//! The service of the pantry, in which jars are files with their labels as names.

use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

#[derive(Default)]
pub(crate) struct Shelf(RwLock<Option<PathBuf>>);

impl Shelf {
    pub(crate) fn open(&self, directory: PathBuf) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(directory);
    }

    fn directory(&self) -> Result<PathBuf> {
        let directory = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        directory.ok_or_else(|| Error::new(ErrorKind::NotFound, "the provider is not configured"))
    }

    fn path(&self, label: &str) -> Result<PathBuf> {
        if label.is_empty() || label.contains(['/', '\\']) || label.starts_with('.') {
            return Err(Error::new(ErrorKind::InvalidInput, "the label is not a file name"));
        }
        Ok(self.directory()?.join(label))
    }

    /// Returns the content of a jar, if it exists.
    pub(crate) fn find(&self, label: &str) -> Result<Option<String>> {
        match std::fs::read_to_string(self.path(label)?) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Adds a jar. A jar with the same label is an error.
    pub(crate) fn add(&self, label: &str, content: &str) -> Result<()> {
        use std::io::Write as _;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).open(self.path(label)?)?;
        file.write_all(content.as_bytes())
    }

    /// Replaces the content of a jar.
    pub(crate) fn refill(&self, label: &str, content: &str) -> Result<()> {
        if self.find(label)?.is_none() {
            return Err(Error::new(ErrorKind::NotFound, "the jar does not exist"));
        }
        std::fs::write(self.path(label)?, content)
    }

    /// Removes a jar, if it exists.
    pub(crate) fn remove(&self, label: &str) -> Result<()> {
        match std::fs::remove_file(self.path(label)?) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
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

    fn key(&self, label: &str) -> Result<PathBuf> {
        Ok(self.path(label)?.with_file_name(format!(".key-{label}")))
    }

    /// Lends the key to a jar, and returns it.
    pub(crate) fn lend_key(&self, label: &str) -> Result<String> {
        std::fs::write(self.key(label)?, "lent")?;
        Ok(format!("open-{label}"))
    }

    /// Renews the loan of a key.
    pub(crate) fn renew_key(&self, label: &str) -> Result<()> {
        std::fs::write(self.key(label)?, "renewed")
    }

    /// Takes back a key.
    pub(crate) fn return_key(&self, label: &str) -> Result<()> {
        std::fs::remove_file(self.key(label)?)
    }
}
