//! Compiles a guest when the first of its trials asks for it: each variant once, two at a time, and niced.

use super::Places;
use super::guest::{Guest, Source, Variant};
use super::process::{Ended, run_within};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

/// At most so many compilers run at a time.
const JOBS: usize = 2;
/// A compiler that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

type Outcome = Arc<OnceLock<Result<PathBuf, String>>>;

/// Compiles guests, and remembers what came of each.
pub struct Compiler {
    places: Arc<Places>,
    outcomes: Mutex<HashMap<PathBuf, Outcome>>,
    running: Mutex<usize>,
    ended: Condvar,
}

impl Compiler {
    /// A compiler that has compiled nothing yet.
    pub fn new(places: Arc<Places>) -> Compiler {
        Compiler { places, outcomes: Mutex::default(), running: Mutex::default(), ended: Condvar::new() }
    }

    /// The guest as a module, compiled if this is the first call for it.
    pub fn module(&self, guest: &Guest, variant: Variant) -> Result<PathBuf, String> {
        self.once(guest, variant, ".wasm", |output| match &guest.source {
            Source::C(source) => self.c(guest, variant, source, &[], output),
            Source::Fortran(source) => self.fc(guest, source, &[], output),
            Source::Wat(source) => {
                let module = wat::parse_file(source).map_err(|e| e.to_string())?;
                std::fs::write(output, module).map_err(|e| e.to_string())
            }
            Source::Cargo(folder) => self.cargo(folder, &guest.head.target, output),
        })
    }

    /// The guest in C, C++ or Fortran as a module whose addresses have 64 bits.
    pub fn wide(&self, guest: &Guest, variant: Variant) -> Result<PathBuf, String> {
        self.once(guest, variant, ".m64.wasm", |output| match &guest.source {
            Source::C(source) => self.c(guest, variant, source, &["-m64"], output),
            Source::Fortran(source) => self.fc(guest, source, &["-m64"], output),
            _ => Err("only a guest in C, C++ or Fortran has 64-bit addresses".into()),
        })
    }

    /// As that, with a memory that may have more than 4 GiB, whose data and heap lie above them.
    pub fn large(&self, guest: &Guest, variant: Variant) -> Result<PathBuf, String> {
        const ABOVE: [&str; 2] = ["-m64=large", "-Wl,--global-base=4831838208"];
        self.once(guest, variant, ".large.wasm", |output| match &guest.source {
            Source::C(source) => self.c(guest, variant, source, &ABOVE, output),
            Source::Fortran(source) => self.fc(guest, source, &ABOVE, output),
            _ => Err("only a guest in C, C++ or Fortran has 64-bit addresses".into()),
        })
    }

    /// Compiles sources of Fortran and C for Rankine.
    fn fc(&self, guest: &Guest, source: &Path, width: &[&str], output: &Path) -> Result<(), String> {
        let mut fc = self.niced(&self.places.rankine);
        fc.args(["fc", "-O1", "-g"]).args(width).args(&guest.head.cc);
        heard(guest, &self.fortran(fc, guest, source, output, |_| true)?)
    }

    /// Compiles a source of C or C++.
    fn c(&self, guest: &Guest, variant: Variant, source: &Path, width: &[&str], output: &Path) -> Result<(), String> {
        let mut cc = self.niced(&self.places.rankine);
        cc.args([if is_cpp(source) { "c++" } else { "cc" }, "-O1", "-g"]).args(width);
        cc.args(c_options(guest, variant)).arg("-I").arg(self.guests_folder()).arg(source).arg("-o").arg(output);
        heard(guest, &finish(cc)?)
    }

    /// The guest as a native program of the MPI library.
    pub fn native(&self, guest: &Guest, variant: Variant) -> Result<PathBuf, String> {
        self.once(guest, variant, ".native", |output| {
            let Source::C(source) = &guest.source else {
                return Err("only a guest in C or C++ has a native form".into());
            };
            let wrapper = if is_cpp(source) { "mpicxx_abi" } else { "mpicc_abi" };
            let mut cc = self.niced(&self.places.mpi_bin.join(wrapper));
            cc.args(["-O1", "-g", "-Wall", "-Werror"])
                .args(c_options(guest, variant))
                .arg("-I")
                .arg(self.guests_folder());
            cc.arg(source).arg("-o").arg(output).arg("-lm");
            finish(cc).map(drop)
        })
    }

    /// The guest as a native program without MPI, whose output is what the guest's must be.
    pub fn reference(&self, guest: &Guest) -> Result<PathBuf, String> {
        self.once(guest, Variant::Plain, ".reference", |output| {
            let Source::Fortran(source) = &guest.source else {
                return Err("only a guest in Fortran is compared with another compiler's output".into());
            };
            // Native flang compiles Fortran alone.
            let mut flang = self.niced(Path::new("flang-22"));
            flang.args(["-O1", "-w"]).args(&guest.head.cc);
            let folder = source.parent().expect("a file lies in a folder");
            for name in guest.head.with.iter().filter(|name| name.ends_with(".c")) {
                let object = output.with_extension("o");
                let mut clang = self.niced(Path::new("clang-22"));
                clang.args(["-O1", "-I/usr/lib/llvm-22/include/flang", "-c"]).arg(folder.join(name));
                clang.arg("-o").arg(&object);
                finish(clang)?;
                flang.arg(object).arg("-lm");
            }
            self.fortran(flang, guest, source, output, |name| !name.ends_with(".c")).map(drop)
        })
    }

