//! The two registrations of a chapter's shims: for ranks that have a thread of their own, and for fibers.

use std::fmt::Write;

use anyhow::Result;

use super::Shim;
use super::body::{self, Body};
use crate::functions::Function;
use crate::parameters::Parameter;
use crate::wasm;

/// Writes `threads` and `fibers`.
pub fn emit(out: &mut String, shims: &[Shim]) -> Result<()> {
    for (kind, what) in [("threads", "ranks that have a thread of their own"), ("fibers", "ranks that are fibers")] {
        writeln!(out, "/// Links the import `name` for {what}; false if it is none of this file.")?;
        writeln!(out, "pub(super) fn {kind}(linker: &mut Linker<Guest>, name: &str) -> wasmtime::Result<bool> {{")?;
        writeln!(out, "let module = rankine_abi::MODULE;\nmatch name {{")?;
        for shim in shims {
            for (name, large) in shim.function.variants() {
                match &shim.body {
                    None => writeln!(
                        out,
                        "{name:?} => linker.func_wrap(module, name, |_: Caller<'_, Guest>, handle: i32| handle)?,"
                    )?,
                    Some(body) if kind == "fibers" && body.is_async => {
                        emit_fiber(out, shim.function, body, &name, large)?
                    }
                    Some(body) => emit_thread(out, shim.function, body, &name, large)?,
                }
            }
        }
        writeln!(out, "_ => return Ok(false),\n}};\nOk(true)\n}}\n")?;
    }
    Ok(())
}

fn emit_thread(out: &mut String, function: &Function, body: &Body, name: &str, large: bool) -> Result<()> {
    let parameters: String =
        function.of_variant(large).map(|p| format!(", {}: {}", p.variable(), wasm::parameter(p, large))).collect();
    let run = match (body.is_async, body.at_once) {
        (true, true) => "wait_unless",
        (true, false) => "wait",
        (false, _) => "now",
    };
    writeln!(out, "{name:?} => linker.func_wrap(module, name, |caller: Caller<'_, Guest>{parameters}| {{")?;
    writeln!(out, "{}\n}})?,", call(function, body, run, name, large, ""))?;
    Ok(())
}

fn emit_fiber(out: &mut String, function: &Function, body: &Body, name: &str, large: bool) -> Result<()> {
    let names: String = function.of_variant(large).map(|p| format!("{},", p.variable())).collect();
    let types: String = function.of_variant(large).map(|p| format!("{},", wasm::parameter(p, large))).collect();
    writeln!(
        out,
        "{name:?} => linker.func_wrap_async(module, name, |caller: Caller<'_, Guest>, ({names}): ({types})| {{"
    )?;
    match body.at_once {
        true => writeln!(out, "{}\n}})?,", call(function, body, "fiber_unless", name, large, "move "))?,
        false => writeln!(out, "Box::new({})\n}})?,", call(function, body, "fiber", name, large, "move "))?,
    }
    Ok(())
}

/// `call::wait(caller, "MPI_Probe", On::Comm(handle(comm)), |r| probe(r, …))`
fn call(function: &Function, body: &Body, run: &str, name: &str, large: bool, capture: &str) -> String {
    let anytime = if function.marks.anytime { "_anytime" } else { "" };
    let flag = if body.large { format!(", {large}") } else { String::new() };
    let widened = |p: &Parameter| {
        let narrow = wasm::parameter(p, large) != wasm::widest(p, function.marks.large);
        if narrow { format!(", i64::from({})", p.variable()) } else { format!(", {}", p.variable()) }
    };
    // A hand-written body of two variants has all parameters of the large one.
    let absent = |p: &Parameter| if p.large_only && !large { ", 0".to_owned() } else { widened(p) };
    let arguments: String = function.of_variant(function.marks.large).map(absent).collect();
    let on = body::on(function);
    let at_once =
        if run.ends_with("_unless") { format!("|r| {}_at_once(r{arguments}), ", body.path) } else { String::new() };
    format!("call::{run}{anytime}(caller, {name:?}, {on}, {at_once}{capture}|r| {}(r{flag}{arguments}))", body.path)
}
