//! Files of `guest-sdk/` are embedded folder by folder, so a new file there has to make a new build.

#[expect(clippy::disallowed_macros, reason = "cargo reads")]
fn main() {
    let crates = ["rust/mpi-sys/src", "rust/patch/libffi/src", "rust/patch/mpi-sys/src"];
    for folder in ["c", "cmake", "cpp", "fortran", "meson"].into_iter().chain(crates) {
        println!("cargo:rerun-if-changed=../../guest-sdk/{folder}");
    }
}
