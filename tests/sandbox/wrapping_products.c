// Counts, sizes, units, strides and displacements whose products or sums wrap in 32 or in 64 bits, to a small number or to one in memory, in
// every chapter that multiplies: each is refused, or means what it says.
// ranks: 1 2
#include "variations.h"
#include <rankine.h>

#define HALF (1LL << 62)
#define WRAPS ((1LL << 61) + 1) /* times 8 is 8 */

enum { ROOM = 4096 };
static char bytes[ROOM];
static MPI_Request request;

/* A type of that many bytes, without a byte. */
static MPI_Datatype of_extent(MPI_Count extent)
{
    MPI_Datatype type;
    TRY(MPI_Type_create_resized_c(MPI_INT, 0, extent, &type));
    TRY(MPI_Type_commit(&type));
    return type;
}

static void messages(void)
{
    static const MPI_Count counts[] = {WRAPS, HALF, INT64_MAX, (1LL << 32) + 1, (1LL << 61), (1LL << 60) + 1, 0x4000000000000001, INT64_MIN, -1};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        MPI_Count n = counts[i];
        REFUSED(MPI_Send_c(bytes, n, MPI_DOUBLE, rank, 1, MPI_COMM_SELF));
        REFUSED(MPI_Isend_c(bytes, n, MPI_DOUBLE, rank, 1, MPI_COMM_SELF, &request));
        REFUSED(MPI_Irecv_c(bytes, n, MPI_DOUBLE_INT, rank, 1, MPI_COMM_SELF, &request));
        REFUSED(MPI_Bcast_c(bytes, n, MPI_DOUBLE, 0, MPI_COMM_SELF));
        REFUSED(MPI_Sendrecv_replace_c(bytes, n, MPI_DOUBLE, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        REFUSED(MPI_Reduce_local_c(bytes, bytes + 64, n, MPI_DOUBLE, MPI_SUM));
        REFUSED(MPI_Bsend_init_c(bytes, n, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request));
        REFUSED(MPI_Allreduce_init_c(bytes, bytes + 64, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, &request));
    }
}

/* Elements that lie so far apart that the last one is back in memory. */
static void strides(void)
{
    static const MPI_Count extents[] = {1LL << 32, 1LL << 61, HALF, -(1LL << 32), -HALF, INT64_MAX - 8, INT64_MIN + 8};
    static const MPI_Count counts[] = {2, 3, 4, 5, 9, 17, (1LL << 32) + 1, WRAPS};
    for (unsigned i = 0; i < sizeof extents / sizeof *extents; i++) {
        MPI_Datatype type;
        if (MPI_Type_create_resized_c(MPI_INT, 0, extents[i], &type) != MPI_SUCCESS)
            continue;
        TRY(MPI_Type_commit(&type));
        for (unsigned n = 0; n < sizeof counts / sizeof *counts; n++) {
            REFUSED(MPI_Send_c(bytes, counts[n], type, rank, 1, MPI_COMM_SELF));
            REFUSED(MPI_Bcast_c(bytes, counts[n], type, 0, MPI_COMM_SELF));
            MPI_Count position = 0;
            REFUSED(MPI_Pack_c(bytes, counts[n], type, bytes, ROOM, &position, MPI_COMM_SELF));
        }
        TRY(MPI_Type_free(&type));
    }
}

/* Types whose size or extent is a product that wraps, in one step or in many. */
static void types(void)
{
    MPI_Datatype type, next;
    const MPI_Count lengths[] = {HALF, 3}, places[] = {HALF, -HALF};
    MPI_Count size = -1, low = -1, extent = -1;
    for (int way = 0; way < 8; way++) {
        int code = MPI_SUCCESS;
        switch (way) {
        case 0: code = MPI_Type_contiguous_c(WRAPS, MPI_DOUBLE, &type); break;
        case 1: code = MPI_Type_vector_c(1LL << 32, 1LL << 32, 1, MPI_DOUBLE, &type); break;
        case 2: code = MPI_Type_vector_c(1LL << 32, 1, 1LL << 32, MPI_DOUBLE, &type); break;
        case 3: code = MPI_Type_create_hvector_c(3, 1, HALF, MPI_INT, &type); break;
        case 4: code = MPI_Type_indexed_c(2, lengths, places, MPI_INT, &type); break;
        case 5: code = MPI_Type_create_hindexed_c(2, places, lengths, MPI_INT, &type); break;
        case 6: code = MPI_Type_create_struct_c(2, lengths, places, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type); break;
        default: code = MPI_Type_create_subarray_c(2, (MPI_Count[]){1LL << 32, 1LL << 32}, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 0}, MPI_ORDER_C, MPI_DOUBLE, &type); break;
        }
        if (code != MPI_SUCCESS)
            continue;
        if (MPI_Type_commit(&type) == MPI_SUCCESS) {
            TRY(MPI_Type_size_c(type, &size));
            TRY(MPI_Type_get_extent_c(type, &low, &extent));
            REFUSED(MPI_Send(bytes, 1, type, rank, 1, MPI_COMM_SELF));
            REFUSED(MPI_Irecv(bytes, 2, type, rank, 1, MPI_COMM_SELF, &request));
        }
        TRY(MPI_Type_free(&type));
    }
    TRY(MPI_Type_dup(MPI_BYTE, &type));
    for (int i = 0; i < 70; i++) {
        if (MPI_Type_contiguous(2, type, &next) != MPI_SUCCESS)
            break;
        TRY(MPI_Type_free(&type));
        type = next;
        if (i > 32) {
            TRY(MPI_Type_commit(&type));
            REFUSED(MPI_Send(bytes, 1, type, rank, 1, MPI_COMM_SELF));
        }
    }
    TRY(MPI_Type_free(&type));
}

