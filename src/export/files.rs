//! Files that an export writes: all of them or none, and never over a file that exists, unless
//! `--force` is given.
//!
//! A program that is killed, a full disk or an error must not leave half a configuration, whose
//! next plan would destroy the rest. So each file is written under another name in its directory,
//! and gets its own name once everything has succeeded.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, PersistError};

/// Checks what is at the place of a new file.
///
/// # Errors
///
/// A file that exists must not be replaced, or cannot be.
fn check(path: &Path, force: bool) -> Result<(), String> {
    let shown = path.display();
    match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(error) => Err(format!("Could not read {shown}: {error}")),
        Ok(_) if !force => Err(format!(
            "{shown} exists already, so nothing was written. Add `--force` to replace it, or name another file"
        )),
        // A device, for example, or a directory.
        Ok(_) if !path.is_file() => {
            Err(format!("{shown} is not a regular file. Nothing was written"))
        }
        Ok(_) => Ok(()),
    }
}

/// Files that are written, and do not have their names yet. What is left of them is removed with this.
pub(super) struct Staged {
    files: Vec<StagedFile>,
    force: bool,
}

struct StagedFile {
    target: PathBuf,
    new: NamedTempFile<File>,
    /// A copy of the file that is replaced.
    previous: Option<NamedTempFile<File>>,
}

/// Writes the files under other names in the same directories, which are created.
///
/// # Errors
///
/// One of the files must not be replaced, or cannot be written. None of them stays.
pub(super) fn stage(files: &[(PathBuf, String)], force: bool) -> Result<Staged, String> {
    files.iter().try_for_each(|(path, _)| check(path, force))?;
    let staged = files.iter().map(|(path, text)| {
        let failed = |error: io::Error| format!("Could not write {}: {error}", path.display());
        // A link stays a link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let directory = target.parent().filter(|_| target.file_name().is_some());
        let directory = directory.ok_or_else(|| format!("{} is not a file", path.display()))?;
        fs::create_dir_all(directory).map_err(failed)?;
        let permissions = fs::metadata(&target).ok().map(|existing| existing.permissions());
        let write = |bytes: &[u8]| write(directory, bytes, permissions.clone()).map_err(failed);
        let new = write(text.as_bytes())?;
        let previous = match &permissions {
            Some(_) => Some(fs::read(&target).map_err(failed).and_then(|bytes| write(&bytes))?),
            None => None,
        };
        Ok(StagedFile { target, new, previous })
    });
    Ok(Staged { files: staged.collect::<Result<_, String>>()?, force })
}

