//! `rankine cc`: clang for MPI guests, used as `mpicc` is.
//!
//! Everything is passed on to clang except what cannot mean anything in WebAssembly ([`flags`] decides, flag by
//! flag); the target, the sysroot, `mpi.h` and the SDK library are added. Where sources are compiled, what clang says
//! passes through here, for the sake of one warning ([`narrowing`]); otherwise the process is replaced by clang.

use crate::build::Lapack;
use crate::casts::{self, Cast};
use crate::find;
use crate::link;
use crate::process;
use crate::sdk::{self, Sdk};
use crate::terminal::print_page;
use crate::threads;
use crate::wide;
use anyhow::{Context as _, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use probe::Probe;
use rankine_system::tell;

pub(crate) mod flags;
mod linker_words;
mod narrowing;
mod probe;
pub(crate) mod runnable;

/// Runs clang, or shows how it would be run.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let clang = find::clang()?.path;
    let request = flags::read(arguments)?;
    let sysroot = sysroot(&clang, &request)?;
    let sdk = Sdk::with(&clang, &sysroot)?;
    request.say_notes("cc");
    match request.show {
        Some(show) => {
            print_page(&shown(show, &Described::new(&clang, &sysroot, &sdk, request)))?;
            Ok(ExitCode::SUCCESS)
        }
        None => compile(&clang, command_line(&clang, &sysroot, &sdk, &request)?, &request),
    }
}

/// What a program is compiled with.
pub(crate) fn sysroot(clang: &Path, request: &flags::Request) -> Result<PathBuf> {
    match request.wide {
        true => wide::sysroot(clang, request.threads),
        false => threads::sysroot(request.threads, clang),
    }
}

/// The arguments of clang: ours first, so that the user's own win, and the libraries last.
pub(crate) fn command_line(clang: &Path, sysroot: &Path, sdk: &Sdk, request: &flags::Request) -> Result<Vec<OsString>> {
    let mut line: Vec<OsString> = vec!["--start-no-unused-arguments".into()];
    let probe = probe::of(&request.arguments);
    let mut flags = compile_flags(clang, sysroot, sdk);
    if probe == Probe::ForJumps {
        probe::leave_jumps_alone(&mut flags);
    }
    line.extend(flags.into_iter().map(OsString::from));
    if request.links {
        line.extend(link_flags(sysroot, sdk, request).into_iter().map(OsString::from));
    }
    line.push("--end-no-unused-arguments".into());
    let (of_lapack, others): (Vec<_>, Vec<_>) = request.arguments.iter().cloned().partition(Lapack::is_asked_for);
    let plain_files = plain_files(&others);
    line.extend(others);
    if request.links && !request.bare {
        line.extend(plain_files);
        line.extend(request.openmp.then(|| "-lomp".into()));
        if !of_lapack.is_empty() {
            line.extend(Lapack::find(clang, sysroot, &of_lapack)?.link_flags().into_iter().map(OsString::from));
        }
        line.extend(libraries_for(sysroot, sdk, probe).into_iter().map(OsString::from));
    }
    Ok(line)
}

/// What stands between the user's files and ours: whatever language is said of those, ours are objects.
pub(crate) fn plain_files(arguments: &[OsString]) -> impl Iterator<Item = OsString> + use<> {
    let says_language = arguments.iter().any(|word| word.as_encoded_bytes().starts_with(b"-x"));
    ["-x", "none"].into_iter().filter(move |_| says_language).map(OsString::from)
}

fn compile_flags(clang: &Path, sysroot: &Path, sdk: &Sdk) -> Vec<String> {
    let mut line = sdk::base_flags(sysroot);
    // What programs ask that are at home on Linux, macOS and their kind.
    line.push("-D__unix__=1".into());
    line.extend(sdk::for_either(sysroot).map(String::from));
    let folders = std::iter::once(sdk.include()).chain(Lapack::includes(clang));
    line.extend(folders.flat_map(|folder| ["-isystem".into(), folder.display().to_string()]));
    line
}

fn link_flags(sysroot: &Path, sdk: &Sdk, request: &flags::Request) -> Vec<String> {
    let linker = format!("-fuse-ld={}", sdk.linker().display());
    let of_threads = if threads::are_in(sysroot) { THREADS_LINK_FLAGS } else { &[] };
    let flags = LINK_FLAGS.iter().chain(of_threads).map(|flag| flag.to_string());
    let forgiving = request.forgives.map(|forgives| if forgives { link::FORGIVING } else { link::UNFORGIVING });
    let forgiving = forgiving.map(|word| format!("-Wl,{word}"));
    let kept = format!("-Wl,--keep-section={}", casts::SECTION);
    // Where clang would look for its own libraries there are none.
    let of_wide = wide::is_in(sysroot).then(|| "-nodefaultlibs".to_string());
    let of_large = request.large.then(|| wide::LARGE.to_string());
    std::iter::once(linker).chain(flags).chain(forgiving).chain([kept]).chain(of_wide).chain(of_large).collect()
}