static void partitions(void)
{
    static const MPI_Count each[] = {HALF, WRAPS, 1LL << 60, 1LL << 33, INT64_MAX};
    static const int parts[] = {2, 4, 8, 16, 1 << 16, INT32_MAX};
    for (unsigned i = 0; i < sizeof each / sizeof *each; i++)
        for (unsigned p = 0; p < sizeof parts / sizeof *parts; p++) {
            REFUSED(MPI_Psend_init(bytes, parts[p], each[i], MPI_BYTE, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            REFUSED(MPI_Precv_init(bytes, parts[p], each[i], MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        }
}

/* Displacements of windows, by units that are large, odd or negative. */
static void windows(void)
{
    static const int units[] = {1, 7, 1 << 30, INT32_MAX};
    static const MPI_Aint displacements[] = {1, 2, 4, 5, 1 << 28, INT32_MAX, -1, INT32_MIN};
    MPI_Win window;
    for (unsigned u = 0; u < sizeof units / sizeof *units; u++) {
        TRY(MPI_Win_create(bytes, 4, units[u], MPI_INFO_NULL, MPI_COMM_WORLD, &window));
        TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
        TRY(MPI_Win_lock_all(0, window));
        for (unsigned d = 0; d < sizeof displacements / sizeof *displacements; d++) {
            if (displacements[d] * (long long)units[u] == 0)
                continue;
            REFUSED(MPI_Put(bytes + 64, 1, MPI_INT, rank, displacements[d], 1, MPI_INT, window));
            REFUSED(MPI_Get(bytes + 64, 4, MPI_BYTE, rank, displacements[d], 4, MPI_BYTE, window));
            REFUSED(MPI_Fetch_and_op(bytes + 64, bytes + 128, MPI_INT, rank, displacements[d], MPI_SUM, window));
            REFUSED(MPI_Compare_and_swap(bytes + 64, bytes + 128, bytes + 192, MPI_INT, rank, displacements[d], window));
            REFUSED(MPI_Put_c(bytes + 64, WRAPS, MPI_DOUBLE, rank, 0, WRAPS, MPI_DOUBLE, window));
        }
        TRY(MPI_Win_unlock_all(window));
        TRY(MPI_Win_free(&window));
    }
    REFUSED(MPI_Win_create(bytes, 4, 0, MPI_INFO_NULL, MPI_COMM_SELF, &window));
    REFUSED(MPI_Win_create(bytes, 4, -4, MPI_INFO_NULL, MPI_COMM_SELF, &window));
    REFUSED(MPI_Win_create(bytes, -4, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window));
}

/* Blocks of a collective whose places wrap to where there is memory. */
static void vectors(void)
{
    int n = size;
    MPI_Count counts[8], bytes_of[8];
    MPI_Aint places[8];
    MPI_Datatype types[8];
    for (int i = 0; i < n; i++) {
        counts[i] = WRAPS;
        bytes_of[i] = 0;
        places[i] = INT32_MAX;
        types[i] = MPI_DOUBLE;
    }
    REFUSED(MPI_Alltoallv_c(bytes, counts, places, MPI_DOUBLE, bytes + 64, counts, places, MPI_DOUBLE, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallw_c(bytes, counts, places, types, bytes + 64, counts, places, types, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv_c(bytes, 1, MPI_DOUBLE, bytes + 64, counts, places, MPI_DOUBLE, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_c(bytes, bytes + 64, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block_c(bytes, bytes + 64, HALF, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather_c(bytes, HALF, MPI_INT, bytes + 64, HALF, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall_c(bytes, HALF, MPI_INT, bytes + 64, HALF, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        counts[i] = 1;
    // 2^31 - 1 times 8 is 2^34 - 8, which ends in 32 bits eight bytes before the buffer.
    REFUSED(MPI_Allgatherv_c(bytes, 1, MPI_DOUBLE, bytes + 64, counts, places, MPI_DOUBLE, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv_c(bytes, counts, places, MPI_DOUBLE, bytes + 64, bytes_of, places, MPI_DOUBLE, MPI_COMM_WORLD));
}

/* Packed lengths and positions. */
static void packing(void)
{
    MPI_Count length = 0, position;
    int small;
    for (int i = 0; i < 3; i++) {
        position = i == 0 ? INT64_MAX : i == 1 ? HALF : -8;
        REFUSED(MPI_Pack_c(bytes, 1, MPI_DOUBLE, bytes + 64, INT64_MAX, &position, MPI_COMM_SELF));
        position = i == 0 ? INT64_MAX : i == 1 ? HALF : -8;
        REFUSED(MPI_Unpack_c(bytes, INT64_MAX, &position, bytes + 64, 1, MPI_DOUBLE, MPI_COMM_SELF));
        position = 0;
        REFUSED(MPI_Pack_external_c("external32", bytes, WRAPS, MPI_DOUBLE, bytes + 64, 64, &position));
    }
    if (MPI_Pack_size_c(WRAPS, MPI_DOUBLE, MPI_COMM_SELF, &length) == MPI_SUCCESS)
        CHECK(length < 0 || length > HALF || !embedded()); // MPICH says what is left of it
    if (MPI_Pack_size(INT32_MAX, MPI_DOUBLE, MPI_COMM_SELF, &small) == MPI_SUCCESS)
        CHECK(small < 0 || small == INT32_MAX);
}

/* Memory and buffers of sizes that no address has. */
static void memory(void)
{
    void *block = NULL;
    MPI_Win window;
    REFUSED(MPI_Alloc_mem(-1, MPI_INFO_NULL, &block));
    REFUSED(MPI_Alloc_mem(INT32_MIN, MPI_INFO_NULL, &block));
    REFUSED(MPI_Buffer_attach_c(bytes, HALF));
    REFUSED(MPI_Buffer_attach(bytes, -1));
    REFUSED(MPI_Buffer_attach(near_end(16), 17));
    REFUSED(MPI_Win_allocate_c(-1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &block, &window));
    REFUSED(MPI_Win_allocate_shared_c(INT32_MIN, 1, MPI_INFO_NULL, MPI_COMM_SELF, &block, &window));
}

/* Statuses that claim more than there can be. */
static void statuses(void)
{
    MPI_Status status;
    MPI_Datatype wide = of_extent(1 << 20);
    MPI_Count elements;
    int few;
    memset(&status, 0, sizeof status);
    static const MPI_Count claims[] = {HALF, INT64_MAX, WRAPS, 1LL << 32};
    for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
        MPI_Status_set_elements_c(&status, MPI_DOUBLE, claims[i]);
        MPI_Get_elements_c(&status, wide, &elements);
        MPI_Get_count_c(&status, MPI_DOUBLE_INT, &elements);
        MPI_Get_count(&status, MPI_BYTE, &few);
        CHECK(few == MPI_UNDEFINED || few >= 0);
    }
    // Whatever the words of a status are.
    for (int i = 0; i < 64; i++) {
        memset(&status, i * 37, sizeof status);
        MPI_Get_elements_c(&status, wide, &elements);
        MPI_Get_count_c(&status, wide, &elements);
        MPI_Test_cancelled(&status, &few);
    }
    TRY(MPI_Type_free(&wide));
}

/* Objects, whose sizes and numbers are multiplied too. */
static void objects(void)
{
    static const struct {
        int size, align, count;
    } all[] = {{1 << 30, 4, 4}, {1 << 28, 4, 16}, {INT32_MAX, 1, 2}, {1 << 16, 4, 1 << 16}, {4, 4, 1 << 30}, {8, 8, 1 << 29}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        Rankine_Type type;
        if (Rankine_Type_create("wide", all[i].size, all[i].align, &type) != MPI_SUCCESS)
            continue;
        if (Rankine_Type_define(type, 0, NULL) == MPI_SUCCESS) {
            REFUSED(Rankine_Isend(bytes, all[i].count, RANKINE_VALUES(type), rank, 2, MPI_COMM_SELF, &request));
            REFUSED(Rankine_Isend(near_end(0), 1, RANKINE_VALUES(type), rank, 2, MPI_COMM_SELF, &request));
            REFUSED(Rankine_Isend(near_end(4), all[i].count, type, rank, 2, MPI_COMM_SELF, &request));
        }
        TRY(Rankine_Type_free(&type));
    }
    // Arrays inside of an object, whose counts a field says.
    struct {
        int *values;
        int n;
    } liar = {(int *)bytes, 0}, *one = &liar;
    static const int lies[] = {1 << 30, INT32_MAX, -1, INT32_MIN, (1 << 30) + 1};
    Rankine_Field fields[] = {{RANKINE_KIND_ARRAY, 0, RANKINE_OF(MPI_INT), 0, 4, -1, -1, 0, "values"}};
    Rankine_Type type;
    TRY(Rankine_Type_create("liar", sizeof liar, 4, &type));
    TRY(Rankine_Type_define(type, 1, fields));
    for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
        liar.n = lies[i];
        REFUSED(Rankine_Isend(&one, 1, type, rank, 2, MPI_COMM_SELF, &request));
    }
    TRY(Rankine_Type_free(&type));
}

/* Contexts come and go: none is given out twice, however many there have been. */
static void contexts(void)
{
    enum { ALIVE = 16, ROUNDS = 300 };
    MPI_Comm alive[ALIVE];
    for (int i = 0; i < ALIVE; i++)
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &alive[i]));
    for (int i = 0; i < ROUNDS; i++) {
        int which = i * 7 % ALIVE, got = -1, flag;
        TRY(MPI_Comm_free(&alive[which]));
        TRY(i % 3 ? MPI_Comm_dup(MPI_COMM_WORLD, &alive[which]) : MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &alive[which]));
        TRY(MPI_Send_init(&rank, 1, MPI_INT, rank, 3, alive[which], &request));
        TRY(MPI_Start(&request));
        for (int c = 0; c < ALIVE; c++)
            if (c != which) {
                TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, alive[c], &flag, MPI_STATUS_IGNORE));
                CHECK_INT(flag, 0);
            }
        TRY(MPI_Recv(&got, 1, MPI_INT, rank, 3, alive[which], MPI_STATUS_IGNORE));
        CHECK_INT(got, rank);
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        TRY(MPI_Request_free(&request));
    }
    for (int i = 0; i < ALIVE; i++)
        TRY(MPI_Comm_free(&alive[i]));
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"messages", messages}, {"strides", strides}, {"types", types}, {"partitions", partitions}, {"windows", windows}, {"vectors", vectors},
        {"packing", packing}, {"memory", memory}, {"statuses", statuses}, {"objects", objects}, {"contexts", contexts},
    };
    hostile_begin(&argc, &argv);
    return VARIATIONS(all);
}
