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

# asked LOG TIMES: whether so many answers are there, each of a rank that computes and two that wait.
asked() { [ "$(grep -cE "$computes" "$1")" = "$2" ] && [ "$(grep -cE "$waits" "$1")" = $(($2 * 2)) ]; }

for ranks in --threads --fibers; do
    : > log
    rankine run -n 3 $ranks lost.wasm > out 2>> log &
    job=$!
    trap 'kill -9 $job 2> /dev/null || true' EXIT
    until [ "$(grep -c here out)" = 3 ]; do sleep 0.1; done
    # They may still be on their way to where they stay: ask until all are there.
    for _ in $(seq 100); do
        : > log
        kill -QUIT $job
        until grep -q 'rank 0 computes' log; do sleep 0.1; done
        asked log 1 && break
    done
    asked log 1 || { cat log; exit 1; }
    grep -q '^rankine: where the ranks are:$' log
    kill -QUIT $job
    until [ "$(grep -c 'rank 0 computes' log)" = 2 ]; do sleep 0.1; done
    asked log 2 || { cat log; exit 1; }
    kill -INT $job
    status=0
    wait $job || status=$?
    trap - EXIT
    [ $status = 130 ]
    grep -q '^rankine: interrupted$' log
    asked log 3 || { cat log; exit 1; }
done

# Over an MPI library each rank is a process, which is asked by itself: what it calls, with its arguments, and where.
computes='^  rank 0 computes in relax \(.*lost\.c:'
calls='^  rank 1 is in MPI_Recv\(buf=0x[0-9a-f]+, count=1, datatype=MPI_INT, source=0, tag=7, comm=MPI_COMM_WORLD, status=MPI_STATUS_IGNORE\), called by halo \(.*lost\.c:13:'
: > numbers
: > log
# shellcheck disable=SC2016 # that shell's own number, which is the rank's
"$MPI_BIN/mpiexec" -n 2 sh -c 'echo $$ >> numbers; exec rankine run --timeout 250 lost.wasm' > out 2>> log &
job=$!
trap 'kill -9 $job 2> /dev/null || true' EXIT
until [ "$(grep -c here out)" = 2 ]; do sleep 0.1; done
for _ in $(seq 100); do
    : > log
    mapfile -t numbers < numbers
    kill -QUIT "${numbers[@]}"
    until [ "$(grep -cE '^  rank [01] ' log)" = 2 ]; do sleep 0.1; done
    grep -qE "$computes" log && grep -qE "$calls" log && break
done
{ grep -qE "$computes" log && grep -qE "$calls" log; } || { cat log; exit 1; }
# The time of a job that ends by itself is up in all of them.
kill -INT $job
wait $job || true
trap - EXIT
"$MPI_BIN/mpiexec" -n 2 rankine run --timeout 5 lost.wasm > out 2> log || true
grep -qE "$computes|$calls" log || { cat log; exit 1; }
