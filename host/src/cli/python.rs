//! `rankine python`: a program in Python is a job of the interpreter that `rankine sdk build python` has made. So it has all
//! options of `rankine run`, and this only says what is run and what it may read.

mod image;
mod packages;
mod words;

use std::env;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{CommandFactory as _, Parser as _};
use rankine_system::grants::{Access, Folder};
use rankine_system::{tell, trust};
use rankine_toolchain::python::{HOME, Python};
use rankine_toolchain::terminal::print_page;

use super::options;
use super::run::{self, usage};
use super::spellings::{self, Translated};
use crate::engine::Name;
pub(super) use image::{compile, start};
use words::{Asked, Program, Wanted};

/// The command line of `rankine python`.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    override_usage = "rankine python [OPTIONS] [PYTHON'S OPTIONS] [SCRIPT | -m MODULE | -c CODE] [ARGS]...",
    after_help = HELP
)]
pub(super) struct Arguments {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

const HELP: &str = "\
Options:
  -n N            number of ranks [default: 1]
  --dir DIR       let the program use a folder; --dir-ro DIR: to be read only
  --venv DIR      import packages of a virtual environment of Python's
  --site DIR      import packages of a folder, as pip install --target DIR fills it
  --with DIR      run the interpreter of DIR, which has packages that were built by `rankine python build`
  --pip-check FILE  say which packages of a requirements.txt can be imported, and run nothing
  build [--output DIR] [--libraries DIR]... PACKAGE...
                  build packages with parts in C, C++ or Cython from source: a name as pip has it, a folder
                  or an archive; DIR [default: rankine-python] keeps what it has, and gets these; libraries
                  that they want are in lib and include of other folders, compiled by `rankine cc`
  and all others of `rankine run`: --label, --timeout, --profile, --view, --hosts ...
  Python's own follow: -u, -O, -W ..., -X ..., -I

Examples:
  rankine sdk build python                   once: CPython 3.13, mpi4py, numpy
  rankine python -n 4 heat.py 512            four ranks; what follows the script goes to it
  rankine python -n 4 --dir out heat.py      it may write to the folder out
  rankine python -n 2 -m mpi4py.bench helloworld
  rankine python -c 'print(6 * 7)'
  rankine python build msgpack bitarray
  rankine python -n 4 --with rankine-python count.py
  rankine python                             at a prompt, on one rank

The program may read the folder that its script lies in, and what --dir and the others name; no
other file. Packages have to be pure Python or built; mpi4py and numpy are there. An exception on one rank ends the
job, and the traceback says on which. Hashes of strings are the same on all ranks, unless you say
--env PYTHONHASHSEED=random.";

/// Variables of the interpreter's that are set unless the user sets them.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("PYTHONHOME", HOME),
    // Nobody may write there.
    ("PYTHONDONTWRITEBYTECODE", "1"),
    // Sets are to have the same order on all ranks: programs send what they find in them.
    ("PYTHONHASHSEED", "0"),
    // The other one moves the cursor of a terminal, which a guest has not.
    ("PYTHON_BASIC_REPL", "1"),
];

/// Runs the job and ends the process with its status.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    let Asked { options, with, mut sites, wanted } = words::read(arguments.words).unwrap_or_else(|wrong| usage(&wrong));
    let program = match wanted {
        Wanted::Help => return help(),
        Wanted::Check(file) => return packages::check(&file),
        Wanted::Build { output, libraries, packages } => return build(&output, &libraries, &packages),
        Wanted::Program(program) => program,
    };
    let python = with.map_or_else(Python::find, |folder| Python::with(&folder))?;
    // What the user names comes before it.
    sites.extend(python.site().map(words::Site::Folder));
    let mut command: Vec<OsString> = ["rankine", "run"].map(OsString::from).to_vec();
    command.extend(options);
    command.push(python.module().into());
    let Translated { arguments: command, notes } = spellings::translate::<options::Arguments>(command);
    notes.iter().for_each(|note| tell!("rankine: note: {note}"));
    let super::Command::Run(mut job) = super::Arguments::parse_from(command).command else {
        unreachable!("it is `run`")
    };
    if program.reads_standard_input() && (job.ranks.unwrap_or(1) > 1 || job.engine() == Name::Mpi) {
        usage("a prompt is on one rank: name a script, -m MODULE or -c CODE to run on several");
    }
    let base = working_folder(job.wdir.as_deref())?;
    grant(&mut job, &base, Folder { host: python.library(), guest: format!("{HOME}/lib"), access: Access::ReadOnly });
    let mut searched = vec![program.folder(&base)];
    let given = program.given(&base)?;
    given.folder.into_iter().for_each(|folder| grant(&mut job, &base, folder));
    job.program.extend(given.words);
    let mut path = Vec::new();
    for site in &sites {
        let folder = site.folder(&base)?;
        path.push(text(&folder)?);
        let guest = text(&folder)?;
        searched.push(folder.clone());
        grant(&mut job, &base, Folder { host: folder, guest, access: Access::ReadOnly });
    }
    let suits = image::suits(&job, &searched, &python.image_modules()?);
    set_environment(&mut job.environment, path);
    let module = if suits { python.image() } else { python.module() };
    if let Some(why) = trust::distrust_code(&module) {
        bail!("{} is not run: {why}", module.display());
    }
    job.program[0] = text(&module)?;
    run::run(*job)
}

