// Datatypes that leave memory: negative lower bounds, holes, strides and extents that overflow, absolute addresses.
// ranks: 1 3
#include "hostile.h"

static int middle[16];

// Neither sends from, nor receives into, what the type reaches from `at`.
static void refused(void *at, int count, MPI_Datatype type)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 0;
    TRY(MPI_Type_commit(&type));
    FAILS(MPI_Send(at, count, type, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Irecv(at, count, type, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Bcast(at, count, type, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    REFUSED(MPI_Sendrecv(&value, 1, MPI_INT, rank, 0, at, count, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    int position = 0;
    char packed[64];
    REFUSED(MPI_Pack(at, count, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
    REFUSED(MPI_Unpack(packed, sizeof packed, &position, at, count, type, MPI_COMM_WORLD));
}

// As `refused`, by whichever class.
static void useless(int count, MPI_Datatype type)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TRY(MPI_Type_commit(&type));
    REFUSED(MPI_Send(middle, count, type, rank, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Irecv(middle, count, type, rank, 0, MPI_COMM_WORLD, &request));
    REFUSED(MPI_Bcast(middle, count, type, 0, MPI_COMM_SELF));
}

// Sends from `at`, and receives there, so many ints of that type.
static void moves(void *at, int count, MPI_Datatype type, int ints)
{
    int other[8];
    TRY(MPI_Sendrecv(at, count, type, rank, 0, other, ints, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Sendrecv(other, ints, MPI_INT, rank, 0, at, count, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Datatype type, inner;
    hostile_begin(&argc, &argv);
    // Reaches below address 0.
    TRY(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){-(MPI_Aint)(intptr_t)middle - 4}, MPI_INT, &type));
    refused(middle, 1, type);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_vector(2, 1, -(int)((intptr_t)middle / 4) - 1, MPI_INT, &type));
    refused(middle, 1, type);
    TRY(MPI_Type_free(&type));
    // Its last element ends one byte behind the end.
    TRY(MPI_Type_vector(2, 1, 4, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    moves(near_end(20), 1, type, 2);
    refused(near_end(19), 1, type);
    refused(near_end(20), 2, type);
    TRY(MPI_Type_free(&type));
    // A hole of many gigabytes, of which the end wraps around to where it began.
    TRY(MPI_Type_create_hvector_c(2, 1, 1LL << 32, MPI_INT, &type));
    refused(middle, 1, type);
    TRY(MPI_Type_free(&type));
    // Numbers that overflow inside of a library: refused when made, or when used.
    static const MPI_Count far[] = {INT64_MAX - 8, INT64_MIN + 8, INT64_MAX / 2, 1LL << 61, 1LL << 59};
    for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
        if (MPI_Type_create_hvector_c(2, 1, far[i], MPI_INT, &type) == MPI_SUCCESS) {
            useless(1, type);
            TRY(MPI_Type_free(&type));
        }
        if (MPI_Type_create_resized_c(MPI_INT, far[i], far[i], &inner) == MPI_SUCCESS) {
            useless(3, inner);
            // Twice, four times, eight times the distance comes back to where it began.
            for (int times = 2; times <= 8; times *= 2)
                if (MPI_Type_contiguous(times, inner, &type) == MPI_SUCCESS) {
                    useless(2, type);
                    TRY(MPI_Type_free(&type));
                }
            TRY(MPI_Type_free(&inner));
        }
    }
    // Extents that make the second element lie elsewhere.
    TRY(MPI_Type_create_resized_c(MPI_INT, 0, 1LL << 32, &type));
    TRY(MPI_Type_commit(&type));
    moves(middle, 1, type, 1);
    refused(middle, 2, type);
    refused(middle, INT32_MAX, type);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_resized(MPI_INT, 0, -(MPI_Aint)(intptr_t)middle - 4, &type));
    refused(middle, 2, type);
    TRY(MPI_Type_free(&type));
    // Nested until the numbers overflow: refused when made, or when used.
    TRY(MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &type));
    for (int depth = 0; depth < 8; depth++) {
        if (MPI_Type_contiguous(1 << 30, type, &inner) != MPI_SUCCESS)
            break;
        TRY(MPI_Type_free(&type));
        type = inner;
    }
    refused(middle, 1, type);
    TRY(MPI_Type_free(&type));
    // Absolute addresses outside of memory, from the bottom.
    TRY(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){(MPI_Aint)memory_end() - 2}, MPI_INT, &type));
    refused(MPI_BOTTOM, 1, type);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){-4}, MPI_INT, &type));
    refused(MPI_BOTTOM, 1, type);
    TRY(MPI_Type_free(&type));
    // A tree of types that doubles at each level: either it is made and used, or refused; it does not take for ever.
    TRY(MPI_Type_contiguous(1, MPI_BYTE, &type));
    for (int depth = 0; depth < 2000; depth++) {
        if (MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 1}, (MPI_Datatype[]){type, type}, &inner) != MPI_SUCCESS)
            break;
        TRY(MPI_Type_free(&type));
        type = inner;
        if (depth == 1999)
            check_fail(__FILE__, __LINE__, "depth", "a type of 2^2000 bytes was made");
    }
    TRY(MPI_Type_free(&type));
    // The constructors' own arguments.
    REFUSED(MPI_Type_create_subarray(2, (int[]){INT32_MAX, INT32_MAX}, (int[]){1, 1}, (int[]){INT32_MAX, 0}, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(-1, NULL, NULL, NULL, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(INT32_MAX, (int[]){1}, (int[]){1}, (int[]){0}, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_struct(INT32_MAX, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){MPI_INT}, &type));
    REFUSED(MPI_Type_indexed(4, near_end(8), (int[]){0, 1, 2, 3}, MPI_INT, &type));
    REFUSED(MPI_Type_indexed(4, (int[]){1, 1, 1, 1}, near_end(8), MPI_INT, &type));
    REFUSED(MPI_Type_create_struct(3, (int[]){1, 1, 1}, (MPI_Aint[]){0, 4, 8}, near_end(8), &type));
    return hostile_end();
}
