// MPI_Group_translate_ranks: there and back, members that are missing, nobody.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { MAX_RANKS = 64 };
    int reverse[MAX_RANKS], in[MAX_RANKS + 1], out[MAX_RANKS + 1];
    MPI_Group world, backwards, first;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < size; i++) {
        reverse[i] = size - 1 - i;
        in[i] = i;
    }
    in[size] = MPI_PROC_NULL;
    TRY(MPI_Group_incl(world, size, reverse, &backwards));
    TRY(MPI_Group_incl(world, 1, (int[]){0}, &first));
    TRY(MPI_Group_translate_ranks(backwards, size + 1, in, world, out));
    for (int i = 0; i < size; i++)
        CHECK_INT(out[i], reverse[i]);
    CHECK_INT(out[size], MPI_PROC_NULL);
    TRY(MPI_Group_translate_ranks(world, size, in, first, out));
    for (int i = 0; i < size; i++)
        CHECK_INT(out[i], i == 0 ? 0 : MPI_UNDEFINED);
    TRY(MPI_Group_translate_ranks(world, 0, NULL, first, NULL));
    in[0] = size;
    FAILS(MPI_Group_translate_ranks(world, 1, in, first, out), MPI_ERR_RANK);
    TRY(MPI_Group_free(&first));
    TRY(MPI_Group_free(&backwards));
    TRY(MPI_Group_free(&world));
    return check_end();
}
