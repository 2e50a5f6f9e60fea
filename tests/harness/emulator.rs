//! The host for another architecture beneath an emulator: where it is (`just emulated-host` builds it, `./x` fetches the MPI
//! library for it), and what it must be told.

use super::places::Places;
use std::path::PathBuf;

/// The emulator and its libraries.
pub const EMULATOR: [&str; 3] = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];

/// Messages go by TCP, which is what machines of different kinds share.
pub const NETWORK: [(&str, &str); 2] = [("MPIR_CVAR_CH4_NETMOD", "ofi"), ("FI_PROVIDER", "tcp;ofi_rxm")];

/// What `rankine` tells MPI libraries as long as its process has one thread. Beneath the emulator, which has a thread of its
/// own, it asks its user to.
pub const TOLD: [(&str, &str); 10] = [
    ("MPIR_CVAR_ASYNC_PROGRESS", "0"),
    ("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
    ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "16384"),
    ("UCX_ERROR_SIGNALS", ""),
    ("UCX_TLS", "^posix"),
    ("UCX_POSIX_USE_PROC_LINK", "n"),
    ("FI_SHM_DISABLE_CMA", "1"),
    ("OMPI_MCA_smsc", "^cma"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("MV2_SMP_USE_CMA", "0"),
];

/// The host, which the emulator runs.
pub fn rankine(places: &Places) -> PathBuf {
    places.target.join("aarch64-unknown-linux-gnu/emulated/rankine")
}

/// The folder of the MPI library for it.
pub fn mpi(places: &Places) -> PathBuf {
    places.target.join("mpich-aarch64")
}
