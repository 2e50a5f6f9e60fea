//! What `rankine fc` does with each argument: which of the programs it calls takes it.
//!
//! What makes no sense for WebAssembly is dropped or refused by the rules of `rankine cc`. What gfortran takes and
//! flang does not, build systems pass without asking: it is dropped where it changes no result, and said so under `-v`.

use crate::cc::flags as c;
use anyhow::Result;
use rankine_system::tell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A command line, read.
#[derive(Debug, Default)]
pub struct Request {
    /// What holds for C and linking too.
    pub common: c::Request,
    /// Fortran sources, in order.
    pub sources: Vec<PathBuf>,
    /// What the front end takes: language, preprocessor, modules, optimisation, debugging.
    pub front_end_flags: Vec<OsString>,
    /// What matters when bitcode becomes an object.
    pub code_flags: Vec<OsString>,
    /// What goes to clang when it compiles C and links: inputs and flags without those for Fortran alone.
    pub clang_flags: Vec<OsString>,
    /// Whether there are C sources, objects or libraries.
    pub has_other_inputs: bool,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// `-E` or `-fsyntax-only`: the front end alone.
    pub action: Option<String>,
    compiles_only: bool,
    assembly: bool,
}

impl Request {
    /// Whether the result is a program.
    pub fn links(&self) -> bool {
        !self.compiles_only && !self.assembly && self.action.is_none()
    }

    /// Whether sources become objects, rather than assembly text (`-S`).
    pub fn assembles(&self) -> bool {
        !self.assembly
    }
}

/// Reads the arguments of `rankine fc`.
pub fn read(arguments: &[OsString]) -> Result<Request> {
    let mut request = Request::default();
    let mut kept = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match gfortran(argument.to_str().unwrap_or("")) {
            Gfortran::Keep => kept.push(argument.clone()),
            Gfortran::As(flag) => kept.push(flag.into()),
            Gfortran::Warn(reason) => {
                tell!("rankine fc: warning: {} does nothing: {reason}", argument.to_string_lossy());
            }
            Gfortran::Drop(reason) => {
                if ["-MF", "-MQ", "-MT"].iter().any(|flag| argument == flag) {
                    arguments.next();
                }
                request.common.notes.push(format!("{} is left out: {reason}", argument.to_string_lossy()));
            }
        }
    }
    let mut notes = std::mem::take(&mut request.common.notes);
    request.common = c::read(&kept)?;
    notes.append(&mut request.common.notes);
    request.common.notes = notes;
    let mut rest = request.common.arguments.clone().into_iter();
    while let Some(argument) = rest.next() {
        request.sort(argument, &mut rest);
    }
    Ok(request)
}

impl Request {
    fn sort(&mut self, argument: OsString, rest: &mut impl Iterator<Item = OsString>) {
        let text = argument.to_str().unwrap_or("").to_owned();
        let mut with_value = vec![argument.clone()];
        if ["-J", "-mmlir"].contains(&text.as_str()) || c::takes_next(&text) {
            with_value.extend(rest.next());
        }
        match text.as_str() {
            "-c" => self.compiles_only = true,
            "-S" => self.assembly = true,
            "-E" | "-fsyntax-only" => self.action = Some(text.clone()),
            "-o" => self.output = with_value.get(1).map(PathBuf::from),
            _ if text.starts_with("-o") => self.output = Some(PathBuf::from(&text[2..])),
            _ if is_fortran(&argument) => self.sources.push(PathBuf::from(&argument)),
            _ if !text.starts_with('-') || text.starts_with("-l") || text.starts_with("-L") => {
                self.has_other_inputs |= !text.starts_with("-L");
                self.clang_flags.extend(with_value);
            }
            _ => self.distribute(&text, with_value),
        }
        if matches!(text.as_str(), "-c" | "-S" | "-E") {
            // For C sources among the Fortran ones.
            self.clang_flags.push(argument);
        }
    }

    fn distribute(&mut self, flag: &str, words: Vec<OsString>) {
        let fortran_only = is_fortran_only(flag);
        let everyones = ["-O", "-g", "-f", "-D", "-U", "-I", "-mllvm", "-w", "-v"];
        if fortran_only || everyones.iter().any(|prefix| flag.starts_with(prefix)) && !is_c_only(flag) {
            self.front_end_flags.extend(words.iter().cloned());
        }
        if !fortran_only {
            let for_code = ["-O", "-g", "-m", "-flto", "-ffast-math", "-funroll", "-fno-unroll", "-ffunction-sections"];
            if for_code.iter().any(|prefix| flag.starts_with(prefix)) {
                self.code_flags.extend(words.iter().cloned());
            }
            self.clang_flags.extend(words);
        }
    }
}

