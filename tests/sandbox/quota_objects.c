// Object graphs: descriptions of types, images that wait for their receiver, and walks over more objects than the rank
// has memory for.
// ranks: 1
// engines: local
// bounded: mpi
// run: --memory-limit 64M
// peak: limits + 96
#include <rankine.h>

#include "hostile.h"

enum { BLOB = 8 << 20, MOST = 1000, OBJECTS = 2 << 20, FIELDS = 2000 };
static char blob[BLOB];
static void *roots[OBJECTS];
static Rankine_Field fields[FIELDS];

// Sends an object to itself. Afterwards the program has the memory that it takes to receive one.
static void round_trip(void **root, Rankine_Type type)
{
    void *here[1];
    MPI_Request request;
    TRY(Rankine_Isend(root, 1, type, 0, 7, MPI_COMM_SELF, &request));
    TRY(Rankine_Recv(here, 1, type, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    TRY(Rankine_Free(here, 1, type));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    static MPI_Request requests[MOST];
    static Rankine_Type types[MOST];
    static void *here[1];
    Rankine_Type type, byte;
    void *root = blob;
    int sent = 0, made = 0, code = MPI_SUCCESS;
    hostile_begin(&argc, &argv);

    TRY(Rankine_Set_allocator(Rankine_Allocate, Rankine_Release));
    TRY(Rankine_Type_create("blob", BLOB, 4, &type));
    TRY(Rankine_Type_define(type, 0, NULL));
    round_trip(&root, type);
    for (; sent < MOST && (code = Rankine_Isend(&root, 1, type, 0, 7, MPI_COMM_SELF, &requests[sent])) == MPI_SUCCESS; sent++)
        ;
    CHECK(sent < MOST);
    FAILS(code, MPI_ERR_NO_MEM);
    for (int i = 0; i < sent; i++) {
        TRY(Rankine_Recv(here, 1, type, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        TRY(Rankine_Free(here, 1, type));
        TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    }
    // The memory is there again.
    round_trip(&root, type);

    // Objects of a byte each, one beside the other: walking over them takes many times what they have.
    TRY(Rankine_Type_create("byte", 1, 1, &byte));
    TRY(Rankine_Type_define(byte, 0, NULL));
    for (int i = 0; i < OBJECTS; i++)
        roots[i] = blob + i;
    FAILS(Rankine_Isend(roots, OBJECTS, byte, 0, 7, MPI_COMM_SELF, &requests[0]), MPI_ERR_NO_MEM);

    for (int i = 0; i < FIELDS; i++)
        fields[i] = (Rankine_Field){.kind = RANKINE_KIND_REFERENCE, .offset = 4 * i, .type = type, .count = 1,
                                    .count_at = -1, .capacity_at = -1, .when_at = -1};
    for (code = MPI_SUCCESS; made < MOST && code == MPI_SUCCESS; made++) {
        code = Rankine_Type_create("many", 4 * FIELDS, 4, &types[made]);
        if (code == MPI_SUCCESS)
            code = Rankine_Type_define(types[made], FIELDS, fields);
    }
    CHECK(made < MOST);
    FAILS(code, MPI_ERR_NO_MEM);
    for (int i = 0; i < made; i++)
        if (types[i] != 0)
            TRY(Rankine_Type_free(&types[i]));
    return hostile_end();
}
