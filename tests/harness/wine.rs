//! The host for Windows beneath wine (`just wine`, which builds it), on the engine `local`.

use super::Places;
use std::process::Command;

/// Chapters whose guests open files by MPI's own calls, or start others from files: on Windows both are refused by name.
const OF_UNIX: [&str; 2] = ["guests/io/", "guests/spawn/"];

/// `rankine run` on so many ranks, with these options.
pub fn run(places: &Places, ranks: u32, options: &[String]) -> Command {
    let mut command = Command::new("wine");
    // Of wine itself only the program's own output is wanted; what it keeps stays beneath `target`.
    command.env("WINEDEBUG", "-all").env("WINEPREFIX", places.target.join("wine")).env_remove("DISPLAY");
    command.arg(places.target.join("x86_64-pc-windows-gnu/emulated/rankine.exe"));
    command.args(["run", "--threads", "-n", &ranks.to_string()]).args(options);
    command
}

/// Whether a guest needs no Unix.
pub fn runs(name: &str) -> bool {
    name.starts_with("guests/") && !OF_UNIX.iter().any(|chapter| name.starts_with(chapter))
}
