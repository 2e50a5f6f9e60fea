//! What the engine does, for those who watch: the page of `--view`, and `--profile`.

use std::sync::Arc;

use rankine_local::{Event, Listen};
use rankine_view::View;

use crate::guest::profile::Profile;
use crate::run::job::Settings;

/// Tells all who watch of what happens; nothing if nobody does.
pub(super) fn listener(settings: &Settings) -> Option<Arc<dyn Listen>> {
    let view = settings.view.clone().map(|view| -> Arc<dyn Listen> { Arc::new(Watch(view)) });
    let profile = settings.profile.is_some().then(|| -> Arc<dyn Listen> { Arc::new(Found) });
    match (view, profile) {
        (Some(view), Some(profile)) => Some(Arc::new(Both(view, profile))),
        (view, profile) => view.or(profile),
    }
}

struct Both(Arc<dyn Listen>, Arc<dyn Listen>);

impl Listen for Both {
    fn event(&self, event: Event) {
        self.0.event(event);
        self.1.event(event);
    }
}

/// Tells the profile when ranks have waited.
struct Found;

impl Listen for Found {
    fn event(&self, event: Event) {
        if let Event::Woken { rank } | Event::Spun { rank, .. } = event {
            Profile::found(rank);
        }
    }
}

struct Watch(Arc<View>);

impl Listen for Watch {
    fn event(&self, event: Event) {
        if let Event::Sent { from, to, bytes }
        | Event::Copied { from, to, bytes, .. }
        | Event::Accessed { by: from, to, bytes } = event
        {
            self.0.moved(from, to, bytes);
        } else if let Event::Parked { rank, awaits } = event {
            self.0.parked(rank, awaits);
        } else if let Event::Woken { rank } = event {
            self.0.woken(rank);
        }
    }
}
