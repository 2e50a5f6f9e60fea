// Rank 1 is late at every barrier, and rank 0 sends a hundred messages of 10,000 bytes to rank 2; until the button `stop`.
#include <mpi.h>
#include <rankine/view.h>
#include <time.h>

int main(int argc, char **argv)
{
    static char message[10000];
    int rank, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Rankine_View_button("stop", &stop);
    for (int n = 0; n < 100; n++) {
        if (rank == 0)
            MPI_Send(message, sizeof message, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
        if (rank == 2)
            MPI_Recv(message, sizeof message, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    while (!stop) {
        if (rank == 1)
            nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        Rankine_View_update(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
