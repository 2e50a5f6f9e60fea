//! Values of options, as they are written.

use std::path::Path;
use std::time::Duration;

use rankine_local::away::Numbering;
use rankine_system::grants::{Access, Folder};

/// How many ranks.
pub(super) fn parse_ranks(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number of ranks is 1 or more".into()),
        // Ranks are 32-bit in MPI, and addresses end long before that.
        Ok(ranks) if ranks > 1 << 20 => Err("that is more than a process can hold".into()),
        Ok(ranks) => Ok(ranks),
    }
}

/// How many ranks each node has, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByNode(pub(super) Vec<usize>);

impl ByNode {
    /// As the option takes it: 8x2,4.
    pub(super) fn words(&self) -> String {
        let runs = self.0.chunk_by(|one, next| one == next);
        let runs = runs.map(|run| match run.len() {
            1 => run[0].to_string(),
            nodes => format!("{}x{nodes}", run[0]),
        });
        runs.collect::<Vec<_>>().join(",")
    }
}

/// How the ranks of nodes are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum MapBy {
    /// Node after node: as many as one has, then those of the next
    Slot,
    /// In turn: one of each node, then the next of each that has more
    Node,
}

impl MapBy {
    /// As the option takes it.
    pub(super) fn word(self) -> &'static str {
        match self {
            MapBy::Slot => "slot",
            MapBy::Node => "node",
        }
    }

    pub(super) fn numbering(self) -> Numbering {
        match self {
            MapBy::Slot => Numbering::Blocks,
            MapBy::Node => Numbering::Turns,
        }
    }
}

/// The most nodes of a list.
const MOST_NODES: usize = 1 << 20;

/// A list 8,8,4, or 8x2,4.
pub(super) fn parse_by_node(text: &str) -> Result<ByNode, String> {
    let mut counts = Vec::new();
    for run in text.split(',') {
        let (ranks, nodes) = run.split_once('x').unwrap_or((run, "1"));
        let ranks = parse_ranks(ranks)?;
        let nodes = nodes.parse().ok().filter(|&nodes| (1..=MOST_NODES).contains(&nodes));
        let nodes: usize = nodes.ok_or("a list of ranks by node is 8,8,4 or 8x2,4")?;
        if counts.len() + nodes > MOST_NODES {
            return Err("that are more nodes than a job can have".into());
        }
        counts.extend(std::iter::repeat_n(ranks, nodes));
    }
    match counts.iter().sum::<usize>() > i32::MAX as usize {
        true => Err("that are more ranks than MPI has numbers for".into()),
        false => Ok(ByNode(counts)),
    }
}

/// How many threads a rank has.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number of threads is 1 to 1024".into()),
    }
}

/// A folder that is granted, `HOST` or `HOST::GUEST`.
pub(super) fn parse_folder(text: &str) -> Result<Folder, String> {
    let (host, guest) = text.split_once("::").unwrap_or((text, text));
    if host.is_empty() || guest.is_empty() {
        return Err("give a folder, and after :: the name that the program sees".into());
    }
    // As containers are given theirs; a folder may be called so. One letter alone is a drive of Windows.
    let is_drive = |host: &str| host.len() == 1 && host.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if let Some((host, guest)) = text.split_once(':').filter(|(host, _)| !host.is_empty() && !is_drive(host))
        && host.len() + 1 < text.len()
        && !text.contains("::")
        && !Path::new(text).exists()
    {
        let guest = guest.trim_end_matches(":rw");
        return Err(match guest.strip_suffix(":ro") {
            Some(guest) => format!(
                "between the two names are two colons, and what is only read is granted by --dir-ro {host}::{guest}"
            ),
            None => format!("between the two names are two colons: {host}::{guest}"),
        });
    }
    Ok(Folder { host: host.into(), guest: guest.into(), access: Access::ReadWrite })
}

/// A folder that is only to be read.
pub(super) fn parse_read_only_folder(text: &str) -> Result<Folder, String> {
    Ok(Folder { access: Access::ReadOnly, ..parse_folder(text)? })
}

/// A variable, `NAME=VALUE` or `NAME`, which is passed on.
pub(super) fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("a variable needs a name".into()),
        Some((name, value)) => Ok((name.into(), value.into())),
        None => match std::env::var(text) {
            Ok(value) => Ok((text.into(), value)),
            Err(_) => Err(format!("{text} is not set here; give its value as {text}=VALUE")),
        },
    }
}

/// A number of bytes with a binary unit: 65536, 512M, 1.5G, 2GiB.
pub(super) fn parse_size(text: &str) -> Result<usize, String> {
    let wrong = || "a size is a number and K, M or G: 512M, 1.5G".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit: usize = match text[digits..].trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(wrong()),
    };
    let (whole, part) = text[..digits].split_once('.').unwrap_or((&text[..digits], ""));
    let is_right = !whole.is_empty() && part.len() <= 9 && (part.is_empty() != text[..digits].contains('.'));
    let whole: usize = whole.parse().ok().filter(|_| is_right).ok_or_else(wrong)?;
    let part: u64 = format!("{part:0<9}").parse().map_err(|_| wrong())?;
    // Nine digits of a unit of 2⁴⁰ bytes fit 128 bits.
    let part = (u128::from(part) * unit as u128 / 1_000_000_000) as usize;
    whole.checked_mul(unit).and_then(|whole| whole.checked_add(part)).ok_or_else(|| "that is too large".into())
}