/// A Fortran source, by its name as flang knows it.
fn is_fortran(argument: &OsStr) -> bool {
    let extension = Path::new(argument).extension().and_then(OsStr::to_str).unwrap_or_default();
    let names = ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18", "fpp", "cuf"];
    !argument.as_encoded_bytes().starts_with(b"-") && names.contains(&extension.to_lowercase().as_str())
}

/// A flag that clang does not take.
fn is_fortran_only(flag: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "-J",
        "-mmlir",
        "-cpp",
        "-nocpp",
        "-std=f",
        "-std=legacy",
        "-pedantic",
        "-fdefault-",
        "-ffixed-",
        "-ffree-form",
        "-fbackslash",
        "-fno-backslash",
        "-falternative-parameter-statement",
        "-fimplicit-none",
        "-fno-implicit-none",
        "-flogical-abbreviations",
        "-fxor-operator",
        "-fstack-arrays",
        "-fno-stack-arrays",
        "-frealloc-lhs",
        "-fno-realloc-lhs",
        "-fsave-main-program",
        "-fno-automatic",
        "-fconvert=",
        "-flarge-sizes",
        "-funsigned",
        "-fhermetic-module-files",
        "-fintrinsic-modules-path",
        "-finit-global-zero",
        "-fno-init-global-zero",
        "-finit-local-zero",
        "-fversion-loops-for-stride",
        "-fno-version-loops-for-stride",
        "-frepack-arrays",
        "-fno-repack-arrays",
        "-fdo-concurrent-to-openmp",
        "-fcoarray",
        "-fdebug-",
        "-fget-",
        "-fpreprocess-include-lines",
        "-finput-charset",
    ];
    PREFIXES.iter().any(|prefix| flag.starts_with(prefix))
}

/// A flag that flang does not take and that does not change what a program computes.
fn is_c_only(flag: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "-fdata-sections",
        "-ffunction-sections",
        "-fno-common",
        "-fcommon",
        "-fopenmp-simd",
        "-fvisibility",
        "-fno-strict-aliasing",
        "-fstrict-aliasing",
        "-fexceptions",
        "-fno-exceptions",
        "-fwasm-exceptions",
        "-fmacro-prefix-map",
        "-fdebug-prefix-map",
        "-ffile-prefix-map",
        "-fno-omit-frame-pointer",
        "-fomit-frame-pointer",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ftrapping-math",
        "-ftree-vectorize",
        "-fstack-protector",
        "-fno-stack-protector",
    ];
    PREFIXES.iter().any(|prefix| flag.starts_with(prefix))
}

