/* A file that all ranks write and read together: each a contiguous part, or rows of 1 KiB that interleave. `io FILE`; `bytes` is the
 * file's length. */
#include "bench.h"

enum { TOTAL = 32 << 20, ROW = 1024 };

static int rank, size;
static char *buffer;
static const char *name;

static double together(int writes, MPI_File file, int bytes) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), seconds, longest;
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    if (writes)
        MPI_File_write_all(file, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    else
        MPI_File_read_all(file, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    seconds = MPI_Wtime() - start;
    MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static void measure(const char *what, int row) {
    int bytes = TOTAL / size;
    char title[64];
    MPI_File file;
    MPI_Datatype block, type;
    double best[2] = {1e9, 1e9};
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_Type_contiguous(row, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, (MPI_Aint)row * size, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, (MPI_Offset)row * rank, MPI_BYTE, type, "native", MPI_INFO_NULL);
    for (int i = 0; i <= BENCH_REPEAT; i++)
        for (int writes = 1; writes >= 0; writes--) {
            double seconds = together(writes, file, bytes);
            if (i > 0 && seconds < best[writes]) best[writes] = seconds;
        }
    for (int writes = 1; rank == 0 && writes >= 0; writes--) {
        snprintf(title, sizeof title, "%2d ranks: %s %s", size, what, writes ? "write" : "read");
        bench_print(title, TOTAL, best[writes]);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&block);
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    name = argc > 1 ? argv[1] : "/tmp/rankine-bench-io";
    buffer = bench_buffer(TOTAL);
    measure("contiguous", TOTAL / size);
    measure("rows", ROW);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
