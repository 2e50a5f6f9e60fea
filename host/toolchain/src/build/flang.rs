//! `rankine sdk build fortran`: flang for WebAssembly, its intrinsic modules and its runtime.
//!
//! The compiler is flang's own libraries, as Debian packages them, linked with what they lack for wasm32 and wasm64
//! (`guest-sdk/fortran/compiler`). The runtime and the modules are compiled from LLVM's source of the same version,
//! with the few amendments that [`AMENDMENTS`] lists. Both lie in the data folder, each under a key of what it is made
//! from, since the runtime takes minutes and rarely changes:
//!
//! ```text
//! flang-<key>/bin/rankine-flang         the compiler, which looks for modules beside itself
//!             include/flang/*.mod       iso_c_binding, ieee_arithmetic, …, for a 32-bit target
//!             lib/libflang_modules.a    their procedures
//!             lib/runtime.signatures    the WebAssembly types of the runtime's functions
//! flang-runtime-<key>/lib/libflang_rt.a
//!             include/ISO_Fortran_binding.h
//! ```
//!
//! Programs with threads have a runtime of their own, compiled with their sysroot (`crate::threads`) and with its locks. So do
//! those with 64-bit addresses (`crate::wide`), and modules of their own, as kinds of C's types differ:
//!
//! ```text
//! flang-m64-<key>/include/flang/*.mod
//!                 lib/libflang_modules.a
//! ```

use super::jobs::run_all;
use super::llvm_source::{self, LlvmSource};
use super::signatures;
use crate::process::check;
use crate::sdk::{Sdk, base_flags};
use crate::terminal::say;
use crate::{embedded, find, folder, key, threads, wide};
use anyhow::{Context as _, Result, bail, ensure};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The functions that `pointers.cpp`, `kinds.cpp`, `clauses.cpp` and `openmp.cpp` are put before.
const WRAPPED: [&str; 4] = [
    "_ZN7Fortran8frontend18CompilerInvocation15getSemanticsCtxERNS_6parser16AllCookedSourcesERKN4llvm13TargetMachineE",
    "_ZNK7Fortran8evaluate21TargetCharacteristics16SelectedRealKindElll",
    "_ZN7Fortran5lower14LoweringBridge5lowerERKNS_6parser7ProgramERKNS_9semantics16SemanticsContextE",
    "_ZN4mlir23translateModuleToLLVMIREPNS_9OperationERN4llvm11LLVMContextENS2_9StringRefEb",
];

/// The intrinsic modules, each after those that it uses.
const MODULES: &[&str] = &[
    "__fortran_builtins",
    "__fortran_ieee_exceptions",
    "__fortran_type_info",
    "iso_fortran_env_impl",
    "iso_c_binding",
    "ieee_exceptions",
    "ieee_features",
    "ieee_arithmetic",
    "iso_fortran_env",
];

/// What flang's source says of a 64-bit target, and what is true of a 32-bit one.
struct Amendment {
    file: &'static str,
    was: &'static str,
    is: &'static str,
}

