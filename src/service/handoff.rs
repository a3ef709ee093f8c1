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

use time::OffsetDateTime;

use super::mutex::lock;

/// The time for which a note counts. It is longer than users take to approve a plan.
const NOTE_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The time for which a note counts if the file is named after a process ID alone, which a later
/// process may have.
const UNDATED_NOTE_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// The largest file that is read, in bytes. It has room for the notes of ten thousand objects.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The notes that provider processes of one Terraform process share.
pub(crate) struct Handoff {
    file: Option<PathBuf>,
    /// The notes of this process alone, where there is no file. From Terraform 1.16 on, the apply plans
    /// again with the private state of its plan, and writes the note for its create.
    own: Mutex<String>,
    lifetime: Duration,
    writing: Mutex<()>,
}

impl Default for Handoff {
    fn default() -> Self {
        let directory = std::env::temp_dir().join(directory_name());
        let parent = parent_process();
        let is_dated = parent.as_ref().is_some_and(|parent| !parent.ends_with(UNDATED));
        let lifetime = if is_dated { NOTE_LIFETIME } else { UNDATED_NOTE_LIFETIME };
        let file = parent.map(|parent| directory.join(parent));
        Self { file, own: Mutex::default(), lifetime, writing: Mutex::default() }
    }
}

impl Handoff {
    /// Writes a note that the plan contains a same-name replacement of the object with these keys
    /// and this creation time. If that fails, the create refuses the existing object.
    pub(crate) fn note_same_name_replacement(
        &self,
        base_url: &str,
        keys: &[String],
        created_at: Option<OffsetDateTime>,
    ) {
        let notes = keys.iter().map(|key| note(REPLACED, base_url, key, created_at));
        self.write(notes.collect());
    }

    /// Returns whether the plan of this Terraform process contains a same-name replacement of the
    /// object that no create has made yet.
    pub(crate) fn has_same_name_replacement(&self, base_url: &str, key: &str) -> bool {
        self.replaced_object(base_url, key).is_some()
    }

    /// Returns whether the plan of this Terraform process contains a same-name replacement of the
    /// object with this creation time. An unknown creation time equals any other.
    pub(crate) fn replaces(
        &self,
        base_url: &str,
        key: &str,
        created_at: Option<OffsetDateTime>,
    ) -> bool {
        self.replaced_object(base_url, key).is_some_and(|planned| {
            let found = created_at.map(nanoseconds);
            planned.is_none() || found.is_none() || planned == found
        })
    }

    /// Returns the creation time of an object for which there is a note.
    fn replaced_object(&self, base_url: &str, key: &str) -> Option<Option<String>> {
        let notes = match &self.file {
            Some(file) => read_recent(file, self.lifetime)?,
            None => lock(&self.own).clone(),
        };
        let mut own = notes.lines().filter_map(|note| {
            let (event, rest) = note.split_once('\t')?;
            let (note_url, rest) = rest.split_once('\t')?;
            let (note_key, created_at) = rest.split_once('\t')?;
            (note_url == base_url && note_key == key).then_some((event, created_at))
        });
        match own.next_back()? {
            (REPLACED, created_at) => Some((!created_at.is_empty()).then(|| created_at.to_owned())),
            _ => None,
        }
    }

    /// Ends the note about an object that was replaced. A later create of that name in the same
    /// Terraform process, as in `terraform test`, is another one.
    pub(crate) fn record_create(&self, base_url: &str, key: &str) {
        // Notes are never rewritten: another provider process may be writing to the file.
        if self.has_same_name_replacement(base_url, key) {
            self.write(note(CREATED, base_url, key, None));
        }
    }

    fn write(&self, notes: String) {
        let Some(file) = &self.file else {
            lock(&self.own).push_str(&notes);
            return;
        };
        let _writing = lock(&self.writing);
        if let Err(error) = append(file, &notes) {
            tracing::warn!(%error, "could not write a note about a replacement");
        }
    }
}

/// The plan contains a same-name replacement of the object.
const REPLACED: &str = "replaced";
/// The create that replaces the object has succeeded.
const CREATED: &str = "created";
/// The end of the name of a parent process whose start time is not known.
const UNDATED: &str = "-0";

fn note(event: &str, base_url: &str, key: &str, created_at: Option<OffsetDateTime>) -> String {
    let created_at = created_at.map(nanoseconds).unwrap_or_default();
    format!("{event}\t{base_url}\t{key}\t{created_at}\n")
}

fn nanoseconds(time: OffsetDateTime) -> String {
    time.unix_timestamp_nanos().to_string()
}

fn append(file: &Path, notes: &str) -> std::io::Result<()> {
    let directory = file.parent().unwrap_or(file);
    create_private_directory(directory)?;
    remove_old_files(directory);
    open_to_append(file)?.write_all(notes.as_bytes())
}

