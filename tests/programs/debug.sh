# --debug and --break-rank in gdb: the session of docs/cookbook/debugging.md prints what the page says, in C, C++ and
# Fortran, with threads, at a trap; ranks wait for a debugger on both engines.
# seconds: 900
page="$ROOT/docs/cookbook/debugging.md"
script=$(rankine sdk gdb)
[ -f "$script" ]

# Runs gdb on a program: commands come from the standard input, and each is shown before what it prints. What differs
# from run to run, or between machines, is levelled out.
level() {
    sed -E -e '/^(\[|warning:|Using host|Download|Warning: the current language|  in <in-mem|of file|Use `info|$)/d' \
        -e 's/Thread [0-9]+ "/Thread N "/' -e 's/0x[0-9a-f]+/0xN/g' -e 's/\.wasm:[0-9]+/.wasm:N/' \
        -e 's/ at [^ ]*crt1-command/ at crt1-command/'
}
session() {
    { printf 'set width 0\nset pagination off\n'; sed -E 's/(.*)/echo (gdb) \1\\n\n\1/'; } > commands
    gdb -nx -batch -x "$script" -x commands "$@" > said 2>&1 || { cat said; exit 1; }
    level < said
}
debug() { session --args rankine run --debug "$@"; }
expect() {
    grep -qF -- "$1" out || { echo "not said: $1"; cat out; exit 1; }
}

# The page's session.
block() { awk -v open="$1" '$0 == "```" { on = 0 } on { print } $0 == open && !done { on = done = 1 }' "$page"; }
block '```c' > mean.c
block '```text' > session
rankine cc -g -O0 -o mean.wasm mean.c
[ "$(rankine run -n 2 mean.wasm)" = "mean 3.25" ]
sed -n 's/^(gdb) //p' session | debug -n 2 mean.wasm | sed '0,/^(gdb) break/{/^(gdb) break/!d}' > out
level < session | diff - out || { echo "the page has another session"; cat said; exit 1; }
# The code for a debugger and that of ordinary runs lie beside each other in the cache.
[ "$(rankine run -n 2 mean.wasm) $(rankine run -n 2 --debug mean.wasm)" = "mean 3.25 mean 3.25" ]

# What called the program, and pointers to pointers.
debug -n 2 mean.wasm > out <<'END'
break mean.c:11
run
backtrace -no-filters
delete
finish
next
print own > 2
print argv[0]
END
# Behind the program are the host's frames, whose names gdb finds in some builds.
expect '#3  0xN in _start ()'
expect '#4  0xN in '
expect '= true'
expect '= (char *) 0xN "mean.wasm"'

# Without the script a pointer leads nowhere: an expression with it is an error, and the program goes on.
gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break mean.c:11' -ex run -ex 'print *part' -ex 'print part->count' \
    -ex 'up' -ex 'print part.values[1]' -ex 'print *part.values@4' -ex delete -ex continue \
    --args rankine run --debug -n 1 mean.wasm > out 2>&1
expect 'Cannot access memory at address 0x'
expect 'Structure has no component named operator[].'
expect "Only values in memory can be extended with '@'."
if grep -q 'panicked\|SIGABRT' out || ! grep -q '^mean ' out; then cat out; exit 1; fi

# The line that the page has for gdb's own settings does as -x would.
mkdir at_home
# shellcheck disable=SC2016 # the page has it so
grep -qxF '$ echo "source $(rankine sdk gdb)" >> ~/.gdbinit' "$page"
echo "source $script" > at_home/.gdbinit
HOME=$PWD/at_home gdb -batch -ex 'break mean.c:11' -ex run -ex 'print part->values[1]' -ex 'print *part->values@4' -ex delete -ex continue \
    --args rankine run --debug -n 1 mean.wasm > out 2>&1
expect '= 2'
expect '= {1, 2, 3, 4}'
if grep -q 'note: gdb follows' out || ! grep -q '^mean ' out; then cat out; exit 1; fi

cat > shapes.cpp <<'END'
#include <mpi.h>
#include <cstdio>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};

static double total(const std::vector<Shape *> &shapes)
{
    double sum = 0;
    for (const Shape *shape : shapes)
        sum += shape->area();
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Square one(1), two(2);
    std::vector<Shape *> shapes{&one, &two};
    std::printf("%g\n", total(shapes));
    MPI_Finalize();
}
END
rankine c++ -g -O0 -o shapes.wasm shapes.cpp
debug shapes.wasm > out <<'END'
break shapes.cpp:20
run
next
print sum
print *shapes
print (*shapes).__begin_[1]
up
print two
END
expect 'total (shapes=(const std::__2::vector<Shape*, std::__2::allocator<Shape*> > &) 0xN) at shapes.cpp:20'
expect '__begin_ = (Shape **) 0xN'
expect '= (Shape *) 0xN'
expect '= {<Shape> = {}, side = 2}'

cat > sums.f90 <<'END'
program sums
    use mpi_f08
    implicit none
    integer :: me, i
    real(8) :: values(4), total
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    do i = 1, 4
        values(i) = i * (me + 1)
    end do
    total = added(values)
    print '(f6.1)', total
    call MPI_Finalize()
