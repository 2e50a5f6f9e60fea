//! Copies a program and its compiled code to hosts that share no file system with this one.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Result, anyhow, bail};
use sha2::{Digest, Sha256};

use super::launch::shown;
use crate::cache::Cache;
use crate::{limits, module};

/// So many copies go on at a time.
const AT_ONCE: usize = 16;

/// A program that is compiled and known by its contents.
pub(super) struct Stage {
    file: PathBuf,
    digest: String,
    /// Its compiled code in this host's cache.
    code: Option<PathBuf>,
}

impl Stage {
    /// Reads and compiles the program: what is wrong with it is said here, once, and its code is in the cache for the
    /// ranks of this host and of those that share its file system.
    pub(super) fn prepare(file: &Path) -> Result<Stage> {
        let binary = module::read(file)?;
        let engine = module::engine(module::Settings { images: limits::check_mappings(1)? })?;
        let compiled = module::compile(&engine, file, &binary)?;
        module::check_program(&compiled, file)?;
        let digest: String = Sha256::digest(&binary).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let code = Cache::open().map(|cache| cache.path(&Cache::key(&engine, &binary))).filter(|path| path.exists());
        Ok(Stage { file: file.to_path_buf(), digest, code })
    }

    /// Where the program lies on every host afterwards: named by its contents, so that a new version never meets an old
    /// one.
    pub(super) fn destination(&self) -> PathBuf {
        let name = self.file.file_name().unwrap_or_else(|| "program.wasm".as_ref());
        folder().join(&self.digest).join(name)
    }

    /// The commands that do it, for a reader.
    pub(super) fn commands(&self, ssh: &Path, hosts: &[&str]) -> Vec<Command> {
        hosts.iter().flat_map(|host| self.for_host(ssh, host)).map(|(command, _)| command).collect()
    }

    /// A command and its input, for each file that a host needs.
    fn for_host(&self, ssh: &Path, host: &str) -> Vec<(Command, PathBuf)> {
        let put = |script: String, input: &Path| {
            let mut command = Command::new(ssh);
            command.arg(host).arg(script);
            (command, input.to_path_buf())
        };
        let place = self.destination();
        let top = folder();
        // Others may write to /tmp: only a folder that is really ours will do.
        let mut files = vec![put(
            format!(
                "umask 077 && mkdir -p {top} && [ -O {top} ] && [ ! -L {top} ] && mkdir -p {folder} && \
                 cat >{file}.$$ && mv {file}.$$ {file}",
                top = single(&top),
                folder = single(place.parent().expect("it lies in a folder")),
                file = single(&place),
            ),
            &self.file,
        )];
        if let Some(code) = &self.code {
            let name = single(Path::new(code.file_name().expect("an entry has a name")));
            let script = format!(
                "umask 077 && c=${{RANKINE_CACHE_DIR:-${{XDG_CACHE_HOME:-$HOME/.cache}}/rankine}} && mkdir -p \"$c\" && \
                 cat >\"$c\"/.new-$$ && mv \"$c\"/.new-$$ \"$c\"/{name}"
            );
            files.push(put(script, code));
        }
        files
    }

    /// Does it; the first host that fails is named.
    pub(super) fn copy(&self, ssh: &Path, hosts: &[&str]) -> Result<()> {
        for some in hosts.chunks(AT_ONCE) {
            let outcomes: Vec<Result<()>> = thread::scope(|scope| {
                let copies: Vec<_> = some.iter().map(|host| scope.spawn(|| self.copy_to(ssh, host))).collect();
                copies
                    .into_iter()
                    .map(|copy| copy.join().unwrap_or_else(|_| Err(anyhow!("the copy panicked"))))
                    .collect()
            });
            outcomes.into_iter().collect::<Result<()>>()?;
        }
        Ok(())
    }

    fn copy_to(&self, ssh: &Path, host: &str) -> Result<()> {
        for (mut command, input) in self.for_host(ssh, host) {
            tracing::info!("{}", shown(&command));
            let output = command
                .stdin(Stdio::from(File::open(&input)?))
                .output()
                .map_err(|error| anyhow!("{} cannot be started: {error}", ssh.display()))?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                bail!("--stage: {} could not be copied to {host}: {}", input.display(), said.trim());
            }
        }
        Ok(())
    }
}

/// The folder for copies, the same on every host.
fn folder() -> PathBuf {
    // SAFETY: `geteuid` has no preconditions.
    PathBuf::from(format!("/tmp/rankine-{}", unsafe { libc::geteuid() }))
}

/// A path as one word of a shell.
fn single(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A shell that forgets the host's name stands in for ssh: what arrives is what was sent.
    #[test]
    fn a_program_arrives_whole() {
        let work = tempfile::tempdir().unwrap();
        let ssh = work.path().join("ssh");
        std::fs::write(&ssh, "#!/bin/sh\n[ \"$1\" != away ] || { echo no route >&2; exit 255; }\nexec sh -c \"$2\"\n")
            .unwrap();
        std::fs::set_permissions(&ssh, PermissionsExt::from_mode(0o755)).unwrap();
        let file = work.path().join("it's a job.wasm");
        std::fs::write(&file, b"\0asm bytes").unwrap();
        let stage = Stage { file, digest: format!("test-{}", std::process::id()), code: None };
        stage.copy(&ssh, &["here", "there"]).unwrap();
        assert_eq!(std::fs::read(stage.destination()).unwrap(), b"\0asm bytes");
        let error = stage.copy(&ssh, &["here", "away"]).unwrap_err().to_string();
        assert!(error.contains("away") && error.contains("no route"), "{error}");
        std::fs::remove_dir_all(stage.destination().parent().unwrap()).unwrap();
    }
}
