//! The platforms that are released, and what a Linux machine can do for each.

/// A platform that is released.
#[derive(Debug)]
pub(super) struct Platform {
    /// The target in `.github/workflows/release.yml`.
    pub(super) released: &'static str,
    /// The target that is built here. It differs where the released one needs a linker or libraries that
    /// only its own system has.
    pub(super) target: &'static str,
    pub(super) toolchain: Toolchain,
    pub(super) runner: Runner,
}

/// The C compiler and the linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toolchain {
    /// zig, which contains the C libraries of these systems.
    Zig,
    /// zig for C, and no linker: the build ends with the type check. The text is the reason.
    ZigWithoutLinker(&'static str),
    /// mingw-w64, from Debian.
    Mingw,
}

/// The program that runs the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    /// None: this processor and system.
    Native,
    /// An emulator of a processor, from Debian.
    Qemu(&'static str),
    /// wine, from Debian.
    Wine,
    /// No program can run it. The text is the reason.
    Nothing(&'static str),
}

const APPLE: &str = "Apple's frameworks are not available outside macOS";

/// The platforms, in the order of the release.
pub(super) const PLATFORMS: [Platform; 9] = [
    Platform {
        released: "x86_64-unknown-linux-musl",
        target: "x86_64-unknown-linux-musl",
        toolchain: Toolchain::Zig,
        runner: Runner::Native,
    },
    Platform {
        released: "aarch64-unknown-linux-musl",
        target: "aarch64-unknown-linux-musl",
        toolchain: Toolchain::Zig,
        runner: Runner::Qemu("qemu-aarch64-static"),
    },
    Platform {
        released: "arm-unknown-linux-musleabihf",
        target: "arm-unknown-linux-musleabihf",
        toolchain: Toolchain::Zig,
        runner: Runner::Qemu("qemu-arm-static"),
    },
    Platform {
        released: "i686-unknown-linux-musl",
        target: "i686-unknown-linux-musl",
        toolchain: Toolchain::Zig,
        runner: Runner::Qemu("qemu-i386-static"),
    },
    Platform {
        released: "x86_64-apple-darwin",
        target: "x86_64-apple-darwin",
        toolchain: Toolchain::ZigWithoutLinker(APPLE),
        runner: Runner::Nothing("it was not linked"),
    },
    Platform {
        released: "aarch64-apple-darwin",
        target: "aarch64-apple-darwin",
        toolchain: Toolchain::ZigWithoutLinker(APPLE),
        runner: Runner::Nothing("it was not linked"),
    },
    Platform {
        released: "x86_64-pc-windows-msvc",
        target: "x86_64-pc-windows-gnu",
        toolchain: Toolchain::Mingw,
        runner: Runner::Wine,
    },
    Platform {
        released: "aarch64-pc-windows-msvc",
        target: "aarch64-pc-windows-gnullvm",
        toolchain: Toolchain::Zig,
        runner: Runner::Nothing("wine does not emulate this processor"),
    },
    Platform {
        released: "x86_64-unknown-freebsd",
        target: "x86_64-unknown-freebsd",
        toolchain: Toolchain::Zig,
        runner: Runner::Nothing(
            "programs of FreeBSD need its kernel; release.yml runs it in a virtual machine",
        ),
    },
];

impl Platform {
    /// Finds a platform by either of its targets.
    pub(super) fn find(target: &str) -> Option<&'static Self> {
        PLATFORMS.iter().find(|platform| [platform.released, platform.target].contains(&target))
    }

    /// Returns the name of the binary.
    pub(super) fn binary(&self) -> &'static str {
        if self.target.contains("-windows-") {
            "terraform-provider-access.exe"
        } else {
            "terraform-provider-access"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_those_of_the_release() {
        let workflow = include_str!("../../../../.github/workflows/release.yml");
        let mut released: Vec<_> = workflow
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- { target: ")?.split([',', ' ']).next())
            .collect();
        let mut platforms: Vec<_> = PLATFORMS.iter().map(|platform| platform.released).collect();
        released.sort_unstable();
        platforms.sort_unstable();
        assert_eq!(platforms, released);
    }

    #[test]
    fn platform_is_found_by_either_target() {
        let platform = Platform::find("x86_64-pc-windows-gnu").unwrap();
        assert_eq!(platform.released, "x86_64-pc-windows-msvc");
        assert_eq!(platform.binary(), "terraform-provider-access.exe");
        assert!(std::ptr::eq(Platform::find("x86_64-pc-windows-msvc").unwrap(), platform));
        assert!(Platform::find("wasm32-unknown-unknown").is_none());
    }
}