/// What guests with threads are linked with beside that: every thread is an instance of the module, and all of them import
/// one memory.
const THREADS_LINK_FLAGS: &[&str] =
    &["-Wl,--import-memory", "-Wl,--export-memory", "-Wl,--max-memory=4294967296", "-Wl,--wrap=sysconf"];

/// What every guest is linked with. The stack is as large as Linux gives a process and lies below the data, so an
/// overflow traps instead of corrupting; the table may grow because callbacks of the host are entered into it; and the
/// allocator is exported because the host places `MPI_Alloc_mem` and received objects in the guest's own memory.
const LINK_FLAGS: &[&str] = &[
    "-Wl,-z,stack-size=8388608",
    "-Wl,--stack-first",
    "-Wl,--export-table",
    "-Wl,--growable-table",
    // MPI_COMM_DUP_FN is the function pointer 1: no function of the program may have that index.
    "-Wl,--table-base=2",
    // The C library asks for main only weakly, which takes nothing out of an archive; some programs have it in one.
    "-Wl,--undefined=__main_argc_argv",
    "-Wl,--undefined=main",
    "-Wl,--undefined=malloc",
    "-Wl,--undefined=free",
    "-Wl,--undefined=aligned_alloc",
    "-Wl,--export-if-defined=malloc",
    "-Wl,--export-if-defined=free",
    "-Wl,--export-if-defined=aligned_alloc",
    "-Wl,--export-if-defined=rankine_heap_watched",
    "-Wl,--export-if-defined=__heap_base",
    "-Wl,--export-if-defined=__data_end",
    // With -flto the linker generates the code, and needs to be told about setjmp again.
    "-Wl,-mllvm,-exception-model=wasm",
    "-Wl,-mllvm,-wasm-enable-sjlj",
    "-Wl,-mllvm,-wasm-use-legacy-eh=false",
];

/// Functions of the C library that ours stand before (`guest-sdk/c/src/files.c`, `owners.c`, `paths.c`).
const WRAPPED: [&str; 6] =
    ["statvfs", "fstatvfs", "fcntl", "__wasilibc_find_relpath", "fstat", "__wasilibc_nocwd_fstatat"];

pub(crate) fn libraries(sysroot: &Path, sdk: &Sdk) -> Vec<String> {
    libraries_for(sysroot, sdk, Probe::None)
}

fn libraries_for(sysroot: &Path, sdk: &Sdk, probe: Probe) -> Vec<String> {
    let names = format!("--allow-undefined-file={}", sdk.mpi_names().display());
    let mut line = vec!["-Xlinker".to_string(), names];
    // And that before which a thread gets a place to come back to (`threads.c`).
    let threaded = threads::are_in(sysroot).then_some(&"pthread_create");
    let wrapped = WRAPPED.iter().chain(threaded).filter(|name| probe.wraps(name));
    line.extend(wrapped.map(|name| format!("-Wl,--wrap={name}")));
    // Behind the user's own folders, in which there may be the libraries of another installation.
    line.push(format!("-L{}", sdk.libraries().display()));
    // Between these marks an object is taken only when a function of it is missing, as from an archive.
    line.push("-Wl,--start-lib".to_string());
    let objects = sdk.objects().into_iter().filter(|object| probe.links(object));
    line.extend(objects.map(|object| object.display().to_string()));
    line.push("-Wl,--end-lib".into());
    let emulated = ["signal", "process-clocks", "mman", "getpid"].into_iter().filter(|part| probe.emulates(part));
    line.extend(emulated.map(|part| format!("-lwasi-emulated-{part}")));
    // printf and scanf of long double, which there are not for 32 bits and threads; dlopen's error, setjmp.
    let has_long_double = wide::is_in(sysroot) || !threads::are_in(sysroot);
    line.extend(has_long_double.then(|| "-lc-printscan-long-double".into()));
    line.extend(["-ldl".into(), "-lsetjmp".into()]);
    line.extend(wide::LIBRARIES.iter().filter(|_| wide::is_in(sysroot)).map(|name| name.to_string()));
    line
}

/// What a compiler wrapper adds, for `-show` and its relatives.
pub(crate) struct Described {
    /// The program that is called, and its subcommand.
    pub compiler: Vec<String>,
    /// Flags of every compilation.
    pub compile: Vec<String>,
    /// Flags and libraries of linking.
    pub link: Vec<String>,
    /// The folder of headers or modules.
    pub include: String,
    /// What the caller passes on.
    pub arguments: Vec<OsString>,
}

