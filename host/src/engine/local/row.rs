//! What a row of the generated files becomes: the body of a shim, and its links for threads and fibers.
//!
//! ```text
//! wait MPI_Ssend / MPI_Ssend_c(buf: at, count: wide, datatype, dest, tag, comm) On::Comm(handle(comm)), |r| {
//!     pt2pt::send_as(r, Kind::Ssend, buf, count, handle(datatype), dest, tag, handle(comm)).await
//! };
//! ```
//!
//! First how it waits: the name of what carries it in [`call`](super::call); then the function and its variant for large
//! counts, the words that the guest passes, and whose error handler hears of its errors. The body belongs to both
//! variants: a `wide` word is an `i32` in the first and an `i64` in the second, and the body gets an `i64`; a `long` one is
//! an `i64` in both, any other an `i32`, of which the body gets an `Addr` where it is `at` something. `|r, large|` asks
//! which of the two was called.
//!
//! `& MPI_Put_64` behind a name is another import of its function, for programs with 64-bit addresses. There what is `at`
//! something, an `aint` and what is `kept` are an `i64`, and an `i32` in the other; so are a `displ` for large counts, and an
//! `extent` for others, which for large counts is one everywhere. The body gets an `Addr`, an `i64` or what is `Kept`.
//!
//! Three kinds of rows are different:
//! - The body of `wait_unless` goes as far as it comes without waiting, and gives the rest of it as a future; what
//!   follows `then` is done with the outcome of either.
//! - `value` gives what its body gives, not an error code.
//! - `collective` has three functions, and after their words the communicator's. Its body makes the operation
//!   ([`Collective`](rankine_local::coll::Collective)) on the communicator `c`; the first function takes part in it, the
//!   second leaves it in a request, the third keeps it for `MPI_Start`.

use wasmtime::Linker;

use super::Guest;
use crate::run::job::Placement;

/// What bodies are made of.
pub(super) mod prelude {
    pub(crate) use rankine_abi::*;
    pub(crate) use rankine_guest::errhan::Serves;
    pub(crate) use rankine_local::coll::*;
    pub(crate) use rankine_local::io::{Direction, Place, Split};
    pub(crate) use rankine_local::*;
    // The table's word for how a message is sent; the ABI's kinds are of numbers.
    pub(crate) use rankine_local::Kind;
    pub(crate) use wasmtime::{Caller, Linker};

    pub(crate) use crate::engine::local::Guest;
    pub(crate) use crate::engine::local::call::{self, On};
    pub(crate) use crate::engine::local::shim::{self, addr, handle};
    pub(crate) use crate::engine::local::{bodies, row};
    pub(crate) use crate::run::job::Placement;
}

/// The functions of a chapter.
pub(super) struct Chapter {
    /// Their names.
    pub(super) names: &'static [&'static str],
    /// Links the one of that name; false if there is none.
    pub(super) link: fn(&mut Linker<Guest>, Placement, &str) -> wasmtime::Result<bool>,
}

