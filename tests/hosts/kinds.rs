//! A grid of two kinds of nodes: one as this machine, the other in the host for AArch64, beneath an emulator.

use crate::emulator::{self, ARM, NETWORK, TOLD};
use crate::namespaces::{HOSTS, Namespaces, script};
use crate::process::run_within;
use crate::{LIMIT, Site, check, grid};
use libtest_mimic::Failed;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A program in the place of one for AArch64, which only the emulator runs.
fn beneath(program: &Path, place: &Path) -> Result<(), Failed> {
    fs::create_dir_all(place.parent().expect("it lies in a folder"))?;
    Ok(script(place, &format!("exec {} '{}' \"$@\"", emulator::emulator(ARM).join(" "), program.display()))?)
}

/// Where the second kind has `rankine` and its MPI library, with the launcher's program beside it.
fn arm(site: &Site) -> Result<[PathBuf; 2], Failed> {
    let (folder, mpi) = (site.folder().join("aarch64"), emulator::mpi(&site.places));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let rankine = folder.join("bin/rankine");
    beneath(&emulator::rankine(&site.places, ARM), &rankine)?;
    beneath(&mpi.join("bin/hydra_pmi_proxy"), &folder.join("mpi/bin/hydra_pmi_proxy"))?;
    symlink(mpi.join("lib"), folder.join("mpi/lib"))?;
    Ok([rankine, folder.join("mpi/lib/libmpi_abi.so.1")])
}

fn describe(site: &Site) -> Result<PathBuf, Failed> {
    let [rankine, library] = arm(site)?;
    let scratch = ["n1", "n2"].map(|node| site.folder().join(format!("scratch-{node}")));
    for folder in &scratch {
        fs::create_dir_all(folder)?;
    }
    let text = format!(
        "[defaults]\nrankine = '{}'\nlibrary = '{}'\nslots = 2\n\n\
         [kinds.arm]\nrankine = '{}'\nlibrary = '{}'\n\n\
         [nodes.n1]\naddress = '{}'\nscratch = '{}'\n\n\
         [nodes.n2]\naddress = '{}'\nscratch = '{}'\nkind = 'arm'\n",
        site.places.rankine.display(),
        site.library().display(),
        rankine.display(),
        library.display(),
        HOSTS[0],
        scratch[0].display(),
        HOSTS[1],
        scratch[1].display(),
    );
    let file = site.folder().join("kinds.toml");
    fs::write(&file, text)?;
    Ok(file)
}

/// One file runs on both kinds at once, and gives the bits that it gives on one.
pub fn a_job_of_two_kinds(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let file = describe(site)?;
    let guest = site.compile_at("tests/cli", "reproducible")?;
    let start = |words: &[&str]| {
        let mut command = hosts.on_first(&site.places.rankine);
        command.args(words).arg("--grid").arg(&file).arg("--ssh").arg(&hosts.ssh).envs(NETWORK).envs(TOLD);
        command.env("RANKINE_LAUNCHER", site.places.mpi_bin.join("mpiexec")).env("RANKINE_MPI_LIB", site.library());
        command
    };
    let asked = run_within(start(&["grid", "check"]), None, LIMIT)?;
    grid::lacking(&asked, &[std::env::consts::ARCH, "n2    aarch64 "])?;
    let mut job = start(&["run", "--reproducible", "-n", "4"]);
    let run = run_within(
        {
            job.arg(guest);
            job
        },
        None,
        LIMIT,
    )?;
    let expected = fs::read_to_string(site.places.root.join("tests/cli/reproducible.out"))?;
    let mut lines: Vec<&str> = expected.lines().collect();
    lines.sort_unstable();
    check(&run, 0, &lines)
}
