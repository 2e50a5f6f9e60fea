// Absolute addresses in the upper half of a memory, which are negative as an MPI_Aint of 32 bits: types of displacements from MPI_BOTTOM.
// ranks: 1 2
// native: no (its addresses are 64 bits wide)
#include "../check.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int *high = sbrk(0x7ff00000), low[2] = {5, 6};
    high += 0x7fe00000 / sizeof *high;
    CHECK((int)(intptr_t)high < 0);
    int to = (rank + 1) % size, from = (rank + size - 1) % size, lengths[2] = {2, 3};
    for (int i = 0; i < 20; i++) high[i] = 100 * rank + i;
    MPI_Aint places[2];
    MPI_Datatype type;
    TRY(MPI_Get_address(high, &places[0]));
    TRY(MPI_Get_address(high + 4, &places[1]));
    CHECK((places[0] < 0) == (sizeof(MPI_Aint) == 4));
    TRY(MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    int got[5] = {-1, -1, -1, -1, -1};
    TRY(MPI_Sendrecv(MPI_BOTTOM, 1, type, to, 0, got, 5, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    const int places_of[5] = {0, 1, 4, 5, 6};
    for (int i = 0; i < 5; i++) CHECK_INT(got[i], 100 * from + places_of[i]);
    for (int i = 0; i < 5; i++) got[i] = 1000 + i;
    TRY(MPI_Sendrecv(got, 5, MPI_INT, to, 1, MPI_BOTTOM, 1, type, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 5; i++) CHECK_INT(high[places_of[i]], 1000 + i);
    CHECK_INT(high[2], 100 * rank + 2);
    TRY(MPI_Type_free(&type));

    /* One block only, which needs no layout. */
    TRY(MPI_Get_address(high + 10, &places[0]));
    TRY(MPI_Type_create_hindexed(1, lengths, places, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Sendrecv(low, 2, MPI_INT, to, 2, MPI_BOTTOM, 1, type, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(high[10] == 5 && high[11] == 6 && high[12] == 100 * rank + 12);
    TRY(MPI_Type_free(&type));
    return check_end();
}
