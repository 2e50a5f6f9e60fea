//! Processors that lack the vectors which a program needs: RISC-V's have them as an extension, for want of which Wasmtime's
//! compiler panics.

use std::path::Path;

use anyhow::{Result, ensure};
use wasmparser::{Validator, WasmFeatures};
use wasmtime::Engine;

/// Refuses a program with vector instructions where compiled code can have none.
pub(crate) fn check(engine: &Engine, binary: &[u8], path: &Path) -> Result<()> {
    if engine.is_pulley() || has_vectors() {
        return Ok(());
    }
    ensure!(
        !wants_vectors(binary),
        "{} has vector instructions (simd), and this processor has none (RISC-V's extension V): run it with --interpret, or on \
         another machine",
        path.display()
    );
    Ok(())
}

/// Whether a module has vectors, be it only as the type of a local. One that is no module is told so when it is compiled.
fn wants_vectors(binary: &[u8]) -> bool {
    let all = WasmFeatures::all();
    let is_valid = |features| Validator::new_with_features(features).validate_all(binary).is_ok();
    is_valid(all) && !is_valid(all.difference(WasmFeatures::SIMD | WasmFeatures::RELAXED_SIMD))
}

/// Whether compiled code may have vectors here, as Wasmtime's compiler asks it.
fn has_vectors() -> bool {
    #[cfg(all(target_arch = "riscv64", target_os = "linux"))]
    {
        const V: libc::c_ulong = 1 << (b'v' - b'a');
        // SAFETY: a question without conditions.
        (unsafe { libc::getauxval(libc::AT_HWCAP) } & V) != 0
    }
    #[cfg(not(all(target_arch = "riscv64", target_os = "linux")))]
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_instructions_are_seen() {
        let wants = |text| wants_vectors(&wat::parse_str(text).unwrap());
        assert!(!wants("(module (func (param f64) (result f64) (f64.neg (local.get 0))))"));
        assert!(wants("(module (func (param v128) (result v128) (f64x2.neg (local.get 0))))"));
        assert!(wants(
            "(module (global (mut v128) (v128.const i64x2 0 1)) (func (local v128) (global.set 0 (local.get 0))))"
        ));
        assert!(wants("(module (func (param v128) (result v128) (i32x4.relaxed_trunc_f32x4_s (local.get 0))))"));
    }
}