/// Descriptors of arrays and tables of namelists keep the layout that flang generates for every target, with 64-bit
/// extents, lengths and counts. The rest are the kinds of C's types.
const AMENDMENTS: &[Amendment] = &[
    Amendment {
        file: "flang/include/flang/ISO_Fortran_binding.h",
        was: "typedef ptrdiff_t CFI_index_t;",
        is: "typedef long long CFI_index_t;",
    },
    Amendment {
        file: "flang/include/flang/ISO_Fortran_binding.h",
        was: "  size_t elem_len; /* element",
        is: "  unsigned long long elem_len; /* element",
    },
    Amendment {
        file: "flang/module/__fortran_builtins.f90",
        was: "integer(kind=int64), private :: __address",
        is: "integer(kind=kind(0)), private :: __address",
    },
    Amendment {
        file: "flang-rt/include/flang-rt/runtime/namelist.h",
        was: "std::size_t items{0};",
        is: "std::uint64_t items{0};",
    },
    Amendment {
        file: "flang-rt/include/flang-rt/runtime/non-tbp-dio.h",
        was: "std::size_t items{0};",
        is: "std::uint64_t items{0};",
    },
    // Sizes of arrays are computed in 64 bits, and what does not fit 32 is refused.
    Amendment {
        file: "flang-rt/include/flang-rt/runtime/descriptor.h",
        was: "  RT_API_ATTRS std::size_t Elements() const;\n",
        is: "  RT_API_ATTRS std::size_t Elements() const;\n  RT_API_ATTRS std::uint64_t AllBytes() const {\n    \
             std::uint64_t bytes{raw_.elem_len};\n    for (int j{0}; j < rank(); ++j)\n      \
             if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(GetDimension(j).Extent()), &bytes))\n        \
             return UINT64_MAX;\n    return bytes;\n  }\n",
    },
    Amendment {
        file: "flang-rt/lib/runtime/descriptor.cpp",
        was: "  std::size_t byteSize{Elements() * elementBytes};\n  AllocFct alloc",
        is: "  if (AllBytes() > SIZE_MAX)\n    return CFI_ERROR_MEM_ALLOCATION;\n  \
             std::size_t byteSize{Elements() * elementBytes};\n  AllocFct alloc",
    },
    Amendment {
        file: "flang-rt/lib/runtime/pointer.cpp",
        was: "  std::size_t byteSize{pointer.Elements() * elementBytes};\n  void *p{AllocateValidatedPointerPayload(byteSize, pointer.GetAllocIdx())};\n",
        is: "  std::size_t byteSize{pointer.Elements() * elementBytes};\n  void *p{nullptr};\n  \
             if (pointer.AllBytes() <= SIZE_MAX - 2 * sizeof(std::uintptr_t))\n    \
             p = AllocateValidatedPointerPayload(byteSize, pointer.GetAllocIdx());\n  \
             if (!p && !hasStat)\n    \
             terminator.Crash(\"no memory to allocate %ju bytes\", static_cast<std::uintmax_t>(pointer.AllBytes()));\n",
    },
    Amendment {
        file: "flang-rt/lib/runtime/allocatable.cpp",
        was: "    int stat{ReturnError(\n        terminator, descriptor.Allocate(asyncObject), errMsg, hasStat)};\n",
        is: "    int stat{descriptor.Allocate(asyncObject)};\n    if (stat == CFI_ERROR_MEM_ALLOCATION && !hasStat)\n      \
             terminator.Crash(\"no memory to allocate %ju bytes\", static_cast<std::uintmax_t>(descriptor.AllBytes()));\n    \
             stat = ReturnError(terminator, stat, errMsg, hasStat);\n",
    },
    // What is quick for most numbers is tried first (`src/libc/fortran_reals.c` of the SDK's C library).
    Amendment {
        file: "flang/lib/Decimal/decimal-to-binary.cpp",
        was: "  return BigRadixFloatingPointNumber<PREC>{rounding}.ConvertToBinary(p, end);\n",
        is: "  if constexpr (PREC == 53 || PREC == 24)\n    if (std::uint64_t bits; rounding == RoundNearest &&\n        \
             rankine_fortran_read_real(&p, end, PREC, &bits))\n      return {BinaryFloatingPointNumber<PREC>{\n          \
             static_cast<typename BinaryFloatingPointNumber<PREC>::RawType>(bits)}};\n  \
             return BigRadixFloatingPointNumber<PREC>{rounding}.ConvertToBinary(p, end);\n",
    },
    Amendment {
        file: "flang/lib/Decimal/decimal-to-binary.cpp",
        was: "namespace Fortran::decimal {\n",
        is: "extern \"C\" bool rankine_fortran_read_real(\n    \
             const char **, const char *end, int precision, std::uint64_t *bits);\nnamespace Fortran::decimal {\n",
    },
    // There are no processes, and `system` says so in a way that the runtime does not expect.
    Amendment {
        file: "flang-rt/lib/runtime/execute.cpp",
        was: "  if (wait) {\n    // either wait is not specified",
        is: "  if (newCmd != command.OffsetElement())\n    FreeMemory(newCmd);\n  \
             static const char why[]{\"EXECUTE_COMMAND_LINE: a program of WebAssembly can start no others; \"\n    \
             \"let a script do this before or after the run, or give CMDSTAT and go on without\"};\n  \
             if (!cmdstat)\n    terminator.Crash(\"%s\", why);\n  \
             StoreIntToDescriptor(cmdstat, NO_SUPPORT_ERR, terminator);\n  if (cmdmsg)\n    \
             CopyAndPad(cmdmsg->OffsetElement(), why, cmdmsg->ElementBytes(), sizeof why - 1);\n  return;\n  \
             if (wait) {\n    // either wait is not specified",
    },
    // Padding before a procedure's address that a 32-bit one does not have.
    Amendment {
        file: "flang/module/__fortran_type_info.f90",
        was: "    integer(1) :: specialCaseFlag\n    integer(1) :: __padding0(4)\n",
        is: "    integer(1) :: specialCaseFlag\n",
    },
    // WebAssembly rounds to the nearest number, has no flags and never halts. The functions have names that flang does not
    // know, or it would answer itself.
    Amendment {
        file: "flang/module/__fortran_ieee_exceptions.f90",
        was: "    ieee_support_flag => __builtin_ieee_support_flag, &\n    ieee_support_halting => __builtin_ieee_support_halting, &\n",
        is: "",
    },
    Amendment {
        file: "flang/module/__fortran_ieee_exceptions.f90",
        was: "end module __fortran_ieee_exceptions",
        is: "  interface ieee_support_flag\n    module procedure :: rankine_supports_flag\n  end interface\n  \
             interface ieee_support_halting\n    module procedure :: rankine_supports_halting\n  end interface\n\
             contains\n  \
             pure logical function rankine_supports_flag(flag, x)\n    type(ieee_flag_type), intent(in) :: flag\n    \
             type(*), intent(in), optional :: x(..)\n    rankine_supports_flag = .false.\n  end function\n  \
             pure logical function rankine_supports_halting(flag)\n    type(ieee_flag_type), intent(in) :: flag\n    \
             rankine_supports_halting = .false.\n  end function\n\
             end module __fortran_ieee_exceptions",
    },
    Amendment {
        file: "flang/module/ieee_arithmetic.f90",
        was: "    ieee_support_rounding => __builtin_ieee_support_rounding, &\n",
        is: "",
    },
    Amendment {
        file: "flang/module/ieee_arithmetic.f90",
        was: "    ieee_support_standard => __builtin_ieee_support_standard, &\n",
        is: "",
    },
    Amendment {
        file: "flang/module/ieee_arithmetic.f90",
        was: "end module ieee_arithmetic",
        is: "  interface ieee_support_rounding\n    module procedure :: rankine_supports_rounding\n  end interface\n  \
             interface ieee_support_standard\n    module procedure :: rankine_supports_standard\n  end interface\n\
             contains\n  \
             pure logical function rankine_supports_rounding(round_value, x)\n    type(ieee_round_type), intent(in) :: round_value\n    \
             type(*), intent(in), optional :: x(..)\n    \
             rankine_supports_rounding = transfer(round_value, 0_1) == transfer(ieee_nearest, 0_1)\n  end function\n  \
             pure logical function rankine_supports_standard(x)\n    type(*), intent(in), optional :: x(..)\n    \
             rankine_supports_standard = .false.\n  end function\n\
             end module ieee_arithmetic",
    },
    Amendment { file: "flang/module/iso_c_binding.f90", was: "c_long = c_int64_t,", is: "c_long = c_int32_t," },
    Amendment {
        file: "flang/module/iso_c_binding.f90",
        was: "c_size_t = kind(c_sizeof(1)),",
        is: "c_size_t = c_int32_t,",
    },
    Amendment {
        file: "flang/module/iso_c_binding.f90",
        was: "c_unsigned_long = c_uint64_t,",
        is: "c_unsigned_long = c_uint32_t,",
    },
];

