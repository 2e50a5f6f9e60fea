//! WASI preview 1 for guests: files, clocks, arguments, standard streams.
//!
//! The implementation is wasmtime-wasi's; this file only registers it. Wasmtime's own registration
//! hands every call an exclusive `&mut [u8]` over the whole linear memory. That would be unsound
//! here: while a rank writes a file, another rank may deliver a message into the same memory. So we
//! call the same functions with the memory described as *shared* (`&[UnsafeCell<u8>]`): they then
//! copy through raw pointers and never hold a reference to guest bytes, which is the contract they
//! already keep for guests with shared memories. They check every guest pointer against its size.
//!
//! They know nothing of the null page: what would lead them there is refused before ([`faults`]), and reads and writes take
//! a way of their own ([`transfer`]), as the addresses of their buffers lie in the memory.
//!
//! `proc_exit`, `sched_yield` and, on fibers, everything that may wait are treated here: a rank that
//! sleeps or reads standard input on a fiber must not stop the worker that carries it.

pub(crate) mod charged;
pub(crate) mod own;
mod transfer;

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use rankine_guest::YieldOnce;
use wasmtime::{Caller, Linker, Result, WasmBacktrace};
use wasmtime_wasi::p1::wasi_snapshot_preview1 as p1;
use wasmtime_wasi::runtime::{in_tokio, with_ambient_tokio_runtime};
use wiggle::GuestMemory;

use crate::guest::stage::Asleep;
use crate::guest::{Exit, Guest, Placement, Rank};

/// The import module's name.
pub const MODULE: &str = crate::module::WASI;

/// Drives a WASI call on a rank's own thread. Almost every call is ready at once; only the rest pays for a runtime.
fn block_on<F: Future>(call: F) -> F::Output {
    let mut call = pin!(call);
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => in_tokio(call),
    }
}

/// A future that needs the timers of the ambient runtime whenever it is polled.
struct WithTimers<F>(Pin<Box<F>>);

impl<F: Future> Future for WithTimers<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        with_ambient_tokio_runtime(|| self.0.as_mut().poll(cx))
    }
}

/// The number of the error for an argument that can't be right.
const INVALID: i32 = 28;
/// That for an address at which nothing can be.
const FAULT: i32 = 21;
/// That for memory that the host has not.
const NO_MEMORY: i32 = 48;

