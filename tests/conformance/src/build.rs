//! Compiles the suite's programs, as guests by `rankine cc` and as native programs of the MPI library.

use super::list::Entry;
use super::suite::Suite;
use crate::places::Places;
use crate::process::{Ended, run_within};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

/// A compiler that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// What the programs share: the suite's own library, and that of its generated datatypes.
const LIBRARY: [&str; 9] = [
    "util/mtest.c",
    "util/mtest_common.c",
    "util/dtypes.c",
    "dtpools/src/dtpools.c",
    "dtpools/src/dtpools_attr.c",
    "dtpools/src/dtpools_custom.c",
    "dtpools/src/dtpools_desc.c",
    "dtpools/src/dtpools_init_verify.c",
    "dtpools/src/dtpools_misc.c",
];

/// What else those without threads share, and those with threads.
const UNTHREADED: &str = "util/mtest_single.c";
const THREADED: &str = "util/mtest_thread.c";

/// What is compiled for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// A module, by `rankine cc`.
    Guest,
    /// One with 64-bit addresses.
    Wide,
    /// One whose memory may have more than 4 GiB, and whose data and heap lie above them.
    Large,
    /// A native program, by `mpicc_abi`.
    Native,
}

type Outcome = Arc<OnceLock<Result<PathBuf, String>>>;
type Objects = OnceLock<Result<Vec<PathBuf>, String>>;

/// Compiles each program once.
pub struct Builder {
    suite: Suite,
    places: Places,
    output: PathBuf,
    /// For each form, of programs without threads and with them.
    libraries: [[Objects; 2]; 4],
    outcomes: Mutex<HashMap<(String, Form), Outcome>>,
}

impl Builder {
    /// A builder that has compiled nothing yet.
    pub fn new(suite: Suite, places: Places) -> Builder {
        let output = places.target.join("conformance");
        Builder { suite, places, output, libraries: Default::default(), outcomes: Mutex::default() }
    }

    /// Compiles what all programs of a form share, so that nothing else can be wrong with a program that does not
    /// compile.
    pub fn prepare(&self, form: Form) -> Result<(), String> {
        self.library(form, false).map(drop)
    }

    /// The entry's program; the compiler's first complaint, if there is none.
    pub fn program(&self, entry: &Entry, form: Form) -> Result<PathBuf, String> {
        let name = format!("{}/{}", entry.folder, entry.program);
        let outcome =
            self.outcomes.lock().expect("no compiler panics").entry((name.clone(), form)).or_default().clone();
        outcome.get_or_init(|| self.link(entry, form, &self.output.join(extended(&name, form)))).clone()
    }

    fn link(&self, entry: &Entry, form: Form, output: &Path) -> Result<PathBuf, String> {
        let library = self.library(form, entry.has_threads())?;
        if self.is_fresh(output, form) {
            return Ok(output.to_path_buf());
        }
        let folder = self.suite.root.join(&entry.folder);
        let makefile = fs::read_to_string(folder.join("Makefile.am")).unwrap_or_default();
        let rule = Rule::of(&makefile, &entry.program);
        if let Some(source) = rule.sources.iter().find(|source| !folder.join(source).exists()) {
            return Err(format!("the suite has no {}/{source}", entry.folder));
        }
        let mut cc = self.compiler(form, entry.has_threads());
        cc.args(&rule.options).arg("-I").arg(&folder);
        cc.args(rule.sources.iter().map(|source| folder.join(source))).args(library).arg("-lm");
        self.finish(cc, output)
    }

    fn library(&self, form: Form, has_threads: bool) -> Result<&[PathBuf], String> {
        let (extension, own) = if has_threads { ("threads.o", THREADED) } else { ("o", UNTHREADED) };
        let objects = self.libraries[form as usize][usize::from(has_threads)].get_or_init(|| {
            let object = |source: &&str| {
                let output = self.output.join(extended(source, form)).with_added_extension(extension);
                if self.is_fresh(&output, form) {
                    return Ok(output);
                }
                let mut cc = self.compiler(form, has_threads);
                if form == Form::Native {
                    // Names that MPI removed, which the guests' header has still; the library's has their successors
                    // only.
                    cc.args(["vector", "indexed"].map(|name| format!("-DMPI_Type_h{name}=MPI_Type_create_h{name}")));
                }
                cc.arg("-c").arg(self.suite.root.join(source));
                self.finish(cc, &output)
            };
            LIBRARY.iter().chain([&own]).map(object).collect()
        });
        objects.as_deref().map_err(|reason| format!("the suite's own library does not compile: {reason}"))
    }

