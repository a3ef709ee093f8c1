//! Target platforms, with their names in Rust and in registries.

use anyhow::{Result, bail};

/// A platform to build for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    os: &'static str,
    architecture: &'static str,
}

impl Target {
    /// Parses Rust's name, such as `x86_64-unknown-linux-musl`.
    ///
    /// # Errors
    ///
    /// Fails if registries do not have a name for the operating system or the processor.
    pub(crate) fn parse(triple: &str) -> Result<Self> {
        let os = match triple {
            _ if triple.contains("-linux-") => "linux",
            _ if triple.contains("-apple-darwin") => "darwin",
            _ if triple.contains("-windows-") => "windows",
            _ if triple.ends_with("-freebsd") => "freebsd",
            _ => bail!("{triple}: registries do not have a name for this operating system."),
        };
        let architecture = match triple.split('-').next().unwrap_or_default() {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            "i586" | "i686" => "386",
            arm if arm.starts_with("arm") => "arm",
            _ => bail!("{triple}: registries do not have a name for this processor."),
        };
        Ok(Self { os, architecture })
    }

    /// Returns the registries' name, such as `linux_amd64`.
    pub(crate) fn platform(&self) -> String {
        format!("{}_{}", self.os, self.architecture)
    }

    /// Returns the file name of a program.
    pub(crate) fn file_name(&self, program: &str) -> String {
        if self.os == "windows" { format!("{program}.exe") } else { program.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_has_the_registries_names() {
        for (triple, platform) in [
            ("x86_64-unknown-linux-musl", "linux_amd64"),
            ("x86_64-unknown-linux-gnu", "linux_amd64"),
            ("aarch64-unknown-linux-musl", "linux_arm64"),
            ("arm-unknown-linux-musleabihf", "linux_arm"),
            ("i686-unknown-linux-musl", "linux_386"),
            ("x86_64-apple-darwin", "darwin_amd64"),
            ("aarch64-apple-darwin", "darwin_arm64"),
            ("x86_64-pc-windows-msvc", "windows_amd64"),
            ("aarch64-pc-windows-msvc", "windows_arm64"),
            ("x86_64-unknown-freebsd", "freebsd_amd64"),
        ] {
            assert_eq!(Target::parse(triple).unwrap().platform(), platform);
        }
        assert!(Target::parse("wasm32-unknown-unknown").is_err());
        assert!(Target::parse("riscv64gc-unknown-linux-gnu").is_err());
    }
}
