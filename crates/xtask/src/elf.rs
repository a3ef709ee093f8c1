//! Distinguishes static Linux binaries from those that need the system's loader.

/// Type of the program header that names the loader (`PT_INTERP`).
const INTERPRETER: u32 = 3;

/// Returns whether the binary does not name a loader, which means that it does not load libraries
/// at startup. Returns `None` if it is not a little-endian ELF file.
pub(crate) fn is_static(binary: &[u8]) -> Option<bool> {
    let is_64 = match binary.get(..6)? {
        [0x7f, b'E', b'L', b'F', 1, 1] => false,
        [0x7f, b'E', b'L', b'F', 2, 1] => true,
        _ => return None,
    };
    let (table, size, count) = if is_64 { (0x20, 0x36, 0x38) } else { (0x1c, 0x2a, 0x2c) };
    let table = if is_64 { number(binary, table, 8)? } else { number(binary, table, 4)? };
    let (size, count) = (number(binary, size, 2)?, number(binary, count, 2)?);
    for header in 0..count {
        let kind = number(binary, table.checked_add(header.checked_mul(size)?)?, 4)?;
        if kind == usize::try_from(INTERPRETER).ok()? {
            return Some(false);
        }
    }
    Some(true)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    bytes
        .iter()
        .rev()
        .try_fold(0_usize, |all, byte| Some(all.checked_mul(256)? + usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_binary_names_no_loader() {
        let mut binary = vec![0; 0x40 + 2 * 0x38];
        binary[..6].copy_from_slice(b"\x7fELF\x02\x01");
        binary[0x20] = 0x40;
        binary[0x36] = 0x38;
        binary[0x38] = 2;
        binary[0x40] = 1;
        assert_eq!(is_static(&binary), Some(true));
        binary[0x40 + 0x38] = 3;
        assert_eq!(is_static(&binary), Some(false));
        assert_eq!(is_static(b"MZ"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn own_binary_names_a_loader() {
        // Test binaries are linked with Rust's default settings on this system.
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(is_static(&own), Some(cfg!(target_feature = "crt-static")));
    }
}
