//! `rankine sdk build openmp`: what guests with threads are linked with (see `crate::threads`). The C library is taken
//! from where there is one; libc++ and LLVM's OpenMP runtime are compiled from LLVM's source for it.

use super::cxx;
use super::flang::{self, Flang};
use super::llvm_source::{self, LlvmSource};
use super::m64;
use crate::cxx::Library;
use crate::find::{self, TARGET};
use crate::folder::{self, copy_tree};
use crate::process::check;
use crate::sdk::base_flags;
use crate::terminal::say;
use crate::threads::{self, THREADS, target_of};
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of LLVM's source: the runtime, and the parts of LLVM's build that it includes.
const FOLDERS: &[&str] = &["openmp", "cmake", "runtimes"];

/// How LLVM's runtime is configured for a guest.
const CONFIGURATION: &[&str] = &[
    "-DOPENMP_STANDALONE_BUILD=ON",
    "-DCMAKE_SYSTEM_NAME=WASI",
    "-DCMAKE_BUILD_TYPE=Release",
    // No program can be linked while there is no library.
    "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
    // Its only name for WebAssembly, whatever the width.
    "-DLIBOMP_ARCH=wasm32",
    "-DLIBOMP_ENABLE_SHARED=OFF",
    "-DLIBOMP_HAVE_PTHREAD=ON",
    "-DLIBOMP_OMPT_SUPPORT=OFF",
    "-DLIBOMP_OMPD_SUPPORT=OFF",
    "-DOPENMP_ENABLE_LIBOMPTARGET=OFF",
];

/// How often a thread that waits looks before it lets others have its core. LLVM's numbers count on an instruction between two
/// looks that pauses for tens of nanoseconds, for which a guest has none: it would give way after a microsecond.
const PATIENCE: [(&str, &str); 2] = [
    ("#define KMP_INIT_WAIT 1024U ", "#define KMP_INIT_WAIT 8192U "),
    ("#define KMP_NEXT_WAIT 512U ", "#define KMP_NEXT_WAIT 4096U "),
];

/// Where the runtime asks for the kind of machine and means its width: it knows of WebAssembly with 32-bit addresses.
const WIDTHS: [(&str, &str, &str); 8] = [
    (
        "kmp_platform.h",
        "#if defined(__wasm32__)\n#define KMP_ARCH_WASM 1\n",
        "#if defined(__wasm32__)\n#define KMP_ARCH_WASM32 1\n#endif\n#if defined(__wasm__)\n#define KMP_ARCH_WASM 1\n",
    ),
    ("kmp_platform.h", "|| KMP_ARCH_WASM || ", "|| KMP_ARCH_WASM32 || "),
    ("kmp_os.h", "KMP_ARCH_MIPS || KMP_ARCH_WASM ||", "KMP_ARCH_MIPS || KMP_ARCH_WASM32 ||"),
    ("kmp_os.h", "KMP_ARCH_ARM || KMP_ARCH_WASM ||", "KMP_ARCH_ARM || KMP_ARCH_WASM32 ||"),
    (
        "kmp_os.h",
        "#elif KMP_ARCH_X86_64 || KMP_ARCH_PPC64 ||",
        "#elif KMP_ARCH_WASM || KMP_ARCH_X86_64 || KMP_ARCH_PPC64 ||",
    ),
    ("kmp_gsupport.cpp", "KMP_ARCH_MIPS || KMP_ARCH_WASM ||", "KMP_ARCH_MIPS || KMP_ARCH_WASM32 ||"),
    (
        "z_Linux_util.cpp",
        "#if !KMP_32_BIT_ARCH\n  struct rlimit rlim;",
        "#if !KMP_32_BIT_ARCH && !KMP_ARCH_WASM\n  struct rlimit rlim;",
    ),
    ("z_Linux_util.cpp", "(int)addr < (__builtin", "(kmp_uintptr_t)addr < (__builtin"),
];

/// The function of a parallel region has a parameter for each variable from around it. LLVM's runtime calls it by a list of calls
/// where it has no assembler, which ends at 15; this is where further ones are put.
const FIRST_CALL: &str = "  case 0:\n    (*(microtask_t0)pkfn)(&gtid, &tid);\n";
const MOST_VARIABLES: usize = 80;

