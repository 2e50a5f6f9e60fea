// What is as wide as addresses are, in programs of either width: MPI_LONG and its kin, MPI_Aint, handles, attributes.
// ranks: 1 2 3
#include "../check.h"

static int copied(MPI_Datatype type, int keyval, void *state, void *value, void *copy, int *flag)
{
    (void)type, (void)keyval;
    *(void **)copy = (char *)value + (intptr_t)state;
    *flag = 1;
    return MPI_SUCCESS;
}

static void longest(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const long *a = in;
    long *b = inout;
    CHECK(*type == MPI_LONG);
    for (int i = 0; i < *length; i++) b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void sizes(void)
{
    const struct { MPI_Datatype type; size_t bytes; } known[] = {
        {MPI_LONG, sizeof(long)}, {MPI_UNSIGNED_LONG, sizeof(long)}, {MPI_AINT, sizeof(MPI_Aint)},
        {MPI_LONG_INT, sizeof(long) + sizeof(int)}, {MPI_COUNT, 8}, {MPI_LONG_LONG, 8}, {MPI_INT, 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int bytes;
        TRY(MPI_Type_size(known[i].type, &bytes));
        CHECK_INT(bytes, known[i].bytes);
    }
    CHECK_INT(sizeof(MPI_Aint), sizeof(void *));
    CHECK_INT(sizeof(MPI_Comm), sizeof(void *));
    struct { long value; int index; } pairs[2];
    MPI_Aint low, extent;
    TRY(MPI_Type_get_extent(MPI_LONG_INT, &low, &extent));
    CHECK_INT(extent, sizeof *pairs);
    MPI_Datatype pair;
    TRY(MPI_Type_get_value_index(MPI_LONG, MPI_INT, &pair));
    if (embedded() || sizeof(long) == 8) // With 32 bits a library is told of an int.
        CHECK(pair == MPI_LONG_INT);
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    TRY(MPI_Type_get_name(MPI_UNSIGNED_LONG, name, &length));
    CHECK_STR(name, "MPI_UNSIGNED_LONG");
    /* The form that all programs read has 4 bytes for a long, and 8 for an address. */
    MPI_Aint packed;
    TRY(MPI_Pack_external_size("external32", 1, MPI_LONG, &packed));
    CHECK_INT(packed, 4);
    TRY(MPI_Pack_external_size("external32", 1, MPI_AINT, &packed));
    CHECK_INT(packed, embedded() || sizeof(long) == 8 ? 8 : 4);
}

static void messages(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    const long top = sizeof(long) == 8 ? (long)(1LL << 40) : 1L << 20;
    long given = top + rank, got = -1, most;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    TRY(MPI_Irecv(&got, 1, MPI_LONG, from, 3, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Isend(&given, 1, MPI_LONG, to, 3, MPI_COMM_WORLD, &requests[1]));
    TRY(MPI_Waitall(2, requests, statuses));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    CHECK_INT(got, top + from);
    MPI_Op op;
    TRY(MPI_Op_create(longest, 1, &op));
    TRY(MPI_Allreduce(&given, &most, 1, MPI_LONG, op, MPI_COMM_WORLD));
    CHECK_INT(most, top + size - 1);
    TRY(MPI_Op_free(&op));
    struct { long value; int index; } mine = {-given, rank}, least;
    TRY(MPI_Allreduce(&mine, &least, 1, MPI_LONG_INT, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK_INT(least.value, -(top + size - 1));
    CHECK_INT(least.index, size - 1);
    struct { long value; int index; } all[4];
    TRY(MPI_Allgather(&mine, 1, MPI_LONG_INT, all, 1, MPI_LONG_INT, MPI_COMM_WORLD));
    CHECK_INT(all[from].value, -(top + from));
    CHECK_INT(all[from].index, from);
    /* A message to the rank itself that ends within an element is none. */
    MPI_Datatype apart;
    int part = 1;
    long room[2];
    TRY(MPI_Type_create_hvector(2, 1, 2 * sizeof(long), MPI_LONG, &apart));
    TRY(MPI_Type_commit(&apart));
    if (!embedded() && sizeof(long) == 8)
        FAILS(MPI_Gather(&part, 1, MPI_INT, room, 1, apart, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    TRY(MPI_Type_free(&apart));
    int lengths[2] = {1, 2};
    MPI_Aint places[2] = {0, 2 * sizeof(long)};
    MPI_Datatype types[2] = {MPI_LONG, MPI_AINT}, mixed, contents[2];
    TRY(MPI_Type_create_struct(2, lengths, places, types, &mixed));
    int numbers[3];
    MPI_Aint addresses[2];
    TRY(MPI_Type_get_contents(mixed, 3, 2, 2, numbers, addresses, contents));
    CHECK(contents[0] == MPI_LONG && contents[1] == MPI_AINT && addresses[1] == places[1]);
    TRY(MPI_Type_free(&mixed));
}

/* An attribute is a pointer's worth of bits, and so is what its functions are given. */
static void attributes(void)
{
    void *value = (void *)(intptr_t)(sizeof(void *) == 8 ? -2LL - (1LL << 40) : -2LL), *found;
    int keyval, flag;
    TRY(MPI_Type_create_keyval(copied, MPI_TYPE_NULL_DELETE_FN, &keyval, (void *)(intptr_t)-7));
    MPI_Datatype type, twin;
    TRY(MPI_Type_contiguous(3, MPI_LONG, &type));
    TRY(MPI_Type_set_attr(type, keyval, value));
    TRY(MPI_Type_dup(type, &twin));
    TRY(MPI_Type_get_attr(type, keyval, &found, &flag));
    CHECK(flag && found == value);
    TRY(MPI_Type_get_attr(twin, keyval, &found, &flag));
    CHECK(flag && found == (char *)value - 7);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_free(&twin));
    TRY(MPI_Type_free_keyval(&keyval));
}

/* Extents and displacements as far as an MPI_Aint goes. */
static void distances(void)
{
    const MPI_Aint far = sizeof(MPI_Aint) == 8 ? (MPI_Aint)(5LL << 32) : 1 << 30;
    MPI_Datatype wide, strided;
    MPI_Aint low, extent;
    TRY(MPI_Type_create_resized(MPI_INT, -4, far, &wide));
    TRY(MPI_Type_get_extent(wide, &low, &extent));
    CHECK(low == -4 && extent == far);
    TRY(MPI_Type_create_hvector(2, 1, far / 2, MPI_INT, &strided));
    TRY(MPI_Type_get_extent(strided, &low, &extent));
    CHECK(low == 0 && extent == far / 2 + 4);
    TRY(MPI_Type_free(&wide));
    TRY(MPI_Type_free(&strided));
    CHECK(MPI_Aint_diff(MPI_Aint_add(far, 12), far) == 12);
    MPI_Win win;
    long *base, put = -1 - rank;
    TRY(MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&put, 1, MPI_LONG, (rank + 1) % size, 3, 1, MPI_LONG, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(base[3], -1 - (rank + size - 1) % size);
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    FAILS(MPI_Put(&put, 1, MPI_LONG, rank, far, 1, MPI_LONG, win), MPI_ERR_RMA_RANGE);
    MPI_Aint *bytes;
    int *unit, flag;
    TRY(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == 4 * sizeof(long));
    TRY(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK(flag && *unit == sizeof(long));
    TRY(MPI_Win_free(&win));
    if (!embedded() && sizeof(MPI_Aint) == 8)
        FAILS(MPI_Win_create_c(base, 8, (MPI_Aint)(1LL << 31), MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    sizes();
    messages();
    attributes();
    distances();
    return check_end();
}
