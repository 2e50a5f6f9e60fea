//! Batch systems: the script that starts a job in an allocation of theirs, and the command that takes it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::launcher::quoted;
use rankine_system::places::find_program;
use rankine_system::trust;

/// The batch systems whose scripts are known.
#[derive(Copy, Clone, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Scheduler {
    /// sbatch
    Slurm,
    /// qsub, of PBS Pro, OpenPBS and Torque
    Pbs,
    /// bsub
    Lsf,
}

/// What a job wants of the batch system.
pub struct Request {
    /// What it is called.
    pub name: String,
    /// Ranks in all.
    pub ranks: usize,
    /// Ranks on each node, if that was said.
    pub per_node: Option<usize>,
    /// Seconds that it may take.
    pub time: Option<u64>,
    /// The queue, or partition.
    pub queue: Option<String>,
    /// Who pays.
    pub account: Option<String>,
    /// Where what it prints goes: with the job's number if nothing was said.
    pub log: Option<String>,
}

impl Request {
    /// Nodes that it takes; as many as the batch system likes if nothing was said of them.
    fn nodes(&self) -> Option<usize> {
        self.per_node.map(|each| self.ranks.div_ceil(each))
    }
}

impl Scheduler {
    /// The one whose command is here.
    pub fn find() -> Result<Scheduler> {
        let all = [Scheduler::Slurm, Scheduler::Pbs, Scheduler::Lsf];
        all.into_iter().find(|scheduler| find_program(scheduler.command()).is_some()).context(
            "no batch system was found (sbatch, qsub or bsub on PATH); name one with --scheduler to see its script, \
             or start the job itself: rankine run --hosts",
        )
    }

    fn command(self) -> &'static str {
        match self {
            Scheduler::Slurm => "sbatch",
            Scheduler::Pbs => "qsub",
            Scheduler::Lsf => "bsub",
        }
    }

    /// The program that takes a script from its standard input.
    pub fn program(self) -> Result<PathBuf> {
        let name = self.command();
        let path =
            find_program(name).with_context(|| format!("there is no {name} on PATH; --dry-run shows the script"))?;
        match trust::distrust_code(&path) {
            Some(why) => bail!("{} is not run, since {why}", path.display()),
            None => Ok(path),
        }
    }

    /// The hosts of an allocation, for `--hosts`, as a shell finds them in it.
    fn hosts(self) -> &'static str {
        match self {
            Scheduler::Slurm => "slurm",
            Scheduler::Pbs => "\"$PBS_NODEFILE\"",
            Scheduler::Lsf => "\"$LSB_DJOB_HOSTFILE\"",
        }
    }

    fn directives(self, request: &Request) -> Vec<String> {
        let some = |option: &str, value: Option<String>| value.map(|value| format!("{option}{value}"));
        let Request { name, ranks, .. } = request;
        let log = request.log.clone();
        let queue = request.queue.clone();
        let account = request.account.clone();
        let lines = match self {
            Scheduler::Slurm => vec![
                Some(format!("#SBATCH --job-name={name}")),
                Some(format!("#SBATCH --ntasks={ranks}")),
                some("#SBATCH --nodes=", request.nodes().map(|nodes| nodes.to_string())),
                some("#SBATCH --ntasks-per-node=", request.per_node.map(|each| each.to_string())),
                some("#SBATCH --time=", request.time.map(clock)),
                some("#SBATCH --partition=", queue),
                some("#SBATCH --account=", account),
                Some(format!("#SBATCH --output={}", log.unwrap_or_else(|| format!("{name}-%j.out")))),
            ],
            Scheduler::Pbs => {
                let each = request.per_node.unwrap_or(1);
                let chunks = ranks.div_ceil(each);
                vec![
                    Some(format!("#PBS -N {name}")),
                    Some(format!("#PBS -l select={chunks}:ncpus={each}:mpiprocs={each}")),
                    some("#PBS -l walltime=", request.time.map(clock)),
                    some("#PBS -q ", queue),
                    some("#PBS -A ", account),
                    Some("#PBS -j oe".into()),
                    some("#PBS -o ", log),
                ]
            }
            Scheduler::Lsf => vec![
                Some(format!("#BSUB -J {name}")),
                Some(format!("#BSUB -n {ranks}")),
                request.per_node.map(|each| format!("#BSUB -R \"span[ptile={each}]\"")),
                // Whole minutes.
                some("#BSUB -W ", request.time.map(|seconds| seconds.div_ceil(60).to_string())),
                some("#BSUB -q ", queue),
                some("#BSUB -P ", account),
                Some(format!("#BSUB -o {}", log.unwrap_or_else(|| format!("{name}-%J.out")))),
            ],
        };
        lines.into_iter().flatten().collect()
    }

    /// The script of a job: `run` are the words for `rankine run`.
    pub fn script(self, request: &Request, rankine: &Path, run: &[OsString]) -> String {
        let mut script = String::from("#!/bin/sh\n");
        for line in self.directives(request) {
            let _ = writeln!(script, "{line}");
        }
        if self == Scheduler::Pbs {
            script += "cd \"$PBS_O_WORKDIR\" || exit 1\n";
        }
        let words: Vec<String> = run.iter().map(|word| quoted(word)).collect();
        let (rankine, hosts) = (quoted(rankine.as_os_str()), self.hosts());
        let _ = writeln!(script, "exec {rankine} run -n {} --hosts {hosts} {}", request.ranks, words.join(" "));
        script
    }
}

