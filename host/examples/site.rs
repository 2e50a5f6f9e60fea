//! The command `rankine` of a site that gives its programs a function more: `site.axpy`, which adds a multiple of an array to
//! another, as a kernel of the site's own would.
//!
//! ```console
//! $ cargo run --release --example site -- run -n 4 program.wasm
//! ```
//!
//! In C: `__attribute__((import_module("site"), import_name("axpy"))) void axpy(int n, double a, const double *x, double *y);`

use std::process::ExitCode;

use rankine::extension::{self, Call, Result, Val, ValType};

/// `y += a x`
fn axpy(call: &Call) -> Result<Val> {
    let (n, a) = (call.u32(0).into(), call.f64(1));
    let (x, y) = (call.block::<f64>(2, n)?, call.block::<f64>(3, n)?);
    for i in 0..x.len() {
        y.set(i, y.get(i) + a * x.get(i));
    }
    Ok(Val::I32(0))
}

/// Everything else is the usual command's.
#[expect(clippy::disallowed_macros, reason = "it stands for code of a site's own")]
pub fn main() -> ExitCode {
    let parameters = [ValType::I32, ValType::F64, ValType::I32, ValType::I32];
    if let Err(error) = extension::register("site", "axpy", &parameters, None, axpy) {
        eprintln!("site: {error:#}");
        return ExitCode::FAILURE;
    }
    rankine::cli::main()
}
