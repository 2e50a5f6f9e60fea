//! What of a module was compiled with debug information, and by which compilers.

use super::{EndianSlice, LittleEndian, Search, Symbols};
use std::cell::Cell;

/// A source that was compiled with debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its file.
    pub name: String,
    /// The folder in which it was compiled.
    pub folder: String,
    /// The compiler and its version, as it calls itself.
    pub compiler: String,
}

/// Parts of the paths of libraries that every program is linked with: these bring lines along whatever the program was
/// compiled with.
const OF_LIBRARIES: &[&str] = &[
    "libc-top-half/",
    "libc-bottom-half/",
    "/wasi-libc",
    "/wasi-sdk",
    "/dlmalloc/",
    "/compiler-rt/",
    "/libcxx/",
    "/libcxxabi/",
    "/libunwind/",
    "/rustc/",
    "/rust/deps/",
    "library/std/",
    "library/core/",
    "library/alloc/",
    "/flang-rt/",
    "/openmp/runtime/",
    "/rankine_sdk/",
];

impl Source {
    /// Whether it belongs to the language's own libraries, and is none of the program's.
    pub fn is_a_librarys(&self) -> bool {
        let (name, folder) = (&self.name, format!("{}/", self.folder));
        OF_LIBRARIES.iter().any(|part| name.contains(part) || folder.contains(part))
    }
}

impl Symbols {
    /// The sources with debug information, as far as that can be read.
    pub fn sources(&self) -> Vec<Source> {
        let section = |id: gimli::SectionId| {
            let range = self.sections.get(id.name()).cloned().unwrap_or(0..0);
            Ok::<_, ()>(EndianSlice::new(self.module.get(range).unwrap_or_default(), LittleEndian))
        };
        let Ok(dwarf) = gimli::Dwarf::load(section) else { return Vec::new() };
        let search = Search { dwarf, steps: Cell::new(super::STEPS) };
        let (mut sources, mut units) = (Vec::new(), search.dwarf.units());
        while let Ok(Some(header)) = units.next() {
            if search.spend(1).is_err() {
                break;
            }
            let Ok((unit, root)) = search.open(header) else { continue };
            let text = |value: Option<_>| value.and_then(|value| search.text(&unit, value)).unwrap_or_default();
            sources.push(Source { name: text(root.name), folder: text(root.folder), compiler: text(root.producer) });
        }
        sources
    }

    /// Whether something of the program itself was compiled with debug information.
    pub fn has_own_lines(&self) -> bool {
        self.sources().iter().any(|source| !source.is_a_librarys())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_paths() {
        let of = |name: &str, folder: &str| Source { name: name.into(), folder: folder.into(), ..Source::default() };
        for library in [
            of(
                "./debian/build/source_wasi/libc-top-half/musl/src/string/strlen.c",
                "./debian/build/build_wasi/libc-top-half",
            ),
            of("/build/llvm/compiler-rt/lib/builtins/multi3.c", "/build/llvm/build-wasm/compiler-rt-wasm32"),
            of("library/std/src/lib.rs/@/std.0123-cgu.0", "/rustc/0123"),
        ] {
            assert!(library.is_a_librarys(), "{library:?}");
        }
        for own in [of("ring.c", "/home/ada/ring"), of("src/main.rs/@/hello.cgu.0", "/home/ada/hello"), of("", "")] {
            assert!(!own.is_a_librarys(), "{own:?}");
        }
    }
}
