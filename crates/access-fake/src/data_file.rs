//! The file that stores listings and integrations across restarts.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::store::Store;

/// The path of the data.
#[derive(Clone, Debug)]
pub(crate) struct DataFile {
    path: PathBuf,
}

impl DataFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Reads the file. Returns `None` if it does not exist.
    pub(crate) fn load(&self) -> io::Result<Option<Store>> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes another file and renames it, so that the file is always complete.
    pub(crate) fn save(&self, store: &Store) -> io::Result<()> {
        let mut temporary = self.path.clone().into_os_string();
        temporary.push(".new");
        fs::write(&temporary, serde_json::to_vec_pretty(store)?)?;
        fs::rename(&temporary, &self.path)
    }
}
