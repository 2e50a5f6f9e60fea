//! Writes the script through which a browser calls the page's WebAssembly: `rankine-view-bind CLIENT.wasm FOLDER`.
//!
//! `host/view/client/make` runs it; all the work is wasm-bindgen's.

use std::env::args_os;

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = args_os().skip(1);
    let mut argument = |what: &'static str| arguments.next().context(what);
    let (client, folder) = (argument("the client's module is not named")?, argument("the folder is not named")?);
    Bindgen::new().input_path(client).web(true)?.typescript(false).out_name("client").generate(folder)
}
