// Types made of types, each with more blocks than all before: what describes them counts as long as a type uses it.
// ranks: 1 2
// engines: local
// Over an MPI library a type that can't be charged any more ends the job (see quota_library).
// run: --memory-limit 64M
// peak: 350
#include "quota.h"

enum { MOST = 10000, PARTS = 4000 };
static MPI_Datatype types[MOST], parts[PARTS];
static int lengths[PARTS];
static MPI_Aint places[PARTS];

static void free_all(void)
{
    for (int i = 0; i < made; i++)
        TRY(MPI_Type_free(&types[i]));
}

// A structure of all the parts, none of which begins where another one ends.
static int structure(MPI_Datatype *type)
{
    return MPI_Type_create_struct(PARTS, lengths, places, parts, type);
}

// Something before a type and behind it; the type itself is freed, and lives on in what is made of it.
static int wrap(MPI_Datatype *type)
{
    int ones[] = {1, 1, 1}, code;
    MPI_Aint at[] = {0, 8, 0}, lb, extent;
    MPI_Datatype around[] = {MPI_CHAR, *type, MPI_CHAR}, wrapped;
    TRY(MPI_Type_get_extent(*type, &lb, &extent));
    at[2] = extent + 16;
    code = MPI_Type_create_struct(3, ones, at, around, &wrapped);
    if (code == MPI_SUCCESS) {
        TRY(MPI_Type_free(type));
        *type = wrapped;
    }
    return code;
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int i = 0; i < PARTS; i++) {
        int one[] = {1, 1, 2}, at[] = {0, 2 + i % 5, 9};
        lengths[i] = 2;
        places[i] = 200 * i + i % 3;
        TRY(MPI_Type_indexed(3, one, at, MPI_INT, &parts[i]));
    }
    for (int round = 0; round < 2; round++) {
        EXHAUST(MOST, structure(&types[made]));
        free_all();
    }
    int depth = 0;
    TRY(structure(&types[0]));
    while (depth < MOST && wrap(&types[0]) == MPI_SUCCESS)
        depth++;
    CHECK(depth > 3);
    TRY(MPI_Type_free(&types[0]));
    return hostile_end();
}
