// --label: lines of ranks that were started begin with the number of their world too; the job ends when all have, with the
// highest status.
// engines: local
// ranks: 1
// run: --dir-ro {guests} --label
// exit: 4
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        for (int world = 1; world <= 2; world++) {
            MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
            MPI_Bcast(&token, 1, MPI_INT, MPI_ROOT, children);
        }
        printf("parent\n");
        MPI_Finalize();
        return 0;
    }
    MPI_Bcast(&token, 1, MPI_INT, 0, parent);
    printf("child\n");
    MPI_Finalize();
    return rank == 1 ? 4 : 0;
}
