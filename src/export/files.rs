//! Files that an export writes: whole or not at all, and never over a file that it has not written.
//!
//! A program that is killed, a full disk or an error of the service must not leave half a
//! configuration, whose next plan would destroy the rest. So each file is written under another
//! name in its directory, and gets its own name once everything has succeeded.
//!
//! A file that an export has written says so in its first line, with a checksum of the lines below.
//! Where the two disagree, somebody has edited the file.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;

/// What a file of an export says about itself. A checksum follows in parentheses.
const MARK: &str = "Written by `terraform-provider-access export`";

/// A file to write.
pub(super) struct NewFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Returns the text with a first line that says who has written it. `remark` follows in that line.
pub(super) fn seal(text: &str, remark: &str) -> String {
    format!("# {}{remark}\n{text}", mark(text))
}

/// Returns the mark of a text: without its own line, and without that above it.
pub(super) fn mark(text: &str) -> String {
    format!("{MARK} (checksum {:016x}).", checksum(text))
}

/// Returns the 64-bit FNV-1a hash of a text without carriage returns, which Git may add and remove.
/// It has to notice edits, not attacks.
fn checksum(text: &str) -> u64 {
    let bytes = text.bytes().filter(|byte| *byte != b'\r');
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// What is at the place of a new file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    /// An export has written it, and nobody has edited it.
    Export,
    /// An export has written it, and somebody has edited it.
    Edited,
    Other,
}

impl Origin {
    /// A table has no comments, so its header says what it is. JSON has none either: its first line
    /// is a brace.
    fn of(text: &str) -> Self {
        if super::table::is_table(text) {
            return Self::Export;
        }
        let is_json = text.starts_with('{');
        let head_lines = if is_json { 2 } else { 1 };
        let mut lines = text.splitn(head_lines + 1, '\n');
        let head = lines.nth(head_lines - 1).unwrap_or_default();
        let rest = lines.next().unwrap_or_default();
        if head.contains(&mark(rest)) {
            Self::Export
        } else if head.contains(MARK) {
            Self::Edited
        } else {
            Self::Other
        }
    }
}

/// Checks what is at the place of a new file.
///
/// # Errors
///
/// The file must not be replaced. The error names the next step.
fn check(path: &Path) -> Result<(), String> {
    let failed = |error| format!("Could not read {}: {error}", path.display());
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(()),
        Ok(metadata) if !metadata.is_file() => {
            return Err(format!("{} is not a regular file. Nothing was written", path.display()));
        }
        metadata => metadata.map_err(failed)?,
    };
    let found = fs::read(path).map_err(failed)?;
    let advice = "Nothing was written. Name another file, or delete this one";
    match Origin::of(&String::from_utf8_lossy(&found)) {
        Origin::Export => Ok(()),
        Origin::Edited => Err(format!(
            "{} has been edited since an export wrote it, and is not overwritten. {advice}",
            path.display()
        )),
        Origin::Other => Err(format!(
            "{} exists already, and is not overwritten, because no export wrote it. {advice}",
            path.display()
        )),
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
pub(super) fn stage(files: &[NewFile]) -> Result<Staged, String> {
    files.iter().try_for_each(|file| check(&file.path))?;
    let mut staged = Staged(Vec::new());
    for NewFile { path, text } in files {
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
    fn origin_is_what_the_first_line_and_the_checksum_say() {
        let sealed = seal("a = 1\nb = 2\n", " Delete it.");
        assert!(sealed.starts_with("# Written by `terraform-provider-access export` (checksum "));
        assert!(sealed.ends_with(". Delete it.\na = 1\nb = 2\n"), "{sealed}");
        let rest = "  \"a\": 1\n}\n";
        let json = format!("{{\n  \"$comment\": \"{}\",\n{rest}", mark(rest));
        for (text, expected) in [
            (sealed.clone(), Origin::Export),
            (sealed.replace('\n', "\r\n"), Origin::Export),
            (sealed.replace("b = 2", "b = 3"), Origin::Edited),
            (sealed.clone() + "\n", Origin::Edited),
            (format!("\n{sealed}"), Origin::Other),
            (json.clone(), Origin::Export),
            (json.replace("1\n", "2\n"), Origin::Edited),
            ("{\n  \"a\": 1\n}\n".to_owned(), Origin::Other),
            (super::super::table::write(&Default::default(), "https://host", None), Origin::Export),
            (String::new(), Origin::Other),
            ("{".to_owned(), Origin::Other),
            ("listing,role\r\n".to_owned(), Origin::Other),
        ] {
            assert_eq!(Origin::of(&text), expected, "{text}");
        }
    }

    #[test]
    fn files_are_written_together_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let write = |files: &[(&str, &str)]| {
            let files = files
                .iter()
                .map(|(name, text)| NewFile { path: path(name), text: (*text).to_owned() });
            stage(&files.collect::<Vec<_>>())?.commit()
        };
        let names = || {
            let entries = fs::read_dir(directory.path()).unwrap();
            let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let first = seal("first\n", "");
        let second = seal("second\n", "");
        write(&[("a.tf", &first), ("deep/er/b.yaml", &first)]).unwrap();
        write(&[("a.tf", &second)]).unwrap();
        assert_eq!(fs::read_to_string(path("a.tf")).unwrap(), second);

        fs::write(path("mine.tf"), "mine\n").unwrap();
        let error = write(&[("a.tf", &first), ("mine.tf", &first)]).unwrap_err();
        assert!(error.contains("mine.tf exists already"), "{error}");
        // A directory that takes the place of the second file before it gets its name: the first
        // keeps its old text.
        let staged = stage(&[
            NewFile { path: path("a.tf"), text: first.clone() },
            NewFile { path: path("c.tf"), text: first.clone() },
        ]);
        fs::create_dir_all(path("c.tf/d")).unwrap();
        let error = staged.unwrap().commit().unwrap_err();
        assert!(error.contains("c.tf"), "{error}");
        fs::remove_dir_all(path("c.tf")).unwrap();
        // `a.tf` is a file, so nothing can be below it.
        let error = write(&[("a.tf", &first), ("a.tf/b", &first)]).unwrap_err();
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
        fs::write(&target, seal("first\n", "")).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&target, &link).unwrap();
        let text = seal("second\n", "");
        let files = [NewFile { path: link.clone(), text: text.clone() }];
        stage(&files).unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), text);
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
