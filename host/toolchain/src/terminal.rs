//! Progress and messages, as the user sees them.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rankine_system::tell;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::time::Duration;

/// Prints what a command found out. A reader that has seen enough (`| head`) is no failure.
pub fn print_page(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// Tells what `rankine sdk` does.
pub(crate) fn say(text: &str) {
    tell!("rankine sdk: {text}");
}

/// A bar on a terminal, nothing elsewhere; it counts `total` steps of what `doing` says.
pub(crate) fn bar(total: u64, doing: &'static str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %").expect("the template is well-formed");
    bar.set_style(style);
    bar.set_message(doing);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
