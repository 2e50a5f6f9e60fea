//! A case, its bytes, which the guest gets as its arguments, and its text, which is kept.

use std::fmt::{self, Write};

use anyhow::{Context, Result, bail, ensure};

use crate::catalogue::Catalogue;

/// An argument of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Argument {
    /// This number.
    Is(i64),
    /// The word that lies at this address when the call is made: what an earlier call has left there.
    At(u32),
    /// This number and the rank's own.
    FromRank(i64),
    /// The first number, and the second for each time that the calls of a `Repeat` were made before.
    Turn(i32, i32),
    /// The word that lies as many of these bytes behind this address.
    AtTurn(u32, u32),
}

/// A call of the function at a position of the catalogue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Call {
    /// The position.
    pub function: u16,
    /// What it is passed.
    pub arguments: Vec<Argument>,
}

/// What one rank does.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Program {
    /// One after the other.
    pub calls: Vec<Call>,
    /// What its callbacks do: the next of these calls each time.
    pub callbacks: Vec<Call>,
}

/// How a case is run besides.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Mode {
    /// As programs are.
    #[default]
    Compiled,
    /// In Wasmtime's interpreter.
    Interpreted,
    /// With the heap watched.
    HeapChecked,
    /// With a guest that has long arguments.
    Long,
    /// With a guest that has 64-bit addresses, which are lowered.
    Wide,
    /// With a guest whose memory may have more than 4 GiB.
    Large,
}

impl Mode {
    const WORDS: [(Mode, &str); 6] = [
        (Mode::Compiled, ""),
        (Mode::Interpreted, "interpreted"),
        (Mode::HeapChecked, "heap-checked"),
        (Mode::Long, "long"),
        (Mode::Wide, "wide"),
        (Mode::Large, "large"),
    ];
}

/// A case: a program for each rank, and what surrounds them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Case {
    /// How many ranks.
    pub ranks: usize,
    /// Whether they run as fibers, on the embedded engine.
    pub fibers: bool,
    /// Whether each rank has a second thread, which runs the next rank's program at the same time.
    pub twice: bool,
    /// See [`Mode`].
    pub mode: Mode,
    /// Rank `r` runs number `r` modulo their number.
    pub programs: Vec<Program>,
}

/// Bytes of an encoded argument.
pub const ARGUMENT: u32 = 9;

impl Program {
    /// The calls, and those of callbacks.
    pub fn lists(&mut self) -> [&mut Vec<Call>; 2] {
        [&mut self.calls, &mut self.callbacks]
    }

    /// The bytes that the guest interprets: how many calls, how many callbacks, where those begin, and all of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (calls, callbacks) = (encode(&self.calls), encode(&self.callbacks));
        let mut bytes = Vec::with_capacity(8 + calls.len() + callbacks.len());
        for list in [&self.calls, &self.callbacks] {
            bytes.extend((list.len() as u16).to_le_bytes());
        }
        bytes.extend((8 + calls.len() as u32).to_le_bytes());
        bytes.extend(calls);
        bytes.extend(callbacks);
        bytes
    }

    /// In hexadecimal, as the guest's arguments carry them.
    pub fn to_hexadecimal(&self) -> String {
        self.to_bytes().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

fn encode(calls: &[Call]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for call in calls {
        bytes.extend(call.function.to_le_bytes());
        for argument in &call.arguments {
            let (tag, value) = match *argument {
                Argument::Is(value) => (0, value),
                Argument::At(address) => (1, address.into()),
                Argument::FromRank(value) => (2, value),
                Argument::AtTurn(address, step) => (4, i64::from(step) << 32 | i64::from(address)),
                Argument::Turn(first, step) => (3, i64::from(step) << 32 | i64::from(first as u32)),
            };
            bytes.push(tag);
            bytes.extend(value.to_le_bytes());
        }
    }
    bytes
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Is(value) => write!(f, "{value}"),
            Argument::At(address) => write!(f, "@{address:#x}"),
            Argument::FromRank(value) => write!(f, "rank{value:+}"),
            Argument::AtTurn(address, step) => write!(f, "@turn*{step}+{address}"),
            Argument::Turn(first, step) => write!(f, "turn*{step}{first:+}"),
        }
    }
}

