// What a rank sends to itself in a collective, packs, or asks about, with lengths that don't fit.
// ranks: 1 2
#include "hostile.h"

/* Refused at once, or when it is complete. */
#define LATER(call) REFUSED((call) == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : MPI_ERR_OTHER)

int main(int argc, char **argv)
{
    static int sent[256], got[256], counts[8], displs[8];
    static char bytes[64];
    MPI_Request request;
    hostile_begin(&argc, &argv);
    for (int i = 0; i < 8; i++)
        counts[i] = 1;
    // Longer than the place that it goes to.
    REFUSED(MPI_Gather(sent, 100, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_SELF));
    REFUSED(MPI_Gatherv(sent, 100, MPI_INT, got, counts, displs, MPI_INT, 0, MPI_COMM_SELF));
    REFUSED(MPI_Scatter(sent, 100, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_SELF));
    REFUSED(MPI_Allgather(sent, 100, MPI_INT, got, 1, MPI_INT, MPI_COMM_SELF));
    REFUSED(MPI_Allgatherv(sent, 100, MPI_INT, got, counts, displs, MPI_INT, MPI_COMM_SELF));
    REFUSED(MPI_Alltoall(sent, 100, MPI_INT, got, 1, MPI_INT, MPI_COMM_SELF));
    LATER(MPI_Igather(sent, 100, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_SELF, &request));
    LATER(MPI_Iallgather(sent, 100, MPI_INT, got, 1, MPI_INT, MPI_COMM_SELF, &request));
    LATER(MPI_Ialltoall(sent, 100, MPI_INT, got, 1, MPI_INT, MPI_COMM_SELF, &request));
    REFUSED(MPI_Allgather_c(sent, 100, MPI_INT, got, 1, MPI_INT, MPI_COMM_SELF));
    for (int i = 1; i < 256; i++)
        CHECK_INT(got[i], 0);
    if (!embedded()) {
        // Elements of which a part is sent: the embedded engine leaves the rest as it is.
        REFUSED(MPI_Gather(bytes, 3, MPI_BYTE, got, 2, MPI_DOUBLE, 0, MPI_COMM_SELF));
        REFUSED(MPI_Allgather(bytes, 9, MPI_BYTE, got, 2, MPI_DOUBLE, MPI_COMM_SELF));
        REFUSED(MPI_Alltoall(bytes, 3, MPI_BYTE, got, 1, MPI_INT, MPI_COMM_SELF));
        REFUSED(MPI_Scatterv(bytes, counts, displs, MPI_BYTE, got, 1, MPI_INT, 0, MPI_COMM_SELF));
    }
    if (!embedded()) // As long as it fits, it may be shorter.
        TRY(MPI_Gather(sent, 1, MPI_INT, got, 2, MPI_INT, 0, MPI_COMM_SELF));
    TRY(MPI_Alltoall(bytes, 8, MPI_BYTE, got, 2, MPI_INT, MPI_COMM_SELF));

    // The contents of a type, with room for more than there is.
    MPI_Datatype type, empty, types[4];
    MPI_Count integers, addresses, large, several;
    int combiner, ints[8];
    MPI_Aint places[8];
    MPI_Count longs[8];
    TRY(MPI_Type_vector(2, 1, 3, MPI_INT, &type));
    TRY(MPI_Type_get_envelope_c(type, &integers, &addresses, &large, &several, &combiner));
    static const MPI_Count room[] = {1LL << 62, INT64_MAX, 1LL << 32, 1LL << 33, 1LL << 61};
    for (unsigned i = 0; i < sizeof room / sizeof *room; i++) {
        MPI_Type_get_contents_c(type, 4, 4, 4, room[i], ints, places, longs, types);
        MPI_Type_get_contents_c(type, room[i], room[i], room[i], room[i], ints, places, longs, types);
    }
    REFUSED(MPI_Type_get_contents_c(type, 0, 0, 0, 0, ints, places, longs, types));
    REFUSED(MPI_Type_get_contents_c(type, -1, -1, -1, INT64_MIN, ints, places, longs, types));
    REFUSED(MPI_Type_get_contents(type, 3, 0, 0, ints, places, types));
    TRY(MPI_Type_get_contents(type, 3, 0, 1, ints, places, types));
    CHECK_INT(ints[2], 3);
    TRY(MPI_Type_free(&type));

    // Packed over itself; representations that there are not, and of what has none.
    int position = 0;
    MPI_Aint where = 0, bytes_needed = -1;
    if (!embedded()) {
        REFUSED(MPI_Pack(got, 4, MPI_INT, got, sizeof got, &position, MPI_COMM_SELF));
        REFUSED(MPI_Unpack(got, sizeof got, &position, got, 4, MPI_INT, MPI_COMM_SELF));
    }
    REFUSED(MPI_Pack_external("tag", sent, 1, MPI_INT, bytes, sizeof bytes, &where));
    REFUSED(MPI_Pack_external_size("", 1, MPI_INT, &bytes_needed));
    TRY(MPI_Type_contiguous(0, MPI_INT, &empty));
    TRY(MPI_Type_commit(&empty));
    TRY(MPI_Pack_external_size("external32", 5, empty, &bytes_needed));
    CHECK_INT(bytes_needed, 0);
    TRY(MPI_Pack_external("external32", sent, 5, empty, bytes, sizeof bytes, &where));
    TRY(MPI_Unpack_external("external32", bytes, sizeof bytes, &where, got, 5, empty));
    CHECK_INT(where, 0);
    TRY(MPI_Type_free(&empty));
    const MPI_Datatype odd[] = {MPI_DOUBLE_INT, MPI_2INT, MPI_LONG_DOUBLE_INT, MPI_WCHAR};
    for (unsigned i = 0; i < 4; i++) {
        MPI_Datatype pair;
        // An error or a result.
        MPI_Pack_external_size("external32", 1, odd[i], &bytes_needed);
        TRY(MPI_Type_vector(2, 1, 2, odd[i], &pair));
        TRY(MPI_Type_commit(&pair));
        MPI_Pack_external_size("external32", 1, pair, &bytes_needed);
        where = 0;
        MPI_Pack_external("external32", sent, 1, pair, (char *)got, sizeof got, &where);
        where = 0;
        MPI_Unpack_external("external32", (char *)got, sizeof got, &where, sent, 1, pair);
        TRY(MPI_Type_free(&pair));
    }

    // Factors of numbers that have many, and of a large prime.
    static const int numbers[] = {INT32_MAX, 1 << 30, 2147395600, 1745944200};
    for (unsigned i = 0; i < 4; i++)
        for (int ndims = 1; ndims <= 8; ndims++) {
            int dims[8] = {0};
            long long product = 1;
            TRY(MPI_Dims_create(numbers[i], ndims, dims));
            for (int k = 0; k < ndims; k++)
                product *= dims[k];
            CHECK(product == numbers[i]);
        }
    return hostile_end();
}
