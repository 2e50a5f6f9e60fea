//! The page of a job that runs, as `rankine run --view` serves it.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use rankine_view::{Server, View};

use super::account::account;
use crate::ending::Ending;
use crate::shown;

/// What the page of a program is called.
pub(super) fn title(file: &Path) -> String {
    shown::line(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy())
}

/// The page of a job that runs.
pub(super) struct Page {
    view: Arc<View>,
    server: JoinHandle<()>,
}

impl Page {
    /// Answers browsers from now on, and says where.
    pub fn open(server: Server, view: Option<&Arc<View>>) -> Result<Page> {
        let view = view.context("a job with a page has a view")?.clone();
        let (url, is_loopback) = (server.url(), server.is_loopback());
        let server = server.start(view.clone())?;
        eprintln!("rankine: view: {url}");
        if !is_loopback {
            eprintln!(
                "rankine: warning: whoever knows this address, or listens on the way to it, sees the job and can steer it"
            );
        }
        Ok(Page { view, server })
    }

    /// Tells browsers how the job ended.
    pub fn close(self, ending: &Ending) {
        let how = match (account(ending).first(), ending.status()) {
            (Some(line), _) => line.trim_start_matches("rankine: ").to_owned(),
            (None, 0) => "finished".into(),
            (None, status) => format!("exited with status {status}"),
        };
        self.view.end(shown::line(&how));
        let _ = self.server.join();
    }
}
