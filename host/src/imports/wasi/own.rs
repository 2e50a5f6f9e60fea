//! What a rank has of files beside WASI's ([`Files`](crate::guest::files::Files)): how guests reach it.

use wasmtime::{Caller, Linker, Result};
use wasmtime_wasi::p1::wasi_snapshot_preview1 as p1;

use super::charged;
use crate::guest::files::Errno;
pub(super) use crate::guest::files::Step;
use crate::guest::{Guest, Placement, Rank};

/// The import module of what WASI lacks.
pub(crate) const MODULE: &str = "rankine_files";

/// Looks at a call of WASI's before it is made, and puts WASI's own numbers of descriptors into its words.
pub(super) fn begin<R: Rank>(caller: &mut Caller<'_, Guest<R>>, function: &str, words: &mut [i64]) -> Result<Step> {
    if words.is_empty() {
        return Ok(Step::Go(None));
    }
    let reach = Guest::reach(caller)?;
    let guest = caller.data();
    Ok(guest.files().begin(reach, function, words, guest.placement).unwrap_or_else(Step::Answer))
}

/// Takes what came of a call of WASI's.
pub(super) fn end<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    function: &str,
    words: &[i64],
    missing: Option<String>,
    errno: Errno,
) -> Result<Errno> {
    if missing.is_some() || function.starts_with("path_") {
        let reach = Guest::reach(caller)?;
        caller.data().files().end(reach, function, words, missing, errno);
    }
    Ok(errno)
}

/// A second descriptor; WASI's number that is to be closed.
fn duplicate<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    from: i32,
    to: i32,
    out: Option<u32>,
) -> Result<std::result::Result<Option<u32>, Errno>> {
    let reach = Guest::reach(caller)?;
    Ok(caller.data().files().duplicate(reach, from, to, out))
}

/// Registers a function that may close a descriptor of WASI's.
macro_rules! register {
    ($linker:ident, $placement:ident, $module:expr, $name:expr, $from:ident, $to:ident $(, $out:ident)?) => {
        match $placement {
            Placement::Threads => $linker.func_wrap(
                $module,
                $name,
                |mut caller: Caller<'_, Guest<R>>, $from: i32, $to: i32 $(, $out: u32)?| -> Result<i32> {
                    match duplicate(&mut caller, $from, $to, register!(@out $($out)?))? {
                        Err(errno) => Ok(errno),
                        Ok(None) => Ok(0),
                        Ok(Some(left)) => {
                            let (mut memory, mut wasi) = Guest::wasi_of_all(&mut caller)?;
                            let errno = super::block_on(p1::fd_close(&mut *wasi, &mut memory, left as i32))?;
                            charged::closed(&mut *wasi, (), left as i32)?;
                            Ok(errno)
                        }
                    }
                },
            ),
            Placement::Fibers => $linker.func_wrap_async(
                $module,
                $name,
                |mut caller: Caller<'_, Guest<R>>, ($from, $to $(, $out)?): (i32, i32 $(, register!(@type $out))?)| {
                    Box::new(async move {
                        match duplicate(&mut caller, $from, $to, register!(@out $($out)?))? {
                            Err(errno) => Ok(errno),
                            Ok(None) => Ok(0),
                            Ok(Some(left)) => {
                                let (mut memory, wasi) = Guest::wasi_view(&mut caller)?;
                                let errno = p1::fd_close(&mut *wasi, &mut memory, left as i32).await?;
                                charged::closed(wasi, (), left as i32)?;
                                Ok(errno)
                            }
                        }
                    })
                },
            ),
        }
    };
    (@type $out:ident) => { u32 };
    (@out) => { None };
    (@out $out:ident) => { Some($out) };
}

/// Registers `fd_renumber` of WASI.
pub(super) fn define_renumber<R: Rank>(linker: &mut Linker<Guest<R>>, placement: Placement) -> Result<()> {
    register!(linker, placement, super::MODULE, "fd_renumber", from, to)?;
    Ok(())
}

/// Registers a function that WASI lacks, if there is one of that name; says whether there is.
pub(crate) fn define<R: Rank>(linker: &mut Linker<Guest<R>>, placement: Placement, name: &str) -> Result<bool> {
    match name {
        // A second descriptor: its number, or the lowest that is free (-1).
        "duplicate" => register!(linker, placement, MODULE, name, from, to, out)?,
        // The descriptor by which an absolute path is to be asked for, and how many of its bytes to leave out.
        "place" => linker.func_wrap(
            MODULE,
            name,
            |mut caller: Caller<'_, Guest<R>>, path: u32, length: u32, out: u32| -> Result<i32> {
                let reach = Guest::reach(&mut caller)?;
                Ok(caller.data().files().descriptor_of(reach, path, length, out))
            },
        )?,
        _ => return Ok(false),
    };
    Ok(true)
}
