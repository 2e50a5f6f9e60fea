//! The suite's lists of tests: which program runs with how many processes, with what arguments, and what it must do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The folders of the suite that are run, and the chapter of the page that each counts for.
pub const CHAPTERS: [&str; 16] = [
    "attr", "coll", "comm", "datatype", "errhan", "group", "info", "init", "pt2pt", "part", "topo", "io", "rma",
    "spawn", "mpi_t", THREADS,
];

/// The chapter whose folders have one for each other chapter: the programs with threads.
const THREADS: &str = "threads";

/// One run of one program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The folder: `coll`, `errors/coll`.
    pub folder: String,
    /// The program, without an extension.
    pub program: String,
    /// How many processes.
    pub ranks: u32,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// What the run must do.
    pub expected: Expected,
    /// More time than usual.
    pub seconds: Option<u64>,
    /// Why the suite itself would not run it as it is set up by default.
    pub off: Option<&'static str>,
    /// Gigabytes of memory that it needs, if a rank needs more than a 32-bit address reaches.
    pub gigabytes: Option<u64>,
}

/// What a run must do to pass.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// End with status 0 and print nothing but ` No Errors`.
    NoErrors,
    /// End with another status than 0.
    Failure,
}

impl Entry {
    /// `coll/allred/4 -count=10`: unique among the entries.
    pub fn name(&self) -> String {
        let mut name = format!("{}/{}/{}", self.folder, self.program, self.ranks);
        for argument in &self.arguments {
            name.push(' ');
            name.push_str(argument);
        }
        name
    }

    /// Whether the program has threads.
    pub fn has_threads(&self) -> bool {
        self.folder.starts_with(THREADS)
    }

    /// The chapter of the page.
    pub fn chapter(&self) -> &str {
        if self.has_threads() {
            return THREADS;
        }
        self.folder.rsplit('/').next().unwrap_or(&self.folder)
    }
}

/// All entries of the chapters, each once.
pub fn read(root: &Path) -> Result<Vec<Entry>, String> {
    let mut entries = BTreeSet::new();
    for chapter in CHAPTERS {
        for folder in [chapter.to_string(), format!("errors/{chapter}"), format!("{THREADS}/{chapter}")] {
            for file in ["testlist", "testlist.in"] {
                if let Ok(text) = fs::read_to_string(root.join(&folder).join(file)) {
                    entries.extend(text.lines().filter_map(|line| entry(&folder, line)));
                    break;
                }
            }
        }
    }
    let generated = root.join("maint/dtp-test-config.txt");
    let text = fs::read_to_string(&generated).map_err(|e| format!("{}: {e}", generated.display()))?;
    entries.extend(text.lines().filter(|line| !line.starts_with('#')).flat_map(generated_entries));
    Ok(entries.into_iter().collect())
}

/// A line of a testlist: `program ranks key=value …`. What the suite's configure script replaces by nothing or by a
/// comment sign stands at its beginning: `@largetest@`.
fn entry(folder: &str, line: &str) -> Option<Entry> {
    let line = line.trim();
    let (condition, line) = match line.strip_prefix('@').and_then(|rest| rest.split_once('@')) {
        Some((condition, rest)) => (condition, rest),
        None => ("", line),
    };
    let mut words = line.split_whitespace();
    let program = words.next().filter(|word| !word.starts_with('#'))?;
    let mut entry = Entry {
        folder: folder.into(),
        program: program.into(),
        ranks: 2,
        arguments: Vec::new(),
        expected: Expected::NoErrors,
        seconds: None,
        gigabytes: None,
        off: match condition {
            "largetest" => Some("a large test, off in the suite by default"),
            "ch4_ucx_tests" | "ch4_ofi_tests" | "ch4_tests" | "ch3_tests" => Some("for one device of MPICH"),
            _ => None,
        },
    };
    for word in words {
        match word.split_once('=') {
            None => entry.ranks = word.parse().unwrap_or(entry.ranks),
            Some(("arg", value)) => entry.arguments.push(value.into()),
            Some(("timeLimit", value)) => entry.seconds = value.parse().ok(),
            Some(("resultTest", _)) => entry.expected = Expected::Failure,
            Some(("xfail", _)) => entry.off = Some("the suite itself expects it to fail"),
            Some(("mem", value)) => {
                let needed = value.parse().ok().filter(|gigabytes: &f64| *gigabytes > 4.0);
                entry.gigabytes = needed.map(|gigabytes| gigabytes.ceil() as u64);
                entry.off = needed.map(|_| "needs more memory than 4 GB").or(entry.off);
            }
            // Settings of MPICH's own devices: the same test again.
            _ => {}
        }
    }
    Some(entry)
}

