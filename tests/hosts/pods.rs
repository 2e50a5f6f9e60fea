//! `rankine grid manifest`: what it writes is an MPIJob, by a schema after the fields of Kubernetes' definition.

use crate::process::{Ended, run_within};
use crate::{LIMIT, Site};
use libtest_mimic::Failed;
use serde_json::{Map, Value};
use std::fs;
use std::process::Command;

pub fn a_manifest_is_an_mpijob(site: &Site) -> Result<(), Failed> {
    let schema = fs::read_to_string(site.places.root.join("tests/hosts/mpijob.json"))?;
    let schema: Value = serde_json::from_str(&schema)?;
    let pods = site.folder().join("pods");
    let mut command = Command::new(&site.places.rankine);
    command.args(["grid", "manifest", "-n", "7", "--per-pod", "2", "--name", "heat", "--image", "heat:1", "--output"]);
    command.arg(&pods).args(["--label", "--env", "A=b: #c", "heat.wasm", "--name", "x \"y\"\t- z"]);
    let run = run_within(command, None, LIMIT)?;
    if run.ended != Ended::Status(0) {
        return Err(run.to_string().into());
    }
    let text = fs::read_to_string(pods.join("mpijob.yaml"))?;
    let job = yaml(&text)?;
    fits(&job, &schema, &schema, "MPIJob")?;
    let replicas = &job["spec"]["mpiReplicaSpecs"];
    let words = &replicas["Launcher"]["template"]["spec"]["containers"][0]["command"];
    let wanted = [
        "mpiexec",
        "-n",
        "7",
        "rankine",
        "run",
        "--label",
        "--env",
        "A=b: #c",
        "/job/heat.wasm",
        "--name",
        "x \"y\"\t- z",
    ];
    if *words != Value::from(wanted.to_vec())
        || replicas["Worker"]["replicas"] != 4
        || job["spec"]["slotsPerWorker"] != 2
    {
        return Err(text.into());
    }
    // The schema does not take whatever comes.
    for (from, to) in [
        ("v2beta1", "v1"),
        ("replicas: 4", "replicas: none"),
        ("replicas: 1", "replicas: 0"),
        ("mpiImplementation: MPICH", "mpiImplementation: mpich"),
        ("slotsPerWorker", "slots"),
        ("image: ", "picture: "),
        ("    Worker:", "    Workers:"),
    ] {
        let other = yaml(&text.replacen(from, to, 1))?;
        if !text.contains(from) || fits(&other, &schema, &schema, "MPIJob").is_ok() {
            return Err(format!("{to} is taken").into());
        }
    }
    Ok(())
}

/// Whether a value is what a schema describes. Words of schemas that are not known here are an error.
fn fits(value: &Value, schema: &Value, root: &Value, place: &str) -> Result<(), String> {
    let words = schema.as_object().ok_or("a schema is an object")?;
    for (word, wanted) in words {
        let is_right = match word.as_str() {
            "$comment" | "$defs" => true,
            "$ref" => return fits(value, &root["$defs"][wanted.as_str().unwrap_or_default()], root, place),
            "type" => match wanted.as_str() {
                Some("object") => value.is_object(),
                Some("array") => value.is_array(),
                Some("string") => value.is_string(),
                Some("integer") => value.is_i64(),
                Some("boolean") => value.is_boolean(),
                _ => return Err(format!("the type {wanted} is not known")),
            },
            "enum" => wanted.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value.as_i64() >= wanted.as_i64(),
            "minItems" => value.as_array().map(|items| items.len() as u64) >= wanted.as_u64(),
            "required" => {
                wanted.as_array().into_iter().flatten().all(|name| !value[name.as_str().unwrap_or_default()].is_null())
            }
            "additionalProperties" => {
                let known = |name: &String| !schema["properties"][name].is_null();
                value.as_object().is_none_or(|fields| fields.keys().all(known))
            }
            "properties" => {
                for (name, schema) in wanted.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        fits(value, schema, root, &format!("{place}.{name}"))?;
                    }
                }
                true
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(item, wanted, root, &format!("{place}[{at}]"))?;
                }
                true
            }
            _ => return Err(format!("the word {word} is not known")),
        };
        if !is_right {
            return Err(format!("{place}: {value} is not what `{word}: {wanted}` says"));
        }
    }
    Ok(())
}

/// The YAML of manifests: mappings and sequences by indentation, flow sequences and quoted words as JSON writes them.
fn yaml(text: &str) -> Result<Value, String> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        match line.trim_start().strip_prefix("- ") {
            // An element is a line of its own, and its fields stand deeper.
            Some(rest) => lines.extend([(indent, "-".to_string()), (indent + 2, rest.to_string())]),
            None => lines.push((indent, line.trim_start().to_string())),
        }
    }
    let mut rest = &lines[..];
    let value = block(&mut rest, 0)?;
    if rest.is_empty() { Ok(value) } else { Err(format!("{:?} is not understood", rest[0])) }
}

fn block(lines: &mut &[(usize, String)], indent: usize) -> Result<Value, String> {
    let (mut fields, mut items) = (Map::new(), Vec::new());
    while let Some((_, text)) = lines.first().filter(|(at, _)| *at == indent) {
        *lines = &lines[1..];
        if text == "-" {
            items.push(block(lines, indent + 2)?);
            continue;
        }
        let (name, value) = text.split_once(':').ok_or_else(|| format!("`{text}` is not a field"))?;
        let value = match (value.trim(), lines.first()) {
            ("", Some((deeper, _))) if *deeper > indent => block(lines, *deeper)?,
            ("", _) => return Err(format!("`{name}` has no value")),
            (value, _) => serde_json::from_str(value).unwrap_or_else(|_| value.into()),
        };
        if fields.insert(name.into(), value).is_some() {
            return Err(format!("`{name}` is said twice"));
        }
    }
    match (fields.is_empty(), items.is_empty()) {
        (false, true) => Ok(Value::Object(fields)),
        (true, false) => Ok(Value::Array(items)),
        _ => Err(format!("neither a mapping nor a sequence at {:?}", lines.first())),
    }
}
