//! Compiles the page's client to WebAssembly and binds it to a script, by a Cargo of its own: what these need would
//! otherwise choose features for all that is compiled with Wasmtime. Its target folder is shared by all targets and profiles
//! of this build.

use std::env::{var, var_os};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the client is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";

/// Choices for this package's target, none of which is meant for the client or what binds it.
const NOT_OURS: [&str; 13] = [
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_RUSTC",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_PROFILE_RELEASE_DEBUG",
    "CARGO_PROFILE_RELEASE_INCREMENTAL",
    "CARGO_TARGET_DIR",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
];

fn main() {
    for changed in ["build.rs", "client/src", "client/bind/src", "client/Cargo.toml", "client/Cargo.lock", "wire/src"] {
        println!("cargo::rerun-if-changed={changed}");
    }
    let client = Path::new(&var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("client");
    let out = PathBuf::from(var_os("OUT_DIR").expect("Cargo sets it"));
    let target = shared(&out).join("view-client");
    let cargo = |arguments: &[&str]| {
        let mut cargo = cargo();
        cargo.current_dir(&client).args(arguments).arg("--locked").arg("--target-dir").arg(&target);
        cargo
    };
    run(cargo(&["build", "--quiet", "--release", "--package", "rankine-view-client", "--target", TARGET]));
    let module = target.join(TARGET).join("release/rankine_view_client.wasm");
    let mut bind = cargo(&["run", "--quiet", "--package", "rankine-view-bind"]);
    bind.arg("--").arg(module).arg(out);
    run(bind);
}

/// The Cargo that builds the client: with rustup the toolchain that rust-toolchain.toml names, whichever builds this
/// package, since that one has the target.
fn cargo() -> Command {
    let with_rustup = var_os("RUSTUP_TOOLCHAIN").is_some();
    let program = if with_rustup { "cargo".into() } else { var_os("CARGO").expect("Cargo sets it") };
    let mut cargo = Command::new(program);
    for name in NOT_OURS {
        cargo.env_remove(name);
    }
    cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    cargo
}

/// The target folder that `out` lies in: Cargo marks it.
fn shared(out: &Path) -> &Path {
    out.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).unwrap_or(out)
}

fn run(mut command: Command) {
    let done = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    if !done.success() {
        let toolchain =
            var("RUSTUP_TOOLCHAIN").map_or(String::new(), |name| format!(" (of {name} or rust-toolchain.toml)"));
        panic!(
            "the page of --view could not be built by {command:?}: {done}. It needs Rust's target {TARGET}{toolchain}: \
             rustup target add {TARGET}"
        );
    }
}
