# The first hour of somebody who has this clone and nothing else: what README, the book's first page and the cookbook print is typed as it
# stands there, in a fresh home with an ordinary layout, and so are the mistakes that people have made on the way. Where a page shows what a
# command prints, that is compared.
# seconds: 900
work=$PWD
data=${RANKINE_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/rankine}
cargo_home=${CARGO_HOME:-$HOME/.cargo} rustup_home=${RUSTUP_HOME:-$HOME/.rustup}
installed=$(command -v rankine)

# A home in which nothing was done yet but `./x install`. What `rankine sdk install` and `sdk build` fetch and compile in minutes is copied.
mkdir -p home/.local/share/rankine
for part in "$data"/*; do
    [ "$(basename "$part")" = cache ] || cp -al "$part" home/.local/share/rankine/ 2>/dev/null || cp -a "$part" home/.local/share/rankine/
done
"$ROOT"/x install --prefix "$PWD/home/.local" --binary "$installed" > install.log 2>&1 || { cat install.log; exit 1; }
unset RANKINE_DATA_DIR RANKINE_CACHE_DIR RANKINE_STATE_DIR VIRTUAL_ENV
export HOME=$work/home CARGO_HOME=$cargo_home RUSTUP_HOME=$rustup_home
# `pip install mpich` puts mpiexec on the path.
PATH=$HOME/.local/bin:$MPI_BIN:$(tr : '\n' <<< "$PATH" | grep -vF /target/programs/bin | paste -sd:)
export PATH
[ "$(command -v rankine)" = "$HOME/.local/bin/rankine" ]

fail() { printf '%s\n' "$@"; exit 1; }

# block FILE N: the Nth block of commands of a page.
block() { awk -v wanted="$2" '/^```console/ { if (++count == wanted) on = 1; next } /^```/ { on = 0 } on' "$ROOT/$1"; }

# typed FILE N [SKIPPED]: types the commands of a block. Lines that follow a command without a `$` are what it prints, lines with `#` say what
# it is for. What matches SKIPPED is not typed.
typed() {
    local line command='' expected='' skipped=${3:-^$}
    one() {
        [ -n "$command" ] && ! [[ $command =~ $skipped ]] || return 0
        local status=0
        eval "$command" > said 2> complaints || status=$?
        [ $status = 0 ] || fail "status $status: $command" "$(cat said complaints)"
        [ -z "$expected" ] || [ "$expected" = "$(cat said)" ] || fail "$command prints:" "$(cat said)" "and the page has:" "$expected"
    }
    while IFS= read -r line; do
        case $line in
            '$ '*) one; command=${line#'$ '} expected='' ;;
            '# '* | '') one; command='' expected='' ;;
            '      '*) command=${command%?}$line ;; # without the backslash
            *) expected+=${expected:+$'\n'}$line ;;
        esac
    done < <(block "$1" "$2"; echo)
    one
}

# says STATUS TEXT COMMAND…: it ends so, and says this.
says() {
    local status=0 wanted=$1 text=$2
    shift 2
    "$@" > said 2> complaints || status=$?
    [ $status = "$wanted" ] || fail "status $status instead of $wanted: $*" "$(cat said complaints)"
    grep -qF -- "$text" said complaints || fail "not said by $*: $text" "$(cat said complaints)"
}

# The first pages, in the clone as a reader has it: with examples beside them.
mkdir clone && cp -r "$ROOT/examples" clone/ && cd clone
typed README.md 2 '^pip install'
grep -qx '4 ranks, 10 rounds: the token has become 60' said || fail "mpiexec printed" "$(cat said)"
typed docs/README.md 1 '^(./x install|rankine doctor)'
rankine doctor > said || fail "$(cat said)"
grep -qE '^(ok|busy) +cores ' said || fail "the doctor on cores:" "$(cat said)"

# C with make, with and without a word in the makefile; a program that a makefile starts may use its folder.
mkdir "$work/c" && cd "$work/c"
cat > heat.c <<'C'
#include <math.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    double steps = 4;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        FILE *input = fopen(argv[1], "r");
        if (!input || fscanf(input, "%lf", &steps) != 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("%g\n", sqrt(steps));
    MPI_Finalize();
    return 0;
}
C
mkdir data && echo 1 > data/input
typed docs/cookbook/c.md 1
cp -r "$ROOT"/tests/programs/project/. .
cp Makefile.plain Makefile
typed docs/cookbook/make.md 1
cat > write.c <<'C'
#include <stdio.h>
int main(void)
{
    FILE *file = fopen("written", "w");
    return !file || fclose(file);
}
C
printf 'all:\n\tmpicc write.c -o write && mpiexec -n 2 ./write\n' > Makefile
typed docs/cookbook/make.md 1
[ -e written ] || fail "a program of a makefile could not write"

# CMake and ctest by the toolchain file, as README's row has it.
mkdir "$work/cmake" && cd "$work/cmake"
cat > CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(hour C)
find_package(MPI REQUIRED)
enable_testing()
add_executable(program program.c)
target_link_libraries(program MPI::MPI_C)
add_test(NAME one COMMAND program)
add_test(NAME four COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 4 ${MPIEXEC_PREFLAGS} $<TARGET_FILE:program>)
CMAKE
cp "$ROOT/examples/02-ring/ring.c" program.c
typed docs/cookbook/cmake.md 1
grep -q '^4 ranks' said || fail "$(cat said)"
# And without it, as people do who know `CC` from make: the tests start by themselves, and over the machine's MPI library.
for generator in 'Unix Makefiles' Ninja; do
    [ "$generator" != Ninja ] || command -v ninja > said || continue
    CC='rankine cc' cmake -G "$generator" -B plain > said 2>&1 || fail "$(cat said)"
    cmake --build plain > said 2>&1 || fail "$(cat said)"
    ctest --test-dir plain --output-on-failure > said 2>&1 || fail "$(cat said)"
    grep -q '100% tests passed, 0 tests failed out of 2' said || fail "$(cat said)"
    [ "$(RANKINE_RANKS=3 plain/program)" = '3 ranks, 10 rounds: the token has become 30' ] || fail "RANKINE_RANKS is not read"
    rm -r plain
done

# C++, and what is said to who calls the compiler of C.
mkdir "$work/cpp" && cd "$work/cpp"
cp "$ROOT"/examples/03-pi/cpp/*.cpp pi.cpp
says 1 'rankine c++ pi.cpp knows its library' rankine cc pi.cpp
typed docs/cookbook/cpp.md 1

# Fortran.
mkdir "$work/fortran" && cd "$work/fortran"
cp "$ROOT"/examples/04-heat2d/fortran/heat2d.f90 .
typed docs/cookbook/fortran.md 1

# Rust, with its target folder where cargo puts it: `cargo run` too.
mkdir "$work/rust" && cd "$work/rust"
# As `cargo init` writes it, which would make it a member of the workspace that this folder lies in.
mkdir src
printf '[package]\nname = "my-program"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n\n[workspace]\n' > Cargo.toml
cp "$ROOT/rust-toolchain.toml" .
cat > src/main.rs <<'RUST'
use mpi::traits::*;
fn main() {
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    std::fs::write(format!("rank-{}", world.rank()), "here").ok();
    println!("rank {} of {}", world.rank(), world.size());
}
RUST
says 1 'rankine sdk cargo-config --write' rankine run target/wasm32-wasip1/release/my-program.wasm
typed docs/cookbook/rust.md 1
[ "$(sort said | tr '\n' ' ')" = 'rank 0 of 4 rank 1 of 4 rank 2 of 4 rank 3 of 4 ' ] || fail "cargo run printed" "$(cat said complaints)"
[ -e rank-3 ] || fail "cargo run does not grant the working folder"
mkdir -p locked && touch locked/Cargo.toml
printf '[[package]]\nname = "mpi-sys"\nversion = "0.2.4"\nsource = "registry"\n' > locked/Cargo.lock
says 0 'cargo keeps to it: cargo update mpi-sys' env -C locked rankine sdk cargo-config --write
# What `mpi-sys` asks of the SDK's mpicc where the configuration was forgotten.
echo 'int x;' > x.c
says 1 'rankine sdk cargo-config --write' env CARGO_MANIFEST_DIR=. rankine cc -m64 --target=x86_64-unknown-linux-gnu -c x.c
says 1 'there is no Cargo.toml in' env -C src rankine sdk cargo-config --write
echo >> .cargo/config.toml
sed -i 1d .cargo/config.toml
says 1 '.cargo/config.toml is there already: add to it what is in' rankine sdk cargo-config --write

# Python: a script that is named where a program is expected.
echo 'print(1)' > "$work/heat.py"
# shellcheck disable=SC2016 # what is said
says 1 'programs in Python are run by `rankine python`' rankine run "$work/heat.py"
says 2 "rankine python $work/heat.py 8" rankine "$work/heat.py" 8

# The book.
says 0 'the book begins at file://' "$ROOT/x" book

# What stopped people, and what they are told.
mkdir "$work/mistakes" && cd "$work/mistakes"
cp "$ROOT/examples/02-ring/ring.c" .
rankine cc -O2 ring.c -o ring.wasm
rankine cc -O2 -g ring.c -o lines.wasm
says 0 'source lines  no (compile with -g)' rankine info ring.wasm
says 0 'source lines  yes' rankine info lines.wasm
says 0 "compiled by   $("$(rankine cc -showme:command)" --version | head -n 1)" rankine info lines.wasm
says 0 'was compiled without -g' rankine run --debug ring.wasm
printf '#include <immintrin.h>\nint main(void) { __m256d x; return 0; }\n' > vectors.c
says 1 'use wasm_simd128.h' rankine cc vectors.c
[ "$(grep -c error: complaints)" = 1 ] || fail "more than one error:" "$(cat complaints)"
cat > shape.c <<'C'
#include <mpi.h>
#include <rankine/view.h>
int main(void)
{
    long long shape[2] = {4, 4};
    int start[2] = {0, 0};
    double values[16];
    Rankine_View_field("a", 0, 2, shape, start, start, 0, MPI_DOUBLE, values);
}
C
says 1 "to parameter of type 'const int *'" rankine cc shape.c
{
    printf '#include <mpi.h>\n#include <rankine/view.h>\n#include <stddef.h>\nvoid show(int rank, int steps, double residual)\n{\n'
    awk '/^```c$/ && !seen { on = seen = 1; next } /^```/ { on = 0 } on && !/^ *\.\.\.$/' "$ROOT/docs/view.md"
    echo '}'
} > shows.c
rankine cc -Werror -c shows.c
cat > threads.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
C
rankine cc -fopenmp threads.c -o threads.wasm
OMP_NUM_THREADS=7 says 0 'OMP_NUM_THREADS=7 is not passed on to programs' rankine run -n 2 threads.wasm
[ "$(grep -c OMP_NUM_THREADS complaints)" = 1 ]
OMP_NUM_THREADS=7 rankine run -n 2 --threads-per-rank 7 threads.wasm 2> complaints
[ ! -s complaints ]
cat > stuck.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        MPI_Bcast(&value, 1, MPI_INT, rank, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
rankine cc -g stuck.c -o stuck.wasm
says 3 'nothing found beside the deadlock above' rankine run -n 2 --check stuck.wasm
# Ranks that call from one place, each with its own words.
rankine run -n 2 --check stuck.wasm roots > said 2> complaints || true
for root in 0 1; do grep -q "MPI_Bcast(.*root=$root" complaints || fail "no call with root $root:" "$(cat complaints)"; done
says 0 'max/mean: the rank that spent most time' rankine run -n 2 --profile ring.wasm
grep -q '^next: ' complaints || fail "no next step:" "$(cat complaints)"

cat > asleep.c <<'C'
#include <mpi.h>
#include <unistd.h>
static void rest(void)
{
    sleep(1000);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    rest();
    MPI_Finalize();
    return 0;
}
C
rankine cc -g asleep.c -o asleep.wasm
# It may take its time to fall asleep.
for seconds in 1 20 200; do
    says 124 'its time limit' rankine run -n 2 --timeout $seconds asleep.wasm
    ! grep -q 'rank 1 sleeps in rest (.*asleep.c:5' complaints || break
done
grep -q 'rank 0 sleeps in rest (.*asleep.c:5' complaints || fail "no line of who sleeps:" "$(cat complaints)"

# A copy of all that was installed works elsewhere, and the rest goes.
mv "$HOME/.local/share/rankine" "$work/moved"
RANKINE_DATA_DIR=$work/moved rankine fc "$work/fortran/heat2d.f90" -o moved.wasm > said 2>&1 || fail "$(cat said)"
says 0 "removed $HOME/.local/bin/rankine" rankine uninstall --yes
[ ! -e "$HOME/.local/bin/rankine" ] && [ ! -e "$HOME/.local/share/doc/rankine" ]