impl Described {
    /// What `rankine cc` adds.
    pub fn new(clang: &Path, sysroot: &Path, sdk: &Sdk, request: flags::Request) -> Described {
        let links = request.links || request.arguments.is_empty();
        let openmp = request.openmp.then(|| "-lomp".to_string());
        let link_flags = link_flags(sysroot, sdk, &request).into_iter().chain(openmp).chain(libraries(sysroot, sdk));
        Described {
            compiler: vec![clang.display().to_string()],
            compile: compile_flags(clang, sysroot, sdk),
            link: if links { link_flags.collect() } else { Vec::new() },
            include: sdk.include().display().to_string(),
            arguments: request.arguments,
        }
    }
}

/// The answer to `-show` and its relatives: a line, quoted for a shell.
pub(crate) fn shown(show: flags::Show, described: &Described) -> String {
    let Described { compiler, compile, link, include, arguments } = described;
    let arguments: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<String> = match show {
        flags::Show::Command => [compiler.as_slice(), compile, &arguments, link].concat(),
        flags::Show::CompileCommand => [compiler.as_slice(), compile].concat(),
        flags::Show::LinkCommand => [compiler.as_slice(), compile, link].concat(),
        flags::Show::CompileFlags => compile.clone(),
        flags::Show::LinkFlags => link.clone(),
        flags::Show::IncludeFolders => vec![include.clone()],
        flags::Show::Nothing => vec![],
        flags::Show::Compiler => compiler.clone(),
        flags::Show::Version => vec![format!("rankine {}", env!("CARGO_PKG_VERSION"))],
    };
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ") + "\n"
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+./,:@%^".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Becomes clang; stays beside it where the program has to be made runnable afterwards, or what it says needs a word more.
pub(crate) fn compile(clang: &Path, line: Vec<OsString>, request: &flags::Request) -> Result<ExitCode> {
    let program = (request.runnable && request.links).then(|| runnable::output(&line));
    match program {
        program if narrowing::is_wanted(request) => {
            let cpp = cpp_source(request).filter(|_| !line.iter().any(|word| word == "--driver-mode=g++"));
            let output = runnable::output(&line);
            let (status, casts) = narrowing::compile(clang, line, request)?;
            if status.success() && !casts.is_empty() && request.forgives != Some(false) {
                note_casts(&output, request, &casts)?;
            }
            if let Some(file) = cpp.filter(|_| !status.success()) {
                tell!("rankine cc: {0} is C++: rankine c++ {0} knows its library", file.display());
            }
            program.map_or(Ok(process::exit_code(status)), |program| runnable::finish(status, &program))
        }
        Some(_) => runnable::compile(clang, line),
        None => replace_process(clang, line),
    }
}

/// Has the linker know of casts of functions: in the object that was made, or in the program that is linked already.
fn note_casts(output: &Path, request: &flags::Request, casts: &[Cast]) -> Result<()> {
    if request.links {
        return link::forgive_casts(output, casts);
    }
    if request.arguments.iter().any(|word| word == "-o") {
        return casts::note(output, casts);
    }
    let objects = request.arguments.iter().map(|word| Path::new(word).with_extension("o"));
    let names = objects.filter_map(|path| path.file_name().map(PathBuf::from)).filter(|object| object.is_file());
    names.into_iter().try_for_each(|object| casts::note(&object, casts))
}

/// A source in C++ among what is compiled.
fn cpp_source(request: &flags::Request) -> Option<PathBuf> {
    const ENDS: [&str; 7] = ["cc", "cpp", "cxx", "c++", "C", "CC", "cp"];
    let words = request.arguments.iter().map(Path::new);
    let is_cpp = |path: &&Path| path.extension().and_then(OsStr::to_str).is_some_and(|end| ENDS.contains(&end));
    words.filter(|path| !path.as_os_str().as_encoded_bytes().starts_with(b"-")).find(is_cpp).map(Path::to_path_buf)
}

fn replace_process(clang: &Path, line: Vec<OsString>) -> Result<ExitCode> {
    let replaced = rankine_system::os::replace_process(Command::new(clang).args(line));
    replaced.with_context(|| format!("cannot start {}", clang.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_for_a_shell() {
        let described = Described {
            compiler: vec!["/a b/rankine".into(), "fc".into()],
            compile: vec!["-I".into(), "/include".into()],
            link: vec![],
            include: "/include".into(),
            arguments: vec!["x.f90".into()],
        };
        assert_eq!(shown(flags::Show::Compiler, &described), "'/a b/rankine' fc\n");
        assert_eq!(shown(flags::Show::Command, &described), "'/a b/rankine' fc -I /include x.f90\n");
    }
}
