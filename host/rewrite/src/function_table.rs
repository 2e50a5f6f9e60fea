//! MPI calls functions of a program through its function table, which therefore must be exported. `rankine cc` sees to
//! it; other linkers, such as cargo's, keep the table to themselves, so it is exported here, when such a module is
//! loaded.

use wasm_encoder::{ExportKind, ExportSection, Module, RawSection};
use wasmparser::{Export, ExternalKind, Parser, Payload, Result, SectionLimited, TypeRef};

/// The name that the table is known by.
pub const NAME: &str = "__indirect_function_table";

/// The module with its function table exported; as it is when that is so already, or when there is no table.
pub fn exported(module: Vec<u8>) -> Result<Vec<u8>> {
    if !keeps_table(&module)? {
        return Ok(module);
    }
    let mut whole = Module::new();
    for payload in Parser::new(0).parse_all(&module) {
        let payload = payload?;
        if let Payload::ExportSection(exports) = payload {
            whole.section(&with_table(exports)?);
        } else if let Some((id, range)) = payload.as_section() {
            whole.section(&RawSection { id, data: &module[range.start as usize..range.end as usize] });
        }
    }
    Ok(whole.finish())
}

/// Whether a module has a table, and exports something, but no table.
fn keeps_table(module: &[u8]) -> Result<bool> {
    let (mut has_table, mut keeps) = (false, false);
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    has_table |= matches!(import?.ty, TypeRef::Table(_));
                }
            }
            Payload::TableSection(tables) => has_table |= tables.count() > 0,
            Payload::ExportSection(exports) => {
                keeps = true;
                for export in exports {
                    let export = export?;
                    keeps &= export.kind != ExternalKind::Table && export.name != NAME;
                }
            }
            // What follows is code and data, which may be long.
            Payload::CodeSectionStart { .. } => break,
            _ => {}
        }
    }
    Ok(has_table && keeps)
}

/// These exports and the first table.
fn with_table(exports: SectionLimited<'_, Export<'_>>) -> Result<ExportSection> {
    let mut more = ExportSection::new();
    for export in exports {
        let Export { name, kind, index } = export?;
        more.export(name, encoded(kind), index);
    }
    more.export(NAME, ExportKind::Table, 0);
    Ok(more)
}

fn encoded(kind: ExternalKind) -> ExportKind {
    match kind {
        ExternalKind::Func | ExternalKind::FuncExact => ExportKind::Func,
        ExternalKind::Table => ExportKind::Table,
        ExternalKind::Memory => ExportKind::Memory,
        ExternalKind::Global => ExportKind::Global,
        ExternalKind::Tag => ExportKind::Tag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exports(text: &str) -> Vec<String> {
        let module = exported(wat::parse_str(text).unwrap()).unwrap();
        wasmparser::Validator::new().validate_all(&module).unwrap();
        let mut names = Vec::new();
        for payload in Parser::new(0).parse_all(&module) {
            if let Payload::ExportSection(exports) = payload.unwrap() {
                names.extend(exports.into_iter().map(|export| export.unwrap().name.to_string()));
            }
        }
        names
    }

    #[test]
    fn a_table_that_is_kept_is_exported() {
        let text = r#"(module (table 1 funcref) (memory (export "memory") 1) (func (export "_start")) (elem (i32.const 0) 0) (data "x"))"#;
        assert_eq!(exports(text), ["memory", "_start", NAME]);
    }

    #[test]
    fn what_needs_nothing_stays_as_it_is() {
        assert_eq!(exports(r#"(module (func (export "_start")))"#), ["_start"]);
        assert_eq!(exports(r#"(module (table (export "t") 1 funcref))"#), ["t"]);
        assert_eq!(exports(&format!(r#"(module (table (export "{NAME}") 1 funcref))"#)), [NAME]);
        assert!(exports("(module (table 1 funcref))").is_empty());
    }
}