/// Seconds as hours, minutes and seconds.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            name: "heat".into(),
            ranks: 64,
            per_node: Some(16),
            time: Some(5400),
            queue: Some("long".into()),
            account: Some("p42".into()),
            log: None,
        }
    }

    fn script(scheduler: Scheduler, request: &Request) -> String {
        let run = ["--dir", "my data::/data", "heat.wasm", "--steps", "10"].map(OsString::from);
        scheduler.script(request, Path::new("/opt/bin/rankine"), &run)
    }

    #[test]
    fn scripts_of_batch_systems() {
        assert_eq!(
            script(Scheduler::Slurm, &request()),
            "#!/bin/sh\n#SBATCH --job-name=heat\n#SBATCH --ntasks=64\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=16\n\
             #SBATCH --time=01:30:00\n#SBATCH --partition=long\n#SBATCH --account=p42\n#SBATCH --output=heat-%j.out\n\
             exec /opt/bin/rankine run -n 64 --hosts slurm --dir 'my data::/data' heat.wasm --steps 10\n"
        );
        assert_eq!(
            script(Scheduler::Pbs, &request()),
            "#!/bin/sh\n#PBS -N heat\n#PBS -l select=4:ncpus=16:mpiprocs=16\n#PBS -l walltime=01:30:00\n#PBS -q long\n\
             #PBS -A p42\n#PBS -j oe\ncd \"$PBS_O_WORKDIR\" || exit 1\n\
             exec /opt/bin/rankine run -n 64 --hosts \"$PBS_NODEFILE\" --dir 'my data::/data' heat.wasm --steps 10\n"
        );
        assert_eq!(
            script(Scheduler::Lsf, &request()),
            "#!/bin/sh\n#BSUB -J heat\n#BSUB -n 64\n#BSUB -R \"span[ptile=16]\"\n#BSUB -W 90\n#BSUB -q long\n#BSUB -P p42\n\
             #BSUB -o heat-%J.out\n\
             exec /opt/bin/rankine run -n 64 --hosts \"$LSB_DJOB_HOSTFILE\" --dir 'my data::/data' heat.wasm --steps 10\n"
        );
        let little =
            Request { per_node: None, time: None, queue: None, account: None, log: Some("x".into()), ..request() };
        assert!(!script(Scheduler::Slurm, &little).contains("--nodes"));
        assert!(script(Scheduler::Pbs, &little).contains("select=64:ncpus=1:mpiprocs=1\n"));
    }

    #[test]
    fn clocks() {
        assert_eq!(clock(90061), "25:01:01");
    }
}