    fn compiler(&self, form: Form, has_threads: bool) -> Command {
        let mut cc = match form {
            Form::Native => Command::new(self.places.mpi_bin.join("mpicc_abi")),
            Form::Guest | Form::Wide | Form::Large => Command::new(&self.places.rankine),
        };
        match form {
            Form::Native => &mut cc,
            Form::Guest => cc.arg("cc"),
            Form::Wide => cc.args(["cc", "-m64"]),
            Form::Large => cc.args(["cc", "-m64=large", "-Wl,--global-base=4831838208"]),
        };
        match has_threads {
            true => cc.args(["-pthread", "-DMTEST_USE_THREAD", "-DTHREADS_OF_TEST=THREAD_PACKAGE_POSIX"]),
            false => cc.arg("-DTHREADS_OF_TEST=THREAD_PACKAGE_NONE"),
        };
        // Some of these programs are one macro a thousand times over: not worth optimising. Compilers differ in what of
        // this they forgive. What the standard ABI has not, and a handle kept in an int, is to be noticed; a callback
        // or a handle of another object's type is what some tests are about.
        cc.args([
            "-O0",
            "-g",
            "-std=gnu11",
            "-DHAVE_MPI_INTEGER16",
            "-Werror=implicit-function-declaration",
            "-Werror=int-conversion",
        ]);
        cc.args(["-Wno-incompatible-pointer-types", "-Wno-incompatible-function-pointer-types"]);
        cc.arg("-I").arg(self.suite.root.join("include")).arg("-I").arg(self.suite.root.join("dtpools/include"));
        cc
    }

    fn finish(&self, mut cc: Command, output: &Path) -> Result<PathBuf, String> {
        fs::create_dir_all(output.parent().expect("it lies in a folder")).map_err(|e| e.to_string())?;
        // Whoever interrupts a compiler finds no half of a program later.
        let draft = output.with_added_extension("new");
        cc.arg("-o").arg(&draft);
        let run = run_within(cc, None, LIMIT)?;
        match run.ended {
            Ended::Status(0) => fs::rename(&draft, output).map(|()| output.to_path_buf()).map_err(|e| e.to_string()),
            _ => Err(complaint(&run.stderr).unwrap_or_else(|| run.to_string())),
        }
    }

    /// Whether it was compiled by this `rankine` already.
    fn is_fresh(&self, output: &Path, form: Form) -> bool {
        let from = match form {
            Form::Native => self.places.mpi_bin.join("mpicc_abi"),
            Form::Guest | Form::Wide | Form::Large => self.places.rankine.clone(),
        };
        let configuration = self.suite.root.join("include/mpitestconf.h");
        let Some(made) = modified(output) else { return false };
        [from, configuration].iter().all(|path| modified(path).is_some_and(|time| time < made))
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn extended(name: &str, form: Form) -> String {
    match form {
        Form::Guest => format!("{name}.wasm"),
        Form::Wide => format!("{name}.m64.wasm"),
        Form::Large => format!("{name}.large.wasm"),
        Form::Native => format!("{name}.native"),
    }
}

/// The first error of a compiler or linker, without its place.
fn complaint(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.contains("error:") || line.contains("undefined reference"))?;
    let (_, reason) = line.split_once("error: ").or_else(|| line.split_once(": undefined"))?;
    Some(reason.trim().to_string())
}

/// How a Makefile.am says that a program is made.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    sources: Vec<String>,
    options: Vec<String>,
}

impl Rule {
    /// The rule of a program: its own, or automake's for a program without one.
    fn of(makefile: &str, program: &str) -> Rule {
        let joined = makefile.replace("\\\n", " ");
        let variable = program.replace(['-', '.'], "_");
        let words = |suffix: &str| {
            joined.lines().find_map(|line| {
                let (name, value) = line.split_once('=')?;
                (name.trim() == format!("{variable}_{suffix}")).then(|| value.split_whitespace().map(String::from))
            })
        };
        let mut sources: Vec<String> =
            words("SOURCES").into_iter().flatten().filter(|word| word.ends_with(".c")).collect();
        if sources.is_empty() {
            sources.push(format!("{program}.c"));
        }
        let options = words("CPPFLAGS").into_iter().flatten().filter(|word| word.starts_with("-D")).collect();
        Rule { sources, options }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_makefile() {
        let text = "x_SOURCES = y.c \\\n  z.c h.h\nx_CPPFLAGS  = -DA=1 $(AM_CPPFLAGS) -I../include\n";
        let rule = Rule::of(text, "x");
        assert_eq!(rule.sources, ["y.c", "z.c"]);
        assert_eq!(rule.options, ["-DA=1"]);
        assert_eq!(Rule::of(text, "a-b").sources, ["a-b.c"]);
    }

    #[test]
    fn first_complaints() {
        assert_eq!(complaint("In file x\na.c:3:4: error: no such thing\nmore").unwrap(), "no such thing");
        assert_eq!(complaint("all is well"), None);
    }
}
