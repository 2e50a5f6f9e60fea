//! The wall from inside: what a process tries once it is confined, as if an engine or a library had been taken over.
//!
//! Nothing of WebAssembly is in the way here. Each test starts this program again, which confines itself as
//! `rankine run` does and tries one thing, on the thread that put the wall up, on one that it starts later, and, where
//! system calls are concerned, on one that was there before.

#[cfg(target_os = "linux")]
mod attempts;
#[cfg(target_os = "linux")]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