/// Builds packages, and has the code of their interpreter in the cache.
fn build(output: &Path, libraries: &[PathBuf], packages: &[String]) -> Result<ExitCode> {
    rankine_toolchain::build::python_packages(output, libraries, packages, &start)?;
    image::compile_of(&Python::with(output)?)?;
    tell!("rankine python: ready; `rankine python --with {} SCRIPT` imports them", output.display());
    Ok(ExitCode::SUCCESS)
}

/// What a program is given of this machine.
struct Given {
    folder: Option<Folder>,
    /// The interpreter's arguments.
    words: Vec<String>,
}

impl Program {
    /// The folder that Python looks for modules in first.
    fn folder(&self, base: &Path) -> PathBuf {
        let script = self.script.map(|at| base.join(&self.words[at]));
        script.map_or(base.to_path_buf(), |script| match script.is_dir() {
            true => script,
            false => script.parent().unwrap_or(base).to_path_buf(),
        })
    }

    /// The folder that the script lies in, and its name there. One named from the working folder keeps its name.
    fn given(self, base: &Path) -> Result<Given> {
        let Program { mut words, script } = self;
        let Some(at) = script else {
            let folder = self::module(&words).filter(|name| lies_in(base, name)).map(|_| own(Path::new("."), "."));
            return Ok(Given { folder, words });
        };
        let script = Path::new(&words[at]);
        let whole = base.join(script);
        ensure!(whole.exists(), "there is no {} to be run", whole.display());
        let inside = if whole.is_dir() { script } else { script.parent().unwrap_or(Path::new("")) };
        let keeps_name = script.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let folder = match keeps_name {
            true if inside.as_os_str().is_empty() => own(Path::new("."), "."),
            true => own(inside, &text(inside)?),
            false => {
                let real = base.join(inside).canonicalize().with_context(|| whole.display().to_string())?;
                let name = script.file_name().filter(|_| !whole.is_dir());
                words[at] = text(&name.map_or(real.clone(), |name| real.join(name)))?;
                own(&real, &text(&real)?)
            }
        };
        Ok(Given { folder: Some(folder), words })
    }
}

fn own(host: &Path, guest: &str) -> Folder {
    Folder { host: host.to_path_buf(), guest: guest.to_owned(), access: Access::ReadOnly }
}

/// The package that `-m` names, up to its first dot.
fn module(words: &[String]) -> Option<&str> {
    let at = words.iter().position(|word| words::is_module(word) || words::is_code(word))?;
    if words::is_code(&words[at]) {
        return None;
    }
    let name = match words[at].split_once('m').map_or("", |(_, rest)| rest) {
        "" => words.get(at + 1)?,
        glued => glued,
    };
    name.split('.').next().filter(|name| !name.is_empty())
}

fn lies_in(folder: &Path, module: &str) -> bool {
    folder.join(module).is_dir() || folder.join(format!("{module}.py")).is_file()
}

impl words::Site {
    /// The folder of packages.
    fn folder(&self, base: &Path) -> Result<PathBuf> {
        let (option, named) = (self.option(), base.join(self.path()));
        let absolute = named.canonicalize().with_context(|| format!("{option} {}", named.display()))?;
        ensure!(absolute.is_dir(), "{option} {}: it is not a folder", named.display());
        match self {
            words::Site::Folder(_) => Ok(absolute),
            words::Site::Environment(_) => packages(&absolute).with_context(|| {
                format!(
                    "{option} {}: it is no virtual environment, as it has no lib/python3*/site-packages",
                    named.display()
                )
            }),
        }
    }
}

/// Where a virtual environment has its packages.
fn packages(environment: &Path) -> Option<PathBuf> {
    let entries = environment.join("lib").read_dir().ok()?.flatten();
    let pythons = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"));
    pythons.map(|entry| entry.path().join("site-packages")).filter(|folder| folder.is_dir()).max()
}

/// Where the job is started, of which relative paths are said.
fn working_folder(wdir: Option<&Path>) -> Result<PathBuf> {
    let here = env::current_dir().context("the working folder")?;
    Ok(wdir.map_or(here.clone(), |folder| here.join(folder)))
}

/// Lets the job read a folder, unless the user has said what is to be under that name, or has granted one in which it lies by
/// that name: a folder beneath one that a program may write to could be exchanged, and some jobs refuse that.
fn grant(job: &mut options::Arguments, base: &Path, folder: Folder) {
    let is_there = |given: &Folder| names(&given.guest) == names(&folder.guest) || leads_to(given, base, &folder);
    if !job.all_folders().iter().any(is_there) {
        job.read_only_folders.push(folder);
    }
}

