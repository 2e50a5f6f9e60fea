//! `rankine fc`: Fortran for MPI guests, used as `mpifort` is.
//!
//! A Fortran source goes through three programs: LLVM's flang driver says what its flags mean for the compiler (it is
//! asked with `-###` and compiles nothing), Rankine's build of flang ([`Flang`]) writes LLVM bitcode for
//! wasm32 or, with `-m64`, wasm64, and clang optimises that as it does C. Everything else, C sources and linking, is clang's as in `rankine
//! cc`, with the Fortran runtime and the MPI bindings ([`library`]) in front of the C libraries.

use crate::build::Flang;
use crate::process::{exit_code, status};
use crate::sdk::{self, Sdk};
use crate::terminal::print_page;
use rankine_system::{os, tell};

use crate::{cc, find, threads};
use anyhow::{Context as _, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod common_blocks;
mod flags;
mod library;

/// Compiles and links, or shows how it would be done.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    if arguments == ["--version"] {
        // Build systems look for flang's name in the answer.
        return Ok(exit_code(status(Command::new(Flang::find()?.driver()).arg("--version"))?));
    }
    let request = flags::read(arguments)?;
    request.common.say_notes("fc");
    let tools = Tools::find(&request)?;
    if let Some(show) = request.common.show {
        print_page(&cc::shown(show, &tools.described(&request)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let work = tempfile::tempdir().context("cannot create a temporary folder")?;
    let mut objects = Vec::new();
    for (index, source) in request.sources.iter().enumerate() {
        match tools.compile(&request, source, index, work.path())? {
            Compiled::Object(object) => objects.push(object),
            Compiled::Done => {}
            Compiled::Failed(status) => return Ok(status),
        }
    }
    if request.sources.is_empty() || request.links() || request.has_other_inputs {
        return tools.finish(&request, &objects, work.path());
    }
    Ok(ExitCode::SUCCESS)
}

/// What a compilation came to.
enum Compiled {
    /// An object for the linker.
    Object(PathBuf),
    /// What the caller asked for, which is not linked.
    Done,
    /// The compiler said why.
    Failed(ExitCode),
}

/// LLVM 22 crashes when it rewrites the exit test of a loop whose 32-bit index it has just widened to the 64 bits of a
/// Fortran array's subscripts (`IndVarSimplify` takes the new index for a recurrence that it is not).
pub(crate) const WITHOUT_LFTR: [&str; 2] = ["-mllvm", "-disable-lftr"];

struct Tools {
    clang: PathBuf,
    sysroot: PathBuf,
    sdk: Sdk,
    flang: Flang,
    library: library::Library,
}

impl Tools {
    fn find(request: &flags::Request) -> Result<Tools> {
        let clang = find::clang()?.path;
        let sysroot = cc::sysroot(&clang, &request.common)?;
        let sdk = Sdk::with(&clang, &sysroot)?;
        let flang = Flang::with(&sysroot)?;
        let library = library::library(&flang, &clang, &sysroot, &sdk)?;
        Ok(Tools { clang, sysroot, sdk, flang, library })
    }

    /// What `-show` answers with.
    fn described(&self, request: &flags::Request) -> cc::Described {
        let include = self.library.include().display().to_string();
        let mut libraries = self.libraries();
        libraries.extend(cc::libraries(&self.sysroot, &self.sdk));
        cc::Described {
            compiler: vec![std::env::current_exe().unwrap_or_default().display().to_string(), "fc".into()],
            compile: vec!["-I".into(), include.clone()],
            link: libraries,
            include,
            arguments: request.common.arguments.clone(),
        }
    }

    fn compile(&self, request: &flags::Request, source: &Path, index: usize, work: &Path) -> Result<Compiled> {
        let stem = source.file_stem().context("a source has a name")?;
        if let Some(action) = &request.action {
            let line = self.front_end_line(request, source, &[action], request.output.as_deref())?;
            return self.succeeded(self.front_end(&line), Compiled::Done);
        }
        let bitcode = work.join(format!("{index}.bc"));
        let line = self.front_end_line(request, source, &["-c", "-emit-llvm"], Some(&bitcode))?;
        let status = status(&mut self.front_end(&line))?;
        if !status.success() {
            if let Some(signal) = os::signal(status) {
                tell!(
                    "rankine fc: LLVM's flang crashed over {} (signal {signal}): it can't compile something in it, \
                     natively either; leave out parts to find it, and write it in another way",
                    source.display()
                );
            }
            return Ok(Compiled::Failed(exit_code(status)));
        }
        let object = match (request.links(), &request.output) {
            (true, _) => work.join(format!("{index}.o")),
            (false, Some(output)) => output.clone(),
            (false, None) => Path::new(stem).with_extension(if request.assembles() { "o" } else { "s" }),
        };
        let mut back_end = Command::new(&self.clang);
        back_end.args(sdk::base_flags(&self.sysroot)).args(["-Wno-override-module", "-Qunused-arguments"]);
        back_end.args(WITHOUT_LFTR).args(sdk::for_either(&self.sysroot));
        back_end.args(&request.code_flags).arg(if request.assembles() { "-c" } else { "-S" });
        back_end.arg(&bitcode).arg("-o").arg(&object);
        self.succeeded(back_end, if request.links() { Compiled::Object(object) } else { Compiled::Done })
    }

    fn succeeded(&self, mut command: Command, outcome: Compiled) -> Result<Compiled> {
        let status = status(&mut command)?;
        Ok(if status.success() { outcome } else { Compiled::Failed(exit_code(status)) })
    }

    /// Asks flang's driver what these flags are for its compiler.
    fn front_end_line(
        &self,
        request: &flags::Request,
        source: &Path,
        action: &[&str],
        output: Option<&Path>,
    ) -> Result<Vec<String>> {
        let mut driver = Command::new(self.flang.driver());
        driver.arg(format!("--target={}", threads::target_of(&self.sysroot))).arg("-###").args(action);
        driver.args(&request.front_end_flags).arg("-I").arg(self.library.include()).arg(source);
        if let Some(output) = output {
            driver.arg("-o").arg(output);
        }
        let answer = driver.output().with_context(|| format!("cannot start {}", self.flang.driver().display()))?;
        let text = String::from_utf8_lossy(&answer.stderr);
        let complaints: Vec<&str> =
            text.lines().filter(|line| line.contains("error:") || line.contains("warning:")).collect();
        for complaint in &complaints {
            tell!("{complaint}");
        }
        let line = text.lines().map(words_of).find(|words| words.get(1).is_some_and(|word| word == "-fc1"));
        match line {
            Some(words) if answer.status.success() => {
                // With mpif.h every other call of MPI_Send passes another type of buffer.
                let ours = ["-Wno-incompatible-implicit-interfaces".to_string()];
                Ok(ours.into_iter().chain(words.into_iter().skip(2)).collect())
            }
            _ if !complaints.is_empty() => bail!("flang does not take these arguments"),
            _ => bail!("flang's driver does not say how it would compile {}:\n{text}", source.display()),
        }
    }

    fn front_end(&self, line: &[String]) -> Command {
        let mut command = Command::new(self.flang.compiler());
        command.args(line).args(self.flang.module_flags());
        command
    }

    fn libraries(&self) -> Vec<String> {
        let mut line = vec![self.library.archive().display().to_string()];
        line.extend(self.flang.libraries().iter().map(|archive| archive.display().to_string()));
        line
    }

    /// C sources, if there are any, and linking.
    fn finish(&self, request: &flags::Request, objects: &[PathBuf], work: &Path) -> Result<ExitCode> {
        let mut common = request.common.clone();
        common.arguments.clone_from(&request.clang_flags);
        common.arguments.extend(objects.iter().map(OsString::from));
        if let Some(output) = &request.output {
            common.arguments.extend([OsString::from("-o"), output.into()]);
        }
        common.links = request.links();
        if common.links {
            if let Some(object) = common_blocks::largest(&common.arguments, &self.clang, &self.sysroot, work)? {
                common.arguments.push(object.into());
            }
            common.arguments.extend(self.libraries().into_iter().map(OsString::from));
            // Lines appear when they are complete (`guest-sdk/c/src/terminal.c`).
            common.arguments.push("-Wl,--wrap=isatty".into());
        }
        let mut line = vec![OsString::from("-isystem"), self.flang.include().into()];
        line.extend(cc::command_line(&self.clang, &self.sysroot, &self.sdk, &common)?);
        if common.runnable && common.links {
            return cc::runnable::compile(&self.clang, line);
        }
        Ok(exit_code(status(Command::new(&self.clang).args(line))?))
    }
}

/// The words of a line that LLVM's drivers print for `-###`: each in quotes, with backslashes before `"`, `\` and `$`.
fn words_of(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted => words.push(std::mem::take(&mut word)),
            '\\' if quoted => word.extend(rest.next()),
            c if quoted => word.push(c),
            _ => {}
        }
        quoted ^= c == '"';
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_words() {
        assert_eq!(
            words_of(r#" "/bin/flang" "-fc1" "-D" "X=\"a b\"" "a\\b.f90""#),
            ["/bin/flang", "-fc1", "-D", r#"X="a b""#, r"a\b.f90"]
        );
        assert_eq!(words_of("Target: wasm32"), Vec::<String>::new());
    }
}
