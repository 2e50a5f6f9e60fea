// Ranks that start ranks that start ranks: the job has room for so many, and then each call is refused.
// engines: local
// ranks: 1 2
// run: --dir-ro {guests} --max-ranks 40
#include "hostile.h"

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int codes[2], outcome;
    check_begin(&argc, &argv);
    set_canaries();
    do
        outcome = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes);
    while (outcome == MPI_SUCCESS);
    CHECK_INT(check_class(outcome), MPI_ERR_SPAWN);
    CHECK(children == MPI_COMM_NULL);
    TRY(MPI_Comm_get_parent(&parent));
    if (parent == MPI_COMM_NULL)
        return hostile_end();
    still_fine();
    TRY(MPI_Finalize());
    return 0;
}