/// Libraries of the C library that are empty, as their functions are in `libc.a`.
const EMPTY: [&str; 7] = ["m", "pthread", "rt", "crypt", "util", "resolv", "xnet"];

/// Builds it, unless it is there.
pub fn build(force: bool) -> Result<()> {
    let clang = find::clang()?.path;
    let plain = find::sysroot()?.path;
    let place = threads::place(&clang, &plain)?;
    if place.is_dir() && Library::find(&clang, &place).is_ok() && !force {
        say(&format!("the OpenMP runtime is there already: {}", place.display()));
    } else {
        build_for(&clang, &plain, &place)?;
    }
    // Where there are 64-bit addresses, their programs may have threads now, and where Fortran is compiled, its own.
    m64::build_threads(force)?;
    if Flang::find().is_ok() { flang::build(false) } else { Ok(()) }
}

fn build_for(clang: &Path, plain: &Path, place: &Path) -> Result<()> {
    for tool in ["cmake", "python3"] {
        ensure!(find::find_program(tool).is_some(), "{tool} is missing; it is needed to build LLVM's OpenMP runtime");
    }
    let libc = threads::c_library(plain)?;
    folder::remake(place, |draft| {
        lay_out(clang, plain, &libc, draft)?;
        runtime(clang, draft)
    })?;
    cxx::build_for(clang, place)?;
    say(&format!("ready: {}", place.display()));
    Ok(())
}

/// The sysroot without the runtime.
fn lay_out(clang: &Path, plain: &Path, libc: &Path, draft: &Path) -> Result<()> {
    say(&format!("taking the C library with threads from {}", libc.display()));
    copy_tree(&plain.join("include").join(TARGET), &draft.join("include").join(THREADS))?;
    let lib = draft.join("lib").join(THREADS);
    fs::create_dir_all(&lib)?;
    for name in EMPTY {
        fs::write(lib.join(format!("lib{name}.a")), "!<arch>\n")?;
    }
    for entry in fs::read_dir(libc)?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "a" || extension == "o") {
            fs::copy(&path, lib.join(entry.file_name())).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    for name in ["setjmp", "dl", "wasi-emulated-getpid", "wasi-emulated-process-clocks", "wasi-emulated-signal"] {
        adapt(clang, &plain.join("lib").join(TARGET), &lib, name)?;
    }
    // Its function is in the SDK library (`guest-sdk/c/src/emulated.c`).
    fs::write(lib.join("libwasi-emulated-mman.a"), "!<arch>\n")?;
    Ok(())
}

