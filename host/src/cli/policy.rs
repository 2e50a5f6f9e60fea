//! What this machine lets jobs do, whoever starts them: `/etc/rankine/policy.toml`. No option weakens it.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use rankine_system::os as platform;
use serde::Deserialize;

use crate::engine::Engine as _;
use crate::engine::local::Local;
use crate::module::signature::Signers;
use crate::run::audit::Audit;
use crate::run::job::Settings;
use rankine_system::confine;
use rankine_system::grants::Grants;
use rankine_system::trust::{self, Trail};

/// Where a machine's policy is. On Windows nothing tells that it is the administrator's (`trust`), so one that is there lets
/// nothing run.
pub(crate) const FILE: &str =
    if cfg!(windows) { r"C:\ProgramData\rankine\policy.toml" } else { "/etc/rankine/policy.toml" };

/// What a machine's administrator has laid down. What is not mentioned is free.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// Programs are signed by one of these.
    signers: Option<Signers>,
    /// Programs are granted folders beneath these, and no others.
    folders: Option<Vec<PathBuf>>,
    /// MiB that a rank may have at most.
    memory: Option<u32>,
    /// The engines that may be used.
    engines: Option<Vec<String>>,
    /// What jobs may use of the network.
    network: Option<Vec<Network>>,
    /// Jobs are confined, `--no-confine` or not.
    #[serde(default)]
    confined: bool,
    /// The file that gets a line for each job.
    audit: Option<PathBuf>,
}

/// A use of the network.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// A page for browsers (`--view`).
    Page,
    /// Ranks on other machines (`--hosts`, `--grid`).
    Hosts,
    /// An MPI library, whose processes talk to each other.
    Mpi,
}

impl Network {
    /// What the policy calls it.
    fn name(self) -> &'static str {
        match self {
            Network::Page => "page",
            Network::Hosts => "hosts",
            Network::Mpi => "mpi",
        }
    }

    /// What a job may not do without it.
    fn words(self) -> &'static str {
        match self {
            Network::Page => "serve a page (--view)",
            Network::Hosts => "use other machines (--hosts, --grid)",
            Network::Mpi => "use the engines mpi and nodes, whose processes talk over the network",
        }
    }
}

impl Policy {
    /// This machine's. One that can't be read or understood lets nothing run.
    pub fn of_machine() -> Result<Policy> {
        let path = Path::new(FILE);
        match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Policy::default()),
            Err(error) => bail!("the policy of this machine, {FILE}, can't be read: {error}"),
            Ok(text) => {
                let others = Trail::to(path).steps.iter().any(|step| !trust::is_administrators(&step.metadata));
                ensure!(
                    !others && trust::distrust(path).is_none(),
                    "{FILE} could have been written by others than root"
                );
                Policy::parse(&text)
            }
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Policy> {
        let policy = toml::from_str(text).map_err(|error| anyhow::anyhow!(rankine_system::shown::toml(&error, text)));
        policy.with_context(|| format!("the policy of this machine, {FILE}"))
    }

    /// Holds a job to it.
    pub(crate) fn apply(self, engine: &str, settings: &mut Settings) -> Result<()> {
        self.allow_engine(engine)?;
        if engine != Local::NAME {
            self.allow_network(Network::Mpi)?;
        }
        self.allow_folders(&settings.grants)?;
        if !settings.confine {
            self.allow_unconfined()?;
        }
        ensure!(
            confine::EXISTS || !self.confined,
            "this machine wants jobs confined ({FILE}: confined = true), which only Linux does"
        );
        settings.memory_limit = self.bound_memory(settings.memory_limit);
        settings.demands.of_machine = self.signers;
        Ok(())
    }

    /// Whether an engine may be used.
    pub(crate) fn allow_engine(&self, name: &str) -> Result<()> {
        match &self.engines {
            Some(engines) if !engines.iter().any(|engine| engine == name) => {
                bail!("this machine does not allow the engine {name} ({FILE}: engines = {engines:?})")
            }
            _ => Ok(()),
        }
    }

    /// Whether jobs may use the network so.
    pub(crate) fn allow_network(&self, wanted: Network) -> Result<()> {
        match &self.network {
            Some(uses) if !uses.contains(&wanted) => {
                let uses: Vec<&str> = uses.iter().map(|kind| kind.name()).collect();
                bail!("this machine does not let jobs {} ({FILE}: network = {uses:?})", wanted.words())
            }
            _ => Ok(()),
        }
    }

    /// Whether programs may be granted these folders.
    fn allow_folders(&self, grants: &Grants) -> Result<()> {
        let Some(folders) = &self.folders else { return Ok(()) };
        let real: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        match grants.iter().find(|grant| !real.iter().any(|folder| grant.real().starts_with(folder))) {
            None => Ok(()),
            Some(grant) => bail!(
                "this machine does not let programs use {} ({FILE}: folders = {folders:?})",
                grant.real().display()
            ),
        }
    }

