# The recipes behind ./x, for those who have the tools installed already. `just --list` shows them.

set shell := ["bash", "-euo", "pipefail", "-c"]

# Host code is always built in release: Wasmtime's compiler is slow without optimisation, and so one build serves all.
cargo_flags := "--release --workspace"

_default:
    @just --list --unsorted

# Write the generated files (header, bindings, shims) from abi/functions.toml.
gen:
    cargo run -q -p rankine-gen

# Write the coverage page, docs/coverage.md, from what the guest programs call.
coverage:
    rm -f target/coverage.md
    cargo test {{cargo_flags}} --test guests -- --exact coverage/page || cp target/coverage.md docs/coverage.md

# Write the page of kinds of machines, docs/kinds.md, from what runs with --keep have left in tests/kinds.txt.
kinds:
    rm -f target/kinds.md
    cargo test {{cargo_flags}} --test guests -- --exact kinds/page || cp target/kinds.md docs/kinds.md

# The programs' scripts run under `set -eu` with variables of the harness, so shellcheck need not ask for `cd … || exit`.
# Formatting, lints, documentation without warnings, the book, and that the generated files are what the table gives.
check: gen-check reasons doc book
    cargo fmt --all --check
    cargo clippy {{cargo_flags}} --all-targets -- -D warnings
    cargo fmt --manifest-path host/view/client/Cargo.toml --all --check
    cargo clippy --release --manifest-path host/view/client/Cargo.toml --target-dir target/view-client --workspace -- -D warnings
    shellcheck x fuzz/cover-own.sh tests/litmus/run
    shellcheck -s bash -x -P SCRIPTDIR -e SC2164,SC2153 tests/programs/*.sh tests/programs/*.bash

# What only other machines compile: the lints for Arm, and that the host compiles for macOS and Windows. What Wasmtime has in C is
# left out, as nothing is linked: the compiler for it is `true`.
elsewhere:
    cargo clippy {{cargo_flags}} --all-targets --target aarch64-unknown-linux-gnu -- -D warnings
    for target in aarch64-apple-darwin x86_64-pc-windows-gnu; do \
        env CC_${target//-/_}=true AR_${target//-/_}=true RUSTFLAGS="-D warnings" cargo check -p rankine --target $target; \
    done

# The documentation of our crates with all that is private in them, in target/doc.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc {{cargo_flags}} --no-deps --document-private-items

# The book, in target/book.
book:
    mdbook build

gen-check:
    cargo run -q -p rankine-gen -- --check

# Every SAFETY comment gives its reason in its own place: none points to another, or says only that it is the caller's.
reasons:
    ! grep -rnE 'SAFETY:.*\b([Aa]s|[Ss]o|[Ll]ike) (above|below)\b|SAFETY:.*\bis as (in|for|there)\b|SAFETY: *([Aa]s (in|for|there|the caller)|[Ss]ee|[Ss]ame|[Dd]itto)\b|SAFETY: *([Tt]he caller.s( promise)?|promised by the caller)\. *$' --include='*.rs' abi bench fuzz guest-sdk host tests

# Licences and sources of every crate (needs cargo-deny).
deny:
    cargo deny --workspace check licenses bans sources
    cargo deny --manifest-path host/view/client/Cargo.toml --workspace check --config deny.toml licenses bans sources

# Everything that continuous integration runs, except what ./x installs first.
test: check elsewhere build unit mpi-subset interpreted-subset conformance-subset calls-subset sync doctor

# The host and every test program's runner.
build:
    cargo build {{cargo_flags}} --all-targets

# All tests of all crates: units, guests, examples, command line. MPI programs are compiled with `rankine cc`.
unit:
    cargo test {{cargo_flags}} --no-fail-fast

# The lock-free parts of the embedded engine: every interleaving (loom), and undefined behaviour (Miri).
sync: loom miri

loom:
    RUSTFLAGS="--cfg loom -C debuginfo=0" cargo test -p rankine-local --target-dir target/loom \
        --config 'profile.dev.package.rankine-guest.opt-level=1' \
        --config 'profile.dev.package.rankine-local.opt-level=1' --lib -- models --test-threads 2

miri:
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-ignore-leaks -Zmiri-tree-borrows" \
        cargo +nightly miri test -p rankine-local --target-dir target/miri --lib -- \
        errhan::tests pt2pt::overlap::a_late pt2pt::partitioned::tests::a_greeting
    just miri-big-endian

# What of docs/memory-order.md Arm's model can be asked: needs herd7, of herdtools7.
litmus:
    tests/litmus/run

# On a machine whose numbers begin with the highest byte: a guest's memory, reductions, object graphs and external32 are little-endian or
# big-endian whatever the host is.
miri-big-endian:
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-ignore-leaks -Zmiri-tree-borrows" \
        cargo +nightly miri test -p rankine-guest -p rankine-object -p rankine-local --target s390x-unknown-linux-gnu \
        --target-dir target/miri --lib -- --skip nothing_is_written_beyond \
        array::tests memory::tests op:: ranks::tests descriptor::tests plan::tests external32 predefined_attributes packing_appends

# Feeds what makes no sense to what must stand it, for so many seconds (needs cargo-fuzz): types and addresses to the calls that move bytes (spans), to those
# that access windows (windows) and files through views (views), sizes and strides to the mathematics of the host (math), images to
# the decoder of objects (images), descriptions and memory to their walk (graphs), drawn calls to whole jobs of the embedded engine (calls,
# whose ranks may stay behind with what they hold).
fuzz TARGET="spans" SECONDS="60":
    RUSTC_WRAPPER="$PWD/fuzz/cover-own.sh" ASAN_OPTIONS={{ if TARGET == "calls" { "detect_leaks=0" } else { "" } }} \
        cargo +nightly fuzz run {{ if TARGET =~ "^(calls|math)$" { "--features host" } else { "" } }} {{TARGET}} -- -max_total_time={{SECONDS}} -timeout=120

# The second wall alone: attacks on a build that checks nothing of what leaves for a library or launcher. Builds the right one again.
wall:
    cargo build {{cargo_flags}} --bin rankine --features rankine/unvalidated
    cp target/release/rankine target/unvalidated
    cargo build {{cargo_flags}} --bin rankine
    RANKINE="$PWD/target/unvalidated" cargo test {{cargo_flags}} --test wall

# Calls of every function with arguments that no program passes, for so many seconds: no job may end by a signal, with a panic, or
# not at all. `just calls local 0 --replay FILE` runs a case that was kept.
calls ENGINE="local" SECONDS="60" *ARGS="": build
    target/release/rankine-calls --engine {{ENGINE}} --seconds {{SECONDS}} {{ARGS}}

# A short while of it on both engines: what continuous integration runs.
calls-subset: (calls "local" "15") (calls "mpi" "15")

# Says what of the set-up is missing.
doctor: build
    target/release/rankine doctor

# The long suites on top: licences, fuzzing, the guests against a native MPI library and in the host for AArch64, all of MPICH's tests.
test-full: test deny wall (calls "local" "600") (calls "mpi" "600") (fuzz "spans") (fuzz "windows") (fuzz "views") (fuzz "math") (fuzz "images") (fuzz "graphs") (fuzz "calls" "600") programs native mpi interpreted emulated (emulated-on "riscv64") (emulated-on "s390x") wine mixed conformance-mixed conformance

# A benchmark beside its native twin, by name: `just bench pingpong`; `just bench --help` lists them.
bench *ARGS:
    cargo run -q --release -p rankine-bench -- {{ARGS}}

# The guest programs as native programs over MPICH: that what they assert is what MPI libraries do.
native *ARGS:
    cargo test {{cargo_flags}} --test guests -- --native {{ARGS}}

# Real programs that take long to build, such as FFTW with its own check: `just programs fftw` runs one.
programs *ARGS="programs/":
    cargo test {{cargo_flags}} --test guests -- --ignored {{ARGS}}

# The guest programs on the mpi engine, a process for each rank.
mpi *ARGS:
    cargo test {{cargo_flags}} --test guests -- --mpi {{ARGS}}

# The guest programs with one and two ranks in Wasmtime's interpreter.
interpreted *ARGS: build
    cargo test {{cargo_flags}} --test guests -- --interpreted {{ARGS}}

# Some of them: what continuous integration runs.
interpreted-subset: (interpreted "reproducible") (interpreted "guests/cpp") (interpreted "guests/error")

# The guest programs with one and two ranks in the host for AArch64, beneath an emulator: on the engine local. The host is compiled first.
emulated *ARGS: (emulated-on "aarch64" ARGS)

# The same in the host for another kind of machine: aarch64, riscv64 or s390x (big-endian).
emulated-on KIND *ARGS: (emulated-host KIND)
    cargo test {{cargo_flags}} --test guests -- --emulated={{KIND}} {{ARGS}}

# The guest programs as jobs of two kinds of processes, half of them beneath the emulator, over an MPI library and TCP; and, for root, a
# job by a grid of two kinds of nodes.
mixed *ARGS: (emulated-host "aarch64")
    cargo test {{cargo_flags}} --test guests -- --mixed {{ARGS}}
    [ "$(id -u)" != 0 ] || cargo test {{cargo_flags}} --test hosts -- --ignored a_job_of_two_kinds

# The host that these need; `./x just emulated-on KIND` installs the emulator first, and a compiler, and an MPI library for Arm's. Where
# rustup has no standard library for a machine, a nightly compiler builds it.
emulated-host KIND="aarch64":
    target={{ if KIND == "riscv64" { "riscv64gc" } else { KIND } }}-unknown-linux-gnu; own=(build); \
    rustup target list --installed | grep -xF $target >/dev/null || own=(+nightly build -Zbuild-std=std,panic_unwind); \
    export CARGO_TARGET_$(tr a-z- A-Z_ <<<$target)_LINKER={{KIND}}-linux-gnu-gcc; \
    cargo "${own[@]}" --profile emulated -p rankine --target $target

# The guest programs that need no Unix with one and two ranks in the host for Windows, beneath wine: on the engine local. The host is
# compiled first; `./x just wine` installs wine and a compiler before. A library of Windows that wine 8.0 lacks is put beside it.
wine *ARGS:
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
        cargo build --profile emulated -p rankine --target x86_64-pc-windows-gnu
    x86_64-w64-mingw32-gcc -O2 -Wall -Wextra -Werror -shared tests/harness/bcryptprimitives.c -ladvapi32 \
        -o target/x86_64-pc-windows-gnu/emulated/bcryptprimitives.dll
    WINEDEBUG=-all WINEPREFIX="$PWD/target/wine" wine wineboot --init
    cargo test {{cargo_flags}} --test guests -- --wine {{ARGS}}

# Those with two ranks: what continuous integration runs.
mpi-subset: (mpi "/mpi/2") (mpi "load/mpi") (mpi "lacking/mpi") (mpi "coverage/mpi")

# MPICH's own test suite: natively, and as guests; writes docs/conformance.md. `just conformance --local coll/allred` runs a part.
conformance *ARGS="--native --local --mpi --page": build
    target/release/rankine-conformance {{ARGS}}

# A short part of it, on both engines: what continuous integration runs.
conformance-subset: (conformance "--local --mpi --subset")

# The same part in jobs of two kinds of processes.
conformance-mixed: emulated-host (conformance "--mixed --subset")
