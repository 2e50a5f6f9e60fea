//! A wheel, which is what pip installs from a file: the command and its pages in a zip archive. gzip compresses, as zip's method is the
//! same.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::files;

/// Makes it of what is laid out; its name.
pub fn make(tree: &Path, folder: &Path, kind: &str, glibc: &str, date: u64) -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    let glibc: Vec<&str> = glibc.split('.').take(2).collect();
    let tag = format!("py3-none-manylinux_{}_{kind}", glibc.join("_"));
    let (data, info) = (format!("rankine-{version}.data"), format!("rankine-{version}.dist-info"));
    let draft = tree.with_file_name("wheel");
    let mut archive = Archive { date: dos(date), ..Archive::default() };
    archive.add(&format!("{data}/scripts/rankine"), &tree.join("bin/rankine"), 0o755)?;
    for file in files::beneath(&tree.join("share"))? {
        archive.add(&format!("{data}/data/{}", file.strip_prefix(tree)?.display()), &file, 0o644)?;
    }
    let metadata = format!(
        "Metadata-Version: 2.1\nName: rankine\nVersion: {version}\n\
         Summary: runs MPI programs that were compiled once, to WebAssembly\n\
         License: Apache-2.0 WITH LLVM-exception\n"
    );
    let about = format!("Wheel-Version: 1.0\nGenerator: rankine\nRoot-Is-Purelib: false\nTag: {tag}\n");
    for (name, text) in [("METADATA", metadata), ("WHEEL", about)] {
        files::write(&draft, text.as_bytes(), 0o644)?;
        archive.add(&format!("{info}/{name}"), &draft, 0o644)?;
    }
    files::write(&draft, format!("{}{info}/RECORD,,\n", archive.record).as_bytes(), 0o644)?;
    archive.add(&format!("{info}/RECORD"), &draft, 0o644)?;
    let name = format!("rankine-{version}-{tag}.whl");
    files::write(&folder.join(&name), &archive.finish()?, 0o644)?;
    Ok(name)
}

/// A zip archive that is being written.
#[derive(Default)]
struct Archive {
    /// Time and date of all files, as DOS has them.
    date: [u8; 4],
    bytes: Vec<u8>,
    /// What stands at its end: every file once more, and where it begins.
    directory: Vec<u8>,
    count: u16,
    /// What pip compares with what it unpacks.
    record: String,
}

impl Archive {
    fn add(&mut self, name: &str, file: &Path, mode: u32) -> Result<()> {
        let content = files::read(file)?;
        self.record += &format!("{name},sha256={},{}\n", base64(&files::digest(&content)), content.len());
        let packed = files::gzip(file)?;
        // A head without options, and at the end the checksum and the length.
        ensure!(
            packed.len() >= 18 && packed[..4] == [0x1f, 0x8b, 8, 0],
            "gzip has packed {} in another way",
            file.display()
        );
        let (packed, end) = packed[10..].split_at(packed.len() - 18);
        let start = u32::try_from(self.bytes.len()).context("a wheel has at most 4 GiB")?;
        let mut head = vec![20, 0, 0, 0, 8, 0];
        head.extend(self.date);
        head.extend(&end[..4]);
        head.extend(u32::try_from(packed.len())?.to_le_bytes());
        head.extend(u32::try_from(content.len())?.to_le_bytes());
        head.extend(u16::try_from(name.len())?.to_le_bytes());
        head.extend([0, 0]);
        self.bytes.extend([b"PK\x03\x04", &head[..], name.as_bytes(), packed].concat());
        // Written on Unix, so the mode counts.
        self.directory.extend([b"PK\x01\x02\x14\x03", &head[..], &[0; 6]].concat());
        self.directory.extend(((0o100_000 | mode) << 16).to_le_bytes());
        self.directory.extend(start.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<u8>> {
        let start = u32::try_from(self.bytes.len()).context("a wheel has at most 4 GiB")?;
        let length = u32::try_from(self.directory.len())?;
        let count = self.count.to_le_bytes();
        self.bytes.extend(self.directory);
        self.bytes.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count].concat());
        self.bytes.extend([length.to_le_bytes(), start.to_le_bytes()].concat());
        self.bytes.extend([0, 0]);
        Ok(self.bytes)
    }
}

/// A time as DOS has it, which begins with 1980.
fn dos(seconds: u64) -> [u8; 4] {
    let (mut days, time) = (seconds / 86400, seconds % 86400);
    let length =
        |year: u64| 365 + u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)));
    let mut year = 1970;
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    if year < 1980 {
        return [0, 0, 0x21, 0];
    }
    let months = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    let date = (year - 1980) << 9 | (month as u64 + 1) << 5 | (days + 1);
    let time = ((time / 3600) << 11) | ((time / 60 % 60) << 5) | (time % 60 / 2);
    (((date as u32) << 16) | time as u32).to_le_bytes()
}

/// Base 64 as in addresses of the web, without what fills it up.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(*three.get(at).unwrap_or(&0)));
        text.extend((0..=three.len()).map(|at| char::from(DIGITS[bits >> (18 - 6 * at) & 63])));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_dos() {
        let of = |year: u32, month: u32, day: u32, time: u32| {
            ((year - 1980) << 25 | month << 21 | day << 16 | time).to_le_bytes()
        };
        assert_eq!(dos(0), of(1980, 1, 1, 0));
        assert_eq!(dos(315_532_800), of(1980, 1, 1, 0));
        assert_eq!(dos(951_782_400 + 86_399), of(2000, 2, 29, 23 << 11 | 59 << 5 | 29));
        assert_eq!(dos(1_735_689_599), of(2024, 12, 31, 23 << 11 | 59 << 5 | 29));
        assert_eq!(dos(1_772_323_200), of(2026, 3, 1, 0));
    }

    #[test]
    fn digits_are_those_of_addresses() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg", "Zm8", "Zm9v", "Zm9vYg"]);
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "-_-_");
    }
}
