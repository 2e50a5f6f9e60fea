# --perf: perf's map of the process has the names of the program's functions, with code from the cache too.
cat > spin.c <<'END'
#include <mpi.h>
#include <stdio.h>

__attribute__((noinline)) double a_long_sum(int steps)
{
    double sum = 0;
    for (int i = 1; i <= steps; i++)
        sum += 1.0 / i;
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("%d\n", a_long_sum(1000000) > 14);
    MPI_Finalize();
    return 0;
}
END
rankine cc -O2 -o spin.wasm spin.c
for _ in "compiled now" "from the cache"; do
    rankine run --perf spin.wasm > out &
    process=$!
    wait $process
    [ "$(cat out)" = 1 ]
    grep -qE '^0x[0-9a-f]+ [0-9a-f]+ .*a_long_sum' "/tmp/perf-$process.map"
    rm "/tmp/perf-$process.map"
done
# Over an MPI library, a map for each process.
"$MPI_BIN/mpiexec" -n 2 bash -c 'rankine run --perf spin.wasm > /dev/null & wait $!; grep -c a_long_sum /tmp/perf-$!.map; rm /tmp/perf-$!.map' > out
[ "$(grep -c '^[1-9]' out)" = 2 ]
# Without it there is none.
rankine run spin.wasm > out &
process=$!
wait $process
[ ! -e "/tmp/perf-$process.map" ]
