# Programs that are started by their name: what the SDK's mpicc has linked sees the folder in which it is started, with the
# options of a variable and of a file beside it; a copy that somebody has changed, or that another user has compiled, does not.
export RANKINE_STATE_DIR="$PWD/../state-$$"
trap 'rm -rf "$RANKINE_STATE_DIR"' EXIT
mkdir work && cd work
cat > look.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int size, found = 0;
    char text[32] = "nothing";
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "r");
        found += file && fgets(text, sizeof text, file) && fclose(file) == 0;
    }
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d ranks, %d files, %s%s\n", size, found, text, getenv("SEEN") ? getenv("SEEN") : "");
    MPI_Finalize();
    return 0;
}
C
printf seen > data
mkdir ../elsewhere && printf other > ../elsewhere/file
"$(rankine sdk bin)/mpicc" look.c -o look
# Also by the name that the machine has for the file.
[ "$(./look data "$PWD/data" none)" = '1 ranks, 2 files, seen' ]
[ "$(cd ../elsewhere && "$OLDPWD/look" file data)" = '1 ranks, 1 files, other' ]
[ "$(RANKINE_RANKS=2 ./look data)" = '2 ranks, 1 files, seen' ]
[ "$(RANKINE_RUN_OPTIONS="-n 3 --dir '$PWD/../elsewhere::e'" ./look data e/file)" = '3 ranks, 1 files, other' ]

mkdir below
[ "$(cd below && RANKINE_RUN_OPTIONS="--dir . --dir .." ../look ./../data .//../data ././none)" = '1 ranks, 2 files, seen' ]

# So does the SDK's mpiexec, which says itself how many ranks there are.
mpiexec="$(rankine sdk bin)/mpiexec"
[ "$("$mpiexec" -n 2 ./look data)" = '2 ranks, 1 files, seen' ]
[ "$(RANKINE_RUN_OPTIONS="-n 3 --dir '$PWD/../elsewhere::e'" "$mpiexec" -n 2 ./look data e/file)" = '2 ranks, 1 files, other' ]

# The environment is seen as well, and what an option says counts more. Rankine's own variables are not.
export SEEN=', and a variable'
[ "$(./look data)" = '1 ranks, 1 files, seen, and a variable' ]
[ "$(RANKINE_RUN_OPTIONS="--env SEEN=!" ./look data)" = '1 ranks, 1 files, seen!' ]
[ "$("$mpiexec" -n 2 ./look data)" = '2 ranks, 1 files, seen, and a variable' ]
[ "$("$mpiexec" -n 2 -x SEEN=? ./look data)" = '2 ranks, 1 files, seen?' ]

# A file beside it says what it may use: it has to be trusted first.
echo '-n 2 # ranks' > look.options
if ./look data 2> log; then exit 1; fi
grep -q 'rankine trust .*look.options' log
rankine trust look.options 2> log
[ "$(./look data)" = '2 ranks, 1 files, seen, and a variable' ]
[ "$(RANKINE_RUN_OPTIONS='-n 3' ./look data)" = '3 ranks, 1 files, seen, and a variable' ]
[ "$(RANKINE_RANKS=4 ./look data)" = '4 ranks, 1 files, seen, and a variable' ]
rm look.options

# Whoever has not compiled it grants and shows nothing by starting it.
[ "$(RANKINE_STATE_DIR="$PWD/../other-state" ./look data 2> log)" = '1 ranks, 0 files, nothing' ]
grep -q 'no folder is granted' log
rm -r ../other-state
cp look changed
printf '\0\6\5other' >> changed
[ "$(./changed data 2> log)" = '1 ranks, 0 files, nothing' ]
grep -q 'no folder is granted' log
mkdir ../trusted && mv changed ../trusted
rankine trust ../trusted/changed 2> log
[ "$(../trusted/changed data)" = '1 ranks, 1 files, seen, and a variable' ]