fn leads_to(given: &Folder, base: &Path, folder: &Folder) -> bool {
    let real = |folder: &Folder| base.join(&folder.host).canonicalize().ok();
    let Some((given_real, real)) = real(given).zip(real(folder)) else { return false };
    let below = real.strip_prefix(given_real).ok();
    below.is_some_and(|below| {
        let mut all = names(&given.guest);
        all.extend(below.components());
        all == names(&folder.guest)
    })
}

/// The names in a guest's path, from the folder where it begins.
fn names(guest: &str) -> Vec<Component<'_>> {
    Path::new(guest).components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

fn set_environment(environment: &mut Vec<(String, String)>, path: Vec<String>) {
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) || !is_terminal;
    let defaults = ENVIRONMENT.into_iter().chain(is_plain.then_some(("NO_COLOR", "1")));
    for (name, value) in defaults {
        if environment.iter().all(|(known, _)| known != name) {
            environment.push((name.into(), value.into()));
        }
    }
    if path.is_empty() {
        return;
    }
    match environment.iter_mut().find(|(name, _)| name == "PYTHONPATH") {
        Some((_, value)) => *value = format!("{value}:{}", path.join(":")),
        None => environment.push(("PYTHONPATH".into(), path.join(":"))),
    }
}

fn text(path: &Path) -> Result<String> {
    let text = path.to_str().with_context(|| format!("{}: a guest's paths are UTF-8", path.display()))?;
    Ok(text.to_owned())
}

fn help() -> Result<ExitCode> {
    let mut command = super::Arguments::command();
    command.build();
    let subcommand = command.find_subcommand_mut("python").expect("it is a subcommand");
    print_page(&subcommand.render_help().to_string())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn program(line: &[&str]) -> Program {
        match words::read(line.iter().map(OsString::from).collect()).unwrap().wanted {
            Wanted::Program(program) => program,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_script_keeps_its_name_where_a_guest_can_know_it() {
        let work = tempfile::tempdir().unwrap();
        let base = work.path().canonicalize().unwrap();
        fs::create_dir(base.join("src")).unwrap();
        for file in ["heat.py", "src/heat.py"] {
            fs::write(base.join(file), "").unwrap();
        }
        let given = |script: &str| {
            let given = program(&["-u", script, "8"]).given(&base).unwrap();
            let folder = given.folder.unwrap();
            (folder.host, folder.guest, given.words.join(" "))
        };
        assert_eq!(given("heat.py"), (".".into(), ".".into(), "-u heat.py 8".into()));
        assert_eq!(given("src/heat.py"), ("src".into(), "src".into(), "-u src/heat.py 8".into()));
        let whole = base.join("src");
        let name = whole.display().to_string();
        for script in [format!("{name}/heat.py"), "src/../src/heat.py".into()] {
            assert_eq!(given(&script), (whole.clone(), name.clone(), format!("-u {name}/heat.py 8")));
        }
        let wrong = program(&["none.py"]).given(&base).err().unwrap().to_string();
        assert!(wrong.contains("none.py"), "{wrong}");
    }

    #[test]
    fn the_working_folder_is_read_for_a_module_that_lies_there() {
        let work = tempfile::tempdir().unwrap();
        fs::create_dir(work.path().join("solver")).unwrap();
        let is_granted = |line: &[&str]| program(line).given(work.path()).unwrap().folder.is_some();
        assert!(is_granted(&["-m", "solver.main"]) && is_granted(&["-usm", "solver"]) && is_granted(&["-msolver"]));
        assert!(!is_granted(&["-m", "timeit"]) && !is_granted(&["-c", "import solver"]) && !is_granted(&[]));
    }

    #[test]
    fn what_the_user_has_said_stays() {
        let super::super::Command::Run(mut job) = super::super::Arguments::parse_from([
            "rankine",
            "run",
            "--dir=work::.",
            "--env=PYTHONHASHSEED=7",
            "--env=PYTHONPATH=/a",
            "p.wasm",
        ])
        .command
        else {
            panic!("it is `run`")
        };
        let base = tempfile::tempdir().unwrap();
        fs::create_dir_all(base.path().join("work/src")).unwrap();
        fs::create_dir(base.path().join("other")).unwrap();
        grant(&mut job, base.path(), own(Path::new("."), "."));
        grant(&mut job, base.path(), own(Path::new("work/src"), "./src"));
        assert!(job.read_only_folders.is_empty(), "{:?}", job.read_only_folders);
        grant(&mut job, base.path(), own(Path::new("other"), "src"));
        grant(&mut job, base.path(), own(Path::new("work/src"), "/jobs/src"));
        assert_eq!(job.read_only_folders.len(), 2);
        set_environment(&mut job.environment, vec!["/b".into()]);
        let value = |name: &str| job.environment.iter().find(|(known, _)| known == name).unwrap().1.as_str();
        assert_eq!([value("PYTHONHASHSEED"), value("PYTHONPATH"), value("PYTHONHOME")], ["7", "/a:/b", HOME]);
    }

    #[test]
    fn packages_of_an_environment_are_found() {
        let work = tempfile::tempdir().unwrap();
        assert_eq!(packages(work.path()), None);
        let folder = work.path().join("lib/python3.12/site-packages");
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(packages(work.path()), Some(folder));
    }
}
