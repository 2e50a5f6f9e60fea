//! The host for another architecture beneath an emulator: where it is (`just emulated-host` builds it, `./x` fetches the MPI
//! library for that of Arm), and what it must be told.

use super::places::Places;
use std::path::PathBuf;

/// A kind of machine that is emulated.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Kind {
    /// As Rust, Debian and the emulator call it.
    pub name: &'static str,
    /// What cargo compiles the host for.
    pub target: &'static str,
}

/// The one that jobs of two kinds are run with.
pub const ARM: Kind = Kind { name: "aarch64", target: "aarch64-unknown-linux-gnu" };

/// The emulator and its libraries.
pub fn emulator(kind: Kind) -> [String; 3] {
    [format!("qemu-{}", kind.name), "-L".into(), format!("/usr/{}-linux-gnu", kind.name)]
}

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
pub fn rankine(places: &Places, kind: Kind) -> PathBuf {
    places.target.join(kind.target).join("emulated/rankine")
}

/// The folder of the MPI library for that of Arm.
pub fn mpi(places: &Places) -> PathBuf {
    places.target.join("mpich-aarch64")
}