/// The memory of a rank.
pub(super) fn parse_memory(text: &str) -> Result<usize, String> {
    const PAGE: usize = 64 << 10;
    match parse_size(text)? {
        bytes if bytes < PAGE => Err(format!(
            "these are {bytes} bytes, and no program runs in less than 64K; with a unit: {}M, 2G",
            if bytes == 0 { 512 } else { bytes }
        )),
        bytes => Ok(bytes),
    }
}

/// The size of a stack for calls.
pub(super) fn parse_stack(text: &str) -> Result<usize, String> {
    const LEAST: usize = 64 << 10;
    const MOST: usize = 4 << 30;
    let bytes = parse_size(text)?;
    if (LEAST..=MOST).contains(&bytes) { Ok(bytes) } else { Err("a call stack has from 64K to 4G".into()) }
}

/// A time: H:MM:SS, a number and its unit (45s, 1.5h), or a number of what is `usual`, in seconds.
fn duration(text: &str, usual: f64) -> Option<Duration> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = |text: &str| text.parse::<f64>().ok().filter(|_| is_number(text));
    let seconds = match parts[..] {
        [hours, minutes, seconds] => {
            let below = |text: &str| number(text).filter(|&part| part < 60.0);
            number(hours)? * 3600.0 + below(minutes)? * 60.0 + below(seconds)?
        }
        [text] => {
            let units = [("s", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0), ("d", 86400.0)];
            let unit = units.iter().find_map(|(unit, length)| Some((text.strip_suffix(unit)?, *length)));
            let (digits, length) = unit.unwrap_or((text, usual));
            number(digits)? * length
        }
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}

/// A time limit: seconds, if it has no unit.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    duration(text, 1.0).ok_or_else(|| "a time is above 0: 90 seconds as 90 or 90s, else 2m, 1.5h, 1d or H:MM:SS".into())
}

/// The time limit of a batch job, in whole seconds: minutes, if it has no unit, as batch systems have it.
pub(super) fn parse_minutes(text: &str) -> Result<u64, String> {
    const TEN_YEARS: u64 = 10 * 365 * 86400;
    let seconds = duration(text, 60.0).map(|time| time.as_secs() + u64::from(time.subsec_nanos() > 0));
    // What is longer is a mistake.
    let seconds = seconds.filter(|&seconds| seconds < TEN_YEARS);
    seconds.ok_or_else(|| "a time is above 0: 90 minutes as 90 or 90m, else 45s, 1.5h, 1d or H:MM:SS".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(parse_size("65536"), Ok(65536));
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!((parse_size("1.5G"), parse_size("0.25k"), parse_size("1 G")), (Ok(3 << 29), Ok(256), Ok(1 << 30)));
        for wrong in ["", "M", "1.G", ".5G", "1.5.5G", "5X", "-1", "1e3", "99999999999999G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!((parse_memory("1.5G"), parse_memory("65536")), (Ok(3 << 29), Ok(65536)));
        let error = parse_memory("100").unwrap_err();
        assert!(error.contains("100 bytes") && error.contains("100M"), "{error}");
    }

    #[test]
    fn times_have_one_form() {
        let seconds = |text: &str| parse_seconds(text).map(|time| time.as_secs_f64());
        assert_eq!(["90", "90s", "1.5m", "0:01:30"].map(seconds), [const { Ok(90.0) }; 4]);
        assert_eq!((seconds("0.5"), seconds("2m"), seconds("1d")), (Ok(0.5), Ok(120.0), Ok(86400.0)));
        assert_eq!(["90", "1:30:00", "5400s", "90m", "1.5h"].map(parse_minutes), [const { Ok(5400) }; 5]);
        for text in ["", "0", "1:2", "1:60:00", "-5", "+5", "x", "5w", "inf", "nan", "1e400", "0s"] {
            assert!(parse_seconds(text).is_err() && parse_minutes(text).is_err(), "{text}");
        }
        assert!(parse_minutes("99999999999999999999").is_err() && parse_minutes("18446744073709551615h").is_err());
    }

    #[test]
    fn folders_and_variables() {
        let folder = |guest: &str, access| Folder { host: "a".into(), guest: guest.into(), access };
        assert_eq!(parse_folder("a::/b").unwrap(), folder("/b", Access::ReadWrite));
        assert_eq!(parse_folder("a").unwrap(), folder("a", Access::ReadWrite));
        assert_eq!(parse_read_only_folder("a::/b").unwrap(), folder("/b", Access::ReadOnly));
        assert!(parse_folder("::b").is_err() && parse_read_only_folder("b::").is_err());
        assert!(parse_folder("res:/res").unwrap_err().ends_with(": res::/res"));
        assert!(parse_folder("res:/res:ro").unwrap_err().ends_with("--dir-ro res::/res"));
        assert_eq!(parse_variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert!(parse_variable("=x").is_err());
    }
}
