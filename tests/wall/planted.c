// Puts a library, which its folder holds, where an environment of that folder would have its MPI library and its launcher.
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>

static int copy(const char *to)
{
    static char bytes[1 << 20];
    FILE *in = fopen("granted/library", "rb"), *out = fopen(to, "wb");
    size_t length = in && out ? fread(bytes, 1, sizeof bytes, in) : 0;
    int is_written = length && fwrite(bytes, 1, length, out) == length;
    if (in)
        fclose(in);
    return out && !fclose(out) && is_written;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {
        "granted/.venv/lib/libmpi_abi.so.1", "granted/.venv/lib/libmpi_abi.so", "granted/libmpi_abi.so.1", "granted/libmpi_abi.so",
        "granted/lib/libmpi_abi.so.1", "granted/.venv/bin/mpiexec",
    };
    int copies = 0;
    MPI_Init(&argc, &argv);
    mkdir("granted/.venv", 0777);
    mkdir("granted/.venv/lib", 0777);
    mkdir("granted/.venv/bin", 0777);
    mkdir("granted/lib", 0777);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        copies += copy(names[i]);
    printf("planted: %d\n", copies);
    puts("asked");
    MPI_Finalize();
}
