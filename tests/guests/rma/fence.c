// MPI_Win_create, MPI_Win_fence, MPI_Put, MPI_Get, MPI_Accumulate, MPI_Win_free: active targets, derived types, displacement units.
// large: yes
#include "../check.h"

enum { N = 64 };

int main(int argc, char **argv)
{
    int window[N], in[N], out[N];
    MPI_Win win;
    MPI_Datatype every_other;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < N; i++) {
        window[i] = rank * 1000 + i;
        out[i] = -rank * 1000 - i;
        in[i] = -1;
    }
    TRY(MPI_Type_vector(N / 2, 1, 2, MPI_INT, &every_other));
    TRY(MPI_Type_commit(&every_other));
    TRY(MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    TRY(MPI_Get(in, N, MPI_INT, next, 0, N, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    for (int i = 0; i < N; i++)
        CHECK_INT(in[i], next * 1000 + i);
    // Spread out over every second place of the next one's window.
    TRY(MPI_Put(out, N / 2, MPI_INT, next, 0, 1, every_other, win));
    TRY(MPI_Win_fence(0, win));
    for (int i = 0; i < N; i++)
        CHECK_INT(window[i], i % 2 ? rank * 1000 + i : -before * 1000 - i / 2);
    // Everybody adds to rank 0's.
    TRY(MPI_Win_fence(0, win));
    if (rank == 0)
        memset(window, 0, sizeof window);
    TRY(MPI_Win_fence(0, win));
    for (int i = 0; i < N; i++)
        out[i] = rank + i;
    TRY(MPI_Accumulate(out, N, MPI_INT, 0, 0, N, MPI_INT, MPI_SUM, win));
    TRY(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    if (rank == 0)
        for (int i = 0; i < N; i++)
            CHECK_INT(window[i], size * (size - 1) / 2 + size * i);
    TRY(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
    TRY(MPI_Type_free(&every_other));
    return check_end();
}