/// Files that are taken as they are for 64-bit addresses: flang's own widths are right there, and the C library reads numbers in
/// its own way (`sources` of `crate::sdk`).
const AS_THEY_ARE_IN_64_BITS: [&str; 4] = [
    "flang/module/__fortran_builtins.f90",
    "flang/module/__fortran_type_info.f90",
    "flang/module/iso_c_binding.f90",
    "flang/lib/Decimal/decimal-to-binary.cpp",
];

/// The compiler for Fortran guests and its runtime.
#[derive(Clone, Debug)]
pub struct Flang {
    root: PathBuf,
    /// Where the intrinsic modules and their procedures lie: beside the compiler, but for 64-bit addresses.
    modules: PathBuf,
    runtime: PathBuf,
    /// LLVM's own folder, whose flang reads command lines.
    pub llvm: PathBuf,
}

impl Flang {
    /// The one that was built on this machine, with the runtime for what is compiled with this sysroot.
    pub fn with(sysroot: &Path) -> Result<Flang> {
        let flang = Flang::place(sysroot)?;
        for folder in [&flang.root, &flang.modules, &flang.runtime] {
            ensure!(
                folder.is_dir(),
                "the Fortran compiler{} is not built yet, or by another version of Rankine or LLVM (there is no {}); run \
                 `rankine sdk build fortran` once (some minutes)",
                match () {
                    () if threads::are_in(sysroot) && wide::is_in(sysroot) => {
                        " for programs with 64-bit addresses and threads"
                    }
                    () if threads::are_in(sysroot) => " for programs with threads",
                    () if wide::is_in(sysroot) => " for programs with 64-bit addresses",
                    () => "",
                },
                folder.display()
            );
        }
        Ok(flang)
    }