/// A line of the list from which the suite generates its tests with derived datatypes:
/// `folder/program:arguments:counts:keys:ranks:least:most:…`. It becomes two runs: one simple type in small counts, and
/// a mixed one in large.
fn generated_entries(line: &str) -> Vec<Entry> {
    /// Counts beyond this only take time.
    const LARGEST: u32 = 2000;
    let fields: Vec<&str> = line.split(':').collect();
    let [path, _, counts, _, ranks, least, ..] = fields[..] else {
        return Vec::new();
    };
    let Some((folder, program)) = path.split_once('/').filter(|(folder, _)| CHAPTERS.contains(folder)) else {
        return Vec::new();
    };
    let counts: Vec<u32> =
        counts.split_whitespace().filter_map(|count| count.parse().ok()).filter(|&n| n <= LARGEST).collect();
    let runs = [("MPI_INT", counts.iter().min()), ("MPI_INT:4+MPI_DOUBLE:8", counts.iter().max())];
    let entry = |(types, count): (&str, Option<&u32>)| {
        let count = count?;
        let counts = match folder {
            "pt2pt" | "part" => vec![format!("-sendcnt={count}"), format!("-recvcnt={}", count * 2)],
            _ => vec![format!("-count={count}")],
        };
        let mut arguments = vec![format!("-type={types}")];
        arguments.extend(counts);
        arguments.extend(["-seed=1".into(), format!("-testsize={least}")]);
        Some(Entry {
            folder: folder.into(),
            program: program.into(),
            ranks: ranks.parse().ok()?,
            arguments,
            expected: Expected::NoErrors,
            seconds: Some(120),
            off: None,
            gigabytes: None,
        })
    };
    runs.into_iter().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_list() {
        assert_eq!(entry("coll", "# comment 4"), None);
        assert_eq!(entry("coll", "   "), None);
        let read = entry("coll", "allred 7 arg=-count=10 timeLimit=30 env=MPIR_CVAR_X=1").unwrap();
        assert_eq!(read.name(), "coll/allred/7 -count=10");
        assert_eq!((read.seconds, read.off), (Some(30), None));
        assert!(entry("datatype", "@largetest@large_vec 3 mem=9.8").unwrap().off.is_some());
        assert!(entry("pt2pt", "large_message 3 mem=6.5").unwrap().off.is_some());
        assert_eq!(entry("errors/coll", "rerr 2 resultTest=TestErrFatal").unwrap().expected, Expected::Failure);
        assert_eq!(entry("errors/coll", "rerr").unwrap().chapter(), "coll");
        assert_eq!(entry("threads/coll", "allred 2").unwrap().chapter(), "threads");
    }

    #[test]
    fn lines_of_the_generated_list() {
        let read = generated_entries("coll/bcast::1 512 262144::4:16:1024:0");
        let names: Vec<String> = read.iter().map(Entry::name).collect();
        assert_eq!(
            names,
            [
                "coll/bcast/4 -type=MPI_INT -count=1 -seed=1 -testsize=16",
                "coll/bcast/4 -type=MPI_INT:4+MPI_DOUBLE:8 -count=512 -seed=1 -testsize=16",
            ]
        );
        assert_eq!(generated_entries("cxx/attr/x::1::1:1024::0"), []);
        assert_eq!(generated_entries("coll/bcast::262144:timeLimit=420 mem=1.2:4:16::0"), []);
    }
}
