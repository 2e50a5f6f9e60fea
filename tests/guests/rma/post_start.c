// MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait, MPI_Win_test: each rank lets one other in.
#include "../check.h"

int main(int argc, char **argv)
{
    int window = -1, flag = 0;
    MPI_Win win;
    MPI_Group world, to, from;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 1, &next, &to));
    TRY(MPI_Group_incl(world, 1, &before, &from));
    TRY(MPI_Win_create(&window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int round = 0; round < 4; round++) {
        int value = rank + 100 * round;
        TRY(MPI_Win_post(from, 0, win));
        TRY(MPI_Win_start(to, 0, win));
        TRY(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
        TRY(MPI_Win_complete(win));
        if (round % 2)
            TRY(MPI_Win_wait(win));
        else
            for (flag = 0; !flag;)
                TRY(MPI_Win_test(win, &flag));
        CHECK_INT(window, before + 100 * round);
    }
    TRY(MPI_Win_free(&win));
    TRY(MPI_Group_free(&to));
    TRY(MPI_Group_free(&from));
    TRY(MPI_Group_free(&world));
    return check_end();
}
