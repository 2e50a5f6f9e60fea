//! `rankine sign`: a module that says who vouches for it, and the keys for that.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use rankine_toolchain::system;

use crate::grid::names::is_name;
use crate::{module, signature};

/// The command line of `rankine sign`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Make a key pair: the secret key in FILE, and the public one in FILE.pub, for whoever should trust your signature
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "module"])]
    new: Option<PathBuf>,

    /// The file with your secret key
    #[arg(required_unless_present = "new")]
    key: Option<PathBuf>,

    /// The program to sign, a module (.wasm)
    #[arg(required_unless_present = "new")]
    module: Option<PathBuf>,

    /// The file to write the signed module to [default: the module itself]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const HELP: &str = "\
Examples:
  rankine sign --new ada               makes the files ada and ada.pub
  rankine sign ada heat.wasm
  rankine run --require-signature ada.pub -n 4 heat.wasm

A file of public keys has a line for each, NAME = \"ed25519:…\": ada.pub is one, and several can be
put together.";

/// Signs the module, or makes a key.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match (&arguments.new, &arguments.key, &arguments.module) {
        (Some(file), ..) => make(file)?,
        (None, Some(key), Some(module)) => sign(key, module, arguments.output.as_deref().unwrap_or(module))?,
        _ => unreachable!("clap wants them"),
    }
    Ok(ExitCode::SUCCESS)
}

fn make(file: &Path) -> Result<()> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    ensure!(is_name(name), "a key's file has the name of who signs with it: letters, digits and `.-_`");
    let mut public = file.as_os_str().to_owned();
    public.push(".pub");
    let (secret, key) = signature::new_key()?;
    let write = |path: &Path, options: &mut OpenOptions, text: String| {
        let file = options.write(true).create_new(true).open(path);
        let wrote = file.and_then(|mut file| file.write_all(text.as_bytes()));
        wrote.with_context(|| format!("can't write {}", path.display()))
    };
    write(file, system::private(&mut OpenOptions::new()), format!("{secret}\n"))?;
    write(Path::new(&public), system::public(&mut OpenOptions::new()), format!("{name:?} = \"{key}\"\n"))?;
    eprintln!(
        "rankine: keep {} secret; give {} to whoever should trust your signature",
        file.display(),
        Path::new(&public).display()
    );
    Ok(())
}

fn sign(key: &Path, file: &Path, output: &Path) -> Result<()> {
    let text = fs::read_to_string(key).with_context(|| format!("can't read {}", key.display()))?;
    let key = signature::secret(&text).with_context(|| key.display().to_string())?;
    // What is no program is not vouched for.
    module::read(file)?;
    let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    let signed = signature::sign(&bytes, &key).with_context(|| file.display().to_string())?;
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let what = || format!("can't write {}", output.display());
    let mode = fs::metadata(file).with_context(what)?.permissions();
    let mut whole =
        tempfile::Builder::new().prefix(".new-").permissions(mode).tempfile_in(folder).with_context(what)?;
    whole.write_all(&signed).with_context(what)?;
    whole.persist(output).with_context(what)?;
    Ok(())
}
