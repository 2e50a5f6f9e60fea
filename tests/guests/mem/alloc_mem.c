// MPI_Alloc_mem, MPI_Free_mem: memory to send from and receive into.
// ranks: 1 2 3
#include "../check.h"

int main(int argc, char **argv)
{
    enum { COUNT = 100000 };
    double *out = NULL, *in = NULL;
    MPI_Info info;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "mpi_minimum_memory_alignment", "64"));
    for (int round = 0; round < 20; round++) {
        TRY(MPI_Alloc_mem(COUNT * sizeof *out, MPI_INFO_NULL, &out));
        TRY(MPI_Alloc_mem(COUNT * sizeof *in, info, &in));
        CHECK(out != NULL && in != NULL && out != in);
        CHECK_INT((uintptr_t)in % 8, 0);
        for (int i = 0; i < COUNT; i++)
            out[i] = rank + i;
        TRY(MPI_Sendrecv(out, COUNT, MPI_DOUBLE, next, 0, in, COUNT, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_REAL(in[COUNT - 1], before + COUNT - 1);
        TRY(MPI_Free_mem(out));
        TRY(MPI_Free_mem(in));
    }
    TRY(MPI_Info_free(&info));
    TRY(MPI_Alloc_mem(0, MPI_INFO_NULL, &out));
    if (out != NULL)
        TRY(MPI_Free_mem(out));
    CHECK(MPI_Alloc_mem(-1, MPI_INFO_NULL, &out) != MPI_SUCCESS);
    return check_end();
}
