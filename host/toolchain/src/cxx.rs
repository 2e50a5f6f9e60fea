//! `rankine c++`: clang++ for MPI guests, used as `mpicxx` is. It is `rankine cc` with libc++ and exceptions.

use crate::cc::{self, Described, flags};
use crate::find::{self, TARGET};
use crate::key;
use crate::sdk::Sdk;
use crate::terminal::print_page;
use crate::threads;
use anyhow::{Result, bail, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs clang, or shows how it would be run.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let clang = find::clang()?.path;
    let mut request = flags::read(arguments)?;
    ensure!(
        !request.wide,
        "-m64: there is no C++ library yet for programs with 64-bit addresses; `rankine cc -m64` compiles C"
    );
    let sysroot = threads::sysroot(request.threads, &clang)?;
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
    /// The sysroot's own, if it has an unwinder (a WASI SDK's may); else what `rankine sdk build c++` built.
    pub fn find(clang: &Path, sysroot: &Path) -> Result<Library> {
        for part in ["eh", ""] {
            let lib = sysroot.join("lib").join(TARGET).join(part);
            if lib.join("libunwind.a").is_file() && lib.join("libc++.a").is_file() {
                let include = sysroot.join("include").join(TARGET).join(part).join("c++/v1");
                let origin = format!("{} (the sysroot's)", lib.display());
                return Ok(Library { include, lib, names: &["-lc++", "-lc++abi", "-lunwind"], origin });
            }
        }
        let root = Library::place(clang, sysroot)?;
        if !root.is_dir() {
            let part = if threads::are_in(sysroot) { "openmp" } else { "c++" };
            bail!("no C++ library for WebAssembly yet; run `rankine sdk build {part}` once (some minutes)");
        }
        let origin = format!("{} (from rankine sdk build c++)", root.display());
        Ok(Library { include: root.join("include/c++/v1"), lib: root.join("lib"), names: &["-lc++"], origin })
    }

    /// Where `rankine sdk build c++` puts it for this compiler and sysroot.
    pub fn place(clang: &Path, sysroot: &Path) -> Result<PathBuf> {
        key::place("c++", (key::compiler(clang), key::sysroot(sysroot), key::flags(sysroot)))
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
