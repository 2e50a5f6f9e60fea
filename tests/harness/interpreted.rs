//! Guests that are interpreted (`just interpreted`): all but those with threads, which have to be refused.

use super::process::{Ended, Run};
use libtest_mimic::Failed;
use std::path::Path;
use wasmparser::{Parser, Payload, TypeRef};

/// Whether a guest imports a memory that its threads share.
pub fn has_threads(module: &Path) -> Result<bool, Failed> {
    let bytes = std::fs::read(module)?;
    // What is no module has nothing to be refused for.
    let imports = Parser::new(0).parse_all(&bytes).map_while(Result::ok).find_map(|payload| match payload {
        Payload::ImportSection(imports) => Some(imports),
        _ => None,
    });
    let is_shared = |ty: TypeRef| matches!(ty, TypeRef::Memory(memory) if memory.shared);
    Ok(imports
        .is_some_and(|imports| imports.into_imports().any(|import| import.is_ok_and(|import| is_shared(import.ty)))))
}

/// Whether a run was refused for its threads.
pub fn is_refused(run: &Run) -> Result<(), Failed> {
    let is_said = run.stderr.contains("has threads, and Wasmtime's interpreter has none");
    match (run.ended, is_said) {
        (Ended::Status(1), true) => Ok(()),
        _ => Err(format!("it was not refused, though the interpreter has no threads\n{run}").into()),
    }
}
