//! The head of a guest's source: comment lines `// key: value` that say how it is run and what it must do.
//!
//! The head ends at the first line that is not a comment. A line that begins with a word and a colon must have a key that is known here:
//! a misspelt one would be prose, and what it demands would not be asked. All other lines are prose.

/// What a guest's head says.
#[derive(Clone, Debug)]
pub struct Head {
    /// `ranks:` the rank counts to run with.
    pub ranks: Vec<u32>,
    /// `native:` the rank counts to run natively with, where they differ (`no` is none).
    pub native: Option<Vec<u32>>,
    /// `engines:` the engines to run on.
    pub engines: Vec<String>,
    /// `large: yes` compiles the guest a second time with the `_c` functions.
    pub large: bool,
    /// `exit:` the exit status.
    pub exit: Exit,
    /// `stdout:` substrings of the standard output.
    pub stdout: Vec<String>,
    /// `stderr:` substrings of the standard error stream; `|` separates alternatives.
    pub stderr: Vec<String>,
    /// `stderr-not:` substrings that the standard error stream must not have.
    pub stderr_not: Vec<String>,
    /// `stdin:` a line for rank 0.
    pub stdin: Option<String>,
    /// `args:` the guest's arguments.
    pub args: Vec<String>,
    /// `each:` it is run once for each of these, as a last argument.
    pub each: Vec<String>,
    /// `run:` further options of `rankine run`.
    pub run: Vec<String>,
    /// `cc:` further options of `rankine cc`.
    pub cc: Vec<String>,
    /// `target:` what cargo compiles a guest in Rust for.
    pub target: String,
    /// `compiler:` what the compiler says.
    pub compiler: Vec<String>,
    /// `seconds:` the run must end within this time.
    pub seconds: Option<u64>,
    /// `peak:` the most memory that a process of the run may take at a time.
    pub peak: Option<Peak>,
    /// `bounded: mpi` runs it over an MPI library too, where only its memory and that it ends are judged.
    pub bounded: bool,
    /// `with:` further sources beside a Fortran one, compiled before it.
    pub with: Vec<String>,
    /// `reference: flang` compares the output with that of the same program compiled by native flang.
    pub reference: bool,
    /// `part: yes` marks a file that other programs are compiled with.
    pub part: bool,
}

/// The exit status that a run must have.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Exit {
    /// Exactly this one.
    Status(i32),
    /// Any but zero.
    NonZero,
}

/// The most memory that a process may take.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Peak {
    /// So many MiB.
    Mib(u64),
    /// `limits + N`: what `--memory-limit` leaves the ranks that are in it, and so many MiB.
    BesideLimits(u64),
}

impl Peak {
    fn read(value: &str) -> Result<Peak, String> {
        match value.strip_prefix("limits + ") {
            Some(beside) => Ok(Peak::BesideLimits(number(beside)?)),
            None => Ok(Peak::Mib(number(value)?)),
        }
    }

    /// In MiB, for a process with so many ranks that is started with these options.
    pub fn mib(self, ranks: u32, options: &[String]) -> Result<u64, String> {
        match self {
            Peak::Mib(mib) => Ok(mib),
            Peak::BesideLimits(beside) => {
                let limit = options.iter().skip_while(|word| *word != "--memory-limit").nth(1);
                let limit = limit.and_then(|size| size.strip_suffix('M')).ok_or("there is no --memory-limit in MiB")?;
                Ok(u64::from(ranks) * number::<u64>(limit)? + beside)
            }
        }
    }
}

impl Default for Head {
    fn default() -> Head {
        Head {
            ranks: vec![1, 2, 3, 8],
            native: None,
            engines: vec!["local".into(), "mpi".into()],
            large: false,
            exit: Exit::Status(0),
            stdout: Vec::new(),
            stderr: Vec::new(),
            stderr_not: Vec::new(),
            stdin: None,
            args: Vec::new(),
            each: Vec::new(),
            run: Vec::new(),
            cc: Vec::new(),
            target: "wasm32-wasip1".into(),
            compiler: Vec::new(),
            seconds: None,
            peak: None,
            bounded: false,
            with: Vec::new(),
            reference: false,
            part: false,
        }
    }
}

impl Head {
    /// Reads the head of `source`, in C (`//`), Fortran (`!`) or the text form of WebAssembly (`;;`).
    pub fn read(source: &str) -> Result<Head, String> {
        let mut head = Head::default();
        for line in source.lines() {
            let Some(text) = ["//", ";;", "!"].iter().find_map(|mark| line.strip_prefix(mark)) else {
                break;
            };
            if let Some((key, value)) = text.split_once(':') {
                head.set(key.trim(), value.trim())?;
            }
        }
        Ok(head)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "ranks" => self.ranks = numbers(value)?,
            "native" => self.native = Some(if value.starts_with("no") { Vec::new() } else { numbers(value)? }),
            "engines" => self.engines = words(value),
            "large" => self.large = is_yes(value)?,
            "exit" if value == "nonzero" => self.exit = Exit::NonZero,
            "exit" => self.exit = Exit::Status(number(value)?),
            "stdout" => self.stdout.push(value.into()),
            "stderr" => self.stderr.push(value.into()),
            "stderr-not" => self.stderr_not.push(value.into()),
            "stdin" => self.stdin = Some(value.into()),
            "args" => self.args = words(value),
            "each" => self.each = words(value),
            "run" => self.run = words(value),
            "cc" => self.cc = words(value),
            "target" => self.target = value.into(),
            "compiler" => self.compiler.push(value.into()),
            "with" => self.with = words(value),
            "reference" => self.reference = value == "flang",
            "part" => self.part = is_yes(value)?,
            "peak" => self.peak = Some(Peak::read(value)?),
            "bounded" if value == "mpi" => self.bounded = true,
            "seconds" => self.seconds = Some(number(value)?),
            _ if is_word(key) => {
                return Err(format!(
                    "there is no key `{key}:` (prose that begins with a word and a colon reads like one)"
                ));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether it looks like a key.
fn is_word(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_lowercase()) && key.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().map(String::from).collect()
}

fn is_yes(value: &str) -> Result<bool, String> {
    if value == "yes" { Ok(true) } else { Err(format!("not `yes`: {value}")) }
}

fn numbers(value: &str) -> Result<Vec<u32>, String> {
    value.split([' ', ',']).filter(|word| !word.is_empty()).map(number).collect()
}

fn number<T: std::str::FromStr>(value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("not a number: {value}"))
}
