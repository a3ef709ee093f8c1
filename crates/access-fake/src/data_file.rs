//! The file that keeps listings and integrations over a restart.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::store::Store;

/// Where the data is.
#[derive(Clone, Debug)]
pub(crate) struct DataFile {
    path: PathBuf,
}

impl DataFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// What the file has; none where there is no file yet.
    pub(crate) fn load(&self) -> io::Result<Option<Store>> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes beside the file and renames, so that a reader or a restart never sees half of it.
    pub(crate) fn save(&self, store: &Store) -> io::Result<()> {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        fs::write(&beside, serde_json::to_vec_pretty(store)?)?;
        fs::rename(&beside, &self.path)
    }
}
