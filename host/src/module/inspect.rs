//! What can be read from a module without compiling it: its imports, memory, instructions' proposals, and who made it.

use std::collections::BTreeSet;

use crate::module::{self, symbols::Symbols};
use anyhow::{Result, anyhow};
use rankine_rewrite::lower64;
use serde::Serialize;
use wasmparser::{FunctionBody, KnownCustom, Operator, Parser, Payload, ProducersSectionReader, TypeRef, Validator};

/// What a module shows of itself.
#[derive(Debug, Default, Serialize, PartialEq, Eq)]
pub struct Facts {
    /// Functions of MPI that it imports, sorted. Whoever prints them adds who has them.
    #[serde(skip)]
    pub mpi_functions: Vec<String>,
    /// Functions of WASI that it imports, sorted.
    pub wasi_functions: Vec<String>,
    /// Functions for object graphs that it imports, sorted.
    pub object_functions: Vec<String>,
    /// Functions of the live view that it imports, sorted.
    pub view_functions: Vec<String>,
    /// Its ranks can have threads.
    pub threads: bool,
    /// Everything else that it imports, as `module.name`.
    pub other_imports: Vec<String>,
    /// How many bits its addresses have, if it has a memory.
    pub address_bits: Option<u8>,
    /// That memory may have more than 4 GiB.
    pub large: bool,
    /// Its memory, in bytes, at the start and at most.
    pub memory: Option<MemoryFacts>,
    /// WebAssembly proposals beyond the first version whose instructions it contains.
    pub features: BTreeSet<&'static str>,
    /// The tools that made it: what they did, their names, their versions.
    pub producers: Vec<Producer>,
    /// It has source lines for traps and deadlocks: of its own sources, and not of the C library alone.
    pub debug_info: bool,
    /// The compilers of those sources, as they call themselves.
    pub compilers: BTreeSet<String>,
    /// Those of libraries that it is linked with.
    pub library_compilers: BTreeSet<String>,
    /// Functions defined in it.
    pub functions: u32,
    /// Bytes of the module.
    pub size: usize,
}

/// Limits of a memory in bytes.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct MemoryFacts {
    /// At the start.
    pub initial: u64,
    /// At most, if the module says so.
    pub maximum: Option<u64>,
}

/// A tool named in the module's producers section.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub role: String,
    /// The tool.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Reads a module; an error names the offset at which it is broken.
pub fn inspect(binary: &[u8]) -> Result<Facts> {
    Validator::new_with_features(wasmparser::WasmFeatures::all())
        .validate_all(binary)
        .map_err(|error| anyhow!("{error}"))?;
    let large = lower64::width(binary) == lower64::Width::Large;
    let mut facts = Facts { size: binary.len(), large, ..Facts::default() };
    for payload in Parser::new(0).parse_all(binary) {
        facts.note(payload?)?;
    }
    for source in Symbols::of(binary.to_vec()).sources() {
        let is_own = !source.is_a_librarys();
        facts.debug_info |= is_own;
        let compilers = if is_own { &mut facts.compilers } else { &mut facts.library_compilers };
        compilers.insert(source.compiler);
    }
    facts.mpi_functions.sort_unstable();
    facts.mpi_functions.dedup();
    facts.wasi_functions.sort_unstable();
    facts.object_functions.sort_unstable();
    facts.view_functions.sort_unstable();
    facts.other_imports.sort_unstable();
    Ok(facts)
}