fn read_recent(file: &Path, lifetime: Duration) -> Option<String> {
    if !is_private_directory(file.parent()?) {
        return None;
    }
    let metadata = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?;
    let is_old = SystemTime::now().duration_since(modified).is_ok_and(|age| age > lifetime);
    // The end of a file that is too large may take back what its beginning contains.
    if is_old || metadata.len() > MAX_FILE_BYTES {
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

/// Returns the name of the directory for notes. Each user has one, because it is private.
#[cfg(unix)]
fn directory_name() -> String {
    format!("terraform-provider-access-{}", rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn directory_name() -> &'static str {
    "terraform-provider-access"
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
    Some(started.map_or_else(|| format!("{parent}{UNDATED}"), |time| format!("{parent}-{time}")))
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
        let file = directory.join("notes").join("1-2");
        Handoff { file: Some(file), lifetime: NOTE_LIFETIME, ..Handoff::default() }
    }

    #[test]
    fn note_reaches_another_process_of_the_same_parent() {
        let directory = tempfile::tempdir().unwrap();
        let plan = handoff(directory.path());
        plan.note_same_name_replacement("https://a", &["x".to_owned(), "y".to_owned()], None);
        let apply = handoff(directory.path());
        assert!(apply.has_same_name_replacement("https://a", "x"));
        assert!(apply.has_same_name_replacement("https://a", "y"));
        assert!(!apply.has_same_name_replacement("https://b", "x"));
        assert!(!apply.has_same_name_replacement("https://a", "z"));
    }

    #[test]
    fn note_ends_with_the_create_that_used_it() {
        let directory = tempfile::tempdir().unwrap();
        let plan = handoff(directory.path());
        plan.record_create("https://a", "x");
        assert!(!directory.path().join("notes").exists(), "there is nothing to end");
        plan.note_same_name_replacement("https://a", &["x".to_owned(), "y".to_owned()], None);
        let apply = handoff(directory.path());
        apply.record_create("https://a", "x");
        assert!(!plan.has_same_name_replacement("https://a", "x"));
        assert!(plan.has_same_name_replacement("https://a", "y"));
        plan.note_same_name_replacement("https://a", &["x".to_owned()], None);
        assert!(apply.has_same_name_replacement("https://a", "x"), "replaced once more");
    }

    #[test]
    fn note_of_a_process_without_a_start_time_counts_for_an_hour() {
        let directory = tempfile::tempdir().unwrap();
        let undated = Handoff { lifetime: UNDATED_NOTE_LIFETIME, ..handoff(directory.path()) };
        undated.note_same_name_replacement("https://a", &["x".to_owned()], None);
        assert!(undated.has_same_name_replacement("https://a", "x"));
        let file = directory.path().join("notes").join("1-2");
        let earlier = SystemTime::now() - Duration::from_secs(61 * 60);
        File::options().append(true).open(&file).unwrap().set_modified(earlier).unwrap();
        assert!(!undated.has_same_name_replacement("https://a", "x"));
        assert!(handoff(directory.path()).has_same_name_replacement("https://a", "x"));
    }

    /// Fails the test unless the notes in a directory are neither read nor written.
    fn assert_unused(handoff: &Handoff, file: &Path) {
        let before = fs::read_to_string(file).ok();
        assert!(before.is_some(), "{}", file.display());
        assert!(!handoff.has_same_name_replacement("https://a", "x"));
        handoff.note_same_name_replacement("https://a", &["y".to_owned()], None);
        assert_eq!(fs::read_to_string(file).ok(), before);
    }

    #[test]
    fn notes_in_a_directory_that_others_may_enter_are_neither_read_nor_written() {
        for mode in [0o777, 0o701, 0o710] {
            let directory = tempfile::tempdir().unwrap();
            let handoff = handoff(directory.path());
            handoff.note_same_name_replacement("https://a", &["x".to_owned()], None);
            let notes = directory.path().join("notes");
            fs::set_permissions(&notes, fs::Permissions::from_mode(mode)).unwrap();
            assert_unused(&handoff, &notes.join("1-2"));
        }
    }

    #[test]
    fn notes_behind_a_symbolic_link_are_neither_read_nor_written() {
        let directory = tempfile::tempdir().unwrap();
        let handoff = handoff(directory.path());
        handoff.note_same_name_replacement("https://a", &["x".to_owned()], None);
        let (notes, elsewhere) = (directory.path().join("notes"), directory.path().join("other"));
        fs::rename(&notes, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &notes).unwrap();
        assert_unused(&handoff, &elsewhere.join("1-2"));
    }

    #[test]
    fn notes_expire_and_are_deleted_by_the_next_plan() {
        let directory = tempfile::tempdir().unwrap();
        let old = handoff(directory.path());
        old.note_same_name_replacement("https://a", &["x".to_owned()], None);
        let file = directory.path().join("notes").join("1-2");
        let yesterday = SystemTime::now() - NOTE_LIFETIME - Duration::from_secs(60);
        File::options().append(true).open(&file).unwrap().set_modified(yesterday).unwrap();
        assert!(!old.has_same_name_replacement("https://a", "x"));
        let next = Handoff { file: Some(file.with_file_name("3-4")), ..handoff(directory.path()) };
        next.note_same_name_replacement("https://a", &["y".to_owned()], None);
        assert!(!file.exists());
        assert!(next.has_same_name_replacement("https://a", "y"));
    }
}