    /// That for programs with one thread.
    pub fn find() -> Result<Flang> {
        Flang::with(&find::sysroot()?.path)
    }

    fn place(sysroot: &Path) -> Result<Flang> {
        let clang = find::clang()?.path;
        let llvm = llvm_folder(&clang)?;
        let amendments = AMENDMENTS.iter().map(|a| (a.file, a.was, a.is)).collect::<Vec<_>>();
        let made_of = |sysroot| (&amendments, runtime_flags(sysroot), version(&llvm), key::sysroot(sysroot));
        let runtime = key::place("flang-runtime", made_of(sysroot))?;
        // The compiler is the same for both, and looks for LLVM's libraries where they lie now.
        let plain = find::sysroot()?.path;
        let root = key::place("flang", (made_of(&plain), &llvm, embedded::files(&embedded::FORTRAN_COMPILER)))?;
        let modules = match wide::is_in(sysroot) {
            true => key::place("flang-m64", (root.file_name(), AS_THEY_ARE_IN_64_BITS, key::sysroot(sysroot)))?,
            false => root.clone(),
        };
        Ok(Flang { root, modules, runtime, llvm })
    }

    /// What stands for it in the keys of what it compiles.
    pub fn name(&self) -> Option<&OsStr> {
        self.root.file_name()
    }

    /// The compiler proper, which takes what `flang -fc1` takes.
    pub fn compiler(&self) -> PathBuf {
        self.root.join("bin/rankine-flang")
    }

    /// What it has to be told of the intrinsic modules, unless they lie beside it.
    pub fn module_flags(&self) -> Vec<OsString> {
        if self.modules == self.root {
            return Vec::new();
        }
        vec!["-fintrinsic-modules-path".into(), self.modules.join(INTERFACES).into()]
    }

    /// The driver, which translates a user's flags to the compiler's.
    pub fn driver(&self) -> PathBuf {
        self.llvm.join("bin/flang")
    }

    /// `ISO_Fortran_binding.h`, for C functions that take descriptors.
    pub fn include(&self) -> PathBuf {
        self.runtime.join("include")
    }

    /// The runtime, and the procedures of the intrinsic modules.
    pub fn libraries(&self) -> [PathBuf; 2] {
        [self.modules.join("lib/libflang_modules.a"), self.runtime.join("lib/libflang_rt.a")]
    }
}

/// Where the intrinsic modules lie in their folder: flang looks there, seen from itself.
const INTERFACES: &str = "include/flang";

/// The line of LLVM's own header that says its version, such as 22.1.8.
fn version(llvm: &Path) -> Option<String> {
    let text = fs::read_to_string(llvm.join("include/llvm/Config/llvm-config.h")).ok()?;
    text.lines().find(|line| line.contains("LLVM_VERSION_STRING")).map(str::to_string)
}

