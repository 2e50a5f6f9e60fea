//! `rankine sign`: a module that says who vouches for it, and the keys for that.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use rankine_system::{os, tell};

use crate::module::signature::Signers;
use crate::module::{self, signature};
use rankine_grid::names::is_name;
use rankine_system::trust::{Found, Notes};

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

/// Bytes of a file with a key.
const LONGEST: u64 = 1 << 10;

const HELP: &str = "\
Examples:
  rankine sign --new ada               makes the files ada and ada.pub
  rankine sign ada heat.wasm
  rankine verify heat.wasm ada.pub     says whether ada has signed it as it is
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
    if let Some(folder) = Notes::of_user().granted_around(file) {
        bail!(
            "--new {}: a program was allowed to write to {}, and the next one may read your key there; make it where no program \
             is let in",
            file.display(),
            folder.display()
        );
    }
    let (secret, key) = signature::new_key()?;
    let write = |path: &Path, options: &mut OpenOptions, text: String| {
        let file = options.write(true).create_new(true).open(path);
        let wrote = file.and_then(|mut file| file.write_all(text.as_bytes()));
        wrote.with_context(|| format!("can't write {}", path.display()))
    };
    write(file, os::private(&mut OpenOptions::new()), format!("{secret}\n"))?;
    write(Path::new(&public), os::public(&mut OpenOptions::new()), format!("{name:?} = \"{key}\"\n"))?;
    tell!(
        "rankine: keep {} secret; give {} to whoever should trust your signature",
        file.display(),
        Path::new(&public).display()
    );
    Ok(())
}

fn sign(key: &Path, file: &Path, output: &Path) -> Result<()> {
    let is_program = fs::read(key).is_ok_and(|bytes| bytes.starts_with(b"\0asm") || bytes.starts_with(b"#!"));
    ensure!(!is_program, "{0} is a program: the key comes first: rankine sign {1} {0}", key.display(), file.display());
    let says = "is the key that vouches for programs";
    let text = Notes::of_user().read_deciding(key, says, Found::Named, LONGEST)?;
    ensure!(
        signature::secret(&text).is_ok() || toml::from_str::<Signers>(&text).is_err(),
        "{} has public keys: what signs is the secret one, in the file without .pub",
        key.display()
    );
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