enum Gfortran {
    Keep,
    As(String),
    Drop(&'static str),
    /// Dropped, and the caller may have counted on it.
    Warn(&'static str),
}

/// What gfortran's flags are for flang.
fn gfortran(flag: &str) -> Gfortran {
    let none = [
        "-ffree-line-length-",
        "-fallow-argument-mismatch",
        "-fallow-invalid-boz",
        "-fno-range-check",
        "-frange-check",
        "-fno-second-underscore",
        "-fno-underscoring",
        "-fcray-pointer",
        "-fdollar-ok",
        "-fmax-identifier-length",
        "-frecursive",
        "-fmax-stack-var-size",
        "-fstrict-aliasing",
        "-fno-whole-file",
        "-fprotect-parens",
        "-fno-align-commons",
        "-falign-commons",
        "-ftree-vectorize",
        "-fbacktrace",
        "-fno-backtrace",
        "-ffpe-",
        "-finit-",
        "-std=f95",
        "-std=f2003",
        "-std=f2008",
        "-std=gnu",
        "-std=legacy",
        "-M",
        "-W",
    ];
    if flag.starts_with("-Wl,") {
        return Gfortran::Keep;
    }
    if let Some(length) = flag.strip_prefix("-ffixed-line-length-") {
        return match length {
            "none" => Gfortran::As("-ffixed-line-length=0".into()),
            length => Gfortran::As(format!("-ffixed-line-length={length}")),
        };
    }
    if flag == "-fbounds-check" || flag.starts_with("-fcheck=") && flag != "-fcheck=no" {
        return Gfortran::Warn("LLVM's flang checks no bounds; gfortran does, in a native build");
    }
    if none.iter().any(|prefix| flag.starts_with(prefix)) {
        return Gfortran::Drop("it is an option of gfortran, and flang has none for this");
    }
    // Flang's own name for it, which CMake uses.
    if let Some(folder) = flag.strip_prefix("-module-dir") {
        return Gfortran::As(format!("-J{folder}"));
    }
    match flag {
        // As flang's older namesake has it, and Meson believes.
        "-module" => Gfortran::As("-J".into()),
        "-frecord-marker=4" => Gfortran::Drop("the runtime's records have markers of 4 bytes"),
        "-Mfixed" => Gfortran::As("-ffixed-form".into()),
        "-Mfree" => Gfortran::As("-ffree-form".into()),
        "-lgfortran"
        | "-lmpifort"
        | "-lmpi_mpifh"
        | "-lmpi_usempif08"
        | "-lmpi_usempi_ignore_tkr"
        | "-lflang_rt"
        | "-lflang"
        | "-lpgmath"
        | "-lFortranRuntime"
        | "-lquadmath"
        | "-lmpi_abi_fortran" => Gfortran::Drop("the Fortran runtime and the MPI bindings are linked always"),
        _ => Gfortran::Keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Request {
        read(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn each_program_gets_its_flags() {
        let request = of("-O3 -g -J mods -cpp -DN=3 -fdefault-real-8 -Wall -std=f2008 main.F90 part.c -lm -o run.wasm");
        assert_eq!(request.sources, [PathBuf::from("main.F90")]);
        assert_eq!(request.front_end_flags, ["-O3", "-g", "-J", "mods", "-cpp", "-DN=3", "-fdefault-real-8"]);
        assert_eq!(request.code_flags, ["-O3", "-g"]);
        assert_eq!(request.clang_flags, ["-O3", "-g", "-DN=3", "part.c", "-lm"]);
        assert_eq!(request.output, Some("run.wasm".into()));
        assert!(request.links() && request.has_other_inputs);
    }

    #[test]
    fn meson_takes_it_for_another_flang() {
        let request = of("-Minform=inform -module a.p -MD -MQ a.o -MF a.o.d -o a.o -c a.f90");
        assert_eq!(request.front_end_flags, ["-J", "a.p"]);
        assert!(request.clang_flags.iter().all(|word| word == "-c"), "{:?}", request.clang_flags);
    }

    #[test]
    fn markers_of_records_are_as_they_are() {
        let request = of("-frecord-marker=4 -c a.f90");
        assert!(request.front_end_flags.is_empty() && request.common.notes[0].contains("markers of 4 bytes"));
        assert_eq!(of("-frecord-marker=8 -c a.f90").front_end_flags, ["-frecord-marker=8"]);
    }

    #[test]
    fn cmake_names_the_folder_of_modules() {
        assert_eq!(of("-module-dirmods -c a.f90").front_end_flags, ["-Jmods"]);
        let request = of("-module-dir mods -c a.f90");
        assert_eq!(request.front_end_flags, ["-J", "mods"]);
        assert_eq!(request.sources, [PathBuf::from("a.f90")]);
        assert!(!request.has_other_inputs);
    }

    #[test]
    fn openmp_by_any_name_is_for_all_languages() {
        for flag in ["-fopenmp", "-fopenmp=libomp", "-fopenmp=libgomp", "-qopenmp", "-openmp", "-mp"] {
            let request = of(&format!("{flag} -O2 main.f90 part.c"));
            assert!(request.common.openmp && request.common.threads, "{flag}");
            assert_eq!(request.front_end_flags, ["-fopenmp", "-O2"]);
            assert_eq!(request.clang_flags, ["-fopenmp", "-O2", "part.c"]);
        }
    }

    #[test]
    fn threads_without_openmp() {
        let request = of("-pthread -O2 main.f90 part.c");
        assert!(request.common.threads && !request.common.openmp);
        assert_eq!(request.front_end_flags, ["-O2"]);
    }

    #[test]
    fn addresses_of_64_bits_are_for_all_languages() {
        let request = of("-m64 -O2 main.f90 part.c");
        assert!(request.common.wide);
        assert_eq!(request.front_end_flags, ["-O2"]);
        assert_eq!(request.clang_flags, ["-O2", "part.c"]);
    }

    #[test]
    fn compiling_alone() {
        let request = of("-c -ffixed-line-length-132 -march=native old.f");
        assert_eq!(request.front_end_flags, ["-ffixed-line-length=132"]);
        assert!(!request.links() && request.assembles());
    }
}
