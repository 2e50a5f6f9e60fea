//! On Windows a process inherits the handles that its parent has marked for that, and no job is confined there.

/// Does it: nobody asks there what a library has opened.
pub fn opened_by_library<T>(load: impl FnOnce() -> T) -> T {
    load()
}
