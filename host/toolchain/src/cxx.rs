//! `rankine c++`: clang++ for MPI guests, used as `mpicxx` is. It is `rankine cc` with libc++ and exceptions.

use crate::cc::{self, Described, flags};
use crate::find::{self, TARGET};
use crate::key;
use crate::sdk::{self, Sdk};
use crate::terminal::print_page;
use crate::threads;
use crate::wide;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs clang, or shows how it would be run.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let clang = find::clang()?.path;
    let mut request = flags::read(arguments)?;
    let sysroot = cc::sysroot(&clang, &request)?;
    let sdk = Sdk::with(&clang, &sysroot)?;
    let library = Library::find(&clang, &sysroot)?;
    request.say_notes("c++");
    match request.show {
        Some(show) => {
            let mut described = Described::new(&clang, &sysroot, &sdk, request);
            described.compile.splice(0..0, library.compile_flags(&sdk));
            described.link.splice(0..0, library.link_flags(&sdk));
            print_page(&cc::shown(show, &described))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let has_library = request.arguments.iter().any(|word| word == "-nostdlib++");
            if request.links && !request.bare && !has_library {
                request.arguments.extend(cc::plain_files(&request.arguments));
                request.arguments.extend(library.link_flags(&sdk).into_iter().map(OsString::from));
            }
            let mut line: Vec<OsString> = library.compile_flags(&sdk).into_iter().map(OsString::from).collect();
            line.extend(cc::command_line(&clang, &sysroot, &sdk, &request)?);
            cc::compile(&clang, line, &request)
        }
    }
}

/// What an exception says that nothing catches (`guest-sdk/c/src/uncaught.cpp`), and how the host knows one.
const SPEAKING: [&str; 2] = ["-Wl,--wrap=__cxa_throw", "-Wl,--export-if-defined=__cpp_exception"];

/// The part of `rankine sdk build` that has the library for what is compiled with this sysroot.
fn part_for(sysroot: &Path) -> &'static str {
    match () {
        () if threads::are_in(sysroot) && wide::is_in(sysroot) => "openmp m64",
        () if threads::are_in(sysroot) => "openmp",
        () if wide::is_in(sysroot) => "m64",
        () => "c++",
    }
}

/// libc++ with exceptions.
pub struct Library {
    include: PathBuf,
    /// The folder of the archives, and which of them there are.
    lib: PathBuf,
    names: &'static [&'static str],
    /// Where it was found, in words.
    pub origin: String,
}

impl Library {
    /// The sysroot's own, if it has an unwinder (a WASI SDK's may); else what `rankine sdk build` built for it.
    pub fn find(clang: &Path, sysroot: &Path) -> Result<Library> {
        for part in ["eh", ""] {
            let lib = sysroot.join("lib").join(TARGET).join(part);
            if lib.join("libunwind.a").is_file() && lib.join("libc++.a").is_file() {
                let include = sysroot.join("include").join(TARGET).join(part).join("c++/v1");
                let origin = format!("{} (the sysroot's)", lib.display());
                let names = &["-lc++", "-lc++abi", "-lunwind"];
                return Ok(Library { include, lib, names, origin });
            }
        }
        let (root, part) = (Library::place(clang, sysroot)?, part_for(sysroot));
        if !root.is_dir() {
            bail!("no C++ library for WebAssembly yet; run `rankine sdk build {part}` once (some minutes)");
        }
        let origin = format!("{} (from rankine sdk build {part})", root.display());
        let (include, lib) = (root.join("include/c++/v1"), root.join("lib"));
        Ok(Library { include, lib, names: &["-lc++"], origin })
    }

    /// Where `rankine sdk build` puts it for this compiler and sysroot.
    pub fn place(clang: &Path, sysroot: &Path) -> Result<PathBuf> {
        let flags: Vec<String> =
            key::flags(sysroot).into_iter().chain(sdk::for_either(sysroot).map(String::from)).collect();
        key::place("c++", (key::compiler(clang), key::sysroot(sysroot), flags))
    }

    /// Exceptions are WebAssembly's own, in their standard form, which `-mllvm -wasm-use-legacy-eh=false` asks for.
    fn compile_flags(&self, sdk: &Sdk) -> Vec<String> {
        let own = sdk.include_of_cpp().display().to_string();
        let include = self.include.display().to_string();
        let line = ["--driver-mode=g++", "-fwasm-exceptions", "-nostdinc++", "-isystem", &own, "-isystem", &include];
        line.map(String::from).to_vec()
    }

    /// clang++ would add the names that Debian's packages have. Of a function that two have, the first is taken.
    fn link_flags(&self, sdk: &Sdk) -> Vec<String> {
        let mut line = vec!["-nostdlib++".to_string(), format!("-L{}", self.lib.display())];
        let new = sdk.new_and_delete().display().to_string();
        line.extend(["-Wl,--start-lib".to_string(), new, "-Wl,--end-lib".to_string()]);
        line.extend(self.names.iter().map(|name| name.to_string()));
        line.extend(SPEAKING.map(String::from));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::TARGET;
    use crate::threads::THREADS;
    use crate::wide::{WIDE, WIDE_THREADS};

    #[test]
    fn who_lacks_the_library_is_told_which_part_to_build() {
        let data = tempfile::tempdir().unwrap();
        for (target, part) in [(TARGET, "c++"), (THREADS, "openmp"), (WIDE, "m64"), (WIDE_THREADS, "openmp m64")] {
            let sysroot = data.path().join(part);
            std::fs::create_dir_all(sysroot.join("lib").join(target)).unwrap();
            assert_eq!(part_for(&sysroot), part);
        }
    }
}
