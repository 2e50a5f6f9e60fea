//! Launchers of MPI libraries: which is there, and the command by which it starts a job.
//!
//! Starting processes on other hosts is what launchers are for: nothing here does it in their place.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use rankine_system::places::{env_path, find_program};
use rankine_system::trust::Notes;
use rankine_system::{places, trust};

/// A launcher whose command line is known.
pub struct Launcher {
    /// Its file.
    pub path: PathBuf,
    kind: Kind,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// MPICH's mpiexec, and of the libraries made from it.
    Hydra,
    OpenMpi,
    Slurm,
}

/// A job, as a launcher is to start it.
#[derive(Default)]
pub struct Job {
    /// What differs from host to host, in the order of ranks.
    pub parts: Vec<Part>,
    /// A program that takes ssh's place, with its first arguments.
    pub reach: Vec<OsString>,
    /// Further options of the launcher.
    pub options: Vec<String>,
}

/// Hosts that run the same command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Their addresses, and how many ranks each carries.
    pub places: Vec<(String, usize)>,
    /// Variables that `rankine` is to have there.
    pub environment: Vec<(&'static str, PathBuf)>,
    /// The working folder of `rankine`, if it is not this process's.
    pub folder: Option<PathBuf>,
    /// The command.
    pub words: Vec<OsString>,
}

impl Part {
    fn ranks(&self) -> usize {
        self.places.iter().map(|(_, ranks)| ranks).sum()
    }
}

impl Launcher {
    /// The launcher that was named, else the one installed with the MPI library, of the active environment or on PATH.
    pub fn find(named: Option<&Path>, slurm: bool, library: Option<&Path>) -> Result<Launcher> {
        let named = match named {
            Some(named) => Some(named.to_path_buf()),
            None => places::named("RANKINE_LAUNCHER")?,
        };
        if let Some(named) = named {
            let Some(path) = find_program(&named) else { bail!("there is no launcher {}", named.display()) };
            if let Some(why) = Notes::of_user().doubt(&path) {
                bail!("the launcher {} is not run, since {why}", path.display());
            }
            let kind = kind_of(&path)?;
            return Ok(Launcher { path, kind });
        }
        let beside = library.and_then(Path::parent).and_then(Path::parent).map(|prefix| prefix.join("bin"));
        let active = places::environments().into_iter().map(|environment| environment.join("bin"));
        // A library that the loader found by its name alone has no folder.
        let beside = beside.filter(|folder| folder.is_absolute());
        let installed = beside.into_iter().chain(active).map(|folder| find_program(folder.join("mpiexec")));
        let on_path = ["mpiexec", "mpirun", "srun"].into_iter().map(places::find_launcher);
        // Slurm knows the hosts of its allocation best.
        let first = slurm.then(|| find_program("srun"));
        let mut skipped = String::new();
        for path in first.into_iter().chain(installed).chain(on_path).flatten() {
            if let Some(why) = trust::distrust_code(&path) {
                tracing::warn!("the launcher {} is not run: {why}", path.display());
                skipped += &format!("; skipped {}, since {why}", path.display());
            } else if let Ok(kind) = kind_of(&path) {
                return Ok(Launcher { path, kind });
            }
        }
        bail!(
            "no launcher was found (mpiexec, mpirun or srun): install an MPI library, for instance with `pip install mpich`, \
             or name its launcher with --launcher{skipped}"
        )
    }

    /// The one that most machines have: to show a command where there is none.
    pub fn usual(slurm: bool) -> Launcher {
        match slurm {
            true => Launcher { path: "srun".into(), kind: Kind::Slurm },
            false => Launcher { path: "mpiexec".into(), kind: Kind::Hydra },
        }
    }

    /// Its command for a job.
    pub fn command(&self, job: &Job) -> Result<Command> {
        let mut command = Command::new(&self.path);
        match self.kind {
            Kind::Hydra => hydra(&mut command, job),
            Kind::OpenMpi => open_mpi(&mut command, job),
            Kind::Slurm => slurm(&mut command, job)?,
        }
        Ok(command)
    }
}

/// `n1:4,n2:2`
fn counted<'a>(places: impl IntoIterator<Item = &'a (String, usize)>) -> String {
    let places = places.into_iter().map(|(name, ranks)| format!("{name}:{ranks}"));
    places.collect::<Vec<_>>().join(",")
}

