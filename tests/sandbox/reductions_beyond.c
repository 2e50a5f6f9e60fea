// Reductions in which one rank has fewer elements than the other: where nothing has come from it, a library combines what its memory held before.
// It is nobody's to see.
// engines: mpi
// ranks: 2
#include "hostile.h"

enum { FEW = 4, MANY = 500 };
static int operands[MANY], results[MANY];
static const MPI_Op sum = MPI_SUM, most = MPI_MAX, bits = MPI_BXOR;

int main(int argc, char **argv)
{
    MPI_Request request;
    hostile_begin(&argc, &argv);
    for (int way = 0; way < 12; way++) {
        const int odd = way % 2, count = rank == odd ? FEW : MANY;
        MPI_Comm comm;
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        TRY(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        memset(results, 0, sizeof results);
        // The one with fewer sends, so that what comes is shorter than what is waited for.
        static const MPI_Op *const op[] = {&sum, &most, &bits};
        if (way < 6)
            MPI_Reduce(operands, results, count, MPI_INT, *op[way / 2], 1 - odd, comm);
        else if (MPI_Ireduce(operands, results, count, MPI_INT, *op[way / 2 - 3], 1 - odd, comm, &request) == MPI_SUCCESS)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < MANY; i++)
            if (results[i] != 0)
                check_fail(__FILE__, __LINE__, "a reduction", "way %d shows %#x", way, results[i]);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_Comm_free(&comm));
    }
    return hostile_end();
}
