//! `rankine run --hosts`: a job on several hosts, by the launcher of the MPI library that is installed.
//!
//! Starting processes on other hosts is what launchers are for: this composes the command of the one that is found and
//! becomes it (`exec`), so that signals, standard streams and the exit status are the launcher's own.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail, ensure};

use super::hosts::{self, places};
use super::stage::Stage;
use crate::grants::{Grants, Kept};
use crate::places::{self, env_path, find_program};
use crate::trust;

/// The options of `rankine run` that are about other hosts.
#[derive(clap::Args)]
#[command(next_help_heading = "On several hosts")]
pub(super) struct Options {
    /// Run on these hosts by the MPI library's launcher: a file (lines `name`, `name:4`, `name slots=4`), a list
    /// `n1:4,n2:4`, or `slurm` for the allocation this is started in
    #[arg(long, value_name = "HOSTS", conflicts_with_all = ["threads", "fibers", "no_deadlock_check"])]
    hosts: Option<String>,

    /// Print the launcher's command and don't run it
    #[arg(long, requires = "hosts")]
    dry_run: bool,

    /// First copy the program and its compiled code to every host, where hosts share no file system
    #[arg(long, requires = "hosts")]
    stage: bool,

    /// The launcher (or RANKINE_LAUNCHER): mpiexec of MPICH, mpirun of Open MPI, srun
    #[arg(long, value_name = "PROGRAM", requires = "hosts")]
    launcher: Option<PathBuf>,

    /// An option for the launcher; may be repeated
    #[arg(long = "launcher-option", value_name = "OPTION", requires = "hosts", allow_hyphen_values = true)]
    launcher_options: Vec<String>,

    /// The program that runs a command on a host, instead of ssh
    #[arg(long, value_name = "PROGRAM", requires = "hosts")]
    ssh: Option<PathBuf>,
}

/// What every rank is to run.
pub(super) struct Program {
    /// As many as the hosts have slots, if nothing was said.
    pub ranks: Option<usize>,
    /// Options of `rankine run` for the ranks.
    pub options: Vec<OsString>,
    pub file: PathBuf,
    pub arguments: Vec<String>,
    /// The MPI library of this host.
    pub library: PathBuf,
    /// The folders of this host that the program may use.
    pub grants: Grants,
}

/// The launchers whose command lines are known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// MPICH's mpiexec, and of the libraries made from it.
    Hydra,
    OpenMpi,
    Slurm,
}

impl Options {
    /// Whether the job is for other hosts.
    pub(super) fn wanted(&self) -> bool {
        self.hosts.is_some()
    }

    /// Becomes the launcher.
    pub(super) fn run(&self, mut program: Program) -> Result<ExitCode> {
        let wanted = self.hosts.as_deref().unwrap_or_default();
        let places = places(&hosts::read(wanted)?, program.ranks)?;
        let (launcher, kind) = self.find_launcher(wanted == "slurm", &program.library)?;
        program.grants.keep_from([Kept::new(&launcher, "the launcher")])?;
        program.file = std::path::absolute(&program.file)?;
        let rankine = std::env::current_exe().context("the path of this program is not known")?;
        let stage = Stage::prepare(&program.file)?;
        if self.stage {
            let ssh = self.find_ssh()?;
            program.grants.keep_from([Kept::new(&ssh, "the program that reaches other hosts")])?;
            let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
            if self.dry_run {
                stage.commands(&ssh, &rankine, &names).iter().for_each(|command| println!("{}", shown(command)));
            } else {
                stage.copy(&ssh, &rankine, &names)?;
            }
            program.file = stage.destination();
        }
        let mut command = self.command(&launcher, kind, &places, &rankine, &program)?;
        if self.dry_run {
            println!("{}", shown(&command));
            return Ok(ExitCode::SUCCESS);
        }
        tracing::info!("{}", shown(&command));
        let error = command.exec();
        bail!("the launcher {} cannot be started: {error}", launcher.display())
    }

    /// The program that reaches other hosts.
    fn find_ssh(&self) -> Result<PathBuf> {
        if let Some(named) = &self.ssh {
            return find_program(named).with_context(|| format!("--ssh: there is no program {}", named.display()));
        }
        let path = find_program("ssh").context("no `ssh` was found in the folders of PATH; name one with --ssh")?;
        match trust::distrust(&path) {
            Some(why) => bail!("{} is not run, since {why}; name the program with --ssh", path.display()),
            None => Ok(path),
        }
    }

    /// The launcher that was named, else the one installed with the MPI library, of the active environment or on PATH.
    fn find_launcher(&self, slurm: bool, library: &Path) -> Result<(PathBuf, Kind)> {
        let named = match &self.launcher {
            Some(named) => Some(named.clone()),
            None => places::named("RANKINE_LAUNCHER")?,
        };
        if let Some(named) = named {
            let Some(path) = find_program(&named) else { bail!("there is no launcher {}", named.display()) };
            let kind = kind_of(&path)?;
            return Ok((path, kind));
        }
        let beside = library.parent().and_then(Path::parent).map(|prefix| prefix.join("bin"));
        let active = places::environments().into_iter().map(|environment| environment.join("bin"));
        // A library that the loader found by its name alone has no folder.
        let beside = beside.filter(|folder| folder.is_absolute());
        let installed = beside.into_iter().chain(active).map(|folder| find_program(folder.join("mpiexec")));
        let on_path = ["mpiexec", "mpirun", "srun"].into_iter().map(find_program);
        // Slurm knows the hosts of its allocation best.
        let first = slurm.then(|| find_program("srun"));
        let mut skipped = String::new();
        for path in first.into_iter().chain(installed).chain(on_path).flatten() {
            if let Some(why) = trust::distrust(&path) {
                tracing::warn!("the launcher {} is not run: {why}", path.display());
                skipped += &format!("; skipped {}, since {why}", path.display());
            } else if let Ok(kind) = kind_of(&path) {
                return Ok((path, kind));
            }
        }
        bail!(
            "no launcher was found (mpiexec, mpirun or srun): install an MPI library, for instance with `pip install mpich`, \
             or name its launcher with --launcher{skipped}"
        )
    }

