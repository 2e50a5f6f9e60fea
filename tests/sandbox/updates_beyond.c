// Accumulations whose sides have not as many elements: a library's target would go on behind the operands that came, and so show its memory, or
// end its process.
// ranks: 1 2 4
#include "hostile.h"

enum { N = 4096 };
static int part[N], operands[N], results[N];

int main(int argc, char **argv)
{
    static const int counts[][3] = {{4, 8, 8}, {0, 8, 8}, {4, N, N}, {1, N, N}, {16, 4000, 4000}, {8, 16, 8}, {8, 8, 16}, {0, 16, 8}, {N, 1, 2}, {N, N, 1}};
    MPI_Win window;
    MPI_Request request;
    hostile_begin(&argc, &argv);
    int to = (rank + 1) % size;
    for (int i = 0; i < N; i++)
        operands[i] = 1;
    TRY(MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, window));
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int *n = counts[i];
        for (int replace = 0; replace < 2; replace++) {
            MPI_Op op = replace ? MPI_REPLACE : MPI_SUM;
            MPI_Accumulate(operands, n[0], MPI_INT, to, 0, n[2], MPI_INT, op, window);
            MPI_Get_accumulate(operands, n[0], MPI_INT, results, n[1], MPI_INT, to, 0, n[2], MPI_INT, op, window);
            if (MPI_Raccumulate(operands, n[0], MPI_INT, to, 0, n[2], MPI_INT, op, window, &request) == MPI_SUCCESS)
                TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
            if (MPI_Rget_accumulate(operands, n[0], MPI_INT, results, n[1], MPI_INT, to, 0, n[2], MPI_INT, op, window, &request) == MPI_SUCCESS)
                TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        MPI_Get_accumulate(operands, n[0], MPI_INT, results, n[1], MPI_INT, to, 0, n[2], MPI_INT, MPI_NO_OP, window);
        TRY(MPI_Win_flush(to, window));
    }
    TRY(MPI_Win_unlock_all(window));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // There is nothing but ones, added up.
    for (int i = 0; i < N; i++) {
        CHECK(part[i] >= 0 && part[i] <= 100);
        CHECK(results[i] >= 0 && results[i] <= 100);
    }
    TRY(MPI_Win_free(&window));
    return hostile_end();
}