/// Makes the [`Chapter`] of its rows.
macro_rules! shims {
    ($(
        $how:ident $($name:ident $(& $lp64:ident)? $(/ $large:ident $(& $large_lp64:ident)?)?),+
        ($($word:ident $(: $kind:ident)?),*) $on:expr,
        $(|$($bound:ident),+|)? $body:block $(then |$done:ident| $then:block)?;
    )*) => {
        pub(crate) const CHAPTER: row::Chapter = row::Chapter {
            names: &[$($(stringify!($name), $(stringify!($large),)?)+)*],
            link,
        };

        $(shims!(@body $how ($($name),+) ($($($bound),+)?) ($($word $(: $kind)?),*) $body);)*

        fn link(
            linker: &mut Linker<Guest>,
            placement: Placement,
            name: &str,
        ) -> wasmtime::Result<bool> {
            // Where nothing waits, threads and fibers are the same.
            let _ = placement;
            $(shims!(
                @row $how ($($name $(& $lp64)? $(/ $large $(& $large_lp64)?)?),+) ($($($bound),+)?) ($($word $(: $kind)?),*) ($on) ($($done $then)?) $body
                (linker placement name)
            );)*
            Ok(false)
        }
    };

    // The function that a body becomes. It has the name of MPI's.
    (@body now $($rest:tt)*) => { shims!(@plain $($rest)*); };
    (@body now_any_thread $($rest:tt)*) => { shims!(@plain $($rest)*); };
    (@body now_anytime $($rest:tt)*) => { shims!(@plain $($rest)*); };
    (@body wait $($rest:tt)*) => { shims!(@async $($rest)*); };
    (@body wait_anytime $($rest:tt)*) => { shims!(@async $($rest)*); };
    (@body wait_unless $($rest:tt)*) => {};
    (@body value $($rest:tt)*) => {};
    (@plain ($name:ident) ($r:ident $(, $large:ident)?) ($($word:ident $(: $kind:ident)?),*) $body:block) => {
        #[allow(non_snake_case)]
        fn $name($r: &Rank, $($large: bool,)? $($word: shims!(@wide $($kind)?)),*) -> Result<()> $body
    };
    (@async ($name:ident) ($r:ident $(, $large:ident)?) ($($word:ident $(: $kind:ident)?),*) $body:block) => {
        #[allow(non_snake_case)]
        async fn $name($r: &Rank, $($large: bool,)? $($word: shims!(@wide $($kind)?)),*) -> Result<()> $body
    };
    (
        @body collective ($name:ident, $($form:ident),+) ($r:ident, $c:ident $(, $large:ident)?)
        ($($word:ident $(: $kind:ident)?),*) $body:block
    ) => {
        // The communicator's word counts for arrays only.
        #[allow(non_snake_case, unused_variables)]
        fn $name(
            $r: &Rank,
            $c: &comm::Communicator,
            $($large: bool,)?
            $($word: shims!(@wide $($kind)?)),*
        ) -> Result<impl Collective + use<>> $body
    };

    // A row's functions, each variant an import of its own.
    (
        @row collective (
            $a:ident $(& $a_64:ident)? $(/ $a_c:ident $(& $a_c_64:ident)?)?,
            $b:ident $(& $b_64:ident)? $(/ $b_c:ident $(& $b_c_64:ident)?)?,
            $c:ident $(& $c_64:ident)? $(/ $c_c:ident $(& $c_c_64:ident)?)?
        )
        $bound:tt $words:tt $on:tt () $body:block $link:tt
    ) => {
        shims!(@imports blocking $a ($a $(& $a_64)? $(/ $a_c $(& $a_c_64)?)?) $bound $words $on $link);
        shims!(@imports nonblocking $a ($b $(& $b_64)? $(/ $b_c $(& $b_c_64)?)?) $bound $words $on $link);
        shims!(@imports persistent $a ($c $(& $c_64)? $(/ $c_c $(& $c_c_64)?)?) $bound $words $on $link);
    };
    (
        @imports $form:ident $make:ident ($name:ident $(& $lp64:ident)? $(/ $large:ident $(& $large_lp64:ident)?)?)
        $bound:tt $words:tt $on:tt $link:tt
    ) => {
        shims!(@$form int $make $name $name $bound $words $on $link);
        $(shims!(@$form int_lp64 $make $name $lp64 $bound $words $on $link);)?
        $(
            shims!(@$form large $make $large $large $bound $words $on $link);
            $(shims!(@$form large_lp64 $make $large $large_lp64 $bound $words $on $link);)?
        )?
    };
    (@row value ($name:ident) ($($r:ident)?) ($($word:ident),*) $on:tt () $body:block $link:tt) => {
        shims!(@sync int $name ($($word),*) caller {
            $(let (_turn, $r) = call::rank(&caller, stringify!($name))?;)?
            let _ = &caller;
            Ok::<_, wasmtime::Error>($body)
        } $link);
    };
    (
        @row wait_unless ($name:ident $(& $lp64:ident)? $(/ $large:ident $(& $large_lp64:ident)?)?)
        $bound:tt $words:tt $on:tt $then:tt $body:block $link:tt
    ) => {
        shims!(@unless int $name $name $bound $words $on $then $body $link);
        $(shims!(@unless int_lp64 $name $lp64 $bound $words $on $then $body $link);)?
        $(
            shims!(@unless large $large $large $bound $words $on $then $body $link);
            $(shims!(@unless large_lp64 $large $large_lp64 $bound $words $on $then $body $link);)?
        )?
    };
    (
        @row $how:ident ($name:ident $(& $lp64:ident)? $(/ $large:ident $(& $large_lp64:ident)?)?)
        $bound:tt $words:tt $on:tt () $body:block $link:tt
    ) => {
        shims!(@import $how int $name $name $name $bound $words $on () $link);
        $(shims!(@import $how int_lp64 $name $name $lp64 $bound $words $on () $link);)?
        $(
            shims!(@import $how large $name $large $large $bound $words $on () $link);
            $(shims!(@import $how large_lp64 $name $large $large_lp64 $bound $words $on () $link);)?
        )?
    };
    (@import now $($rest:tt)*) => { shims!(@now now $($rest)*); };
    (@import now_any_thread $($rest:tt)*) => { shims!(@now now_any_thread $($rest)*); };
    (@import now_anytime $($rest:tt)*) => { shims!(@now now_anytime $($rest)*); };
    (@import wait $($rest:tt)*) => { shims!(@wait wait fiber $($rest)*); };
    (@import wait_anytime $($rest:tt)*) => { shims!(@wait wait_anytime fiber_anytime $($rest)*); };
    (
        @now $now:ident $is_large:tt $body:ident $name:ident $import:ident ($r:ident $(, $large:ident)?)
        ($($word:ident $(: $kind:ident)?),*) ($on:expr) () $link:tt
    ) => {
        shims!(@sync $is_large $import ($($word $(: $kind)?),*) caller {
            call::$now(caller, stringify!($name), $on, |r| {
                $body(r, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
            })
        } $link);
    };
    (
        @wait $wait:ident $fiber:ident $is_large:tt $body:ident $name:ident $import:ident ($r:ident $(, $large:ident)?)
        ($($word:ident $(: $kind:ident)?),*) ($on:expr) () $link:tt
    ) => {
        shims!(@async $is_large $import ($($word $(: $kind)?),*) caller {
            call::$wait(caller, stringify!($name), $on, |r| {
                $body(r, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
            })
        } {
            call::$fiber(caller, stringify!($name), $on, move |r| {
                $body(r, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
            })
        } $link);
    };
    (
        @unless $is_large:tt $name:ident $import:ident ($r:ident) ($($word:ident $(: $kind:ident)?),*)
        ($on:expr) ($done:ident $then:block) $body:block $link:tt
    ) => {
        shims!(@async $is_large $import ($($word $(: $kind)?),*) caller {
            $(let $word = shims!(@pass $word $($kind)?);)*
            call::wait_unless(caller, stringify!($name), $on, |$r| $body, shims!(@then $r $done $then))
        } {
            $(let $word = shims!(@pass $word $($kind)?);)*
            call::fiber_unless(caller, stringify!($name), $on, |$r| $body, shims!(@then $r $done $then))
        } $link);
    };
    // Not all that is done with an outcome needs the rank.
    (@then $r:ident $done:ident $then:block) => {
        move |$r, $done| {
            let _ = $r;
            $then
        }
    };
    (
        @blocking $is_large:tt $make:ident $name:ident $import:ident
        ($r:ident, $c:ident $(, $large:ident)?) ($($word:ident $(: $kind:ident)?),*) ($comm:expr) $link:tt
    ) => {
        shims!(@async $is_large $import ($($word $(: $kind)?),*) caller {
            call::wait(caller, stringify!($name), On::Comm(handle($comm)), |r| {
                coll::run(r, handle($comm), move |c| {
                    $make(r, c, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
                })
            })
        } {
            call::fiber(caller, stringify!($name), On::Comm(handle($comm)), move |r| {
                coll::run(r, handle($comm), move |c| {
                    $make(r, c, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
                })
            })
        } $link);
    };
    (
        @nonblocking $is_large:tt $make:ident $name:ident $import:ident
        ($r:ident, $c:ident $(, $large:ident)?) ($($word:ident $(: $kind:ident)?),*) ($comm:expr) $link:tt
    ) => {
        shims!(@sync $is_large $import ($($word $(: $kind)?,)* request: at) caller {
            call::now(caller, stringify!($name), On::Comm(handle($comm)), |r| {
                shim::put_new(r, addr(request), "request", coll::start(r, handle($comm), |c| {
                    $make(r, c, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
                }))
            })
        } $link);
    };
    (
        @persistent $is_large:tt $make:ident $name:ident $import:ident
        ($r:ident, $c:ident $(, $large:ident)?) ($($word:ident $(: $kind:ident)?),*) ($comm:expr) $link:tt
    ) => {
        shims!(@sync $is_large $import ($($word $(: $kind)?,)* info, request: at) caller {
            call::now(caller, stringify!($name), On::Comm(handle($comm)), |r| {
                shim::put_new(r, addr(request), "request", coll::prepare(r, handle($comm), handle(info), |c| {
                    $make(r, c, $(shims!(@is $is_large $large),)? $(shims!(@pass $word $($kind)?)),*)
                }))
            })
        } $link);
    };

    // An import that never waits is the same for threads and fibers.
    (
        @sync $is_large:tt $name:ident ($($word:ident $(: $kind:ident)?),*) $caller:ident $call:block
        ($linker:ident $placement:ident $wanted:ident)
    ) => {
        if $wanted == stringify!($name) {
            $linker.func_wrap(
                rankine_abi::MODULE,
                stringify!($name),
                |$caller: Caller<'_, Guest>, $($word: shims!(@word $is_large $($kind)?)),*| $call,
            )?;
            return Ok(true);
        }
    };
    (
        @async $is_large:tt $name:ident ($($word:ident $(: $kind:ident)?),*) $caller:ident $thread:block $fiber:block
        ($linker:ident $placement:ident $wanted:ident)
    ) => {
        if $wanted == stringify!($name) {
            match $placement {
                Placement::Threads => $linker.func_wrap(
                    rankine_abi::MODULE,
                    stringify!($name),
                    |$caller: Caller<'_, Guest>, $($word: shims!(@word $is_large $($kind)?)),*| $thread,
                )?,
                Placement::Fibers => $linker.func_wrap_async(
                    rankine_abi::MODULE,
                    stringify!($name),
                    |$caller: Caller<'_, Guest>, ($($word,)*): ($(shims!(@word $is_large $($kind)?),)*)| $fiber,
                )?,
            };
            return Ok(true);
        }
    };

    // The type of a word in a variant, and of the body's parameter; what is passed from one to the other.
    (@word $is_large:tt) => { i32 };
    (@word int at) => { i32 };
    (@word large at) => { i32 };
    (@word $is_large:tt at) => { i64 };
    (@word int wide) => { i32 };
    (@word int_lp64 wide) => { i32 };
    (@word $is_large:tt wide) => { i64 };
    (@word $is_large:tt long) => { i64 };
    (@word int displ) => { i32 };
    (@word int_lp64 displ) => { i32 };
    (@word large displ) => { i32 };
    (@word large_lp64 displ) => { i64 };
    (@word int extent) => { i32 };
    (@word $is_large:tt extent) => { i64 };
    (@word int $long:ident) => { i32 };
    (@word large $long:ident) => { i32 };
    (@word $is_large:tt $long:ident) => { i64 };
    (@wide) => { i32 };
    (@wide at) => { Addr };
    (@wide kept) => { Kept };
    (@wide $kind:ident) => { i64 };
    (@pass $word:ident) => { $word };
    (@pass $word:ident at) => { addr($word) };
    (@pass $word:ident long) => { $word };
    (@pass $word:ident kept) => { Kept::from($word) };
    (@pass $word:ident $kind:ident) => { i64::from($word) };
    (@is int $large:ident) => { false };
    (@is int_lp64 $large:ident) => { false };
    (@is $is_large:tt $large:ident) => { true };
}
