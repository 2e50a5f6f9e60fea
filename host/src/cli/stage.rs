//! Copies a program to hosts that share no file system with this one, and has it compiled there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Result, anyhow, bail};
use sha2::{Digest, Sha256};

use super::compile;
use super::launch::shown;
use crate::{module, trust};

/// So many copies go on at a time.
const AT_ONCE: usize = 16;

/// A program that is compiled and known by its contents.
pub(super) struct Stage {
    file: PathBuf,
    digest: String,
}

impl Stage {
    /// Reads and compiles the program: what is wrong with it is said here, once, and its code is in the cache for the
    /// ranks of this host and of those that share its file system.
    pub(super) fn prepare(file: &Path) -> Result<Stage> {
        let binary = module::read(file)?;
        compile::ahead(file, &binary)?;
        let digest: String = Sha256::digest(&binary).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        Ok(Stage { file: file.to_path_buf(), digest })
    }

    /// Where the program lies on every host afterwards: named by its contents, so that a new version never meets an old
    /// one.
    pub(super) fn destination(&self) -> PathBuf {
        let name = self.file.file_name().unwrap_or_else(|| "program.wasm".as_ref());
        folder().join(&self.digest).join(name)
    }

    /// The commands that do it, for a reader.
    pub(super) fn commands(&self, ssh: &Path, rankine: &Path, hosts: &[&str]) -> Vec<Command> {
        hosts.iter().map(|host| self.for_host(ssh, rankine, host)).collect()
    }

    /// The command for a host, whose input is the program. Code is compiled there, as each user and host trusts only
    /// what it has compiled itself.
    fn for_host(&self, ssh: &Path, rankine: &Path, host: &str) -> Command {
        let (place, top) = (self.destination(), folder());
        // Others may write to /tmp: only a folder that is really ours will do.
        let script = format!(
            "umask 077 && mkdir -p {top} && [ -O {top} ] && [ ! -L {top} ] && mkdir -p {folder} && \
             cat >{file}.$$ && mv {file}.$$ {file} && {rankine} compile {file}",
            top = single(&top),
            folder = single(place.parent().expect("it lies in a folder")),
            file = single(&place),
            rankine = single(rankine),
        );
        let mut command = Command::new(ssh);
        command.arg(host).arg(script);
        command
    }

    /// Does it; the first host that fails is named.
    pub(super) fn copy(&self, ssh: &Path, rankine: &Path, hosts: &[&str]) -> Result<()> {
        for some in hosts.chunks(AT_ONCE) {
            let outcomes: Vec<Result<()>> = thread::scope(|scope| {
                let copies: Vec<_> = some.iter().map(|host| scope.spawn(|| self.copy_to(ssh, rankine, host))).collect();
                copies
                    .into_iter()
                    .map(|copy| copy.join().unwrap_or_else(|_| Err(anyhow!("the copy panicked"))))
                    .collect()
            });
            outcomes.into_iter().collect::<Result<()>>()?;
        }
        Ok(())
    }

    fn copy_to(&self, ssh: &Path, rankine: &Path, host: &str) -> Result<()> {
        let mut command = self.for_host(ssh, rankine, host);
        tracing::info!("{}", shown(&command));
        let output = command
            .stdin(Stdio::from(File::open(&self.file)?))
            .output()
            .map_err(|error| anyhow!("{} cannot be started: {error}", ssh.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("--stage: {} could not be copied to {host} and compiled: {}", self.file.display(), said.trim());
        }
        Ok(())
    }
}

/// The folder for copies, the same on every host.
fn folder() -> PathBuf {
    PathBuf::from(format!("/tmp/rankine-{}", trust::effective_user()))
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
        let rankine = work.path().join("rankine");
        std::fs::write(&rankine, "#!/bin/sh\n[ \"$1\" = compile ] && cat \"$2\" > \"$2.compiled\"\n").unwrap();
        std::fs::set_permissions(&rankine, PermissionsExt::from_mode(0o755)).unwrap();
        let stage = Stage { file, digest: format!("test-{}", std::process::id()) };
        stage.copy(&ssh, &rankine, &["here", "there"]).unwrap();
        for place in [stage.destination(), stage.destination().with_extension("wasm.compiled")] {
            assert_eq!(std::fs::read(place).unwrap(), b"\0asm bytes");
        }
        let error = stage.copy(&ssh, &rankine, &["here", "away"]).unwrap_err().to_string();
        assert!(error.contains("away") && error.contains("no route"), "{error}");
        std::fs::remove_dir_all(stage.destination().parent().unwrap()).unwrap();
    }
}