impl Facts {
    fn note(&mut self, payload: Payload<'_>) -> Result<()> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    let name = import.name.to_owned();
                    match (import.module, import.ty) {
                        (rankine_abi::MODULE, TypeRef::Func(_)) => self.mpi_functions.push(name),
                        (module::WASI, TypeRef::Func(_)) => self.wasi_functions.push(name),
                        (rankine_object::MODULE, TypeRef::Func(_)) => self.object_functions.push(name),
                        (module::VIEW, TypeRef::Func(_)) => self.view_functions.push(name),
                        (module::THREADS, TypeRef::Func(_)) => self.threads = true,
                        (_, TypeRef::Memory(memory)) if memory.shared => self.threads = true,
                        (module, _) => self.other_imports.push(format!("{module}.{name}")),
                    }
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    let memory = memory?;
                    self.address_bits = Some(if memory.memory64 { 64 } else { 32 });
                    let page = 1u64 << memory.page_size_log2.unwrap_or(16);
                    let bytes = |pages: u64| pages.saturating_mul(page);
                    self.memory =
                        Some(MemoryFacts { initial: bytes(memory.initial), maximum: memory.maximum.map(bytes) });
                    if memory.memory64 {
                        self.features.insert("memory64");
                    }
                }
            }
            Payload::CodeSectionEntry(body) => {
                self.functions += 1;
                self.note_instructions(&body)?;
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Producers(producers) = section.as_known() {
                    self.note_producers(producers);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn note_instructions(&mut self, body: &FunctionBody<'_>) -> Result<()> {
        for operator in body.get_operators_reader()? {
            if let Some(proposal) = proposal(&operator?) {
                self.features.insert(proposal);
            }
        }
        Ok(())
    }

    /// Up to a field that is not one: nothing else reads this section, and a module runs whatever it says.
    fn note_producers(&mut self, fields: ProducersSectionReader<'_>) {
        for field in fields.into_iter().map_while(Result::ok) {
            for value in field.values.into_iter().map_while(Result::ok) {
                self.producers.push(Producer {
                    role: field.name.to_owned(),
                    name: value.name.to_owned(),
                    version: value.version.to_owned(),
                });
            }
        }
    }
}

/// The proposal that an instruction came with; none for those of the first version.
fn proposal(operator: &Operator<'_>) -> Option<&'static str> {
    macro_rules! by_proposal {
        ($(@$proposal:ident $operator:ident $({ $($argument:ident: $ty:ty),* })? => $visit:ident ($($annotation:tt)*))*) => {
            match operator {
                $(Operator::$operator { .. } => stringify!($proposal),)*
                _ => "other",
            }
        };
    }
    match wasmparser::for_each_operator!(by_proposal) {
        "mvp" => None,
        "exceptions" => Some("exception handling"),
        "legacy_exceptions" => Some("exception handling (legacy)"),
        "sign_extension" => Some("sign extension"),
        "saturating_float_to_int" => Some("saturating conversions"),
        "bulk_memory" => Some("bulk memory"),
        "reference_types" => Some("reference types"),
        "function_references" => Some("function references"),
        "tail_call" => Some("tail calls"),
        "relaxed_simd" => Some("relaxed simd"),
        "wide_arithmetic" => Some("wide arithmetic"),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_a_module_uses() {
        let binary = wat::parse_str(
            r#"(module
                (import "mpi" "MPI_Send" (func (param i32) (result i32)))
                (import "mpi" "MPI_Init" (func (param i32 i32) (result i32)))
                (import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))
                (import "env" "sin" (func))
                (memory (export "memory") 2 16)
                (func (param v128) (result v128) (i32x4.add (local.get 0) (local.get 0)))
                (@producers (processed-by "clang" "22.1.0")))"#,
        )
        .unwrap();
        let facts = inspect(&binary).unwrap();
        assert_eq!(facts.mpi_functions, ["MPI_Init", "MPI_Send"]);
        assert_eq!(facts.wasi_functions, ["proc_exit"]);
        assert_eq!(facts.other_imports, ["env.sin"]);
        assert_eq!(facts.memory, Some(MemoryFacts { initial: 131_072, maximum: Some(1_048_576) }));
        assert_eq!(facts.features, BTreeSet::from(["simd"]));
        assert_eq!(facts.producers[0].version, "22.1.0");
        assert_eq!((facts.functions, facts.debug_info), (1, false));
    }

    #[test]
    fn names_the_offset_of_damage() {
        let binary = wat::parse_str("(module (func) (memory 1))").unwrap();
        let text = inspect(&binary[..binary.len() - 3]).unwrap_err().to_string();
        assert!(text.contains("offset"), "{text}");
    }
}
