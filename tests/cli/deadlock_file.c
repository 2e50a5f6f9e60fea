// A rank writes together with one that does not: the report names the file.
// engines: local
// ranks: 2
// exit: 3
// run: --dir {scratch}::/tmp
// stderr: deadlock
// stderr: rank 0 waits in MPI_File_write_all: rank 1 to do the same with file '/tmp/rankine-deadlock'
// stderr: rank 1 waits in MPI_Recv
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "/tmp/rankine-deadlock", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_File_delete("/tmp/rankine-deadlock", MPI_INFO_NULL);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
