//! The image of a started interpreter: how it is made, and which programs can go on from it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use rankine_toolchain::python::{HOME, Image, Python};

use super::super::{compile, options};
use super::ENVIRONMENT;
use crate::module::{Codegen, image, read};

/// Starts an interpreter for its image. Its library is named as every run has it.
pub(crate) fn start(module: &Path, library: &Path) -> Result<Image> {
    let folder = format!("{HOME}/lib");
    let surroundings =
        image::Surroundings { folder: (library, &folder), environment: &ENVIRONMENT, trial: &["-c", "pass"] };
    let made = image::image(&read(module)?, &surroundings);
    let image::Image { binary, said } = made.with_context(|| module.display().to_string())?;
    Ok(Image { binary, modules: said })
}

/// Sees to it that the code of what is built is in the cache.
pub(crate) fn compile() -> Result<()> {
    compile_of(&Python::find()?)
}

/// That of an interpreter.
pub(super) fn compile_of(python: &Python) -> Result<()> {
    let file = python.image();
    compile::ahead(&file, &read(&file)?, Codegen::default())
}

/// Beginnings of variables that an interpreter or a module reads while the image is made.
const READ: [&str; 6] = ["PYTHON", "LC_", "LANG", "TZ", "NPY", "NUMPY"];

/// Modules that Python imports by itself if they are there.
const CUSTOM: [&str; 2] = ["sitecustomize", "usercustomize"];

/// Whether a job can go on from the image as from an interpreter that starts: it has none of Python's options, no variable that
/// is read meanwhile, and none of the folders in which modules are looked for has another one for what is imported already.
pub(super) fn suits(job: &options::Arguments, folders: &[PathBuf], imported: &[String]) -> bool {
    let is_read = |name: &str| READ.iter().any(|beginning| name.starts_with(beginning));
    let is_usual = |name: &str, value: &str| ENVIRONMENT.contains(&(name, value)) || !is_read(name);
    are_plain(&job.program[1..])
        && !job.check_heap
        && job.environment.iter().all(|(name, value)| is_usual(name, value))
        && !folders.iter().any(|folder| hides(folder, imported))
}

/// Whether these words are a program without options of the interpreter's.
fn are_plain(words: &[String]) -> bool {
    match words {
        [] => true,
        [option, _, ..] if matches!(&option[..], "-c" | "-m") => true,
        [script, ..] => !script.starts_with('-'),
    }
}

/// Whether a folder has a module or package of one of these names.
fn hides(folder: &Path, imported: &[String]) -> bool {
    let Ok(entries) = folder.read_dir() else { return false };
    let is_known = |name: &str| CUSTOM.contains(&name) || imported.iter().any(|known| known == name);
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        is_known(name.strip_suffix(".py").or_else(|| name.strip_suffix(".pyc")).unwrap_or(name))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn job(words: &[&str]) -> options::Arguments {
        use clap::Parser as _;
        let line = ["rankine", "run"].iter().chain(words);
        match super::super::super::Arguments::parse_from(line).command {
            super::super::super::Command::Run(job) => *job,
            _ => panic!("it is `run`"),
        }
    }

    #[test]
    fn what_an_interpreter_reads_at_its_start_wants_one_that_starts() {
        let suits = |words: &[&str]| super::suits(&job(words), &[], &[]);
        assert!(suits(&["p.wasm"]) && suits(&["p.wasm", "heat.py", "-u"]) && suits(&["p.wasm", "-c", "pass"]));
        assert!(suits(&["--env", "HOME=/", "--env", "MPI4PY_RC_THREADS=no", "p.wasm", "-m", "timeit"]));
        assert!(suits(&["--env", "PYTHONHASHSEED=0", "p.wasm", "heat.py"]));
        for words in [["p.wasm", "-u", "heat.py"], ["p.wasm", "-", "a"], ["p.wasm", "-mtimeit", "a"]] {
            assert!(!suits(&words), "{words:?}");
        }
        for variable in ["PYTHONHASHSEED=1", "PYTHONPATH=/a", "LC_ALL=C", "TZ=UTC"] {
            assert!(!suits(&["--env", variable, "p.wasm", "heat.py"]), "{variable}");
        }
        assert!(!suits(&["--check-heap", "p.wasm", "heat.py"]));
    }

    #[test]
    fn a_folder_may_have_its_own_module() {
        let work = tempfile::tempdir().unwrap();
        let suits = || super::suits(&job(&["p.wasm", "heat.py"]), &[work.path().into()], &["random".into()]);
        for name in ["heat.py", "random.c"] {
            fs::write(work.path().join(name), "").unwrap();
        }
        assert!(suits());
        for name in ["random.py", "sitecustomize.py"] {
            let file = work.path().join(name);
            fs::write(&file, "").unwrap();
            assert!(!suits(), "{name}");
            fs::remove_file(file).unwrap();
        }
        fs::create_dir(work.path().join("random")).unwrap();
        assert!(!suits());
    }
}
