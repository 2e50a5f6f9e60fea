// Numbers that an MPI library takes on trust: contents of types, statuses that nobody received, ranges of groups, positions, kinds of splits,
// operations of the wrong types. An error, or a result that makes sense.
// ranks: 1 2
#include "hostile.h"

static int small[64], more[64];
static const int far[] = {-1, INT32_MAX, INT32_MIN, 1 << 30};
enum { FAR = sizeof far / sizeof *far };

/* Refused, unless an MPI library makes something of it. */
#define REFUSED_HERE(call) \
    do { \
        if (embedded()) \
            REFUSED(call); \
        else \
            (void)(call); \
    } while (0)

/* What a type was made of, asked with room for less, and for far too much. */
static void contents(void)
{
    int ints[64], lengths[2] = {1, 2}, places[2] = {0, 3}, combiner;
    const int shape[2] = {4, 4}, part[2] = {2, 2}, at[2] = {1, 1};
    MPI_Aint bytes[2] = {0, 16}, addresses[64];
    MPI_Datatype types[7], inner[64], pair[2] = {MPI_INT, MPI_CHAR};
    MPI_Count n[4], longs[64];
    TRY(MPI_Type_vector(2, 1, 3, MPI_INT, &types[0]));
    TRY(MPI_Type_indexed(2, lengths, places, MPI_INT, &types[1]));
    TRY(MPI_Type_create_struct(2, lengths, bytes, pair, &types[2]));
    TRY(MPI_Type_create_subarray(2, shape, part, at, MPI_ORDER_C, MPI_INT, &types[3]));
    TRY(MPI_Type_create_resized(MPI_INT, -4, 12, &types[4]));
    TRY(MPI_Type_dup(MPI_DOUBLE, &types[5]));
    TRY(MPI_Type_create_hindexed_block(2, 2, bytes, MPI_INT, &types[6]));
    for (int i = 0; i < 7; i++) {
        TRY(MPI_Type_get_envelope_c(types[i], &n[0], &n[1], &n[2], &n[3], &combiner));
        for (int short_of = 0; short_of < 4; short_of++) {
            if (n[short_of] == 0)
                continue;
            MPI_Count m[4] = {n[0], n[1], n[2], n[3]};
            m[short_of]--;
            REFUSED(MPI_Type_get_contents_c(types[i], m[0], m[1], m[2], m[3], ints, addresses, longs, inner));
            m[short_of] = -1;
            REFUSED(MPI_Type_get_contents_c(types[i], m[0], m[1], m[2], m[3], ints, addresses, longs, inner));
        }
        int code = MPI_Type_get_contents_c(types[i], n[0], n[1], n[2], 1LL << 62, ints, addresses, longs, inner);
        FAILS(code, n[3] <= 64 ? MPI_SUCCESS : code);
        for (int k = 0; k < n[3]; k++)
            if (inner[k] != MPI_INT && inner[k] != MPI_CHAR && inner[k] != MPI_DOUBLE)
                TRY(MPI_Type_free(&inner[k]));
    }
    FAILS(MPI_Type_get_contents(MPI_INT, 9, 9, 9, ints, addresses, inner), MPI_ERR_TYPE);
    for (int i = 0; i < 7; i++)
        TRY(MPI_Type_free(&types[i]));
}

