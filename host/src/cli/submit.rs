//! `rankine submit`: a job for this machine's batch system.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Parser as _;
use rankine_system::os;

use super::print_page;
use super::values::parse_minutes;
use rankine_grid::batch::{Request, Scheduler};
use rankine_grid::names::is_name;

/// The command line of `rankine submit`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Number of ranks
    #[arg(short = 'n', long = "ranks", alias = "ntasks", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    ranks: u32,

    /// Ranks per node
    #[arg(long, alias = "ntasks-per-node", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    per_node: Option<u32>,

    /// Nodes, among which the ranks are divided evenly
    #[arg(short = 'N', long, value_name = "N", conflicts_with = "per_node", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    nodes: Option<u32>,

    /// The time limit of the job: minutes, H:MM:SS, or 45s, 30m, 1.5h, 1d
    #[arg(short, long, value_name = "TIME", value_parser = parse_minutes)]
    time: Option<u64>,

    /// The queue, which Slurm calls a partition
    #[arg(short = 'p', long, visible_alias = "partition", value_name = "NAME", value_parser = parse_name)]
    queue: Option<String>,

    /// The account or project to charge
    #[arg(short = 'A', long, value_name = "NAME", value_parser = parse_name)]
    account: Option<String>,

    /// The name of the job [default: that of the program]
    #[arg(short = 'J', long, alias = "job-name", value_name = "NAME", value_parser = parse_name)]
    name: Option<String>,

    /// The file to write the job's output to [default: one named after the job and its number]
    #[arg(short = 'o', long, value_name = "FILE", value_parser = parse_log)]
    log: Option<String>,

    /// The batch system [default: the one whose command is found: sbatch, qsub or bsub]
    #[arg(long, value_name = "NAME")]
    scheduler: Option<Scheduler>,

    /// Print the script instead of submitting it
    #[arg(long)]
    dry_run: bool,

    /// Options of `rankine run`, the program and its arguments
    #[arg(value_names = ["FILE", "ARGS"], required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    run: Vec<String>,
}

const HELP: &str = "\
What follows the options above goes to `rankine run`, which the script starts inside the
allocation, on the hosts that the batch system gives it.

Examples:
  rankine submit -n 64 --per-node 16 --time 30m heat.wasm --steps 1000
  rankine submit -n 8 --queue short --dir data::/data heat.wasm
  rankine submit -n 8 --scheduler pbs --dry-run heat.wasm    the script, to look at or to change";

fn parse_name(text: &str) -> Result<String, String> {
    if is_name(text) { Ok(text.into()) } else { Err("a name is of letters, digits and `.-_`".into()) }
}

/// A path in a line of a script's head, where nothing is quoted.
fn parse_log(text: &str) -> Result<String, String> {
    match !text.is_empty() && !text.starts_with('-') && !text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Ok(text.into()),
        false => Err("batch systems take a path without spaces".into()),
    }
}

/// Submits the job, or shows its script.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    super::log(0);
    os::only_on_unix("rankine submit", "call it where the batch system is")?;
    let run = checked(&arguments.run)?;
    let program = run.program();
    if program.starts_with('-') && !Path::new(program).exists() {
        super::run::usage(&super::suggest::unknown_option_of_submit::<Arguments, super::options::Arguments>(program));
    }
    ensure!(Path::new(program).exists(), "there is no program {program}");
    let per_node = match arguments.nodes {
        Some(nodes) if nodes > arguments.ranks => {
            super::run::usage(&format!("--nodes {nodes}: there are only {} ranks (-n)", arguments.ranks))
        }
        Some(nodes) => Some(arguments.ranks.div_ceil(nodes)),
        None => arguments.per_node,
    };
    let scheduler = arguments.scheduler.map_or_else(Scheduler::find, Ok)?;
    let request = Request {
        name: arguments.name.clone().unwrap_or_else(|| named_after(program)),
        ranks: arguments.ranks as usize,
        per_node: per_node.map(|ranks| ranks as usize),
        time: arguments.time,
        queue: arguments.queue,
        account: arguments.account,
        log: arguments.log,
    };
    let rankine = std::env::current_exe().context("the path of this program is not known")?;
    let words: Vec<OsString> = arguments.run.iter().map(OsString::from).collect();
    let script = scheduler.script(&request, &rankine, &words);
    if arguments.dry_run {
        print_page(&script)?;
        return Ok(ExitCode::SUCCESS);
    }
    submit(&scheduler.program()?, &script)
}

/// What the script will call is what `rankine run` takes: said now, not when the job's turn has come.
pub(super) fn checked(words: &[String]) -> Result<Box<super::options::Arguments>> {
    let run = parsed(&[], words).unwrap_or_else(|error| error.exit())?;
    ensure!(!run.says_where(), "`rankine submit` and the batch system decide the number of ranks and their hosts");
    let on_hosts = parsed(&["--hosts=n1"], words).map_err(|error| {
        let text = error.to_string();
        anyhow!("in an allocation the job runs with --hosts: {}", text.lines().next().unwrap_or_default())
    })??;
    on_hosts.fits_hosts().map_err(|refused| anyhow!("in an allocation the job runs with --hosts: {refused}"))?;
    Ok(run)
}

/// The options of `rankine run` in these words, and before them.
fn parsed(before: &[&str], words: &[String]) -> Result<Result<Box<super::options::Arguments>>, clap::Error> {
    let whole = ["rankine", "run"].iter().chain(before).copied().chain(words.iter().map(String::as_str));
    // What does nothing is said when the job begins.
    let translated = super::spellings::translate::<super::options::Arguments>(whole.map(OsString::from).collect());
    Ok(match super::Arguments::try_parse_from(translated.arguments)?.command {
        super::Command::Run(run) => Ok(run),
        _ => Err(anyhow!("this is not a job")),
    })
}

/// A job's name from its program's file.
fn named_after(program: &str) -> String {
    let stem = Path::new(program).file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let kept: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // PBS takes 15 characters.
    kept.chars().take(15).collect()
}

/// Gives the script to the batch system, whose words and status are ours.
fn submit(program: &Path, script: &str) -> Result<ExitCode> {
    let what = || format!("{} can't be run", program.display());
    let mut child = Command::new(program).stdin(Stdio::piped()).spawn().with_context(what)?;
    let mut input = child.stdin.take().expect("it is piped");
    // One that does not want it says so by its status.
    let _ = input.write_all(script.as_bytes());
    drop(input);
    let status = child.wait().with_context(what)?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_jobs() {
        assert_eq!(named_after("/w/my heat-2d.wasm"), "my_heat_2d");
        assert_eq!(named_after("a_program_with_a_long_name.wasm").len(), 15);
        assert!(parse_log("a b").is_err() && parse_log("-o").is_err() && parse_log("out/%j.txt").is_ok());
        assert!(parse_name("x;id").is_err());
    }

    #[test]
    fn what_run_takes_is_checked_now() {
        let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        assert_eq!(checked(&words("--dir data::/data a.wasm --steps 4")).unwrap().program(), "a.wasm");
        assert_eq!(checked(&words("--distribution=cyclic a.wasm")).unwrap().program(), "a.wasm");
        for line in ["-n 4 a.wasm", "--hosts n1 a.wasm", "--grid g.toml a.wasm"] {
            assert!(checked(&words(line)).is_err(), "{line}");
        }
    }
}
