# Files that may grow no further, as on a full disk: the call that writes says so, and the program goes on.
cat > long.c <<'C'
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char bytes[65536];
int main(int argc, char **argv)
{
    int rank, class = 0, size;
    char name[32], said[MPI_MAX_ERROR_STRING];
    MPI_File file;
    MPI_Offset end;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "plain%d", rank);
    FILE *plain = fopen(name, "w");
    size_t written = 0;
    while (written < sizeof bytes) {
        ssize_t more = write(fileno(plain), bytes, sizeof bytes - written);
        if (more <= 0)
            break;
        written += more;
    }
    int reason = errno;
    fclose(plain);
    snprintf(name, sizeof name, "of-mpi%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    int code = MPI_File_write(file, bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, said, &size);
    MPI_File_get_size(file, &end);
    MPI_File_close(&file);
    printf("%d: %d %d %d %d\n", rank, (int)written, reason == EFBIG, class == MPI_ERR_NO_SPACE, (int)end);
    if (!strstr(said, "after 8192 of 65536 bytes were written"))
        printf("no length in: %s\n", said);
    if (!strstr(said, name))
        printf("no name in: %s\n", said);
    MPI_Finalize();
    return 0;
}
C
rankine cc long.c -o long.wasm
rankine compile long.wasm > compile.log
expected="0: 8192 1 1 8192
1: 8192 1 1 8192"
for ranks in --threads --fibers; do
    diff - <(ulimit -f 8 && rankine run -n 2 $ranks --dir . long.wasm 2>&1 | sort) <<< "$expected"
done
