//! Notes from a plan to its apply: the objects that one resource replaces under the same name
//! ("same-name replacements" in DESIGN.md, "Conflicts").
//!
//! With `create_before_destroy`, Terraform creates the new object before it destroys the old one. If
//! both have the same name, the create finds the old object. It must accept this object and reject
//! one of another resource. Only the plan can distinguish them, because only the plan receives the
//! old object's private state. Hosts before Terraform 1.16 do not pass what the plan stored to the
//! apply, which runs in another provider process. Both processes have one parent, the Terraform
//! process, so the plan leaves a note in a private file named after it.
//!
//! A plan that was saved and is applied by another Terraform process finds no note. The create then
//! refuses the existing object, and nothing is lost.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::mutex::lock;
use crate::environment;

/// The time for which a note counts. It is longer than users take to approve a plan.
const NOTE_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The largest file that is read, in bytes. It has room for the notes of ten thousand objects.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The notes that provider processes of one Terraform process share.
pub(crate) struct Handoff {
    file: Option<PathBuf>,
    writing: Mutex<()>,
}

impl Default for Handoff {
    fn default() -> Self {
        let directory = environment::temporary_directory().join("terraform-provider-access");
        let file = parent_process().map(|parent| directory.join(parent));
        Self { file, writing: Mutex::default() }
    }
}

impl Handoff {
    /// Writes a note that the plan contains a same-name replacement of the object with these keys.
    /// If that fails, the create refuses the existing object.
    pub(crate) fn note_same_name_replacement(&self, base_url: &str, keys: &[String]) {
        let Some(file) = &self.file else { return };
        let _writing = lock(&self.writing);
        let notes: String = keys.iter().map(|key| line(base_url, key) + "\n").collect();
        if let Err(error) = append(file, &notes) {
            tracing::debug!(%error, "could not note a replacement for the apply");
        }
    }

    /// Returns whether the plan of this Terraform process contains a same-name replacement of the
    /// object.
    pub(crate) fn has_same_name_replacement(&self, base_url: &str, key: &str) -> bool {
        let wanted = line(base_url, key);
        self.file
            .as_deref()
            .and_then(read_recent)
            .is_some_and(|notes| notes.lines().any(|note| note == wanted))
    }
}

fn line(base_url: &str, key: &str) -> String {
    format!("{base_url} {key}")
}

fn append(file: &Path, notes: &str) -> std::io::Result<()> {
    let directory = file.parent().unwrap_or(file);
    create_private_directory(directory)?;
    remove_old_files(directory);
    open_to_append(file)?.write_all(notes.as_bytes())
}

fn read_recent(file: &Path) -> Option<String> {
    if !is_private_directory(file.parent()?) {
        return None;
    }
    let metadata = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?;
    if SystemTime::now().duration_since(modified).is_ok_and(|age| age > NOTE_LIFETIME) {
        return None;
    }
    let mut notes = String::new();
    File::open(file).ok()?.take(MAX_FILE_BYTES).read_to_string(&mut notes).ok()?;
    Some(notes)
}

fn remove_old_files(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.map(|modified| SystemTime::now().duration_since(modified));
        if matches!(age, Ok(Ok(age)) if age > NOTE_LIFETIME) {
            _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(unix)]
fn create_private_directory(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    match fs::DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if is_private_directory(directory) {
        return Ok(());
    }
    Err(std::io::Error::other("the directory for notes belongs to another user"))
}

/// Returns whether the directory belongs to the user of this process and no other user can enter
/// it. Otherwise another user could leave notes.
#[cfg(unix)]
fn is_private_directory(directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own_user = rustix::process::geteuid().as_raw();
    fs::symlink_metadata(directory).is_ok_and(|metadata| {
        metadata.is_dir() && metadata.mode() & 0o077 == 0 && metadata.uid() == own_user
    })
}

#[cfg(unix)]
fn open_to_append(file: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().append(true).create(true).mode(0o600).open(file)
}

/// Returns a name for the parent process that no later process has: its ID and, on Linux, its start
/// time.
#[cfg(unix)]
fn parent_process() -> Option<String> {
    let parent = std::os::unix::process::parent_id();
    let status = fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
    // The second field is the command in parentheses, which may contain blanks; start time is the
    // 22nd field (proc(5)).
    let started = status.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19));
    Some(format!("{parent}-{}", started.unwrap_or("0")))
}