impl Argument {
    fn parse(word: &str) -> Result<Argument> {
        if let Some(turn) = word.strip_prefix("@turn*") {
            let (step, address) = turn.split_once('+').context("it has no address")?;
            return Ok(Argument::AtTurn(address.parse()?, step.parse()?));
        }
        if let Some(turn) = word.strip_prefix("turn*") {
            let sign = turn.rfind(['+', '-']).filter(|&at| at > 0).context("it has no first number")?;
            return Ok(Argument::Turn(turn[sign..].parse()?, turn[..sign].parse()?));
        }
        Ok(match (word.strip_prefix("@0x"), word.strip_prefix("rank")) {
            (Some(address), _) => Argument::At(u32::from_str_radix(address, 16)?),
            (_, Some(value)) => Argument::FromRank(value.parse()?),
            _ => Argument::Is(word.parse()?),
        })
    }
}

impl Case {
    /// A line for each call; those of callbacks begin with `>`.
    pub fn to_text(&self, catalogue: &Catalogue) -> String {
        let kind = if self.fibers { "fibers" } else { "threads" };
        let mut text = format!("ranks {} {kind}", self.ranks);
        let mode = Mode::WORDS.iter().find(|(mode, _)| *mode == self.mode).map_or("", |(_, word)| *word);
        for word in [if self.twice { "twice" } else { "" }, mode].into_iter().filter(|word| !word.is_empty()) {
            text += " ";
            text += word;
        }
        text.push('\n');
        for program in &self.programs {
            text += "program\n";
            let callbacks = program.callbacks.iter().map(|call| ("> ", call));
            for (mark, call) in program.calls.iter().map(|call| ("", call)).chain(callbacks) {
                text += mark;
                text += &call.to_text(catalogue);
                text.push('\n');
            }
        }
        text
    }

    /// Reads what [`Case::to_text`] wrote; lines that begin with `#` are remarks.
    pub fn parse(text: &str, catalogue: &Catalogue) -> Result<Case> {
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let head: Vec<&str> = lines.next().context("a case begins with its ranks")?.split_whitespace().collect();
        let ["ranks", ranks, kind @ ("fibers" | "threads"), more @ ..] = head.as_slice() else {
            bail!("the first line of a case is `ranks N threads` or `ranks N fibers`, perhaps with more behind it");
        };
        let (twice, mode) = match more {
            ["twice", mode @ ..] => (true, mode),
            mode => (false, mode),
        };
        let mode = mode.first().copied().unwrap_or_default();
        let Some((mode, _)) = Mode::WORDS.into_iter().find(|(_, word)| *word == mode) else {
            bail!("`{mode}` says nothing of a case");
        };
        let fibers = *kind == "fibers";
        let mut case = Case { ranks: ranks.parse()?, fibers, twice, mode, programs: Vec::new() };
        for line in lines {
            if line == "program" {
                case.programs.push(Program::default());
                continue;
            }
            let program = case.programs.last_mut().context("`program` comes before the first call")?;
            match line.strip_prefix("> ") {
                Some(line) => program.callbacks.push(Call::parse(line, catalogue)?),
                None => program.calls.push(Call::parse(line, catalogue)?),
            }
        }
        ensure!(!case.programs.is_empty(), "a case has a program");
        Ok(case)
    }
}

impl Call {
    /// Its name and its arguments.
    pub fn to_text(&self, catalogue: &Catalogue) -> String {
        let mut text = catalogue.functions[usize::from(self.function)].name.clone();
        for argument in &self.arguments {
            let _ = write!(text, " {argument}");
        }
        text
    }

    fn parse(line: &str, catalogue: &Catalogue) -> Result<Call> {
        let mut words = line.split_whitespace();
        let name = words.next().context("a call has a name")?;
        let position = catalogue.position(name).with_context(|| format!("there is no function {name}"))?;
        let arguments: Vec<Argument> =
            words.map(|word| Argument::parse(word).with_context(|| line.to_owned())).collect::<Result<_>>()?;
        let wanted = catalogue.functions[position].parameters.len();
        ensure!(arguments.len() == wanted, "{name} has {wanted} parameters: {line}");
        Ok(Call { function: position as u16, arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back() {
        let catalogue = Catalogue::new().unwrap();
        let text = "ranks 2 fibers twice interpreted\nprogram\nMPI_Comm_dup turn*-4-8 4096\nMPI_Barrier @0x1000\nMPI_Barrier @turn*4+4096\n> MPI_Comm_free rank-1\n";
        let case = Case::parse(text, &catalogue).unwrap();
        assert_eq!(case.to_text(&catalogue), text);
        assert_eq!(case.programs[0].calls.len(), 3);
        assert_eq!(case.programs[0].calls[0].arguments[0], Argument::Turn(-8, -4));
        assert!(Case::parse("ranks 1 threads\nprogram\nMPI_Barrier", &catalogue).is_err());
    }
}
