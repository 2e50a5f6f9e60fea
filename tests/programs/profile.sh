# --profile: which places call MPI, in one process and over an MPI library, in C and in Fortran.
# seconds: 900
cat > halo.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void norm(double *sum)
{
    MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size, counts[4] = {1, 2, 3, 4}, starts[4] = {0, 1, 3, 6};
    double out[100] = {0}, in[100], sum[4] = {0};
    int (*volatile barrier)(MPI_Comm) = MPI_Barrier;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 10; step++) {
        MPI_Sendrecv(out, 100, MPI_DOUBLE, (rank + 1) % size, 0, in, 100, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        norm(sum);
    }
    MPI_Alltoallv(out, counts, starts, MPI_INT, in, (int[]){1 + rank, 1 + rank, 1 + rank, 1 + rank},
                  (int[]){0, 10, 20, 30}, MPI_INT, MPI_COMM_WORLD);
    barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (argc > 1 && strcmp(argv[1], "trap") == 0 && rank == 1)
        abort();
    if (argc > 1)
        MPI_Recv(in, 1, MPI_DOUBLE, (rank + 1) % size, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
cat > sum.f90 <<'END'
program sum
    use mpi_f08
    implicit none
    integer :: values(3)
    call MPI_Init()
    call total(values)
    call MPI_Finalize()
contains
    subroutine total(values)
        integer, intent(inout) :: values(3)
        values = 1
        call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end subroutine
end program
END
rankine cc -O2 -g -o halo.wasm halo.c
rankine fc -g -o sum.wasm sum.f90

# Calls, bytes, and at the end the function and its place.
has_row() { grep -qE "^ +$1 +$2 .*  $3\$" "$4"; }
row() { has_row "$@" || { echo "no row $*"; cat "$4"; exit 1; }; }
check() {
    row 40 32000 'MPI_Sendrecv' "$1"
    row 40 32000 'MPI_Sendrecv  main \(.*halo\.c:19:9\)' "$1"
    row 40 1280 'MPI_Allreduce  norm \(.*halo\.c:7:5\)' "$1"
    row 4 160 'MPI_Alltoallv  main \(.*halo\.c:23:5\)' "$1"
    row 4 0 'MPI_Barrier  through a pointer' "$1"
}
for ranks in --threads --fibers; do
    rankine run $ranks -n 4 --profile=local.json halo.wasm 2> table
    grep -q '^rankine: profile of 4 ranks: ' table
    check table
done
"$MPI_BIN/mpiexec" -n 4 rankine run --profile=mpi.json halo.wasm 2> table
grep -q '^rankine: profile of 4 ranks: ' table
check table
python3 - <<'END'
import json
for name, waits in (("local.json", True), ("mpi.json", False)):
    profile = json.load(open(name))
    assert not profile["is_part"] and [rank["rank"] for rank in profile["ranks"]] == ["0", "1", "2", "3"], name
    [row] = [row for row in profile["functions"] if row["function"] == "MPI_Sendrecv"]
    assert (row["calls"], row["bytes"]) == (40, 32000) and row["imbalance"] >= 1 and row["seconds"] > 0, row
    assert (row["waiting_seconds"] is not None) == waits, row
    [row] = [row for row in profile["places"] if row["function"] == "MPI_Allreduce"]
    assert row["place"].startswith("norm (") and 0 <= row["share"] <= 1, row
END
# A binding of Fortran's says nothing: who calls it counts.
rankine run -n 2 --profile sum.wasm 2> table
row 2 24 'MPI_Allreduce  .*total.* \(.*sum\.f90:12:[0-9]+\)' table

# However a job ends, what was counted until then is told; and reports still have the right lines.
run() {
    status=0
    rankine run -n 4 --profile "${@:2}" 2> table || status=$?
    [ $status = "$1" ] || { echo "status $status, not $1"; cat table; exit 1; }
}
end() {
    run "$@"
    check table
}
end 7 halo.wasm abort
end 134 halo.wasm trap
grep -q 'at main (.*halo\.c:29:' table
end 3 halo.wasm deadlock
grep -q 'rank 0 waits in MPI_Recv: .*called by main (.*halo\.c:31:' table
row 4 0 'MPI_Recv  main \(.*halo\.c:31:9\)' table
# A time limit is long enough if all ranks have come to the end by then, which a busy machine may need long for.
for seconds in 2 10 60 300; do
    run 124 --no-deadlock-check --timeout "$seconds" halo.wasm deadlock
    if has_row 4 0 'MPI_Recv  main \(.*halo\.c:31:9\)' table; then break; fi
done
check table
row 4 0 'MPI_Recv  main \(.*halo\.c:31:9\)' table
# Over an MPI library each process then speaks for itself.
"$MPI_BIN/mpiexec" -n 2 rankine run --profile sum.wasm 2> table
status=0
"$MPI_BIN/mpiexec" -n 4 rankine run --profile halo.wasm trap 2> table || status=$?
[ $status != 0 ]
grep -q '^rankine: profile of rank 1 alone, as the job ended before MPI_Finalize: ' table
status=0
rankine run --profile=/not/there/profile.json halo.wasm 2> table || status=$?
[ $status = 1 ]
grep -q '^rankine: --profile: /not/there/profile.json can.t be written: ' table
