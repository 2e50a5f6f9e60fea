//! What a job's programs may be whose addresses have 64 bits.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::module::width::Width;

/// Refuses a program whose words have a width that others in its job don't have, or that is larger than the engine can serve.
pub(crate) fn check(width: &Width, file: &Path, first: &Width, engine_serves_large: bool) -> Result<()> {
    let file = file.display();
    ensure!(width.is_wide == first.is_wide, "{file}: {}", mixed(width.is_wide));
    ensure!(
        engine_serves_large || !width.is_large,
        "{file}: its memory may have more than 4 GiB (-m64=large): run it with --engine local or nodes"
    );
    Ok(())
}

/// Why programs of both widths are not in one job.
pub(crate) fn mixed(is_wide: bool) -> String {
    let [own, others] = if is_wide { ["64", "32"] } else { ["32", "64"] };
    format!(
        "its addresses have {own} bits and those of the job's first program {others}: MPI_LONG and MPI_AINT are not the same \
         in both, so all programs of a job are compiled with -m64 or none is"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_job_have_addresses_of_one_width() {
        let narrow = Width::default();
        let wide = Width { is_wide: true, is_large: false };
        let said = |own: &Width, first: &Width, serves| {
            let checked = super::check(own, Path::new("b.wasm"), first, serves);
            checked.err().map_or(String::new(), |error| error.to_string())
        };
        assert_eq!([said(&wide, &wide, true), said(&narrow, &narrow, false)], ["", ""]);
        let mixed = said(&wide, &narrow, true);
        assert!(mixed.starts_with("b.wasm: its addresses have 64 bits") && mixed.contains("-m64"), "{mixed}");
        let mixed = said(&narrow, &wide, true);
        assert!(mixed.starts_with("b.wasm: its addresses have 32 bits"), "{mixed}");
        let large = Width { is_large: true, ..wide.clone() };
        let engine = said(&large, &wide, false);
        assert!(engine.contains("4 GiB") && engine.contains("--engine local or nodes"), "{engine}");
        assert_eq!([said(&large, &wide, true), said(&wide, &wide, false)], ["", ""]);
    }
}
