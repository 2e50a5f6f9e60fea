# A file system that writes later and tells whoever closes a file that it could not: a library that is loaded before all others stands for it.
cat > later.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Closes it, and fails if it is a file of 12345 bytes. */
int close(int descriptor)
{
    struct stat about;
    int lost = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 12345;
    int outcome = syscall(SYS_close, descriptor);
    if (outcome == 0 && lost) {
        errno = EDQUOT;
        return -1;
    }
    return outcome;
}
C
cc -shared -fPIC -O1 later.c -o later.so
cat > keep.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
static char bytes[12346];
static void keep(const char *name, int length, int mode)
{
    int rank, class = 0, size;
    char said[MPI_MAX_ERROR_STRING];
    MPI_File file;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file);
    if (rank == 0 && !(mode & MPI_MODE_RDONLY))
        MPI_File_write_at(file, 0, bytes, length, MPI_BYTE, MPI_STATUS_IGNORE);
    int code = MPI_File_close(&file);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, said, &size);
    printf("%d: %s %s %d %d%s\n", rank, name, class == MPI_ERR_QUOTA ? "quota" : class == MPI_SUCCESS ? "kept" : "other",
           file == MPI_FILE_NULL, rank == 0 && code && strstr(said, name) && strstr(said, "quota exceeded"), code ? " told" : "");
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    keep("kept", 12346, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    keep("lost", 12345, MPI_MODE_CREATE | MPI_MODE_RDWR);
    keep("lost", 0, MPI_MODE_RDONLY);
    MPI_Finalize();
    return 0;
}
C
rankine cc keep.c -o keep.wasm
rankine compile keep.wasm > compile.log
expected="0: kept kept 1 0
0: lost kept 1 0
0: lost quota 0 1 told
1: kept kept 1 0
1: lost kept 1 0
1: lost quota 0 0 told"
for ranks in --threads --fibers; do
    rm -f kept lost
    diff - <(LD_PRELOAD=$PWD/later.so rankine run -n 2 $ranks --dir . keep.wasm 2>&1 | LC_ALL=C sort) <<< "$expected"
done
