//! What `rankine cc` does with each argument: passes it on, drops it with a reason, or refuses it.
//!
//! Dropped are flags that only mean something on the host's processor or to an ELF linker, because build systems
//! pass them without asking. Refused are those whose result the caller would go on to use, such as a shared library.

use super::linker_words;
use crate::threads;
use crate::wide;
use anyhow::{Result, bail};
use rankine_system::tell;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What the caller wants instead of a compilation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Show {
    /// The whole command.
    Command,
    /// Compiler and compile flags.
    CompileCommand,
    /// Compiler, compile and link flags.
    LinkCommand,
    /// Compile flags alone.
    CompileFlags,
    /// Link flags alone.
    LinkFlags,
    /// Folders that are searched for headers.
    IncludeFolders,
    /// An empty answer: library folders and library names, which only concern host linkers.
    Nothing,
    /// The compiler's name.
    Compiler,
    /// Rankine's version.
    Version,
}

/// A command line, read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What goes to clang, in order.
    pub arguments: Vec<OsString>,
    /// Whether clang will link, so that the libraries are needed.
    pub links: bool,
    /// Whether the caller brings the libraries (`-nostdlib`).
    pub bare: bool,
    /// Whether the program has threads (`-pthread`, `-fopenmp`).
    pub threads: bool,
    /// Whether its addresses have 64 bits (`-m64`).
    pub wide: bool,
    /// Whether its memory may have more than 4 GiB (`-m64=large`).
    pub large: bool,
    /// Whether it is linked with the OpenMP runtime (`-fopenmp`).
    pub openmp: bool,
    /// Whether the program is to be one that can be started (`-runnable`).
    pub runnable: bool,
    /// Whether calls through pointers forgive (`-fforgiving-calls`), if that is said.
    pub forgives: Option<bool>,
    /// Whether to say what was dropped.
    pub verbose: bool,
    /// A question about the wrapper itself.
    pub show: Option<Show>,
    /// What was dropped, and why.
    pub notes: Vec<String>,
}

impl Request {
    /// Says what was dropped, if that was asked for.
    pub fn say_notes(&self, command: &str) {
        for note in self.notes.iter().filter(|_| self.verbose) {
            tell!("rankine {command}: {note}");
        }
    }
}

/// Reads the arguments of `rankine cc`.
pub fn read(arguments: &[OsString]) -> Result<Request> {
    let mut request = Request::default();
    let (mut inputs, mut compiles_only) = (false, false);
    let arguments = linker_words::join(arguments);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        // Names of files may be anything; flags are UTF-8 or pass through.
        let text = argument.to_str().unwrap_or("");
        if let Some(show) = show(text) {
            request.show = Some(show);
            continue;
        }
        if text == "-runnable" {
            request.runnable = true;
            continue;
        }
        if let "-fforgiving-calls" | "-fno-forgiving-calls" = text {
            request.forgives = Some(text == "-fforgiving-calls");
            continue;
        }
        if let "-m64" | "-m64=large" | "-m32" = text {
            request.wide = text != "-m32";
            request.large = text == "-m64=large";
            continue;
        }
        let (openmp, threads) = asks_for_threads(text);
        request.openmp |= openmp;
        request.threads |= threads;
        match judge(text)? {
            Verdict::Pass => request.arguments.push(argument.clone()),
            Verdict::Replace(word) => {
                request.notes.push(format!("{text} becomes {word}, WebAssembly's equivalent"));
                request.arguments.push(word.into());
            }
            Verdict::Drop(reason) => {
                request.notes.push(format!("{text} is left out: {reason}"));
                continue;
            }
        }
        request.verbose |= matches!(text, "-v" | "--verbose");
        request.bare |= matches!(text, "-nostdlib" | "-nodefaultlibs");
        compiles_only |= stops_before_link(text);
        inputs |= is_input(argument);
        if takes_next(text) {
            request.arguments.extend(rest.next().cloned());
        }
    }
    request.links = inputs && !compiles_only;
    request.runnable |= request.links && cmake_will_start(&request.arguments);
    Ok(request)
}

