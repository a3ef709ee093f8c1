//! The "service": jars are files, their labels the names.

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
        directory.ok_or_else(|| Error::new(ErrorKind::NotFound, "the pantry is not open"))
    }

    fn path(&self, label: &str) -> Result<PathBuf> {
        if label.is_empty() || label.contains(['/', '\\']) || label.starts_with('.') {
            return Err(Error::new(ErrorKind::InvalidInput, "that label fits on no jar"));
        }
        Ok(self.directory()?.join(label))
    }

    /// The content of a jar, if there is such a jar.
    pub(crate) fn look(&self, label: &str) -> Result<Option<String>> {
        match std::fs::read_to_string(self.path(label)?) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Puts a new jar on the shelf. There is one of each label.
    pub(crate) fn add(&self, label: &str, content: &str) -> Result<()> {
        use std::io::Write as _;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).open(self.path(label)?)?;
        file.write_all(content.as_bytes())
    }

    /// Fills a jar that is there anew.
    pub(crate) fn refill(&self, label: &str, content: &str) -> Result<()> {
        if self.look(label)?.is_none() {
            return Err(Error::new(ErrorKind::NotFound, "the jar is gone"));
        }
        std::fs::write(self.path(label)?, content)
    }

    /// Takes a jar away; one that is gone already is fine.
    pub(crate) fn remove(&self, label: &str) -> Result<()> {
        match std::fs::remove_file(self.path(label)?) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// All labels, sorted.
    pub(crate) fn labels(&self) -> Result<Vec<String>> {
        let mut labels: Vec<String> = std::fs::read_dir(self.directory()?)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        labels.sort();
        Ok(labels)
    }
}