    /// The launcher's command.
    fn command(
        &self,
        launcher: &Path,
        kind: Kind,
        places: &[(String, usize)],
        rankine: &Path,
        program: &Program,
    ) -> Result<Command> {
        let mut command = Command::new(launcher);
        command.arg("-n").arg(places.iter().map(|(_, ranks)| ranks).sum::<usize>().to_string());
        let counted: Vec<String> = places.iter().map(|(name, ranks)| format!("{name}:{ranks}")).collect();
        match kind {
            Kind::Hydra => {
                command.arg("-hosts").arg(counted.join(","));
                if let Some(ssh) = &self.ssh {
                    command.args(["-launcher", "ssh", "-launcher-exec"]).arg(ssh);
                }
            }
            Kind::OpenMpi => {
                command.arg("--host").arg(counted.join(","));
                if let Some(ssh) = &self.ssh {
                    command.args(["--mca", "plm_rsh_agent"]).arg(ssh);
                }
                // Hydra and Slurm pass the whole environment on.
                for name in ["RANKINE_CACHE_DIR", "RANKINE_STATE_DIR", "RANKINE_MPI_LIB", "VIRTUAL_ENV"] {
                    if env_path(name).is_some() {
                        command.args(["-x", name]);
                    }
                }
            }
            Kind::Slurm => {
                let each = places[0].1;
                ensure!(
                    places.iter().all(|(_, ranks)| *ranks == each),
                    "srun places ranks itself, and these hosts get different numbers of them ({}); \
                     give each the same number of slots, or use another launcher",
                    counted.join(" ")
                );
                let names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
                command.arg(format!("--nodes={}", names.len())).arg(format!("--ntasks-per-node={each}"));
                command.arg(format!("--nodelist={}", names.join(",")));
            }
        }
        command.args(&self.launcher_options).arg(rankine).args(["run", "--engine", "mpi"]);
        command.args(&program.options).arg(&program.file).args(&program.arguments);
        Ok(command)
    }
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
            "{} is no launcher that is known here; it says: {}",
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
pub(super) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
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

    fn options() -> Options {
        Options { hosts: None, dry_run: false, stage: false, launcher: None, launcher_options: Vec::new(), ssh: None }
    }

    fn composed(options: &Options, kind: Kind, places: &[(&str, usize)]) -> Result<String> {
        let places: Vec<(String, usize)> = places.iter().map(|(name, ranks)| (name.to_string(), *ranks)).collect();
        let program = Program {
            ranks: None,
            options: vec!["--dir".into(), "data::/my data".into()],
            file: "/w/job.wasm".into(),
            arguments: vec!["--steps".into(), "10".into()],
            library: "/opt/mpi/lib/libmpi_abi.so.1".into(),
            grants: Grants::default(),
        };
        let command = options.command("mpiexec".as_ref(), kind, &places, "/bin/rankine".as_ref(), &program)?;
        Ok(shown(&command))
    }

    #[test]
    fn commands_of_launchers() {
        let job = "/bin/rankine run --engine mpi --dir 'data::/my data' /w/job.wasm --steps 10";
        let places = [("a", 3), ("b", 2)];
        assert_eq!(composed(&options(), Kind::Hydra, &places).unwrap(), format!("mpiexec -n 5 -hosts a:3,b:2 {job}"));
        let open = composed(&options(), Kind::OpenMpi, &places).unwrap();
        assert!(open.starts_with("mpiexec -n 5 --host a:3,b:2 ") && open.ends_with(job), "{open}");
        let slurm = composed(&options(), Kind::Slurm, &[("a", 4), ("b", 4)]).unwrap();
        assert_eq!(slurm, format!("mpiexec -n 8 --nodes=2 --ntasks-per-node=4 --nodelist=a,b {job}"));
        let uneven = composed(&options(), Kind::Slurm, &places).unwrap_err().to_string();
        assert!(uneven.contains("a:3 b:2"), "{uneven}");
    }

    #[test]
    fn another_shell_and_options_of_the_launcher() {
        let options = Options {
            ssh: Some("/bin/rsh".into()),
            launcher_options: vec!["-iface".into(), "ib0".into()],
            ..options()
        };
        let hydra = composed(&options, Kind::Hydra, &[("a", 1)]).unwrap();
        assert!(hydra.contains("-hosts a:1 -launcher ssh -launcher-exec /bin/rsh -iface ib0 /bin/rankine"), "{hydra}");
        let open = composed(&options, Kind::OpenMpi, &[("a", 1)]).unwrap();
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
