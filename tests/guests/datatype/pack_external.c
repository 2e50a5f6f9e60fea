// MPI_Pack_external, MPI_Unpack_external, MPI_Pack_external_size: "external32" is big-endian, and a long has 4 bytes there.
// ranks: 1 2
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    unsigned char packed[200];
    aint_t position = 0, bytes = 0;
    check_begin(&argc, &argv);
    const unsigned char expected[] = {
        0x01, 0x02, 0x03, 0x04,                         // int
        0x12, 0x34,                                     // short
        0x3f, 0xf8, 0, 0, 0, 0, 0, 0,                   // double 1.5
        0xc0, 0x20, 0, 0,                               // float -2.5
        'a', 'b',                                       // char
        0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x08, // int64_t
        0, 0, 0, 5, 0, 0, 0, 7,                         // a vector of int
    };
    int32_t integer = 0x01020304, vector[] = {5, 6, 7, 8}, got_integer, got_vector[4] = {0};
    short small = 0x1234, got_small;
    double real = 1.5, got_real;
    float single = -2.5f, got_single;
    char text[] = "ab", got_text[3] = "";
    int64_t large = 0x1122334455667708, got_large;
    MPI_Datatype type;
    TRY(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &bytes));
    CHECK_INT(bytes, 24);
    TRY(MPI_Pack_external_size("external32", 1, type, &bytes));
    CHECK_INT(bytes, 8);
    TRY(MPI_Pack_external("external32", &integer, 1, MPI_INT, packed, sizeof packed, &position));
    CHECK_INT(position, 4);
    TRY(MPI_Pack_external("external32", &small, 1, MPI_SHORT, packed, sizeof packed, &position));
    TRY(MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, packed, sizeof packed, &position));
    TRY(MPI_Pack_external("external32", &single, 1, MPI_FLOAT, packed, sizeof packed, &position));
    TRY(MPI_Pack_external("external32", text, 2, MPI_CHAR, packed, sizeof packed, &position));
    TRY(MPI_Pack_external("external32", &large, 1, MPI_INT64_T, packed, sizeof packed, &position));
    TRY(MPI_Pack_external("external32", vector, 1, type, packed, sizeof packed, &position));
    CHECK_INT(position, sizeof expected);
    CHECK_BYTES(packed, expected, sizeof expected);
    position = 0;
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, &got_integer, 1, MPI_INT));
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, &got_small, 1, MPI_SHORT));
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, &got_real, 1, MPI_DOUBLE));
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, &got_single, 1, MPI_FLOAT));
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, got_text, 2, MPI_CHAR));
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, &got_large, 1, MPI_INT64_T));
    TRY(MPI_Unpack_external("external32", packed, sizeof packed, &position, got_vector, 1, type));
    CHECK_INT(position, sizeof expected);
    CHECK_INT(got_integer, integer);
    CHECK_INT(got_small, small);
    CHECK_REAL(got_real, real);
    CHECK_REAL(got_single, single);
    CHECK_STR(got_text, text);
    CHECK_INT(got_large, large);
    CHECK_INT(got_vector[0], 5);
    CHECK_INT(got_vector[1], 0);
    CHECK_INT(got_vector[2], 7);
    // A long has 4 bytes in external32, whatever it has here.
    TRY(MPI_Pack_external_size("external32", 5, MPI_LONG, &bytes));
    if (embedded() || sizeof(long) == 4) // MPICH 5.0 says 8 on a 64-bit machine.
        CHECK_INT(bytes, 20);
    TRY(MPI_Type_free(&type));
    return check_end();
}
