// What the host keeps for accesses to files: converted bytes that another rank's plan still holds, pieces of memory by the million, and those
// of many ranks at once.
// engines: local
// Over an MPI library that one converts what is written, and takes minutes for it.
// ranks: 2 16
// run: --memory-limit 64M --dir {scratch}::/tmp
// peak: limits + 96
#include "quota.h"
#include "../guests/own_number.h"

enum { N = 4 << 20, ROUNDS = 40 };
static char name[64];
static MPI_File file;

/* The last rank has announced its accesses, but doesn't come to them while the others do theirs. */
static void plans_that_wait(void)
{
    static MPI_Request requests[ROUNDS];
    int *data = calloc(N, sizeof *data), done = 0;
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    if (rank == size - 1) {
        for (int i = 0; i < ROUNDS; i++)
            TRY(MPI_File_iwrite_at_all(file, 0, data, 0, MPI_INT, &requests[i]));
        TRY(MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD));
        // It looks at the file, and not at its messages.
        for (FILE *sign = NULL; !sign;)
            if ((sign = fopen(name, "rb"))) {
                done = fgetc(sign) == 'd';
                fclose(sign);
                if (!done)
                    sign = NULL;
            }
        TRY(MPI_Waitall(ROUNDS, requests, MPI_STATUSES_IGNORE));
    } else {
        if (rank == 0)
            TRY(MPI_Recv(NULL, 0, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < ROUNDS; i++)
            MPI_File_write_at_all(file, 1, data, rank == 0 ? N : 0, MPI_INT, MPI_STATUS_IGNORE);
        if (rank == 0) {
            FILE *sign = fopen(name, "r+b");
            CHECK(sign && fputc('d', sign) == 'd' && fclose(sign) == 0);
        }
    }
    free(data);
}

/* A block of the file that lies in millions of pieces of the memory, read twice over. */
static void pieces(void)
{
    MPI_Datatype all, twice, scattered;
    char *data = malloc(2 * N);
    TRY(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    TRY(MPI_File_set_size(file, N));
    TRY(MPI_Type_contiguous(N / 2, MPI_BYTE, &all));
    TRY(MPI_Type_create_resized(all, 0, 0, &twice));
    TRY(MPI_Type_commit(&twice));
    TRY(MPI_Type_vector(N, 1, 2, MPI_BYTE, &scattered));
    TRY(MPI_Type_commit(&scattered));
    MPI_File own;
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &own));
    TRY(MPI_File_set_view(own, 0, MPI_BYTE, twice, "native", MPI_INFO_NULL));
    TRY(MPI_File_read_at(own, 0, data, 1, scattered, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&own));
    // The same of all ranks, which help each other.
    TRY(MPI_File_read_at_all(file, 0, data, 1, scattered, MPI_STATUS_IGNORE));
    free(data);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-quota-%d-%d", size, own_number());
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_File_set_size(file, 4));
    plans_that_wait();
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    pieces();
    TRY(MPI_File_close(&file));
    return hostile_end();
}