/// A library for one thread whose objects were compiled without atomics: those with data of a thread can't be linked, the
/// others can. For the former the SDK library has its own (`guest-sdk/c/src/emulated.c`).
fn adapt(clang: &Path, from: &Path, to: &Path, name: &str) -> Result<()> {
    let file = format!("lib{name}.a");
    if to.join(&file).is_file() {
        return Ok(());
    }
    let work = tempfile::tempdir().context("cannot create a temporary folder")?;
    let llvm_ar = find::llvm_tool(clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")?;
    let doing = format!("reading {file}");
    check(Command::new(&llvm_ar).arg("x").arg(from.join(&file)).current_dir(work.path()), &doing)?;
    let mut objects: Vec<PathBuf> = fs::read_dir(work.path())?.flatten().map(|entry| entry.path()).collect();
    objects.sort();
    let mut kept = Vec::new();
    for object in objects {
        if can_share_memory(&fs::read(&object)?) {
            kept.push(object);
        }
    }
    check(Command::new(llvm_ar).arg("rcs").arg(to.join(&file)).args(kept), &format!("writing {file}")).map(drop)
}

/// Whether an object may be linked where memory is shared: its section of features doesn't say `-shared-mem`.
fn can_share_memory(object: &[u8]) -> bool {
    const REFUSAL: &[u8] = b"-\x0ashared-mem";
    !object.windows(REFUSAL.len()).any(|bytes| bytes == REFUSAL)
}

/// Configures and compiles the runtime, and adds it to the sysroot.
pub(super) fn runtime(clang: &Path, sysroot: &Path) -> Result<()> {
    let version = llvm_source::version_of(clang)?;
    let source = LlvmSource::with(&version, FOLDERS)?;
    let headers = LlvmSource::with(&version, &["libcxx/include"])?;
    let work = tempfile::tempdir().context("cannot create a temporary folder")?;
    let include = work.path().join("c++");
    cxx::copy_headers(&headers, &include)?;
    let flags = base_flags(sysroot).join(" ");
    let amended = work.path().join("source");
    amended_copy(&source, &amended)?;
    let tree = work.path().join("build");
    let tool =
        |name: &str| find::llvm_tool(clang, name).with_context(|| format!("{name} is missing, a tool of LLVM's"));
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(amended.join("openmp")).arg("-B").arg(&tree).args(CONFIGURATION);
    for (name, value) in [
        ("CMAKE_C_COMPILER", clang.display().to_string()),
        ("CMAKE_CXX_COMPILER", clang.display().to_string()),
        ("CMAKE_AR", tool("llvm-ar")?.display().to_string()),
        ("CMAKE_RANLIB", tool("llvm-ranlib")?.display().to_string()),
        ("CMAKE_C_FLAGS", flags.clone()),
        ("CMAKE_ASM_FLAGS", flags.clone()),
        (
            "CMAKE_CXX_FLAGS",
            format!("{flags} --driver-mode=g++ -nostdinc++ -isystem {} -fno-exceptions -fno-rtti", include.display()),
        ),
    ] {
        cmake.arg(format!("-D{name}={value}"));
    }
    say("compiling LLVM's OpenMP runtime");
    check(&mut cmake, "configuring the OpenMP runtime")?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut make = Command::new("cmake");
    make.arg("--build").arg(&tree).args(["--target", "omp", "--parallel", &cores]);
    check(&mut make, "compiling the OpenMP runtime")?;
    for (from, to) in [
        ("runtime/src/libomp.a", "lib"),
        ("runtime/src/omp.h", "include"),
        ("runtime/src/ompx.h", "include"),
        ("runtime/src/omp_lib.h", "include"),
        ("module/omp_lib.F90", "include"),
    ] {
        let from = tree.join(from);
        let name = from.file_name().context("a file has a name")?;
        fs::copy(&from, sysroot.join(to).join(target_of(sysroot)).join(name))
            .with_context(|| format!("the build left no {}", from.display()))?;
    }
    Ok(())
}

/// A copy of the runtime's source in which threads wait as long as they do natively before they give way, regions may use many
/// variables, and addresses may have 64 bits.
fn amended_copy(source: &LlvmSource, to: &Path) -> Result<()> {
    for folder in FOLDERS {
        copy_tree(&source.path(folder), &to.join(folder))?;
    }
    let src = to.join("openmp/runtime/src");
    for (was, is) in PATIENCE {
        amend(&src.join("kmp.h"), was, is)?;
    }
    for (file, was, is) in WIDTHS {
        amend(&src.join(file), was, is)?;
    }
    amend(&src.join("z_Linux_util.cpp"), FIRST_CALL, &(calls() + FIRST_CALL))
}

/// Replaces what a file says. If it doesn't say so, this runtime differs from the one that the amendments were written for.
fn amend(path: &Path, was: &str, is: &str) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    ensure!(
        text.contains(was),
        "{} of this LLVM does not say `{was}` any more: Rankine's build of the OpenMP runtime must be brought up to date",
        path.display()
    );
    fs::write(path, text.replace(was, is)).with_context(|| format!("cannot write {}", path.display()))
}

/// The calls of regions with 16 variables and more.
fn calls() -> String {
    let call = |count: usize| {
        let types = ", void *".repeat(count);
        let values: String = (0..count).map(|index| format!(", p_argv[{index}]")).collect();
        format!("  case {count}:\n    (*(void (*)(int *, int *{types}))pkfn)(&gtid, &tid{values});\n    break;\n")
    };
    (16..=MOST_VARIABLES).map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_a_parameter_for_each_variable() {
        let calls = calls();
        for count in [16, MOST_VARIABLES] {
            let case = calls.split("case ").find(|case| case.starts_with(&format!("{count}:"))).unwrap();
            assert_eq!(case.matches("void *").count(), count);
            assert!(case.contains(&format!("p_argv[{}]);", count - 1)));
        }
    }

    #[test]
    fn objects_say_whether_memory_may_be_shared() {
        assert!(!can_share_memory(b"...target_features\x02+\x04simd-\x0ashared-mem"));
        assert!(can_share_memory(b"...target_features\x01+\x04simd"));
    }
}
