// More error classes and codes than there is room for are refused, again and again, and nothing is freed that was never made.
// ranks: 1
// native: no (MPICH frees what it has refused to make)
#include "hostile.h"

enum { MANY = 70000 };

int main(int argc, char **argv)
{
    int class, code, first, made[2] = {0, 0}, refused[2] = {0, 0};
    hostile_begin(&argc, &argv);
    TRY(MPI_Add_error_class(&first));
    for (int i = 0; i < 2000; i++) {
        int outcome = MPI_Add_error_class(&class);
        made[0] += outcome == MPI_SUCCESS;
        refused[0] += outcome != MPI_SUCCESS;
    }
    for (int i = 0; i < MANY; i++) {
        int outcome = MPI_Add_error_code(first, &code);
        made[1] += outcome == MPI_SUCCESS;
        refused[1] += outcome != MPI_SUCCESS;
    }
    CHECK(made[0] > 50 && made[1] > 1000);
    CHECK(refused[1] > 0);
    still_fine();
    return hostile_end();
}
