//! The file that contains the API key: mounted by a scheduler, or written by a rotation.
//!
//! No error shows the content of the file.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use access_client::{ApiKey, Invalid};

/// The largest file that is read. A key has a few hundred bytes, so a larger file contains
/// something else.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// A key that was read from a file, and the permissions of the file.
#[derive(Debug)]
pub(super) struct KeyFile {
    /// The key, without blanks and line breaks around it.
    pub(super) key: ApiKey,
    /// Whether every user of the machine may read the file. Always false except on Unix.
    pub(super) readable_by_others: bool,
}

impl KeyFile {
    /// Reads the key in a file.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file does not contain a usable key, without the content of the
    /// file. It continues a sentence that begins with the path: "is empty".
    pub(super) fn read(path: &Path) -> Result<Self, Invalid> {
        let unreadable = |error: io::Error| format!("cannot be read: {error}");
        // Before the file is opened, because opening a pipe waits for its writer. A pipe can be
        // read only once, and a caller may read the key several times.
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err("is not a regular file".into());
        }
        let file = File::open(path).map_err(unreadable)?;
        let readable_by_others = readable_by_others(&file.metadata().map_err(unreadable)?);
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("is larger than {} KiB", MAX_FILE_BYTES / 1024).into());
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| "is not UTF-8 text")?;
        // Windows editors begin UTF-8 files with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
        if text.is_empty() {
            return Err("is empty".into());
        }
        let key = ApiKey::parse(text)
            .map_err(|error| format!("does not contain an API key: the text {error}"))?;
        Ok(Self { key, readable_by_others })
    }
}

/// Returns whether other users of this machine may read the file.
#[cfg(unix)]
fn readable_by_others(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    // Not the group's bit: schedulers give mounted secrets to a group on purpose.
    metadata.permissions().mode() & 0o004 != 0
}

#[cfg(not(unix))]
fn readable_by_others(_metadata: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_trimmed_and_no_error_contains_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let problem =
            |path| KeyFile::read(path).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(problem(&path).starts_with("cannot be read: "), "{}", problem(&path));
        assert_eq!(problem(directory.path()), "is not a regular file");
        for (content, expected) in [
            (&b"canary"[..], ""),
            (b" canary\n", ""),
            (b"\xef\xbb\xbfcanary\r\n", ""),
            (&[b'c'; 64 * 1024], ""),
            (b" \r\n", "is empty"),
            (b"canary\xff", "is not UTF-8 text"),
            (b"\xff\xfec\0a\0n\0a\0r\0y\0", "is not UTF-8 text"),
            (b"canary canary", "does not contain an API key: "),
            (&[b'c'; 64 * 1024 + 1], "is larger than 64 KiB"),
        ] {
            fs::write(&path, content).unwrap();
            let problem = problem(&path);
            assert!(problem.starts_with(expected), "{problem}");
            assert_eq!(problem.is_empty(), expected.is_empty(), "{problem}");
            assert!(!format!("{problem} {:?}", KeyFile::read(&path)).contains("canary"));
        }
        fs::write(&path, "canary").unwrap();
        #[cfg(unix)]
        for (mode, is_open) in [(0o600, false), (0o440, false), (0o644, true), (0o604, true)] {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(KeyFile::read(&path).unwrap().readable_by_others, is_open, "{mode:o}");
        }
    }
}
