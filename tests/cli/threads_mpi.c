// A program with threads on the engine mpi: refused before it starts, with the way out.
// ranks: 1
// engines: mpi
// cc: -pthread
// exit: nonzero
// stderr: has threads (-pthread, -fopenmp), which the engine mpi does not carry: run it with `rankine run -n N`
#include "../guests/check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    return check_end();
}