/// `/usr/lib/llvm-22`, where flang's libraries and headers are.
fn llvm_folder(clang: &Path) -> Result<PathBuf> {
    let real = fs::canonicalize(clang).with_context(|| format!("cannot find {}", clang.display()))?;
    let folder = real.ancestors().nth(2).context("clang lies in a folder bin")?.to_path_buf();
    let needed = [
        ("bin/flang", "flang-22"),
        ("lib/libflangFrontend.a", "libflang-22-dev"),
        ("include/flang/Frontend/CompilerInstance.h", "libflang-22-dev"),
        ("include/mlir/IR/MLIRContext.h", "libmlir-22-dev"),
        ("lib/libMLIR.so", "libmlir-22-dev"),
        ("include/clang/Basic/Diagnostic.h", "libclang-22-dev"),
        ("lib/libclang-cpp.so", "libclang-cpp22-dev"),
        ("include/llvm/IR/Module.h", "llvm-22-dev"),
        ("bin/llvm-ar", "llvm-22"),
        ("include/wasm32-wasi/c++/v1/type_traits", "libc++-22-dev-wasm32"),
    ];
    let missing: Vec<_> = needed.iter().filter(|(file, _)| !folder.join(file).exists()).collect();
    if let [(file, _), ..] = missing.as_slice() {
        let mut packages: Vec<&str> = missing.iter().map(|(_, package)| *package).collect();
        packages.dedup();
        bail!(
            "Fortran needs LLVM 22 with flang and its development files, and there is no {} beside {}; on Debian: \
             apt install {}, then `rankine sdk build fortran`",
            file,
            clang.display(),
            packages.join(" ")
        );
    }
    Ok(folder)
}

/// Builds what is not there yet: the compiler, and the runtime for each of the sysroots that there are.
pub fn build(force: bool) -> Result<()> {
    let clang = find::clang()?.path;
    let plain = find::sysroot()?.path;
    build_for(&plain, force)?;
    for place in [threads::place(&clang, &plain)?, wide::place(&clang, false)?, wide::place(&clang, true)?] {
        if place.is_dir() {
            build_for(&place, force)?;
        }
    }
    Ok(())
}

/// Builds what is not there yet for what is compiled with this sysroot.
fn build_for(sysroot: &Path, force: bool) -> Result<()> {
    let flang = Flang::place(sysroot)?;
    let is_wide = wide::is_in(sysroot);
    let is_plain = !is_wide && !threads::are_in(sysroot);
    if Flang::with(sysroot).is_ok() && !force {
        let (what, place) = match () {
            () if is_plain => ("the Fortran compiler", &flang.root),
            () if is_wide && threads::are_in(sysroot) => {
                ("Fortran's runtime for 64-bit addresses and threads", &flang.runtime)
            }
            () if is_wide => ("Fortran's runtime for 64-bit addresses", &flang.runtime),
            () => ("Fortran's runtime with threads", &flang.runtime),
        };
        say(&format!("{what} is there already: {}", place.display()));
        return Ok(());
    }
    let version = llvm_source::version_of(&flang.driver())?;
    ensure!(
        version.starts_with("22."),
        "flang {version} is not known to Rankine, which works with flang 22: its inner interfaces change between versions"
    );
    let folders = ["flang/include", "flang/module", "flang/lib/Decimal", "flang-rt/include", "flang-rt/lib/runtime"];
    let source = LlvmSource::with(&version, &folders)?;
    let work = tempfile::tempdir().context("cannot create a temporary folder")?;
    let tree = work.path().join("source");
    amended_copy(&source, &folders, is_wide, &tree)?;
    if force || !flang.runtime.is_dir() {
        folder::remake(&flang.runtime, |draft| {
            Building { draft, tree: &tree, llvm: &flang.llvm }.runtime(sysroot, work.path())
        })?;
    }
    if is_wide && (force || !flang.modules.is_dir()) {
        folder::remake(&flang.modules, |draft| {
            Building { draft, tree: &tree, llvm: &flang.llvm }.modules(&flang.compiler(), sysroot, work.path())
        })?;
    }
    if !is_plain {
        say(&format!("ready: {}", flang.runtime.display()));
        return Ok(());
    }
    folder::remake(&flang.root, |draft| {
        let building = Building { draft, tree: &tree, llvm: &flang.llvm };
        building.compiler(work.path())?;
        let signatures = "lib/runtime.signatures";
        fs::create_dir_all(draft.join("lib"))?;
        fs::copy(flang.runtime.join(signatures), draft.join(signatures)).context("the runtime has no signatures")?;
        building.modules(&draft.join("bin/rankine-flang"), sysroot, work.path())
    })?;
    say(&format!("ready: {}", flang.root.display()));
    Ok(())
}