/// Expands one registration. `now` never waits, `io` may, `timed` may wait for a timer. What comes
/// after `holds` is charged for as long as the call lasts, or is the call's error; `then` hears that a call has done what
/// it was asked for, and what was charged: see [`charged`]. [`own`] looks at all of them first, and last.
macro_rules! register {
    (now, $linker:ident, $placement:ident, $name:ident($($arg:ident: $ty:ty),*)) => {
        $linker.func_wrap(
            MODULE,
            stringify!($name),
            |mut caller: Caller<'_, Guest<R>>, $($arg: $ty),*| -> Result<i32> {
                register!(@begins caller words missing $name($($arg: $ty),*));
                let errno = {
                    let (mut memory, mut wasi) = Guest::wasi_of_all(&mut caller)?;
                    p1::$name(&mut *wasi, &mut memory, $($arg),*)?
                };
                own::end(&mut caller, stringify!($name), &words, missing, errno)
            },
        )
    };
    (
        io, $linker:ident, $placement:ident,
        $name:ident($($arg:ident: $ty:ty),*) $(holds $held:ident ($counted:ident))? $(then $then:ident ($($after:ident),*))?
    ) => {
        register!(
            @wait block_on, wasi_of_all, std::convert::identity, $linker, $placement,
            $name($($arg: $ty),*) $(holds $held ($counted))? $(then $then ($($after),*))?
        )
    };
    (timed, $linker:ident, $placement:ident, $name:ident($($arg:ident: $ty:ty),*) $(holds $held:ident ($counted:ident))?) => {
        register!(
            @wait in_tokio, wasi_to_wait, with_timers, $linker, $placement, $name($($arg: $ty),*) $(holds $held ($counted))?
        )
    };
    (
        @wait $block:path, $view:ident, $wrap:path, $linker:ident, $placement:ident,
        $name:ident($($arg:ident: $ty:ty),*) $(holds $held:ident ($counted:ident))? $(then $then:ident ($($after:ident),*))?
    ) => {
        match $placement {
            Placement::Threads => $linker.func_wrap(
                MODULE,
                stringify!($name),
                |mut caller: Caller<'_, Guest<R>>, $($arg: $ty),*| -> Result<i32> {
                    register!(@begins caller words missing $name($($arg: $ty),*));
                    let _charge = register!(@charge threads $view caller $($held $counted)?);
                    let errno = {
                        let _asleep = asleep(&caller, stringify!($name));
                        let (memory, wasi) = &mut Guest::$view(&mut caller)?;
                        let errno = $block(p1::$name(&mut **wasi, memory, $($arg),*))?;
                        $(if errno == 0 {
                            charged::$then(&mut **wasi, _charge, $($after),*)?;
                        })?
                        errno
                    };
                    own::end(&mut caller, stringify!($name), &words, missing, errno)
                },
            ),
            Placement::Fibers => $linker.func_wrap_async(
                MODULE,
                stringify!($name),
                |mut caller: Caller<'_, Guest<R>>, ($($arg,)*): ($($ty,)*)| {
                    Box::new(async move {
                        register!(@begins caller words missing $name($($arg: $ty),*));
                        let _charge = register!(@charge fibers caller $($held $counted)?);
                        let errno = {
                            let _asleep = asleep(&caller, stringify!($name));
                            let (mut memory, wasi) = Guest::wasi_view(&mut caller)?;
                            let memory: &mut GuestMemory<'_> = &mut memory;
                            let errno = $wrap(p1::$name(&mut *wasi, memory, $($arg),*)).await?;
                            $(if errno == 0 {
                                charged::$then(wasi, _charge, $($after),*)?;
                            })?
                            errno
                        };
                        own::end(&mut caller, stringify!($name), &words, missing, errno)
                    })
                },
            ),
        }
    };
    (
        @begins $caller:ident $words:ident $missing:ident $name:ident($($arg:ident: $ty:ty),*)
    ) => {
        let mut $words = [$(i64::from($arg)),*];
        if faults(&$caller, stringify!($name), &[$((stringify!($arg), i64::from($arg) as u64)),*]) {
            return Ok(FAULT);
        }
        let $missing = match own::begin(&mut $caller, stringify!($name), &mut $words)? {
            own::Step::Answer(errno) => return Ok(errno),
            own::Step::Go(missing) => missing,
        };
        let [$($arg),*] = $words;
        $(let $arg = $arg as $ty;)*
    };
    (@charge threads $view:ident $caller:ident) => { () };
    (@charge fibers $caller:ident) => { () };
    (@charge threads $view:ident $caller:ident $held:ident $counted:ident) => {{
        let account = $caller.data().account().clone();
        let (_, wasi) = &mut Guest::$view(&mut $caller)?;
        match block_on(charged::$held(&mut **wasi, &account, $counted))? {
            Ok(charge) => charge,
            Err(errno) => return Ok(errno),
        }
    }};
    (@charge fibers $caller:ident $held:ident $counted:ident) => {{
        let account = $caller.data().account().clone();
        let (_, wasi) = Guest::wasi_view(&mut $caller)?;
        match charged::$held(wasi, &account, $counted).await? {
            Ok(charge) => charge,
            Err(errno) => return Ok(errno),
        }
    }};
}

/// Whether an argument leads to the null page, which would end the process. Functions of WASI go on from an address that
/// they are given, so that those behind the page never lead to it.
#[inline]
fn faults<R: Rank>(caller: &Caller<'_, Guest<R>>, function: &str, words: &[(&str, u64)]) -> bool {
    let lowest = caller.data().lowest();
    lowest > 0 && words.iter().enumerate().any(|(at, &word)| leads_below(lowest, function, word, &words[at + 1..]))
}