contains
    function added(x) result(s)
        real(8), intent(in) :: x(:)
        real(8) :: s
        integer :: k
        s = 0
        do k = 1, size(x)
            s = s + x(k)
        end do
    end function
end program
END
rankine fc -g -O0 -o sums.wasm sums.f90
debug sums.wasm > out <<'END'
break sums.f90:21
run
print k
delete
up
print values
print values(3)
watch total
continue
END
expect 'SUMS::added (x=...) at sums.f90:21'
expect '= (1, 2, 3, 4)'
expect 'New value = 10'

# Threads, whose memory is imported; a trap stops where it happens, and is reported when gdb goes on.
cat > boxes.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

struct box {
    int count;
    double *values;
    const char *name;
};

static void *work(void *argument)
{
    struct box *box = argument;
    box->values[0] += box->count;
    return 0;
}

int main(int argc, char **argv)
{
    double values[2] = {1, 2};
    struct box box = {3, values, "a name"};
    pthread_t thread;
    int *volatile nowhere = (int *)0xfffffff0;
    MPI_Init(&argc, &argv);
    pthread_create(&thread, 0, work, &box);
    pthread_join(thread, 0);
    *nowhere = 1;
    MPI_Finalize();
    return 0;
}
END
rankine cc -g -O0 -pthread -o boxes.wasm boxes.c
debug boxes.wasm > out <<'END'
break boxes.c:14
run
print *box
print box->values[0]
print *$host(box->values)@2
continue
backtrace 1
print nowhere
continue
END
expect 'Thread N "rank 0 thread 1" hit Breakpoint 1, work (argument=(void *) 0xN) at boxes.c:14'
expect '= {count = 3, values = (double *) 0xN, name = (const char *) 0xN "a name"}'
expect '= {1, 2}'
expect 'received signal SIGSEGV'
expect '__main_argc_argv (argc=1, argv=(char **) 0xN) at boxes.c:27'
expect 'rankine: rank 0 trapped: '

# Ranks that wait. Nothing begins before a debugger is there and goes on. Each debugger has a folder, as several may be
# at work.
work=$PWD
waits() {
    until grep -q "^rankine: rank $1 waits .*for a debugger (process " "$work/lines"; do
        kill -0 "$job" || { cat "$work/lines"; exit 1; }
        sleep 0.1
    done
    sed -nE "s/^rankine: rank $1 waits .*for a debugger \(process ([0-9]+), thread ([0-9]+)\): (.*)/\1 \2 \3/p" "$work/lines"
}
attach() (
    mkdir -p "debugger-$1"
    cd "debugger-$1"
    waits "$1" > line
    read -r process thread command < line
    [ "$command" = "gdb -p $process -x $script" ]
    [ -d "/proc/$process/task/$thread" ] && [ ! -s "$work/printed" ]
    session -p "$process" > out <<'END'
break mean.c:11
continue
print part->count
delete
finish
info threads
detach
END
    expect 'hit Breakpoint 1, sum (part=(struct part *) 0xN) at mean.c:11'
    expect 'Value returned is '
    grep -qE "\(LWP $thread\)" said
)
ends() {
    status=0
    wait "$job" || status=$?
    { [ $status = 0 ] && [ "$(cat printed)" = "mean 3.25" ]; } || { echo "status $status"; cat lines printed; exit 1; }
}
# Emptied before, since what is started may open them after the first look at them.
: > lines
rankine run -n 2 --break-rank 1 mean.wasm > printed 2> lines &
job=$!
attach 1
grep -qF '"rank 1"' debugger-1/out
ends
[ "$(wc -l < lines)" = 1 ]
# As many as there are, more than cores: threads all the same.
: > lines
rankine run -n 16 --break-rank 0,14-15 mean.wasm > printed 2> lines &
job=$!
for rank in 0 14 15; do waits $rank > said; done
kill -TERM "$job"
status=0
wait "$job" || status=$?
[ $status = 143 ]
# A process for each, over an MPI library.
: > lines
"$MPI_BIN/mpiexec" -n 2 rankine run --break-rank all mean.wasm > printed 2> lines &
job=$!
# None gets past MPI_Init alone.
attach 0 &
other=$!
attach 1
wait $other
ends
grep -q "^rankine: rank 0 waits on $(cat /proc/sys/kernel/hostname) for a debugger " lines

# What does not go together.
refused() {
    status=0
    rankine run "${@:2}" mean.wasm 2> lines || status=$?
    { [ $status = 2 ] && grep -qF -- "$1" lines; } || { echo "status $status"; cat lines; exit 1; }
}
refused '--break-rank 2: the job has the ranks 0 to 1' -n 2 --break-rank 2
# shellcheck disable=SC2016 # these backquotes are printed
refused '`two` names no ranks' -n 2 --break-rank two
refused '--fibers' --break-rank 0 --fibers
refused '--profile' --debug --profile
refused '--check' --debug --check