/// A copy of the source in which the amendments are made. A place that is not as it was is an error: this flang differs
/// from the one that the amendments were written for.
fn amended_copy(source: &LlvmSource, folders: &[&str], is_wide: bool, tree: &Path) -> Result<()> {
    for folder in folders {
        folder::copy_tree(&source.path(folder), &tree.join(folder))?;
    }
    let is_amended = |file: &str| !(is_wide && AS_THEY_ARE_IN_64_BITS.contains(&file));
    for Amendment { file, was, is } in AMENDMENTS.iter().filter(|a| is_amended(a.file)) {
        let path = tree.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        ensure!(
            text.contains(was),
            "{file} of this LLVM does not say `{was}` any more: Rankine's build of flang must be brought up to date"
        );
        fs::write(&path, text.replace(was, is))?;
    }
    // What flang's configuration finds out about the C library.
    fs::write(tree.join("config.h"), "#define HAVE_STRERROR_R 1\n#define HAVE_DECL_STRERROR_S 0\n")?;
    Ok(())
}

/// The flags of the runtime, beside those of every guest. Scratch files go where a guest may write (`glue/scratch.c`);
/// without threads nothing has to be locked.
fn runtime_flags(sysroot: &Path) -> Vec<&'static str> {
    let mut flags = vec!["-O2", "-DNDEBUG", "-DFLANG_RUNTIME_NO_REAL_3"];
    flags.extend((!threads::are_in(sysroot)).then_some("-DRT_USE_PSEUDO_LOCK=1"));
    flags.extend(["-Dmkstemp=rankine_scratch_file", "-ffunction-sections", "-fdata-sections"]);
    flags
}
const RUNTIME_CXX_FLAGS: &[&str] =
    &["-std=c++17", "-fno-exceptions", "-fno-rtti", "-nostdinc++", "-Wno-c++11-narrowing"];

/// A build that is under way.
struct Building<'a> {
    draft: &'a Path,
    tree: &'a Path,
    llvm: &'a Path,
}

