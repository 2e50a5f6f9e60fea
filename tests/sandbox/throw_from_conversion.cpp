// An exception that leaves the function which converts a file's data, in the midst of a collective write.
// engines: local
// ranks: 1 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_File_write_at_all
// stderr-not: deadlock
// stderr-not: panicked
// run: --dir {scratch}::/tmp
#include <cstdio>
#include <mpi.h>
#include <string>
#include <time.h>

static int extent(MPI_Datatype, MPI_Aint *bytes, void *)
{
    *bytes = 8;
    return MPI_SUCCESS;
}

static int convert(void *, MPI_Datatype, int, void *, MPI_Offset, void *)
{
    throw std::string("no conversion");
}

int main(int argc, char **argv)
{
    static int data[1000];
    MPI_File file;
    timespec now{};
    MPI_Init(&argc, &argv);
    clock_gettime(CLOCK_REALTIME, &now);
    long long number = now.tv_sec * 1000000000LL + now.tv_nsec;
    MPI_Bcast(&number, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    std::string name = "/tmp/rankine-throw-" + std::to_string(number);
    MPI_Register_datarep("throws", convert, convert, extent, nullptr);
    MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_delete(name.c_str(), MPI_INFO_NULL);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "throws", MPI_INFO_NULL);
    try {
        MPI_File_write_at_all(file, 0, data, 1000, MPI_INT, MPI_STATUS_IGNORE);
    } catch (const std::string &) {
        std::puts("caught");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
