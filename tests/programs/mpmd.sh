# Several programs in one MPI_COMM_WORLD, as launchers spell it: in one process, and over an MPI library.
cat > master.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size, *number, found, sum = 0;
    char most[16];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", 15, most, &(int){0});
    for (int rank = 1; rank < size; rank++) {
        int theirs;
        MPI_Recv(&theirs, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += theirs;
    }
    printf("master %s %s: program %d of %d, workers %d\n", argv[1], getenv("TOLD"), found ? *number : -1, size, sum);
    MPI_Finalize();
    return 0;
}
END
cat > worker.f90 <<'END'
program worker
    use mpi
    implicit none
    integer :: error, rank, length, words
    integer(kind=MPI_ADDRESS_KIND) :: number
    logical :: found
    character(20) :: told, argument
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, number, found, error)
    call get_environment_variable("TOLD", told)
    call get_command_argument(1, argument)
    if (.not. found .or. told /= "all") call MPI_Abort(MPI_COMM_WORLD, 1, error)
    read (argument, *) words
    call MPI_Send(int(number) * words, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, error)
    call MPI_Finalize(error)
end program
END
rankine cc -o master.wasm master.c
rankine fc -o worker.wasm worker.f90
# Programs 1 and 2 send their numbers times 10 and times 100: two ranks of the first, one of the second.
expected="master first all: program 0 of 4, workers 220"
for ranks in --threads --fibers; do
    diff - <(rankine run $ranks -n 1 --env TOLD=all master.wasm first : -n 2 worker.wasm 10 : worker.wasm 100) <<< "$expected"
done
# By the command mpiexec that a makefile finds, with other spellings.
diff - <(PATH="$(rankine sdk bin):$PATH" mpiexec -np 1 -genv TOLD all ./master.wasm first : -np 2 ./worker.wasm 10 : -n1 ./worker.wasm 100) <<< "$expected"
# The script says who it is, and what its launcher would.
PATH="$(rankine sdk bin):$PATH" mpiexec --version | grep -q '^rankine-run [0-9]'
# By the full path of an MPI library's launcher: the library beside it is found, whatever the environment says.
rankine=$(command -v rankine)
diff - <(env -i HOME="$HOME" PATH=/usr/bin:/bin "$MPI_BIN/mpiexec" -n 1 "$rankine" run --env TOLD=all master.wasm first : \
    -n 2 "$rankine" run --env TOLD=all worker.wasm 10) <<< "master first all: program 0 of 3, workers 20"
# Each rank is a process of an MPI library's launcher.
run="rankine run --env TOLD=all"
# shellcheck disable=SC2086 # a command of several words
diff - <("$MPI_BIN/mpiexec" -n 1 $run master.wasm first : -n 2 $run worker.wasm 10 : -n 1 $run worker.wasm 100) <<< "$expected"
# Each process of the launcher is a node with ranks of its own, of one program or of several.
# shellcheck disable=SC2086
diff - <("$MPI_BIN/mpiexec" -n 1 $run --engine nodes --ranks-by-node 1,2,1 master.wasm first : \
    -n 1 $run --engine nodes --ranks-by-node 1,2,1 worker.wasm 10 : \
    -n 1 $run --engine nodes --ranks-by-node 1,2,1 worker.wasm 100) <<< "$expected"
cat > first.sh <<'END'
exec rankine run --env TOLD=all --engine nodes --ranks-by-node 3,1 master.wasm first : -n 2 worker.wasm 10
END
# shellcheck disable=SC2086
diff - <("$MPI_BIN/mpiexec" -n 1 sh first.sh : -n 1 $run --engine nodes --ranks-by-node 3,1 worker.wasm 100) <<< "$expected"
# Programs of one name are one program, and all have addresses of one width.
refused() {
    if "$MPI_BIN/mpiexec" -n 1 rankine run --engine nodes -n 1 master.wasm : -n 1 rankine run --engine nodes -n 1 "$1" 2> said; then
        return 1
    fi
    grep -q "$2" said
}
mkdir other
cp worker.wasm other/master.wasm
refused other/master.wasm "node 1 has another program by the name of node 0's"
echo '(module (memory (export "memory") i64 1) (func (export "_start")))' > wide.wat
refused wide.wat "node 1 and node 0 run different programs: its addresses have 64 bits"
# Who waits for a program that knows nothing of MPI hears so, on one node or several.
echo 'int main(void) { return 0; }' > silent.c
cat > waits.c <<'END'
#include <mpi.h>
int main(void)
{
    MPI_Init(0, 0);
    MPI_Recv(0, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
END
rankine cc -o silent.wasm silent.c
rankine cc -o waits.wasm waits.c
in_vain() {
    if "$@" 2> said; then
        return 1
    fi
    grep -q "^  rank 1 has ended without MPI_Init" said
}
in_vain rankine run -n 1 waits.wasm : -n 1 silent.wasm
in_vain "$MPI_BIN/mpiexec" -n 1 rankine run --engine nodes -n 1 waits.wasm : -n 1 rankine run --engine nodes -n 1 silent.wasm
