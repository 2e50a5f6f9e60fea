//! What the engine does, for the page of `--view`.

use std::sync::Arc;

use rankine_local::{Event, Listen};
use rankine_view::View;

/// Tells a view of what happens.
pub(super) fn listener(view: Arc<View>) -> Arc<dyn Listen> {
    Arc::new(Watch(view))
}

struct Watch(Arc<View>);

impl Listen for Watch {
    fn event(&self, event: Event) {
        if let Event::Sent { from, to, bytes }
        | Event::Copied { from, to, bytes, .. }
        | Event::Accessed { by: from, to, bytes } = event
        {
            self.0.moved(from, to, bytes);
        } else if let Event::Parked { rank } = event {
            self.0.parked(rank);
        } else if let Event::Woken { rank } = event {
            self.0.woken(rank);
        }
    }
}
