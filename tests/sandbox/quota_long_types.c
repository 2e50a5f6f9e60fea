// Types of long arguments, of which a call has several copies for a while: what these took goes back to the system, and is not kept for the next.
// ranks: 1
// engines: local
// run: --memory-limit 512M
// peak: 590
#include "quota.h"

enum { BLOCKS = 1 << 18, MOST = 1000 };
static int lengths[BLOCKS], places[BLOCKS];
static MPI_Datatype types[MOST];

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = 1;
        places[i] = 3 * i + i % 2;
    }
    EXHAUST(MOST, MPI_Type_indexed(BLOCKS, lengths, places, MPI_BYTE, &types[made]));
    // The program has the rest.
    while (__builtin_wasm_memory_grow(0, 16) != (size_t)-1)
        ;
    for (int i = 0; i < made; i++)
        TRY(MPI_Type_free(&types[i]));
    return hostile_end();
}