/// Whether CMake links a program that it starts as it is: its objects lie in `CMakeFiles`, and the toolchain file, which
/// says what runs programs, would have had the name end in `.wasm`.
fn cmake_will_start(arguments: &[OsString]) -> bool {
    let is_of_cmake = |word: &OsString| {
        let path = Path::new(word.to_str().map_or("", |word| word.trim_start_matches('@')));
        path.components().any(|part| part.as_os_str() == "CMakeFiles")
    };
    let Some(at) = arguments.iter().rposition(|word| word == "-o") else { return false };
    let output = arguments.get(at + 1).map(Path::new);
    let ending = output.and_then(Path::extension).and_then(OsStr::to_str);
    !matches!(ending, Some("wasm" | "o" | "obj")) && arguments[..at].iter().any(is_of_cmake)
}

/// Whether a flag asks for OpenMP, and for threads.
fn asks_for_threads(flag: &str) -> (bool, bool) {
    let openmp = is_openmp(flag) || is_openmp_runtime(flag);
    (openmp, openmp || matches!(flag, "-pthread" | "-mt" | "-threads"))
}

/// Whether a flag asks for OpenMP, as one of many compilers spells it.
pub fn is_openmp(flag: &str) -> bool {
    matches!(flag, "-fopenmp" | "-qopenmp" | "-mp" | "-openmp") || flag.starts_with("-fopenmp=")
}

/// Whether a word names the runtime that `-fopenmp` links: CMake finds its file and links that instead.
fn is_openmp_runtime(word: &str) -> bool {
    let is_for = |target| Path::new(word).ends_with(Path::new("lib").join(target).join("libomp.a"));
    is_for(threads::THREADS) || is_for(wide::WIDE_THREADS)
}

/// Whether a flag asks for code for devices beside the program's own.
fn is_for_devices(flag: &str) -> bool {
    let beginnings = ["-fopenmp-targets=", "-fopenmp-is-target-device", "--offload-arch=", "-Xopenmp-target"];
    beginnings.iter().any(|beginning| flag.starts_with(beginning))
}