impl Building<'_> {
    fn llvm_tool(&self, name: &str) -> Command {
        Command::new(self.llvm.join("bin").join(name))
    }

    fn compiler(&self, work: &Path) -> Result<()> {
        say("compiling flang's driver for WebAssembly");
        let sources = work.join("compiler");
        fs::create_dir_all(&sources)?;
        let mut jobs = Vec::new();
        let mut objects = Vec::new();
        for (name, text) in embedded::files(&embedded::FORTRAN_COMPILER) {
            fs::write(sources.join(name), text)?;
            if name.extension() == Some(OsStr::new("cpp")) {
                let object = sources.join(name).with_extension("o");
                let mut job = self.llvm_tool("clang++");
                job.args(["-std=c++17", "-O1", "-fno-rtti", "-fno-exceptions", "-w", "-I"]);
                job.arg(self.llvm.join("include")).arg("-c").arg(sources.join(name)).arg("-o").arg(&object);
                jobs.push(job);
                objects.push(object);
            }
        }
        run_all(jobs, "compiling the Fortran compiler")?;
        fs::create_dir_all(self.draft.join("bin"))?;
        let mut link = self.llvm_tool("clang++");
        let lib = self.llvm.join("lib");
        link.args(objects).args(WRAPPED.map(|name| format!("-Wl,--wrap={name}")));
        link.arg(format!("-Wl,-rpath,{}", lib.display())).arg("-Wl,--start-group");
        link.args(flang_libraries(&lib)?).arg("-Wl,--end-group");
        link.args(["libclang-cpp.so", "libMLIR.so"].map(|name| lib.join(name))).arg(llvm_library(&lib)?);
        link.args(quadmath()).arg("-s").arg("-o").arg(self.draft.join("bin/rankine-flang"));
        check(&mut link, "linking the Fortran compiler").map(drop)
    }

    fn runtime(&self, sysroot: &Path, work: &Path) -> Result<()> {
        let sdk = Sdk::with(&find::clang()?.path, sysroot)?;
        let objects = work.join("runtime");
        fs::create_dir_all(&objects)?;
        let mut jobs = Vec::new();
        for folder in ["flang-rt/lib/runtime", "flang/lib/Decimal"] {
            let mut sources: Vec<PathBuf> =
                fs::read_dir(self.tree.join(folder))?.filter_map(|entry| Some(entry.ok()?.path())).collect();
            sources.sort();
            for source in sources {
                let extension = source.extension().and_then(|e| e.to_str()).unwrap_or_default();
                let cxx = match extension {
                    "cpp" => true,
                    "c" => false,
                    _ => continue,
                };
                let mut job = self.llvm_tool(if cxx { "clang++" } else { "clang" });
                job.args(base_flags(sysroot)).args(runtime_flags(sysroot));
                if cxx {
                    job.args(RUNTIME_CXX_FLAGS).arg("-isystem").arg(self.llvm.join("include/wasm32-wasi/c++/v1"));
                }
                job.arg("-isystem").arg(sdk.include());
                for include in ["flang-rt/include", "flang/include", "flang-rt/lib/runtime", "."] {
                    job.arg("-I").arg(self.tree.join(include));
                }
                let name = source.file_stem().context("a source has a name")?;
                job.arg("-c").arg(&source).arg("-o").arg(objects.join(name).with_extension("o"));
                jobs.push(job);
            }
        }
        say(&format!("compiling flang's runtime, {} files", jobs.len()));
        run_all(jobs, "compiling flang's runtime")?;
        let objects = listing(&objects)?;
        fs::create_dir_all(self.draft.join("lib"))?;
        fs::create_dir_all(self.draft.join("include"))?;
        let header = "ISO_Fortran_binding.h";
        fs::copy(self.tree.join("flang/include/flang").join(header), self.draft.join("include").join(header))?;
        fs::write(self.draft.join("lib/runtime.signatures"), signatures::of_objects(&objects)?)?;
        self.archive("libflang_rt.a", &objects)
    }

    fn archive(&self, name: &str, objects: &[PathBuf]) -> Result<()> {
        let mut command = self.llvm_tool("llvm-ar");
        command.arg("rcs").arg(self.draft.join("lib").join(name)).args(objects);
        check(&mut command, &format!("archiving {name}")).map(drop)
    }

    /// Each module in turn: its interface goes beside the compiler, its procedures and constants to an archive.
    fn modules(&self, compiler: &Path, sysroot: &Path, work: &Path) -> Result<()> {
        say("compiling the intrinsic modules");
        let interfaces = self.draft.join(INTERFACES);
        fs::create_dir_all(&interfaces)?;
        fs::create_dir_all(self.draft.join("lib"))?;
        let mut objects = Vec::new();
        for module in MODULES {
            let source = self.tree.join("flang/module").join(module).with_extension("f90");
            let bitcode = work.join(module).with_extension("bc");
            let mut command = Command::new(compiler);
            command.args(["-triple", &threads::triple_of(sysroot), "-cpp", "-O2", "-emit-llvm-bc"]);
            command.arg("-fintrinsic-modules-path").arg(&interfaces);
            // The types of this module are described by the module after it.
            command.args(["-mmlir", "-ignore-missing-type-desc", "-module-dir"]);
            command.arg(&interfaces).arg(&source).arg("-o").arg(&bitcode);
            check(&mut command, &format!("compiling the module {module}"))?;
            let object = bitcode.with_extension("o");
            let mut command = self.llvm_tool("clang");
            command.args(base_flags(sysroot)).args(["-O2", "-w", "-c"]).arg(&bitcode);
            check(command.arg("-o").arg(&object), &format!("compiling the module {module}"))?;
            objects.push(object);
        }
        self.archive("libflang_modules.a", &objects)
    }
}

/// Flang's static libraries, without those that only its tests use.
fn flang_libraries(lib: &Path) -> Result<Vec<PathBuf>> {
    let mut libraries = listing(lib)?;
    libraries.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let flangs = ["libflang", "libFlang", "libFortran", "libFIR", "libHLFIR", "libCUF", "libMIF"];
        name.ends_with(".a") && !name.contains("Test") && flangs.iter().any(|prefix| name.starts_with(prefix))
    });
    Ok(libraries)
}

/// `libLLVM.so.22.1`: the name without the minor version is in another package.
fn llvm_library(lib: &Path) -> Result<PathBuf> {
    let mut names = listing(lib)?;
    names.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM.so")));
    names.into_iter().next().with_context(|| format!("{} has no libLLVM.so", lib.display()))
}

/// Flang's folding of 128-bit numbers uses libquadmath, of which there may be no development files.
fn quadmath() -> Option<PathBuf> {
    let folders = ["/lib", "/usr/lib"].into_iter().flat_map(|folder| listing(Path::new(folder)).unwrap_or_default());
    let names = folders.map(|folder| folder.join("libquadmath.so.0"));
    names.into_iter().find(|path| path.is_file())
}

fn listing(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}
