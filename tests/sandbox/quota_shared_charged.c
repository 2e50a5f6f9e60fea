// A window of which one rank has a part that it may not have: it hears why, and the others that it has failed; so it is with the next
// one, and with a small one it goes well.
// ranks: 2 3
// run: --memory-limit 40M
// peak: 450
#include "quota.h"

enum { LARGE = 60 << 20 };

int main(int argc, char **argv)
{
    MPI_Win window;
    char *base;
    hostile_begin(&argc, &argv);
    for (int lacks = 0; lacks < size; lacks++) {
        int code = MPI_Win_allocate_shared(rank == lacks ? LARGE : 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
        if (rank == lacks) {
            FAILS(code, MPI_ERR_NO_MEM);
            says_why(__FILE__, __LINE__, code);
        } else {
            REFUSED(code);
        }
        TRY(MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
        base[0] = 1;
        TRY(MPI_Win_free(&window));
    }
    return hostile_end();
}