/// What to do with one argument.
pub(super) enum Verdict {
    Pass,
    Replace(String),
    Drop(&'static str),
}

const HOST_PROCESSOR: &str = "it chooses instructions of the host's processor, guests have their own (-msimd128 is on)";
pub(super) const ELF_LINKER: &str = "it means nothing to the WebAssembly linker";
const POSITION: &str = "guests are linked statically, and position-independent code only costs time";
const THREADS: &str = "the target for threads is chosen instead";

/// What whoever has the compilers of the SDK on the path, and builds with cargo for this machine, has forgotten.
const CARGO: &str = "; cargo builds for it once `rankine sdk cargo-config --write` was typed beside Cargo.toml";

fn is_of_cargo() -> bool {
    std::env::var_os("CARGO_MANIFEST_DIR").is_some()
}

pub(super) fn judge(flag: &str) -> Result<Verdict> {
    if let Some(list) = flag.strip_prefix("-Wl,") {
        return linker_words::judge_list(flag, list);
    }
    if let Some(target) = flag.strip_prefix("--target=").filter(|target| !target.starts_with("wasm")) {
        bail!("--target={target}: guests are for WebAssembly{}", if is_of_cargo() { CARGO } else { "" });
    }
    match flag {
        "-shared" | "-dynamiclib" | "-bundle" => bail!(
            "{flag}: guests are linked statically and there are no shared libraries; build a static one with ar \
             (configure: --disable-shared --enable-static; CMake: -DBUILD_SHARED_LIBS=OFF)"
        ),
        _ if is_for_devices(flag) => bail!(
            "{flag}: guests have no devices; without it the regions of `target` directives are run by the rank's own threads"
        ),
        "-fcommon" => return Ok(Verdict::Drop("the linker makes one of what several files define without a value")),
        "-mx32" => return Ok(Verdict::Drop("the target is wasm32")),
        "-pthread" | "-mt" | "-threads" => return Ok(Verdict::Drop(THREADS)),
        "-fPIC" | "-fpic" | "-fPIE" | "-fpie" | "-pie" | "-no-pie" | "-static-pie" => {
            return Ok(Verdict::Drop(POSITION));
        }
        "-fopenmp" => {}
        _ if is_openmp_runtime(flag) => return Ok(Verdict::Drop("it is linked as -fopenmp links it")),
        _ if is_openmp(flag) => return Ok(Verdict::Replace("-fopenmp".into())),
        "-rdynamic" | "-static-libgcc" | "-static-libstdc++" | "-shared-libgcc" | "-fno-plt" => {
            return Ok(Verdict::Drop(ELF_LINKER));
        }
        "-lmpi" | "-lmpich" | "-lpmpi" | "-lmpi_abi" => {
            return Ok(Verdict::Drop("MPI functions are imports of the guest"));
        }
        "-lgcc" | "-lgcc_s" | "-latomic" | "-lgomp" | "-lomp" => {
            return Ok(Verdict::Drop("clang's own support routines take its place, and -fopenmp links LLVM's runtime"));
        }
        "-lstdc++" | "-lsupc++" | "-lc++" | "-lc++abi" | "-lunwind" | "-stdlib=libstdc++" => {
            return Ok(Verdict::Drop("`rankine c++` links the C++ library"));
        }
        "-pg" | "--coverage" | "-fprofile-arcs" | "-ftest-coverage" => {
            return Ok(Verdict::Drop("there is no profiling runtime for guests"));
        }
        "-fwhole-program" | "-fno-gnu-unique" | "-traditional-cpp" => {
            return Ok(Verdict::Drop("clang does not know it"));
        }
        _ => {}
    }
    if let Some(list) = flag.strip_prefix("-fsanitize=") {
        check_sanitizers(flag, list)?;
    }
    if is_host_machine_flag(flag) {
        return Ok(Verdict::Drop(HOST_PROCESSOR));
    }
    let host_only = [
        "-fcf-protection",
        "-fstack-clash-protection",
        "-fuse-ld=",
        "-fveclib=",
        "-fvect-cost-model",
        "-ftree-vectorizer-verbose",
    ];
    if host_only.iter().any(|prefix| flag.starts_with(prefix)) {
        return Ok(Verdict::Drop("it has no meaning for WebAssembly"));
    }
    Ok(Verdict::Pass)
}

/// Refuses sanitizers that need more than a program's own code, by name: only what `undefined` stands for has a runtime in the
/// SDK library (`guest-sdk/c/src/undefined_behaviour.c`).
fn check_sanitizers(flag: &str, list: &str) -> Result<()> {
    const ABSENT: [&str; 8] = ["address", "dataflow", "fuzzer", "hwaddress", "leak", "memory", "realtime", "thread"];
    match list.split(',').find(|name| ABSENT.contains(name)) {
        None => Ok(()),
        Some(name) => bail!(
            "{flag}: clang has no runtime of `{name}` for WebAssembly. -fsanitize=undefined finds null and misaligned pointers and \
             indices beyond arrays of known length; `rankine run --check-heap` finds writes beyond blocks of the heap, and `--check` what \
             is wrong with buffers of MPI; natively, with \
             mpicc, the same source can be compiled with {flag}"
        ),
    }
}

/// Whether a `-m…` flag is for another processor than wasm.
fn is_host_machine_flag(flag: &str) -> bool {
    let Some(name) = flag.strip_prefix("-m") else {
        return false;
    };
    if let Some(cpu) = name.strip_prefix("cpu=") {
        return !["mvp", "generic", "bleeding-edge", "lime1"].contains(&cpu);
    }
    const FEATURES: &[&str] = &[
        "atomics",
        "bulk-memory",
        "bulk-memory-opt",
        "call-indirect-overlong",
        "exception-handling",
        "extended-const",
        "fp16",
        "gc",
        "multimemory",
        "multivalue",
        "mutable-globals",
        "nontrapping-fptoint",
        "reference-types",
        "relaxed-simd",
        "sign-ext",
        "simd128",
        "tail-call",
        "wide-arithmetic",
    ];
    const GENERAL: &[&str] = &["llvm", "exec-model=", "ms-extensions", "no-ms-extensions", "mlir"];
    let feature = name.strip_prefix("no-").unwrap_or(name);
    !FEATURES.contains(&feature) && !GENERAL.iter().any(|known| name.starts_with(known))
}

fn show(flag: &str) -> Option<Show> {
    Some(match flag {
        "-show" | "--show" | "-showme" | "--showme" => Show::Command,
        "-compile-info" | "-compile_info" => Show::CompileCommand,
        "-link-info" | "-link_info" => Show::LinkCommand,
        "-showme:compile" | "--showme:compile" => Show::CompileFlags,
        "-showme:link" | "--showme:link" => Show::LinkFlags,
        "-showme:incdirs" | "--showme:incdirs" => Show::IncludeFolders,
        "-showme:libdirs" | "--showme:libdirs" | "-showme:libs" | "--showme:libs" => Show::Nothing,
        "-showme:command" | "--showme:command" => Show::Compiler,
        "-showme:version" | "--showme:version" => Show::Version,
        _ => return None,
    })
}

/// Flags with which clang stops before it would link a program.
fn stops_before_link(flag: &str) -> bool {
    let exact = [
        "-c",
        "-r",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-fsyntax-only",
        "--precompile",
        "--analyze",
        "-dM",
        "--version",
        "--help",
        "-dumpmachine",
        "-dumpversion",
        "-emit-ast",
        "--preprocess",
        "--compile",
        "--assemble",
    ];
    exact.contains(&flag) || flag.starts_with("-print-") || flag.starts_with("--print-") || flag.starts_with("--help")
}

/// Whether the word after this flag belongs to it.
pub fn takes_next(flag: &str) -> bool {
    const FLAGS: &[&str] = &[
        "-o",
        "-I",
        "-D",
        "-U",
        "-L",
        "-l",
        "-x",
        "-u",
        "-z",
        "-T",
        "-e",
        "-F",
        "-B",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-Xlinker",
        "-Xclang",
        "-Xpreprocessor",
        "-Xassembler",
        "-Xarch_host",
        "-mllvm",
        "-include",
        "-include-pch",
        "-imacros",
        "-isystem",
        "-isystem-after",
        "-idirafter",
        "-iquote",
        "-iprefix",
        "-iwithprefix",
        "-iwithprefixbefore",
        "-isysroot",
        "-cxx-isystem",
        "-stdlib++-isystem",
        "-target",
        "-arch",
        "-undefined",
        "-resource-dir",
        "-dumpdir",
        "-dumpbase",
        "-dumpbase-ext",
        "--param",
        "--sysroot",
        "--target",
        "-imultilib",
        "-ivfsoverlay",
    ];
    FLAGS.contains(&flag)
}

/// A file (or `-` for standard input, or a response file), as opposed to a flag.
fn is_input(argument: &OsStr) -> bool {
    let bytes = argument.as_encoded_bytes();
    bytes == b"-" || !bytes.starts_with(b"-") && !bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Request {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        read(&words).unwrap()
    }

    fn passed(line: &str) -> String {
        request(line).arguments.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn ordinary_flags_pass_unchanged() {
        let line = "-O3 -g -std=c99 -DX=-1 -I inc -Wall -ffast-math a.c b.o libx.a -lm -lpthread -ldl -lrt -o out";
        assert_eq!(passed(line), line);
        assert!(request(line).notes.is_empty());
    }

    #[test]
    fn it_links_when_there_is_input_and_nothing_stops_it() {
        for line in ["a.c", "a.o -o a", "-O2 a.c -lm", "-x c -", "@list", "-o a a.o -Wl,--gc-sections"] {
            assert!(request(line).links, "{line}");
        }
        for line in [
            "",
            "-v",
            "-c a.c",
            "-E a.c",
            "-MM a.c",
            "--version",
            "-print-prog-name=ld",
            "-o out",
            "-S a.c -o -",
            "-r a.o b.o -o c.o",
        ] {
            assert!(!request(line).links, "{line}");
        }
    }

    #[test]
    fn the_value_of_a_flag_is_neither_an_input_nor_a_flag() {
        let request = request("-include config.h -MF -shared -D -pthread");
        assert!(!request.links);
        assert_eq!(request.arguments.len(), 6);
    }

    #[test]
    fn flags_of_the_hosts_processor_are_left_out() {
        let line =
            "-march=native -mtune=native -mcpu=native -mavx2 -mfma -mx32 -mno-sse -mcmodel=medium -mfpmath=sse a.c";
        assert_eq!(passed(line), "a.c");
        assert_eq!(request(line).notes.len(), 9);
        let own = "-mrelaxed-simd -mno-simd128 -mllvm -x -mcpu=generic -mexec-model=reactor a.c";
        assert_eq!(passed(own), own);
    }

    #[test]
    fn the_last_word_about_addresses_counts() {
        let of = |line| (request(line).wide, request(line).large, request(line).arguments.len());
        assert_eq!(
            [of("-m64 -c a.c"), of("a.c"), of("-m64 a.c -m32"), of("-m32 -m64 a.o")],
            [(true, false, 2), (false, false, 1), (false, false, 1), (true, false, 1)]
        );
        assert_eq!([of("-m64=large a.c"), of("-m64=large a.c -m64")], [(true, true, 1), (true, false, 1)]);
    }

    #[test]
    fn forgiving_calls_are_the_linkers() {
        let forgiving = request("-fforgiving-calls -O2 a.c");
        assert!(forgiving.forgives == Some(true) && forgiving.arguments == ["-O2", "a.c"]);
        assert_eq!(request("-fforgiving-calls a.c -fno-forgiving-calls").forgives, Some(false));
        assert_eq!(request("a.c").forgives, None);
    }

    #[test]
    fn dependency_flags_are_not_machine_flags() {
        assert_eq!(passed("-MD -MP -MF a.d -c a.c"), "-MD -MP -MF a.d -c a.c");
    }

    #[test]
    fn elf_linker_flags_are_left_out_one_by_one() {
        assert_eq!(passed("a.o -Wl,-rpath,/x -Wl,-rpath=/y -Wl,-z,relro -Wl,-z,now -Wl,--as-needed"), "a.o");
        assert_eq!(passed("a.o -Wl,--start-group -la -lb -Wl,--end-group"), "a.o -la -lb");
        assert_eq!(passed("a.o -Wl,-rpath,/x,--gc-sections,-soname,l"), "a.o -Wl,--gc-sections");
        assert_eq!(passed("a.o -Wl,-z,stack-size=65536"), "a.o -Wl,-z,stack-size=65536");
        assert_eq!(passed("a.o -Wl,-u,foo,--wrap=x"), "a.o -Wl,-u,foo,--wrap=x");
    }

    #[test]
    fn words_for_the_linker_follow_the_same_rule() {
        assert_eq!(passed("a.o -Xlinker -rpath -Xlinker /x -Xlinker --gc-sections b.o"), "a.o -Wl,--gc-sections b.o");
        assert_eq!(passed("-Xlinker --as-needed a.o"), "a.o");
    }

    #[test]
    fn common_symbols_are_the_linkers_business() {
        assert_eq!(passed("-fcommon -c a.c"), "-c a.c");
    }

    #[test]
    fn a_runnable_program_is_clangs_business_in_all_else() {
        assert!(request("-runnable a.c").runnable);
        assert_eq!(passed("-O2 -runnable a.c -o a"), "-O2 a.c -o a");
    }

    #[test]
    fn cmake_without_the_toolchain_file_gets_programs_that_start() {
        for line in [
            "-O2 CMakeFiles/heat.dir/heat.c.o -o heat",
            "src/CMakeFiles/heat.dir/heat.c.o -o src/heat.1",
            "@CMakeFiles/heat.dir/objects1.rsp -o heat -lm",
            "/build/CMakeFiles/cmTC_1.dir/testCCompiler.c.o -o cmTC_1",
        ] {
            assert!(request(line).runnable, "{line}");
        }
        for line in [
            "CMakeFiles/heat.dir/heat.c.o -o heat.wasm",
            "-c heat.c -o CMakeFiles/heat.dir/heat.c.o",
            "heat.o -o CMakeFiles/heat",
            "heat.o -o heat",
        ] {
            assert!(!request(line).runnable, "{line}");
        }
    }

    #[test]
    fn the_cpp_library_is_ours() {
        assert_eq!(passed("a.o -stdlib=libstdc++ -lstdc++ -lm -lc++abi"), "a.o -lm");
        assert_eq!(passed("-stdlib=libc++ -nostdlib++ a.o"), "-stdlib=libc++ -nostdlib++ a.o");
    }

    #[test]
    fn a_shared_library_is_refused_with_the_way_out() {
        for line in ["-shared a.o -o liba.so", "-Wl,-shared a.o"] {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let text = read(&words).unwrap_err().to_string();
            assert!(text.contains("--disable-shared"), "{text}");
        }
    }

    #[test]
    fn a_sanitizer_without_a_runtime_is_refused_with_the_way_out() {
        for line in ["-fsanitize=address a.c", "-c -fsanitize=undefined,thread a.c"] {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let text = read(&words).unwrap_err().to_string();
            assert!(text.contains("-fsanitize=undefined finds"), "{text}");
        }
        assert_eq!(passed("-fsanitize=undefined,bounds a.c"), "-fsanitize=undefined,bounds a.c");
    }

    #[test]
    fn the_openmp_runtime_is_asked_for_by_its_file_too() {
        let request = request("a.o /data/threads-1/lib/wasm32-wasip1-threads/libomp.a -o a.wasm");
        assert!(request.openmp && request.threads && request.links);
        assert_eq!(request.arguments, ["a.o", "-o", "a.wasm"]);
    }

    #[test]
    fn devices_are_refused_with_the_way_out() {
        let error = read(&["--target=x86_64-unknown-linux-gnu".into(), "a.c".into()]).unwrap_err();
        assert!(error.to_string().contains("guests are for WebAssembly"), "{error}");
        assert_eq!(passed("--target=wasm32-wasip1 a.c"), "--target=wasm32-wasip1 a.c");
        let error = read(&["-fopenmp-targets=nvptx64".into(), "a.c".into()]).unwrap_err();
        assert!(error.to_string().contains("run by the rank's own threads"), "{error}");
    }

    #[test]
    fn threads_have_a_target_of_their_own() {
        assert_eq!(passed("-pthread a.c -lpthread"), "a.c -lpthread");
        assert_eq!(passed("-fopenmp=libgomp a.c -lgomp"), "-fopenmp a.c");
        let of = |line| (request(line).threads, request(line).openmp);
        assert_eq!(of("-pthread a.c"), (true, false));
        assert_eq!(of("-fopenmp a.c"), (true, true));
        assert_eq!(of("-fopenmp-simd a.c -lpthread"), (false, false));
    }

    #[test]
    fn a_bare_link_brings_its_own_libraries() {
        assert!(request("-nostdlib a.o").bare);
        assert!(!request("a.o").bare);
    }

    #[test]
    fn questions_about_the_wrapper() {
        assert_eq!(request("-show").show, Some(Show::Command));
        assert_eq!(request("-showme:compile").show, Some(Show::CompileFlags));
        assert_eq!(request("-c a.c").show, None);
    }
}
