//! What a job's programs may be whose addresses have 64 bits.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::module::width::Width;

/// Refuses a program whose words have a width that others in its job don't have, or that the engine can't read.
pub(crate) fn check(width: &Width, file: &Path, first: &Width, engine_reads_wide: bool) -> Result<()> {
    let file = file.display();
    ensure!(width.is_wide == first.is_wide, "{file}: {}", mixed(width.is_wide));
    if !width.is_wide {
        return Ok(());
    }
    ensure!(
        engine_reads_wide || !width.is_large,
        "{file}: its memory may have more than 4 GiB (-m64=large): run it with --engine local or nodes"
    );
    if let (false, Some(call)) = (engine_reads_wide, &width.needs) {
        anyhow::bail!(
            "{file}: it was compiled with -m64 and calls {call}, whose arguments lie otherwise in its memory: run it with \
             --engine local or nodes"
        );
    }
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
        let wide = Width { is_wide: true, is_large: false, needs: Some("MPI_Isend (request)".into()) };
        let said = |own: &Width, first: &Width, reads| {
            let checked = super::check(own, Path::new("b.wasm"), first, reads);
            checked.err().map_or(String::new(), |error| error.to_string())
        };
        assert_eq!([said(&wide, &wide, true), said(&narrow, &narrow, false)], ["", ""]);
        let mixed = said(&wide, &narrow, true);
        assert!(mixed.starts_with("b.wasm: its addresses have 64 bits") && mixed.contains("-m64"), "{mixed}");
        let mixed = said(&narrow, &wide, true);
        assert!(mixed.starts_with("b.wasm: its addresses have 32 bits"), "{mixed}");
        let engine = said(&wide, &wide, false);
        assert!(engine.contains("MPI_Isend (request)") && engine.contains("--engine local or nodes"), "{engine}");
        let large = said(&Width { is_large: true, needs: None, ..wide.clone() }, &wide, false);
        assert!(large.contains("4 GiB") && large.contains("--engine local or nodes"), "{large}");
        // What needs nothing runs on either engine.
        assert_eq!(said(&Width { needs: None, ..wide.clone() }, &wide, false), "");
    }
}
