// Images of objects that nobody receives: they count as the sender's memory until they are sent.
// ranks: 1 2
// run: --memory-limit 64M
// exit: 7
// peak: limits + 96
#include <rankine.h>

#include "hostile.h"

enum { BLOB = 8 << 20, MOST = 200 };
static char blob[BLOB];

int main(int argc, char **argv)
{
    static MPI_Request requests[MOST];
    Rankine_Type type;
    void *root = blob;
    int sent = 0, code = MPI_SUCCESS;
    hostile_begin(&argc, &argv);
    TRY(Rankine_Type_create("blob", BLOB, 4, &type));
    TRY(Rankine_Type_define(type, 0, NULL));
    for (; sent < MOST && code == MPI_SUCCESS; sent++)
        code = Rankine_Isend(&root, 1, type, (rank + 1) % size, 7, MPI_COMM_WORLD, &requests[sent]);
    CHECK(sent > 4 && sent < 12);
    FAILS(code, MPI_ERR_NO_MEM);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    MPI_Abort(MPI_COMM_WORLD, 7);
}
