// Messages whose sides describe the same data differently, large enough to be copied in parts: transposed, reversed, gathered.
// native: 1 2
#include "../check.h"

enum { N = 300 };
static double matrix[N][N], transposed[N][N], reversed[N * N];

int main(int argc, char **argv)
{
    MPI_Datatype column, columns, backwards;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            matrix[i][j] = rank + 1000 * i + j;
    TRY(MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column));
    TRY(MPI_Type_create_hvector(N, 1, sizeof(double), column, &columns));
    TRY(MPI_Type_commit(&columns));
    TRY(MPI_Sendrecv(matrix, 1, columns, next, 0, transposed, N * N, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            CHECK_REAL(transposed[i][j], before + 1000 * j + i);
    memset(transposed, 0, sizeof transposed);
    TRY(MPI_Sendrecv(matrix, N * N, MPI_DOUBLE, next, 0, transposed, 1, columns, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            CHECK_REAL(transposed[i][j], before + 1000 * j + i);
    TRY(MPI_Type_vector(N * N, 1, -1, MPI_DOUBLE, &backwards));
    TRY(MPI_Type_commit(&backwards));
    TRY(MPI_Sendrecv(matrix, 1, columns, next, 0, &reversed[N * N - 1], 1, backwards, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            CHECK_REAL(reversed[N * N - 1 - (i * N + j)], before + 1000 * j + i);
    TRY(MPI_Type_free(&backwards));
    TRY(MPI_Type_free(&columns));
    TRY(MPI_Type_free(&column));
    return check_end();
}