    /// Compiles sources of Fortran and C, in a folder of their own for the modules.
    fn fortran(
        &self,
        mut compiler: Command,
        guest: &Guest,
        source: &Path,
        output: &Path,
        takes: impl Fn(&str) -> bool,
    ) -> Result<String, String> {
        let modules = output.with_extension("modules");
        std::fs::create_dir_all(&modules).map_err(|e| e.to_string())?;
        let folder = source.parent().expect("a file lies in a folder");
        let others = guest.head.with.iter().filter(|name| takes(name)).map(|name| folder.join(name));
        compiler.arg("-I").arg(folder).arg("-J").arg(modules).args(others).arg(source).arg("-o").arg(output);
        finish(compiler)
    }

    fn once(
        &self,
        guest: &Guest,
        variant: Variant,
        ending: &str,
        make: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let output = self.places.target.join("guests").join(format!("{}{}{ending}", guest.name, variant.suffix()));
        let outcome = self.outcomes.lock().expect("no compiler panics").entry(output.clone()).or_default().clone();
        outcome
            .get_or_init(|| {
                let _place = self.place();
                std::fs::create_dir_all(output.parent().expect("a file lies in a folder"))
                    .map_err(|e| e.to_string())?;
                if !self.is_fresh(guest, &output) {
                    make(&output)?;
                }
                Ok(output.clone())
            })
            .clone()
    }

    /// Whether what is there is newer than everything it is made from. What the compiler says is heard anew each time.
    fn is_fresh(&self, guest: &Guest, output: &Path) -> bool {
        if !guest.head.compiler.is_empty() {
            return false;
        }
        let source = match &guest.source {
            Source::C(source) => source,
            // A program of several files is compiled each time.
            Source::Fortran(source) if guest.head.with.is_empty() => source,
            _ => return false,
        };
        let Some(made) = modified(output) else {
            return false;
        };
        let native = output.extension().is_some_and(|e| e == "native" || e == "reference");
        let header = self.guests_folder().join("check.h");
        let from = [Some(source.as_path()), Some(header.as_path()), (!native).then_some(self.places.rankine.as_path())];
        from.into_iter().flatten().all(|path| modified(path).is_some_and(|time| time < made))
    }

    fn cargo(&self, folder: &Path, target: &str, output: &Path) -> Result<(), String> {
        let made = output.with_extension("cargo");
        let mut cargo = self.niced(Path::new(option_env!("CARGO").unwrap_or("cargo")));
        cargo.args(["build", "--release", "--target", target, "--target-dir"]).arg(&made).current_dir(folder);
        finish(cargo)?;
        let built = made.join(target).join("release");
        let listing = std::fs::read_dir(&built).map_err(|e| format!("{}: {e}", built.display()))?;
        let module = listing
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .find(|path| path.extension().is_some_and(|e| e == "wasm"));
        let module = module.ok_or_else(|| format!("cargo made no module in {}", built.display()))?;
        std::fs::copy(module, output).map(drop).map_err(|e| e.to_string())
    }

    fn guests_folder(&self) -> PathBuf {
        self.places.root.join("tests/guests")
    }

    fn niced(&self, program: &Path) -> Command {
        let mut command = Command::new("nice");
        command.args(["-n", "10"]).arg(program);
        command
    }

    fn place(&self) -> Place<'_> {
        let mut running = self.running.lock().expect("no compiler panics");
        while *running >= JOBS {
            running = self.ended.wait(running).expect("no compiler panics");
        }
        *running += 1;
        Place(self)
    }
}

/// The right to run one compiler.
struct Place<'a>(&'a Compiler);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.running.lock().expect("no compiler panics") -= 1;
        self.0.ended.notify_one();
    }
}

fn is_cpp(source: &Path) -> bool {
    source.extension().is_some_and(|e| e == "cpp")
}

fn c_options(guest: &Guest, variant: Variant) -> Vec<String> {
    let mut options = guest.head.cc.clone();
    if variant == Variant::Large {
        options.push("-DLARGE".into());
    }
    options
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// Compares what a compiler said with what a guest's head expects of it.
fn heard(guest: &Guest, said: &str) -> Result<(), String> {
    match guest.head.compiler.iter().find(|part| !said.contains(part.as_str())) {
        Some(part) => Err(format!("the compiler did not say: {part}\n{said}")),
        None => Ok(()),
    }
}

/// Runs a compiler; what it said on standard error.
fn finish(command: Command) -> Result<String, String> {
    let run = run_within(command, None, LIMIT)?;
    match run.ended {
        Ended::Status(0) => Ok(run.stderr),
        _ => Err(format!("it does not compile:\n{run}")),
    }
}