fn hydra(command: &mut Command, job: &Job) {
    for (at, part) in job.parts.iter().enumerate() {
        if at > 0 {
            command.arg(":");
        }
        command.arg("-n").arg(part.ranks().to_string());
        if at == 0 {
            command.arg("-hosts").arg(counted(job.parts.iter().flat_map(|part| &part.places)));
            match &job.reach[..] {
                [] => {}
                [program] => drop(command.args(["-launcher", "ssh", "-launcher-exec"]).arg(program)),
                [program, first @ ..] => {
                    // What it calls rsh is called without ssh's options; they would come before the first arguments.
                    command.args(["-launcher", "rsh", "-launcher-exec"]).arg(program);
                    command.env("HYDRA_LAUNCHER_EXTRA_ARGS", first.join(OsStr::new(" ")));
                }
            }
            command.args(&job.options);
        }
        for (name, value) in &part.environment {
            command.arg("-env").arg(name).arg(value);
        }
        if let Some(folder) = &part.folder {
            command.arg("-wdir").arg(folder);
        }
        command.args(&part.words);
    }
}

fn open_mpi(command: &mut Command, job: &Job) {
    for (at, part) in job.parts.iter().enumerate() {
        if at > 0 {
            command.arg(":");
        }
        command.arg("-n").arg(part.ranks().to_string()).arg("--host").arg(counted(&part.places));
        if at == 0 {
            if !job.reach.is_empty() {
                command.args(["--mca", "plm_rsh_agent"]).arg(job.reach.join(OsStr::new(" ")));
            }
            // Hydra and Slurm pass the whole environment on.
            for name in ["RANKINE_CACHE_DIR", "RANKINE_STATE_DIR", "RANKINE_MPI_LIB", "VIRTUAL_ENV"] {
                if env_path(name).is_some() {
                    command.args(["-x", name]);
                }
            }
            command.args(&job.options);
        }
        for (name, value) in &part.environment {
            let mut variable = OsString::from(format!("{name}="));
            variable.push(value);
            command.arg("-x").arg(variable);
        }
        if let Some(folder) = &part.folder {
            command.arg("--wdir").arg(folder);
        }
        command.args(&part.words);
    }
}

fn slurm(command: &mut Command, job: &Job) -> Result<()> {
    let [part] = &job.parts[..] else {
        bail!(
            "srun starts the same command on all nodes, and these have `rankine` or their stores in different places; \
             give them the same paths, or use another launcher (--launcher)"
        )
    };
    let each = part.places[0].1;
    ensure!(
        part.places.iter().all(|(_, ranks)| *ranks == each),
        "srun places ranks itself, and these hosts get different numbers of them ({}); \
         give each the same number of slots, or use another launcher",
        counted(&part.places).replace(',', " ")
    );
    let names: Vec<&str> = part.places.iter().map(|(name, _)| name.as_str()).collect();
    command.arg("-n").arg(part.ranks().to_string());
    command.arg(format!("--nodes={}", names.len())).arg(format!("--ntasks-per-node={each}"));
    command.arg(format!("--nodelist={}", names.join(",")));
    command.args(&job.options);
    if let Some(folder) = &part.folder {
        command.arg("--chdir").arg(folder);
    }
    // What a site has as its own default may leave tasks without a way to meet.
    if !job.options.iter().any(|option| option.starts_with("--mpi")) {
        command.arg("--mpi=pmi2");
    }
    command.envs(part.environment.iter().cloned()).args(&part.words);
    Ok(())
}

/// Which launcher a program is, from what it says of its version.
fn kind_of(launcher: &Path) -> Result<Kind> {
    let output = Command::new(launcher)
        .arg("--version")
        .output()
        .with_context(|| format!("the launcher {} cannot be started", launcher.display()))?;
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    match kind_in(&text) {
        Some(kind) => Ok(kind),
        None => bail!(
            "{} is not a launcher that is known here; it says: {}",
            launcher.display(),
            text.lines().next().unwrap_or("nothing")
        ),
    }
}

fn kind_in(version: &str) -> Option<Kind> {
    let says = |word: &str| version.contains(word);
    if says("HYDRA") {
        Some(Kind::Hydra)
    } else if says("Open MPI") || says("OpenRTE") || says("PRRTE") {
        Some(Kind::OpenMpi)
    } else if version.starts_with("slurm") {
        Some(Kind::Slurm)
    } else {
        None
    }
}

