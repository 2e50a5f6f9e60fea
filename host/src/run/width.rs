//! How wide the addresses of a job's programs may be.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::module::width::Width;

/// Refuses a program whose words have a width that others in its job don't have.
pub(crate) fn check(width: &Width, file: &Path, first: &Width) -> Result<()> {
    ensure!(width.is_wide == first.is_wide, "{}: {}", file.display(), mixed(width.is_wide));
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
        let large = Width { is_large: true, ..wide.clone() };
        let said = |own: &Width, first: &Width| {
            let checked = super::check(own, Path::new("b.wasm"), first);
            checked.err().map_or(String::new(), |error| error.to_string())
        };
        assert_eq!([said(&wide, &wide), said(&narrow, &narrow), said(&large, &wide)], [""; 3]);
        let mixed = said(&wide, &narrow);
        assert!(mixed.starts_with("b.wasm: its addresses have 64 bits") && mixed.contains("-m64"), "{mixed}");
        let mixed = said(&narrow, &wide);
        assert!(mixed.starts_with("b.wasm: its addresses have 32 bits"), "{mixed}");
    }
}
