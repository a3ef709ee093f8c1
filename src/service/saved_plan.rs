//! Whether this process applies a saved plan.
//!
//! An apply plans each resource again before it applies it, with the same call as the plan before
//! it. The provider cannot distinguish the two by their requests, but an error of the second one is
//! worse: Terraform has deposed the object that is replaced by then, and only a failed create
//! restores it. The command line of the parent process shows whether a saved plan is applied:
//! `terraform apply PLANFILE`. If the command line cannot be read, the provider assumes a plan and
//! reports existing objects immediately.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

/// Returns whether the command line of the parent process is an `apply` with a saved plan. Reads it
/// once; the program's name is not checked.
pub(crate) fn is_applied() -> bool {
    static APPLIED: OnceLock<bool> = OnceLock::new();
    *APPLIED.get_or_init(|| read_parent_command().unwrap_or(false))
}

#[cfg(target_os = "linux")]
fn read_parent_command() -> Option<bool> {
    let parent = std::path::PathBuf::from(format!("/proc/{}", std::os::unix::process::parent_id()));
    let command_line = std::fs::read(parent.join("cmdline")).ok()?;
    let arguments: Vec<String> = command_line
        .split(|byte| *byte == 0)
        .filter(|argument| !argument.is_empty())
        .map(|argument| String::from_utf8_lossy(argument).into_owned())
        .collect();
    let directory = std::fs::read_link(parent.join("cwd")).ok()?;
    Some(names_saved_plan(&arguments, &directory))
}

#[cfg(not(target_os = "linux"))]
fn read_parent_command() -> Option<bool> {
    None
}

/// Returns whether the command line is an `apply` with a saved plan. An argument that is not a plan
/// file, such as the value of an option, does not count.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there is no /proc"))]
fn names_saved_plan(arguments: &[String], directory: &Path) -> bool {
    let directory = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("-chdir="))
        .map_or_else(|| directory.to_owned(), |chdir| directory.join(chdir));
    let mut positional = arguments.iter().skip(1).filter(|argument| !argument.starts_with('-'));
    positional.next().is_some_and(|command| command == "apply")
        && positional.any(|argument| is_plan_file(&directory.join(argument)))
}

/// Returns whether a file is a ZIP archive, as plan files are.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there is no /proc"))]
fn is_plan_file(file: &Path) -> bool {
    let mut start = [0; 4];
    File::open(file).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == *b"PK\x03\x04"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_plan_is_an_argument_of_an_apply() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("stack")).unwrap();
        for plan in ["plan", "stack/inner"] {
            std::fs::write(directory.path().join(plan), b"PK\x03\x04 and more").unwrap();
        }
        std::fs::write(directory.path().join("a=b"), b"not a plan").unwrap();
        let cases: [(&[&str], bool); 9] = [
            (&["terraform", "apply", "plan"], true),
            (&["tofu", "apply", "-input=false", "plan", "-no-color"], true),
            (&["terraform", "-chdir=stack", "apply", "inner"], true),
            (&["terraform", "-chdir=stack", "apply", "plan"], false),
            (&["terraform", "apply"], false),
            (&["terraform", "apply", "-auto-approve"], false),
            (&["terraform", "apply", "-var", "a=b"], false),
            (&["terraform", "plan", "plan"], false),
            (&["terraform", "apply", "missing"], false),
        ];
        for (arguments, saved) in cases {
            let owned: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(names_saved_plan(&owned, directory.path()), saved, "{arguments:?}");
        }
    }
}
