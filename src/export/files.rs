//! Files that an export writes: whole or not at all, and never over a file that exists, unless
//! `--force` is given.
//!
//! A program that is killed, a full disk or an error must not leave half a configuration, whose
//! next plan would destroy the rest. So each file is written under another name in its directory,
//! and gets its own name once everything has succeeded.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;

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

/// Files that are written, and do not have their names yet. If this is dropped, they are removed.
pub(super) struct Staged(
    /// Each with its name, after the one that it has for now.
    Vec<(PathBuf, PathBuf)>,
);

/// Writes the files under other names in the same directories, which are created.
///
/// # Errors
///
/// One of the files must not be replaced, or cannot be written. None of them stays.
pub(super) fn stage(files: &[(PathBuf, String)], force: bool) -> Result<Staged, String> {
    files.iter().try_for_each(|(path, _)| check(path, force))?;
    let mut staged = Staged(Vec::new());
    for (path, text) in files {
        let failed = |error: io::Error| format!("Could not write {}: {error}", path.display());
        // A link stays a link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let Some(name) = target.file_name() else {
            return Err(format!("{} is not a file", path.display()));
        };
        if let Some(directory) = target.parent() {
            fs::create_dir_all(directory).map_err(failed)?;
        }
        // Terraform does not read files whose names begin with a dot.
        let name = format!(".{}.{}", name.to_string_lossy(), process::id());
        let temporary = target.with_file_name(name);
        let mut file = File::create_new(&temporary).map_err(failed)?;
        staged.0.push((temporary, target));
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    }
    Ok(staged)
}

impl Staged {
    /// Gives the files their names.
    ///
    /// # Errors
    ///
    /// A file cannot be replaced. Others may have been.
    pub(super) fn commit(mut self) -> Result<(), String> {
        // One at a time: what is left when one fails is removed with `self`.
        while let Some((temporary, target)) = self.0.pop() {
            if let Ok(existing) = fs::metadata(&target) {
                // Whoever could read the file before still can.
                _ = fs::set_permissions(&temporary, existing.permissions());
            }
            fs::rename(&temporary, &target).map_err(|error| {
                _ = fs::remove_file(&temporary);
                format!("Could not write {}: {error}", target.display())
            })?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            _ = fs::remove_file(temporary);
        }
    }
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
        // A directory that takes the place of the second file before it gets its name: the first
        // keeps its old text.
        let files = ["a.tf", "c.tf"].map(|name| (path(name), first.to_owned()));
        let staged = stage(&files, true);
        fs::create_dir_all(path("c.tf/d")).unwrap();
        let error = staged.unwrap().commit().unwrap_err();
        assert!(error.contains("c.tf"), "{error}");
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
