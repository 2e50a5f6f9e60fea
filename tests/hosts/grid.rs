//! `rankine grid`: nodes that a file describes, some of which lack something.

use crate::namespaces::{ALIASES, Namespaces};
use crate::process::{Ended, Run, run_within};
use crate::{LIMIT, Site};
use libtest_mimic::Failed;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Two nodes that are there, one that is not, and one without a `rankine`.
fn describe(site: &Site) -> Result<PathBuf, Failed> {
    let file = site.folder().join("grid.toml");
    let scratch = site.folder().join("scratch");
    fs::create_dir_all(&scratch)?;
    let text = format!(
        "[defaults]\nscratch = '{}'\nrankine = '{}'\nlibrary = '{}'\n\n\
         [nodes.'n[1-2]']\naddress = '198.18.77.[1-2]'\nslots = 2\nlabels = ['there']\n\n\
         [nodes.gone]\naddress = '198.18.77.9'\n\n\
         [kinds.bare]\nrankine = '/no/such/rankine'\n\n\
         [nodes.bare1]\naddress = '{}'\nkind = 'bare'\n\n\
         [groups]\nready = 'n1+n2'\n",
        scratch.display(),
        site.places.rankine.display(),
        site.library().display(),
        ALIASES[1],
    );
    fs::write(&file, text)?;
    Ok(file)
}

fn grid(site: &Site, hosts: &Namespaces, words: &[&str]) -> Result<Run, Failed> {
    let mut command = hosts.on_first(&site.places.rankine);
    command.arg("grid").args(words).arg("--grid").arg(describe(site)?);
    if words[0] == "check" {
        command.arg("--ssh").arg(&hosts.ssh);
    }
    Ok(run_within(command, None, LIMIT)?)
}

fn lacking(run: &Run, parts: &[&str]) -> Result<(), Failed> {
    let text = format!("{}{}", run.stdout, run.stderr);
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("it does not say {part:?}\n{run}").into()),
    }
}

/// Every node is asked; each that lacks something says what, and what to do.
pub fn every_node_is_checked(site: &Site) -> Result<(), Failed> {
    let hosts = Namespaces::new(&site.folder())?;
    let run = grid(site, &hosts, &["check"])?;
    lacking(
        &run,
        &[
            "it can't be reached: no host is called 198.18.77.9\n",
            "→ `ssh 198.18.77.9 true` must just work",
            "there is no /no/such/rankine on it\n",
            "say where it is: rankine = ",
            "MPICH",
        ],
    )?;
    if run.ended != Ended::Status(1) {
        return Err(format!("expected status 1\n{run}").into());
    }
    let run = grid(site, &hosts, &["check", "--json", "--group", "ready"])?;
    let reports: Value = serde_json::from_str(&run.stdout).map_err(|error| format!("{error}\n{run}"))?;
    let nodes = reports.as_array().map_or(0, Vec::len);
    let is_right = |report: &Value| {
        report["facts"]["architecture"] == std::env::consts::ARCH
            && report["facts"]["scratch"]["free"].as_u64().is_some_and(|free| free > 0)
            && report["facts"]["mpi"]["version"].as_str().is_some_and(|version| version.contains("MPICH"))
            && report["problems"].as_array().is_some_and(|list| list.iter().all(|problem| problem["stops"] == false))
    };
    let all = reports.as_array().is_some_and(|reports| reports.iter().all(is_right));
    if run.ended == Ended::Status(0) && nodes == 2 && all { Ok(()) } else { Err(run.to_string().into()) }
}

/// What the file says needs no node.
pub fn a_grid_is_listed(site: &Site) -> Result<(), Failed> {
    let list = |words: &[&str]| {
        let mut command = std::process::Command::new(&site.places.rankine);
        command.args(["grid", "list"]).args(words).env("RANKINE_GRID", describe(site)?);
        Ok::<_, Failed>(run_within(command, None, LIMIT)?)
    };
    lacking(&list(&[])?, &["n2     198.18.77.2  2      -     there   ready\n", "bare1 "])?;
    let json: Value = serde_json::from_str(&list(&["--json", "--group", "bare+n2"])?.stdout)?;
    if json["nodes"][0]["name"] != "bare1" || json["nodes"][1]["slots"] != 2 {
        return Err(json.to_string().into());
    }
    lacking(&list(&["--group", "gpu"])?, &["there is no node, group, kind or label `gpu`; there are: ready, "])
}