    /// The memory that a rank may have, of what was asked for: less than that, never more.
    fn bound_memory(&self, wanted: Option<usize>) -> Option<usize> {
        let most = self.memory.map(|mebibytes| (mebibytes as usize).saturating_mul(1 << 20));
        match (wanted, most) {
            (Some(wanted), Some(most)) => Some(wanted.min(most)),
            (wanted, most) => wanted.or(most),
        }
    }

    /// Whether a job may run without its wall.
    fn allow_unconfined(&self) -> Result<()> {
        ensure!(!self.confined, "this machine does not allow --no-confine ({FILE}: confined = true)");
        Ok(())
    }

    /// Whether a job runs only within a whole wall.
    pub(crate) fn wants_wall(&self) -> bool {
        self.confined
    }

    /// Opens the file for the line of a job, and starts who writes it, if that is to be `here`. A job that can't be noted does
    /// not run. Call it while the process has one thread.
    pub(crate) fn audit(&self, here: bool) -> Result<Option<Audit>> {
        let Some(path) = &self.audit else { return Ok(None) };
        let what = || format!("this job can't be recorded in {}, as this machine's policy requires", path.display());
        let mut options = OpenOptions::new();
        let file = platform::private(options.append(true).create(true)).open(path).with_context(what)?;
        here.then(|| Audit::begin(&file)).transpose().with_context(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankine_system::grants::{Access, Folder};

    #[test]
    fn what_is_not_mentioned_is_free() {
        let free = Policy::parse("").unwrap();
        assert!(free.allow_engine("mpi").is_ok() && free.allow_unconfined().is_ok() && free.signers.is_none());
        assert_eq!((free.bound_memory(None), free.bound_memory(Some(5))), (None, Some(5)));
        assert!(free.audit(true).unwrap().is_none() && !free.wants_wall());
    }

    #[test]
    fn what_is_laid_down_holds() {
        let top = tempfile::tempdir().unwrap();
        let [inside, outside] = ["inside", "outside"].map(|name| top.path().join(name));
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        let text = format!(
            "folders = [{inside:?}]\nmemory = 64\nengines = [\"local\"]\nconfined = true\naudit = {:?}\n",
            top.path().join("log")
        );
        let policy = Policy::parse(&text).unwrap();
        let error = policy.allow_engine("mpi").unwrap_err().to_string();
        assert!(error.contains("mpi") && error.contains(FILE), "{error}");
        assert!(policy.allow_engine("local").is_ok() && policy.allow_unconfined().is_err());
        assert_eq!(policy.bound_memory(None), Some(64 << 20));
        assert_eq!((policy.bound_memory(Some(5)), policy.bound_memory(Some(1 << 40))), (Some(5), Some(64 << 20)));
        let allowed = |host: PathBuf| {
            let folder = Folder { host, guest: "/g".into(), access: Access::ReadOnly };
            policy.allow_folders(&Grants::open(&[folder]).unwrap())
        };
        assert!(allowed(inside.clone()).is_ok() && allowed(inside.join("deep")).is_ok());
        assert!(allowed(outside).is_err() && allowed(inside.join("link")).is_err());
        assert!(allowed(inside.join("deep/../..")).unwrap_err().to_string().contains("does not let programs use"));
        assert!(policy.wants_wall() && policy.audit(false).unwrap().is_none() && top.path().join("log").exists());
    }

    #[test]
    fn the_network_is_for_what_is_named() {
        let allows = |text: &str| {
            let policy = Policy::parse(text).unwrap();
            [Network::Page, Network::Hosts, Network::Mpi].map(|wanted| policy.allow_network(wanted).is_ok())
        };
        assert_eq!(allows(""), [true, true, true]);
        assert_eq!(allows("network = []"), [false, false, false]);
        assert_eq!(allows("network = [\"page\"]"), [true, false, false]);
        assert_eq!(allows("network = [\"hosts\", \"mpi\"]"), [false, true, true]);
        let policy = Policy::parse("network = [\"page\"]").unwrap();
        let error = policy.allow_network(Network::Hosts).unwrap_err().to_string();
        assert!(error.contains("use other machines (--hosts, --grid)") && error.contains("network = [\"page\"]"));
    }

    #[test]
    fn what_is_not_understood_lets_nothing_run() {
        for text in [
            "memroy = 4",
            "network = [\"pages\"]",
            "network = true",
            "signers = 4",
            "[signers]\na = \"x\"\n",
            "engines = \"local\"",
        ] {
            assert!(format!("{:#}", Policy::parse(text).unwrap_err()).contains(FILE), "{text}");
        }
    }
}
