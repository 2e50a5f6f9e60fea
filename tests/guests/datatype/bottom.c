// MPI_BOTTOM, MPI_Get_address, MPI_Aint_add, MPI_Aint_diff: absolute addresses in datatypes, in messages and collectives.
// large: yes
#include "../check.h"

static int scattered_a = 1, scattered_c[3] = {3, 4, 5};
static double scattered_b = 2.5;

int main(int argc, char **argv)
{
    MPI_Aint a, b, c, third;
    MPI_Datatype type;
    int local = 6, in[4];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Get_address(&scattered_a, &a));
    TRY(MPI_Get_address(&scattered_b, &b));
    TRY(MPI_Get_address(scattered_c, &c));
    TRY(MPI_Get_address(&scattered_c[2], &third));
    CHECK_INT(MPI_Aint_diff(third, c), 2 * sizeof(int));
    CHECK(MPI_Aint_add(c, 2 * sizeof(int)) == third);
    CHECK_INT(MPI_Aint_diff(c, third), -2 * (int)sizeof(int));
    CHECK((intptr_t)a == (intptr_t)&scattered_a);
    // Everything, wherever it lies, in one message from the bottom of memory.
    aint_t places[4];
    MPI_Aint address;
    TRY(MPI_Get_address(&local, &address));
    places[0] = a;
    places[1] = b;
    places[2] = c;
    places[3] = address;
    TRY(MPI_Type_create_struct(4, (count_t[]){1, 1, 3, 1}, places, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_INT, MPI_INT}, &type));
    TRY(MPI_Type_commit(&type));
    scattered_a += 100 * rank;
    scattered_b += 100 * rank;
    scattered_c[2] += 100 * rank;
    local += 100 * rank;
    TRY(MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, next, 0, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(scattered_a, 1 + 100 * before);
    CHECK_REAL(scattered_b, 2.5 + 100 * before);
    CHECK_INT(scattered_c[0], 3);
    CHECK_INT(scattered_c[2], 5 + 100 * before);
    CHECK_INT(local, 6 + 100 * before);
    // In a collective: the root's values, everywhere.
    if (rank == 0)
        local = scattered_a = 77;
    TRY(MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD));
    CHECK_INT(scattered_a, 77);
    CHECK_INT(local, 77);
    TRY(MPI_Type_free(&type));
    // To a plain buffer, with a base that is not the bottom and displacements relative to it.
    aint_t relative[2] = {MPI_Aint_diff(a, c), 2 * sizeof(int)};
    TRY(MPI_Type_create_hindexed(2, (count_t[]){1, 1}, relative, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Sendrecv(scattered_c, 1, type, rank, 0, in, 2, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], 77);
    CHECK_INT(in[1], scattered_c[2]);
    TRY(MPI_Type_free(&type));
    return check_end();
}