#[cfg(not(unix))]
fn create_private_directory(_directory: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("not supported on this system"))
}

#[cfg(not(unix))]
fn is_private_directory(_directory: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn open_to_append(file: &Path) -> std::io::Result<File> {
    File::options().append(true).create(true).open(file)
}

#[cfg(not(unix))]
fn parent_process() -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn handoff(directory: &Path) -> Handoff {
        Handoff { file: Some(directory.join("notes").join("1-2")), writing: Mutex::default() }
    }

    #[test]
    fn note_reaches_another_process_of_the_same_parent() {
        let directory = tempfile::tempdir().unwrap();
        let plan = handoff(directory.path());
        plan.note_same_name_replacement("https://a", &["x".to_owned(), "y".to_owned()]);
        let apply = handoff(directory.path());
        assert!(apply.has_same_name_replacement("https://a", "x"));
        assert!(apply.has_same_name_replacement("https://a", "y"));
        assert!(!apply.has_same_name_replacement("https://b", "x"));
        assert!(!apply.has_same_name_replacement("https://a", "z"));
    }

    /// Fails the test unless the notes in a directory are neither read nor written.
    fn assert_unused(handoff: &Handoff, file: &Path) {
        let before = fs::read_to_string(file).ok();
        assert!(before.is_some(), "{}", file.display());
        assert!(!handoff.has_same_name_replacement("https://a", "x"));
        handoff.note_same_name_replacement("https://a", &["y".to_owned()]);
        assert_eq!(fs::read_to_string(file).ok(), before);
    }

    #[test]
    fn notes_in_a_directory_that_others_may_enter_are_neither_read_nor_written() {
        for mode in [0o777, 0o701, 0o710] {
            let directory = tempfile::tempdir().unwrap();
            let handoff = handoff(directory.path());
            handoff.note_same_name_replacement("https://a", &["x".to_owned()]);
            let notes = directory.path().join("notes");
            fs::set_permissions(&notes, fs::Permissions::from_mode(mode)).unwrap();
            assert_unused(&handoff, &notes.join("1-2"));
        }
    }

    #[test]
    fn notes_behind_a_symbolic_link_are_neither_read_nor_written() {
        let directory = tempfile::tempdir().unwrap();
        let handoff = handoff(directory.path());
        handoff.note_same_name_replacement("https://a", &["x".to_owned()]);
        let (notes, elsewhere) = (directory.path().join("notes"), directory.path().join("other"));
        fs::rename(&notes, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &notes).unwrap();
        assert_unused(&handoff, &elsewhere.join("1-2"));
    }

    #[test]
    fn notes_expire_and_are_deleted_by_the_next_plan() {
        let directory = tempfile::tempdir().unwrap();
        let old = handoff(directory.path());
        old.note_same_name_replacement("https://a", &["x".to_owned()]);
        let file = directory.path().join("notes").join("1-2");
        let yesterday = SystemTime::now() - NOTE_LIFETIME - Duration::from_secs(60);
        File::options().append(true).open(&file).unwrap().set_modified(yesterday).unwrap();
        assert!(!old.has_same_name_replacement("https://a", "x"));
        let next = Handoff { file: Some(file.with_file_name("3-4")), writing: Mutex::default() };
        next.note_same_name_replacement("https://a", &["y".to_owned()]);
        assert!(!file.exists());
        assert!(next.has_same_name_replacement("https://a", "y"));
    }
}
