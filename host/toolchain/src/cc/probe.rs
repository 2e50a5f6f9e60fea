//! What configure scripts, CMake and Meson compile to find out what there is.
//!
//! A program is linked with functions that can only fail in a sandbox (`fork`), as much that calls them never gets there. Whoever
//! asks whether there are such functions is told that there are none. And those that headers have as macros alone, or clang
//! as instructions, are there for who asks.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// What is compiled.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Probe {
    /// A program or a part of one.
    None,
    /// A question.
    Any,
    /// The question for a jump, declared as no such function is: clang, which makes instructions of these, has to leave it alone.
    ForJumps,
}

/// Objects of the SDK library with functions that only fail, and one with names for questions alone.
const FAILING: [&str; 3] = ["absent", "network", "shared_memory"];
const NAMES: &str = "probed";

/// The longest file that is a question.
const LONGEST: u64 = 64 << 10;

impl Probe {
    /// Whether an object of the SDK library is linked.
    pub(super) fn links(self, object: &Path) -> bool {
        let name = object.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        match self {
            Probe::None => name != NAMES,
            _ => !FAILING.contains(&name),
        }
    }

    /// Whether a function that is ours instead of the C library's is found under its name. Whoever asks declares it as a function
    /// of nothing, which a name that stands for another can't be.
    pub(super) fn wraps(self, name: &str) -> bool {
        self == Probe::None || name.starts_with("__")
    }

    /// Whether an emulation of wasi-libc's is linked: beside what is ours as well, that of mappings has `mprotect`, which fails.
    pub(super) fn emulates(self, part: &str) -> bool {
        self == Probe::None || part != "mman"
    }
}

/// What a command line compiles: its inputs, or what they become, have the names that build systems give to questions.
pub(super) fn of(arguments: &[OsString]) -> Probe {
    let is_question = |word: &OsString| {
        let path = Path::new(word);
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let in_scratch = || path.parent().is_some_and(|folder| folder.as_os_str().as_encoded_bytes().starts_with(b"/"));
        is_conftest(name) || name.starts_with("cmTC_") || (name.starts_with("testfile.") && in_scratch())
    };
    let is_inside = |word: &OsString| {
        Path::new(word).components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"cmTC_"))
    };
    if !arguments.iter().any(|word| is_question(word) || is_inside(word)) {
        return Probe::None;
    }
    let asks = |word: &OsString| {
        let text = word.to_str().unwrap_or_default();
        match text.strip_prefix("-DCHECK_FUNCTION_EXISTS=") {
            Some(name) => is_jump(name),
            None => !text.starts_with('-') && declares_jump(Path::new(word)),
        }
    };
    if arguments.iter().any(asks) { Probe::ForJumps } else { Probe::Any }
}

/// Whether Autoconf gives a file this name: `conftest.c`, `conftest`, or `conftest2.o` beside it.
fn is_conftest(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    stem.trim_end_matches(|letter: char| letter.is_ascii_digit()) == "conftest"
}

fn is_jump(name: &str) -> bool {
    matches!(name.trim_start_matches('_'), "setjmp" | "longjmp" | "sigsetjmp" | "siglongjmp")
}

/// Whether a source declares a jump as a function of nothing, which gives a letter.
fn declares_jump(source: &Path) -> bool {
    let is_small = fs::metadata(source).is_ok_and(|metadata| metadata.is_file() && metadata.len() < LONGEST);
    let is_source = source.extension().is_some_and(|end| ["c", "cc", "cpp", "cxx", "C"].iter().any(|one| end == *one));
    let text = (is_small && is_source).then(|| fs::read_to_string(source).ok()).flatten().unwrap_or_default();
    let mut declared = text.split("char ").skip(1).filter_map(|rest| rest.split_once('(')).map(|(name, _)| name.trim());
    declared.any(is_jump)
}

/// Takes out what has clang make instructions of jumps.
pub(super) fn leave_jumps_alone(flags: &mut Vec<String>) {
    while let Some(at) = flags.iter().position(|flag| flag.starts_with("-wasm-")) {
        flags.drain(at - 1..=at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Probe {
        of(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn questions_have_names() {
        for line in [
            "-o conftest conftest.c",
            "CMakeFiles/cmTC_0ab1.dir/CheckFunctionExists.c.o -o cmTC_0ab1.wasm",
            "-o CMakeFiles/cmTC_0ab1.dir/x.c.o -c /build/x.c",
            "/tmp/tmpx/testfile.c -o /tmp/tmpx/output.exe",
        ] {
            assert_eq!(asked(line), Probe::Any, "{line}");
        }
        assert_eq!(asked("-DCHECK_FUNCTION_EXISTS=longjmp -c x.c -o CMakeFiles/cmTC_1.dir/x.o"), Probe::ForJumps);
        assert_eq!(asked("conftest1.o conftest2.o"), Probe::Any);
        for line in ["-o a a.c", "testfile.c", "-c lib/config.c", "conftest_util.c"] {
            assert_eq!(asked(line), Probe::None, "{line}");
        }
    }

    #[test]
    fn jumps_are_left_alone_where_they_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("conftest.c");
        fs::write(&source, "char longjmp ();\nint main (void) { return longjmp (); }\n").unwrap();
        assert_eq!(of(&[source.clone().into()]), Probe::ForJumps);
        fs::write(&source, "#include <setjmp.h>\nint main (void) { char x; return setjmp (b); }\n").unwrap();
        assert_eq!(of(&[source.into()]), Probe::Any);
        let mut flags = ["-O2", "-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false", "-mllvm", "-x"]
            .map(String::from)
            .to_vec();
        leave_jumps_alone(&mut flags);
        assert_eq!(flags, ["-O2", "-mllvm", "-x"]);
    }

    #[test]
    fn what_only_fails_is_not_there_for_who_asks() {
        let object = |name: &str| Path::new("/sdk/lib").join(name).with_extension("o");
        assert!(Probe::None.links(&object("absent")) && !Probe::Any.links(&object("absent")));
        assert!(!Probe::None.links(&object("probed")) && Probe::ForJumps.links(&object("probed")));
        assert!(Probe::Any.links(&object("files")));
        assert!(Probe::None.emulates("mman") && !Probe::Any.emulates("mman") && Probe::Any.emulates("signal"));
        assert!(Probe::None.wraps("statvfs") && !Probe::Any.wraps("statvfs"));
    }
}