/// A command as one would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// A word as one would type it.
pub fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "/bin/rankine run --engine mpi --dir 'data::/my data' /w/job.wasm --steps 10";

    fn part(places: &[(&str, usize)]) -> Part {
        let places = places.iter().map(|(name, ranks)| (name.to_string(), *ranks)).collect();
        let words =
            ["/bin/rankine", "run", "--engine", "mpi", "--dir", "data::/my data", "/w/job.wasm", "--steps", "10"];
        Part { places, words: words.map(OsString::from).to_vec(), ..Part::default() }
    }

    fn composed(kind: Kind, job: &Job) -> Result<String> {
        Ok(shown(&Launcher { path: "mpiexec".into(), kind }.command(job)?))
    }

    #[test]
    fn commands_of_launchers() {
        let job = |places: &[_]| Job { parts: vec![part(places)], ..Job::default() };
        let uneven = job(&[("a", 3), ("b", 2)]);
        assert_eq!(composed(Kind::Hydra, &uneven).unwrap(), format!("mpiexec -n 5 -hosts a:3,b:2 {WORDS}"));
        let open = composed(Kind::OpenMpi, &uneven).unwrap();
        assert!(open.starts_with("mpiexec -n 5 --host a:3,b:2 ") && open.ends_with(WORDS), "{open}");
        let slurm = composed(Kind::Slurm, &job(&[("a", 4), ("b", 4)])).unwrap();
        assert_eq!(slurm, format!("mpiexec -n 8 --nodes=2 --ntasks-per-node=4 --nodelist=a,b --mpi=pmi2 {WORDS}"));
        let error = composed(Kind::Slurm, &uneven).unwrap_err().to_string();
        assert!(error.contains("a:3 b:2"), "{error}");
    }

    #[test]
    fn nodes_of_different_kinds_have_commands_of_their_own() {
        let arm = Part {
            environment: vec![("RANKINE_CACHE_DIR", "/c".into())],
            folder: Some("/scratch/r".into()),
            words: vec!["/arm/rankine".into()],
            ..part(&[("c", 1)])
        };
        let parts = vec![part(&[("a", 3), ("b", 2)]), arm];
        let job = Job { parts, reach: ["/bin/rankine", "grid", "ssh"].map(OsString::from).to_vec(), ..Job::default() };
        let launcher = Launcher { path: "mpiexec".into(), kind: Kind::Hydra };
        let command = launcher.command(&job).unwrap();
        assert_eq!(
            shown(&command),
            format!(
                "mpiexec -n 5 -hosts a:3,b:2,c:1 -launcher rsh -launcher-exec /bin/rankine {WORDS} \
                 : -n 1 -env RANKINE_CACHE_DIR /c -wdir /scratch/r /arm/rankine"
            )
        );
        let extra = command.get_envs().find(|(name, _)| *name == "HYDRA_LAUNCHER_EXTRA_ARGS").unwrap().1;
        assert_eq!(extra, Some(OsStr::new("grid ssh")));
        let open = composed(Kind::OpenMpi, &job).unwrap();
        assert!(open.contains("--mca plm_rsh_agent '/bin/rankine grid ssh'"), "{open}");
        assert!(open.ends_with(" : -n 1 --host c:1 -x RANKINE_CACHE_DIR=/c --wdir /scratch/r /arm/rankine"), "{open}");
        assert!(composed(Kind::Slurm, &job).unwrap_err().to_string().contains("different places"));
    }

    #[test]
    fn another_shell_and_options_of_the_launcher() {
        let job = Job {
            parts: vec![part(&[("a", 1)])],
            reach: vec!["/bin/rsh".into()],
            options: vec!["-iface".into(), "ib0".into()],
        };
        let hydra = composed(Kind::Hydra, &job).unwrap();
        assert!(hydra.contains("-hosts a:1 -launcher ssh -launcher-exec /bin/rsh -iface ib0 /bin/rankine"), "{hydra}");
        let open = composed(Kind::OpenMpi, &job).unwrap();
        assert!(open.contains("--mca plm_rsh_agent /bin/rsh"), "{open}");
    }

    #[test]
    fn launchers_say_who_they_are() {
        assert_eq!(kind_in("HYDRA build details:\n    Version: 5.0.2"), Some(Kind::Hydra));
        assert_eq!(kind_in("mpirun (Open MPI) 5.0.11"), Some(Kind::OpenMpi));
        assert_eq!(kind_in("slurm 24.11"), Some(Kind::Slurm));
        assert_eq!(kind_in("GNU bash"), None);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("it's".as_ref()), r"'it'\''s'");
        assert_eq!(quoted("".as_ref()), "''");
    }
}