/// Whether an argument is an address below the lowest one of a program, and anything lies there. Those behind it say how
/// much.
#[inline]
fn leads_below(lowest: u64, function: &str, (name, word): (&str, u64), behind: &[(&str, u64)]) -> bool {
    match name {
        // Numbers of descriptors, bytes, flags, and what only looks like an address.
        "fd" | "from" | "to" | "new_fd" | "id" | "precision" | "offset" | "len" | "advice" | "flags" | "dirflags"
        | "oflags" | "base" | "inherit" | "inheriting" | "access" | "modified" | "set" | "whence" | "cookie"
        | "old_len" | "new_len" | "buf_len" | "signal" => false,
        // How many there are, in all but two functions.
        "count" if !matches!(function, "args_sizes_get" | "environ_sizes_get") => false,
        "size" if function == "fd_filestat_set_size" => false,
        _ if word >= lowest => false,
        _ => !matches!(behind, [("len" | "old_len" | "new_len" | "buf_len", 0), ..]),
    }
}

/// Says where the program sleeps while it does: nobody can see it from outside.
#[inline]
fn asleep<R: Rank>(caller: &Caller<'_, Guest<R>>, function: &str) -> Option<Asleep> {
    (function == "poll_oneoff").then(|| {
        let line = Guest::line_of_python(caller);
        caller.data().stage.falls_asleep(WasmBacktrace::force_capture(caller), line)
    })
}

fn with_timers<F: Future>(call: F) -> WithTimers<F> {
    WithTimers(Box::pin(call))
}

/// Declares the functions of preview 1 that are registered from wasmtime-wasi, with their wasm parameters.
macro_rules! preview1 {
    ($($kind:ident $name:ident($($arg:ident: $ty:ty),*)
        $(holds $held:ident ($counted:ident))? $(then $then:ident ($($after:ident),*))?;)*) => {
        fn define_from_library<R: Rank>(linker: &mut Linker<Guest<R>>, placement: Placement, name: &str) -> Result<bool> {
            match name {
                $(stringify!($name) => {
                    register!(
                        $kind, linker, placement, $name($($arg: $ty),*) $(holds $held ($counted))? $(then $then ($($after),*))?
                    )?;
                })*
                _ => return Ok(false),
            }
            Ok(true)
        }
    };
}

preview1! {
    now args_get(argv: i32, buf: i32);
    now args_sizes_get(count: i32, size: i32);
    now environ_get(env: i32, buf: i32);
    now environ_sizes_get(count: i32, size: i32);
    now clock_res_get(id: i32, out: i32);
    now clock_time_get(id: i32, precision: i64, out: i32);
    io fd_advise(fd: i32, offset: i64, len: i64, advice: i32);
    now fd_allocate(fd: i32, offset: i64, len: i64);
    io fd_close(fd: i32) then closed(fd);
    io fd_datasync(fd: i32);
    io fd_fdstat_get(fd: i32, out: i32);
    now fd_fdstat_set_flags(fd: i32, flags: i32);
    now fd_fdstat_set_rights(fd: i32, base: i64, inheriting: i64);
    io fd_filestat_get(fd: i32, out: i32);
    io fd_filestat_set_size(fd: i32, size: i64);
    io fd_filestat_set_times(fd: i32, access: i64, modified: i64, flags: i32);
    now fd_prestat_get(fd: i32, out: i32);
    now fd_prestat_dir_name(fd: i32, path: i32, len: i32);
    io fd_readdir(fd: i32, buf: i32, len: i32, cookie: i64, out: i32) holds room_to_list(fd);
    io fd_seek(fd: i32, offset: i64, whence: i32, out: i32);
    io fd_sync(fd: i32);
    now fd_tell(fd: i32, out: i32);
    io path_create_directory(fd: i32, path: i32, len: i32);
    io path_filestat_get(fd: i32, flags: i32, path: i32, len: i32, out: i32);
    io path_filestat_set_times(fd: i32, flags: i32, path: i32, len: i32, access: i64, modified: i64, set: i32);
    io path_link(fd: i32, flags: i32, old: i32, old_len: i32, new_fd: i32, new: i32, new_len: i32);
    io path_open(fd: i32, dirflags: i32, path: i32, len: i32, oflags: i32, base: i64, inherit: i64, flags: i32, out: i32)
        holds room_to_open(fd) then opened();
    io path_readlink(fd: i32, path: i32, len: i32, buf: i32, buf_len: i32, out: i32);
    io path_remove_directory(fd: i32, path: i32, len: i32);
    io path_rename(fd: i32, old: i32, old_len: i32, new_fd: i32, new: i32, new_len: i32);
    io path_symlink(old: i32, old_len: i32, fd: i32, new: i32, new_len: i32);
    io path_unlink_file(fd: i32, path: i32, len: i32);
    timed poll_oneoff(subscriptions: i32, events: i32, count: i32, out: i32) holds room_for_poll(count);
    now proc_raise(signal: i32);
    now random_get(buf: i32, len: i32);
    now sock_accept(fd: i32, flags: i32, out: i32);
    now sock_recv(fd: i32, iovs: i32, count: i32, flags: i32, size: i32, out_flags: i32);
    now sock_send(fd: i32, iovs: i32, count: i32, flags: i32, size: i32);
    now sock_shutdown(fd: i32, how: i32);
}