/* Descriptions that no array has. */
static void arrays(void)
{
    MPI_Datatype type;
    const int four[2] = {4, 4}, two[2] = {2, 2}, three[2] = {3, 3}, zero[2] = {0, 0}, block[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
    const int usual[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    REFUSED(MPI_Type_create_subarray(2, four, four, two, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(2, four, zero, zero, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(2, four, two, two, 12345, MPI_INT, &type));
    REFUSED(MPI_Type_create_subarray(0, four, two, two, MPI_ORDER_C, MPI_INT, &type));
    for (int i = 0; i < FAR; i++) {
        const int wild[2] = {far[i], far[i]};
        REFUSED(MPI_Type_create_subarray(2, four, wild, zero, MPI_ORDER_C, MPI_INT, &type));
        REFUSED(MPI_Type_create_subarray(2, four, two, wild, MPI_ORDER_C, MPI_INT, &type));
        REFUSED(MPI_Type_create_darray(4, far[i], 2, four, block, usual, two, MPI_ORDER_C, MPI_INT, &type));
        REFUSED(MPI_Type_create_darray(far[i], 0, 2, four, block, usual, two, MPI_ORDER_C, MPI_INT, &type));
        REFUSED(MPI_Type_create_darray(4, 0, 2, four, wild, usual, two, MPI_ORDER_C, MPI_INT, &type));
        REFUSED(MPI_Type_create_darray(4, 0, 2, four, block, usual, wild, MPI_ORDER_C, MPI_INT, &type));
    }
    REFUSED(MPI_Type_create_darray(4, 0, 2, four, block, usual, three, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_darray(4, 0, 2, four, block, (int[]){1, 1}, two, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_create_darray(4, 0, 2, four, block, zero, two, MPI_ORDER_C, MPI_INT, &type));
    REFUSED(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type));
    REFUSED(MPI_Type_match_size(-77, 4, &type));
    REFUSED(MPI_Type_create_f90_real(INT32_MAX, INT32_MAX, &type));
    REFUSED(MPI_Type_create_f90_integer(1000, &type));
}

/* Statuses that a program made up. */
static void statuses(void)
{
    MPI_Status status;
    int count = -1;
    MPI_Count large = -1;
    MPI_Datatype none;
    TRY(MPI_Type_contiguous(0, MPI_INT, &none));
    TRY(MPI_Type_commit(&none));
    for (int byte = 0; byte < 256; byte += 51) {
        memset(&status, byte, sizeof status);
        // A number, or an error: nothing else may happen.
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Get_count(&status, none, &count);
        MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
        MPI_Get_elements_c(&status, MPI_INT, &large);
        MPI_Test_cancelled(&status, &count);
    }
    memset(&status, 0, sizeof status);
    REFUSED(MPI_Status_set_elements(&status, MPI_INT, -1));
    REFUSED(MPI_Status_set_elements_c(&status, MPI_INT, INT64_MIN));
    TRY(MPI_Status_set_elements_c(&status, MPI_INT, 1LL << 40));
    TRY(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, MPI_UNDEFINED);
    TRY(MPI_Get_count_c(&status, MPI_INT, &large));
    CHECK(large == 1LL << 40);
    TRY(MPI_Status_set_elements(&status, MPI_BYTE, 5));
    TRY(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, MPI_UNDEFINED);
    FAILS(MPI_Get_count(&status, MPI_DATATYPE_NULL, &count), MPI_ERR_TYPE);
    TRY(MPI_Type_free(&none));
}

static void groups(void)
{
    MPI_Group world, made;
    int translated[FAR];
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int ranges[][1][3] = {{{0, INT32_MAX, 1}}, {{0, 0, 0}}, {{INT32_MIN, INT32_MAX, INT32_MAX}}, {{INT32_MAX, 0, -1}}, {{0, -1, -1}}, {{size, size, 1}}};
    for (unsigned i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        REFUSED(MPI_Group_range_incl(world, 1, ranges[i], &made));
        REFUSED(MPI_Group_range_excl(world, 1, ranges[i], &made));
    }
    for (int i = 0; i < FAR; i++) {
        REFUSED(MPI_Group_incl(world, 1, &far[i], &made));
        REFUSED(MPI_Group_excl(world, 1, &far[i], &made));
        REFUSED(MPI_Group_incl(world, far[i], small, &made));
        REFUSED(MPI_Group_range_incl(world, far[i], ranges[0], &made));
        REFUSED(MPI_Group_translate_ranks(world, 1, &far[i], world, translated));
    }
    REFUSED(MPI_Group_incl(world, 2, (int[]){0, 0}, &made));
    REFUSED(MPI_Group_excl(world, 2, (int[]){0, 0}, &made));
    int again[2][3] = {{0, 0, 1}, {0, 0, -1}};
    REFUSED(MPI_Group_range_incl(world, 2, again, &made));
    REFUSED(MPI_Group_range_excl(world, 2, again, &made));
    REFUSED(MPI_Group_translate_ranks(world, -1, small, world, translated));
    TRY(MPI_Group_free(&world));
}

static void positions(void)
{
    char packed[64];
    int position;
    for (int i = 0; i < FAR; i++) {
        position = far[i];
        REFUSED(MPI_Pack(small, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF));
        CHECK_INT(position, far[i]);
        REFUSED(MPI_Unpack(packed, sizeof packed, &position, small, 1, MPI_INT, MPI_COMM_SELF));
        position = 0;
        REFUSED(MPI_Pack(small, far[i], MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF));
        if (far[i] < 0)
            REFUSED(MPI_Unpack(packed, far[i], &position, small, 1, MPI_INT, MPI_COMM_SELF));
        CHECK_INT(position, 0);
    }
    position = 61;
    REFUSED(MPI_Pack(small, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF));
    REFUSED(MPI_Unpack(packed, sizeof packed, &position, small, 1, MPI_INT, MPI_COMM_SELF));
    int bytes = -1;
    REFUSED(MPI_Pack_size(-1, MPI_INT, MPI_COMM_SELF, &bytes));
    REFUSED(MPI_Pack_size(1, MPI_DATATYPE_NULL, MPI_COMM_SELF, &bytes));
}

static void splits(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    for (int i = 0; i < FAR; i++) {
        if (far[i] < 0)
            REFUSED_HERE(MPI_Comm_split(MPI_COMM_WORLD, far[i], 0, &made));
        else {
            TRY(MPI_Comm_split(MPI_COMM_WORLD, far[i], rank ? INT32_MIN : INT32_MAX, &made));
            TRY(MPI_Comm_free(&made));
        }
        REFUSED(MPI_Comm_split_type(MPI_COMM_WORLD, far[i], 0, MPI_INFO_NULL, &made));
    }
    REFUSED(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, small));
    REFUSED(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &made));
}

/* Operations of types that they are not for. */
static void operations(void)
{
    static const struct {
        MPI_Op op;
        MPI_Datatype type;
    } wrong[] = {
        {MPI_BAND, MPI_DOUBLE}, {MPI_LXOR, MPI_FLOAT}, {MPI_MINLOC, MPI_INT}, {MPI_MAXLOC, MPI_DOUBLE}, {MPI_SUM, MPI_2INT},
        {MPI_MAX, MPI_C_DOUBLE_COMPLEX}, {MPI_PROD, MPI_BYTE}, {MPI_SUM, MPI_CHAR}, {MPI_LAND, MPI_DOUBLE_INT}, {MPI_BXOR, MPI_C_BOOL},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED_HERE(MPI_Allreduce(small, more, 1, wrong[i].type, wrong[i].op, MPI_COMM_WORLD));
        REFUSED_HERE(MPI_Reduce_local(small, more, 1, wrong[i].type, wrong[i].op));
        REFUSED_HERE(MPI_Scan(small, more, 1, wrong[i].type, wrong[i].op, MPI_COMM_WORLD));
    }
    FAILS(MPI_Allreduce(small, more, 1, MPI_INT, MPI_REPLACE, MPI_COMM_WORLD), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(small, more, 1, MPI_INT, MPI_NO_OP), MPI_ERR_OP);
}

/* What can't be cancelled, started or freed. */
static void requests(void)
{
    MPI_Request request;
    MPI_Comm made;
    TRY(MPI_Comm_idup(MPI_COMM_SELF, &made, &request));
    if (!embedded()) // there it is complete at once, or goes on
        FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Allreduce_init(small, more, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, &request));
    TRY(MPI_Start(&request));
    REFUSED(MPI_Start(&request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (!embedded())
        FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    TRY(MPI_Request_free(&request));
    TRY(MPI_Isend(small, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request));
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void infos(void)
{
    MPI_Info info;
    char text[300] = "";
    int n = -1, flag = -1;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "key", "value"));
    for (int i = 0; i < FAR; i++)
        REFUSED(MPI_Info_get_nthkey(info, far[i], text));
    REFUSED(MPI_Info_get_nthkey(info, 1, text));
    n = -1;
    REFUSED(MPI_Info_get_string(info, "key", &n, text, &flag));
    n = INT32_MIN;
    REFUSED(MPI_Info_get_string(info, "key", &n, text, &flag));
    n = 0;
    TRY(MPI_Info_get_string(info, "key", &n, NULL, &flag));
    CHECK(flag && n == 6);
    n = 3;
    TRY(MPI_Info_get_string(info, "key", &n, text, &flag));
    CHECK_STR(text, "va");
    REFUSED(MPI_Info_get_string(info, "key", &n, near_end(1), &flag));
    REFUSED(MPI_Info_delete(info, "another"));
    TRY(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    contents();
    arrays();
    statuses();
    groups();
    positions();
    splits();
    operations();
    requests();
    infos();
    return hostile_end();
}
