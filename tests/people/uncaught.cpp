// An exception that nothing catches: its type, what it says, and where it was thrown.
// ranks: 1 2
// exit: 134
// stderr: an exception was thrown that nothing catches: std::runtime_error: no such mesh: 7
// stderr: at refine(int) (
#include <mpi.h>
#include <stdexcept>
#include <string>

static void refine(int level)
{
    throw std::runtime_error("no such mesh: " + std::to_string(level));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    refine(6 + argc);
    return MPI_Finalize();
}