/// Registers the function `name` of preview 1 if there is one; says whether there is.
pub(crate) fn define<R: Rank>(linker: &mut Linker<Guest<R>>, placement: Placement, name: &str) -> Result<bool> {
    match (name, placement) {
        ("proc_exit", _) => {
            // Any 32-bit status is allowed here; like a process, the guest ends with its low eight bits.
            linker.func_wrap(MODULE, name, |status: i32| -> Result<()> { Err(Exit(status & 0xff).into()) })?;
        }
        ("sched_yield", Placement::Threads) => {
            linker.func_wrap(MODULE, name, || -> i32 {
                std::thread::yield_now();
                0
            })?;
        }
        ("sched_yield", Placement::Fibers) => {
            linker.func_wrap_async(MODULE, name, |_: Caller<'_, Guest<R>>, (): ()| {
                Box::new(async {
                    YieldOnce::default().await;
                    0i32
                })
            })?;
        }
        ("fd_renumber", _) => own::define_renumber(linker, placement)?,
        _ => return Ok(transfer::define(linker, placement, name)? || define_from_library(linker, placement, name)?),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_the_null_page_is_refused() {
        let none: &[(&str, u64)] = &[];
        for (function, name, word, behind, leads) in [
            ("fd_seek", "out", 65535, none, true),
            ("fd_seek", "out", 65536, none, false),
            ("fd_seek", "fd", 1, none, false),
            ("poll_oneoff", "count", 1, none, false),
            ("args_sizes_get", "count", 0, none, true),
            ("environ_sizes_get", "size", 4, none, true),
            ("fd_filestat_set_size", "size", 0, none, false),
            ("sock_recv", "out_flags", 8, none, true),
            ("poll_oneoff", "subscriptions", 16, none, true),
            ("path_open", "path", 1, &[("len", 1)], true),
            ("path_open", "path", 1, &[("len", 0)], false),
            ("path_link", "old", 1, &[("old_len", 1), ("new_fd", 0)], true),
            ("path_readlink", "buf", 1, &[("buf_len", 0), ("out", 70000)], false),
            ("path_open", "len", 1, none, false),
            ("random_get", "buf", u64::MAX, &[("len", 8)], false),
        ] {
            assert_eq!(leads_below(1 << 16, function, (name, word), behind), leads, "{function}, {name}: {word:#x}");
        }
        assert!(!leads_below(0, "fd_seek", ("out", 0), none));
    }
}
