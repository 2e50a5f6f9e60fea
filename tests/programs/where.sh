# Where the ranks of a job are that does not end: asked by Ctrl-\ (SIGQUIT), after which it goes on, and when its time is up.
cat > lost.c <<'C'
#include <mpi.h>
#include <stdio.h>
static double relax(const volatile int *stop)
{
    double sum = 0;
    for (long n = 1; !*stop; n++)
        sum += 1. / n; // the line of the rank that computes
    return sum;
}
static void halo(void)
{
    int in;
    MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    int rank, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    puts("here");
    fflush(stdout);
    if (rank == 0)
        printf("%f\n", relax(&stop));
    else
        halo();
    MPI_Finalize();
    return 0;
}
C
rankine cc -g -O1 lost.c -o lost.wasm
line=$(grep -n 'the line of' lost.c | cut -d: -f1)
# The loop has two lines.
computes="^  rank 0 computes in relax \(.*lost\.c:($line|$((line - 1)))(:[0-9]+)?\)$"
waits='^  rank [12] waits in MPI_Recv: a message from rank 0 with tag 7 in MPI_COMM_WORLD, called by halo \(.*lost\.c:13:'

# asked TIMES: whether so many answers are there, each of a rank that computes and two that wait.
asked() { [ "$(grep -cE "$computes" log)" = "$1" ] && [ "$(grep -cE "$waits" log)" = $(($1 * 2)) ]; }
# await COMMAND…: until it holds. Lines of an answer come one by one, and on a busy machine late.
await() {
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "not within a minute, and more where the machine is busy: $*"
    cat log
    exit 1
}
# An answer of all ranks, whatever they do.
answered() { [ "$(grep -cE '^  rank [0-9]+ ' log)" = "$1" ]; }

for ranks in --threads --fibers; do
    # Both, since what is started may open them after the first look at them.
    : > log
    : > out
    rankine run -n 3 $ranks lost.wasm > out 2>> log &
    job=$!
    trap 'kill -9 $job 2> /dev/null || true' EXIT
    until [ "$(grep -c here out)" = 3 ]; do sleep 0.1; done
    # It is asked more than once, as it goes on.
    for _ in 1 2; do
        # They may still be on their way to where they stay, and one that computes while the machine is busy has no time to answer:
        # ask until all have.
        for _ in $(seq 100); do
            : > log
            kill -QUIT $job
            await answered 3
            asked 1 && break
        done
        asked 1 || { cat log; exit 1; }
        grep -q '^rankine: where the ranks are:$' log
    done
    : > log
    kill -INT $job
    status=0
    wait $job || status=$?
    trap - EXIT
    [ $status = 130 ]
    grep -q '^rankine: interrupted$' log
    { answered 3 && grep -q '^  rank 0 computes' log && [ "$(grep -cE "$waits" log)" = 2 ]; } || { cat log; exit 1; }
done

# Over an MPI library each rank is a process, which is asked by itself: what it calls, with its arguments, and where.
computes='^  rank 0 computes in relax \(.*lost\.c:'
calls='^  rank 1 is in MPI_Recv\(buf=0x[0-9a-f]+, count=1, datatype=MPI_INT, source=0, tag=7, comm=MPI_COMM_WORLD, status=MPI_STATUS_IGNORE\), called by halo \(.*lost\.c:13:'
: > numbers
: > log
: > out
# shellcheck disable=SC2016 # that shell's own number, which is the rank's
"$MPI_BIN/mpiexec" -n 2 sh -c 'echo $$ >> numbers; exec rankine run --timeout 250 lost.wasm' > out 2>> log &
job=$!
trap 'kill -9 $job 2> /dev/null || true' EXIT
until [ "$(grep -c here out)" = 2 ]; do sleep 0.1; done
for _ in $(seq 100); do
    : > log
    mapfile -t numbers < numbers
    kill -QUIT "${numbers[@]}"
    await answered 2
    grep -qE "$computes" log && grep -qE "$calls" log && break
done
{ grep -qE "$computes" log && grep -qE "$calls" log; } || { cat log; exit 1; }
# The time of a job that ends by itself is up in all of them.
kill -INT $job
wait $job || true
trap - EXIT
for seconds in 5 20 80; do
    "$MPI_BIN/mpiexec" -n 2 rankine run --timeout $seconds lost.wasm > out 2> log || true
    # On a busy machine its time may be up before a rank is where it stays.
    ! grep -qE "$computes|$calls" log || break
done
grep -qE "$computes|$calls" log || { cat log; exit 1; }