/// Writes a file under a name that begins with a dot, so Terraform does not read it. Whoever could read
/// the file with these permissions can read this one.
fn write(
    directory: &Path,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> io::Result<NamedTempFile<File>> {
    let mut file = Builder::new().prefix(".").make_in(directory, |path| File::create_new(path))?;
    permissions.map_or(Ok(()), |permissions| fs::set_permissions(file.path(), permissions))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

impl Staged {
    /// Gives the files their names.
    ///
    /// # Errors
    ///
    /// A file cannot be written. Then the others are as they were, or the error names them.
    pub(super) fn commit(self) -> Result<(), String> {
        let mut written = Vec::new();
        for StagedFile { target, new, previous } in self.files {
            let persist =
                if self.force { NamedTempFile::persist } else { NamedTempFile::persist_noclobber };
            if let Err(PersistError { error, .. }) = persist(new, &target) {
                let lost =
                    written.into_iter().filter_map(|(target, previous)| undo(target, previous));
                return Err(format!(
                    "Could not write {}: {error}{}",
                    target.display(),
                    lost.collect::<String>()
                ));
            }
            written.push((target, previous));
        }
        Ok(())
    }
}

/// Undoes the writing of a file. Returns what to add to the error if this fails.
fn undo(target: PathBuf, previous: Option<NamedTempFile<File>>) -> Option<String> {
    let undone = match previous {
        Some(copy) => copy.persist(&target).map(drop).map_err(|failed| failed.error),
        None => fs::remove_file(&target),
    };
    let error = undone.err()?;
    Some(format!(". {} was written, which could not be undone: {error}", target.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_together_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let write = |files: &[(&str, &str)], force| {
            let files = files.iter().map(|(name, text)| (path(name), (*text).to_owned()));
            stage(&files.collect::<Vec<_>>(), force)?.commit()
        };
        let names = || {
            let entries = fs::read_dir(directory.path()).unwrap();
            let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let (first, second) = ("first\n", "second\n");
        write(&[("a.tf", first), ("deep/er/b.yaml", first)], false).unwrap();
        write(&[("a.tf", second)], true).unwrap();
        assert_eq!(fs::read_to_string(path("a.tf")).unwrap(), second);

        fs::write(path("mine.tf"), "mine\n").unwrap();
        let error = write(&[("new.tf", first), ("mine.tf", first)], false).unwrap_err();
        assert!(error.contains("mine.tf exists already"), "{error}");
        let error = write(&[("new.tf", first), ("deep", first)], true).unwrap_err();
        assert!(error.contains("deep is not a regular file"), "{error}");
        // A directory that takes the place of one of them before it gets its name: the others are as they were.
        for place in ["a0.tf", "c.tf", "z.tf"] {
            let files = ["a.tf", "b.tf", place].map(|name| (path(name), first.to_owned()));
            for order in [[0, 1, 2], [2, 0, 1], [0, 2, 1]] {
                let files = order.map(|it| files[it].clone());
                let staged = stage(&files, true).unwrap();
                fs::create_dir_all(path(place).join("d")).unwrap();
                let error = staged.commit().unwrap_err();
                assert!(error.contains(place) && !error.contains("undone"), "{error}");
                fs::remove_dir_all(path(place)).unwrap();
                assert_eq!(fs::read_to_string(path("a.tf")).unwrap(), second);
                assert_eq!(names(), ["a.tf", "deep", "mine.tf"]);
            }
        }
        // A file that appears meanwhile is not replaced without `--force`.
        let files = ["b.tf", "c.tf"].map(|name| (path(name), first.to_owned()));
        let staged = stage(&files, false).unwrap();
        fs::write(path("c.tf"), second).unwrap();
        let error = staged.commit().unwrap_err();
        assert!(error.contains("c.tf"), "{error}");
        assert_eq!(fs::read_to_string(path("c.tf")).unwrap(), second);
        fs::remove_file(path("c.tf")).unwrap();
        // What cannot be undone is named.
        let files = ["a.tf", "c.tf"].map(|name| (path(name), second.to_owned()));
        let staged = stage(&files, true).unwrap();
        fs::remove_file(staged.files[0].previous.as_ref().unwrap().path()).unwrap();
        fs::create_dir_all(path("c.tf/d")).unwrap();
        let error = staged.commit().unwrap_err();
        assert!(error.contains("a.tf was written, which could not be undone"), "{error}");
        fs::remove_dir_all(path("c.tf")).unwrap();
        // `a.tf` is a file, so nothing can be below it.
        let error = write(&[("a.tf", first), ("a.tf/b", first)], true).unwrap_err();
        assert!(error.contains("a.tf/b"), "{error}");
        assert_eq!(fs::read_to_string(path("a.tf")).unwrap(), second);
        assert_eq!(fs::read_to_string(path("mine.tf")).unwrap(), "mine\n");
        assert_eq!(names(), ["a.tf", "deep", "mine.tf"]);
    }

    #[cfg(unix)]
    #[test]
    fn replaced_file_keeps_its_link_and_its_permissions() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("target.tf");
        let link = directory.path().join("link.tf");
        fs::write(&target, "first\n").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&target, &link).unwrap();
        let files = [(link.clone(), "second\n".to_owned())];
        stage(&files, false).err().unwrap();
        stage(&files, true).unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "second\n");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
