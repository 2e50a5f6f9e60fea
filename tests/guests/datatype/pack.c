// MPI_Pack, MPI_Unpack, MPI_Pack_size: values of several types in one message, too small a buffer.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    char packed[400];
    int numbers[10], got_numbers[10], n = 10, got_n = 0;
    double real = 2.5 * rank, got_real = 0;
    count_t position = 0, bytes, more;
    MPI_Status status;
    MPI_Datatype every_other;
    check_begin(&argc, &argv);
    real = 2.5 * rank;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 10; i++)
        numbers[i] = rank * 10 + i;
    TRY(MPI_Type_vector(5, 1, 2, MPI_INT, &every_other));
    TRY(MPI_Type_commit(&every_other));
    TRY(MPI_Pack(&n, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD));
    TRY(MPI_Pack(&real, 1, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD));
    TRY(MPI_Pack(numbers, 1, every_other, packed, sizeof packed, &position, MPI_COMM_WORLD));
    TRY(MPI_Pack(numbers + 1, 1, every_other, packed, sizeof packed, &position, MPI_COMM_WORLD));
    CHECK_INT(position, sizeof n + sizeof real + 10 * sizeof(int));
    TRY(MPI_Sendrecv_replace(packed, sizeof packed, MPI_PACKED, next, 0, before, 0, MPI_COMM_WORLD, &status));
    CHECK_COUNT(status, MPI_PACKED, sizeof packed);
    position = 0;
    TRY(MPI_Unpack(packed, sizeof packed, &position, &got_n, 1, MPI_INT, MPI_COMM_WORLD));
    TRY(MPI_Unpack(packed, sizeof packed, &position, &got_real, 1, MPI_DOUBLE, MPI_COMM_WORLD));
    TRY(MPI_Unpack(packed, sizeof packed, &position, got_numbers, 5, MPI_INT, MPI_COMM_WORLD));
    TRY(MPI_Unpack(packed, sizeof packed, &position, got_numbers + 5, 5, MPI_INT, MPI_COMM_WORLD));
    CHECK_INT(got_n, n);
    CHECK_REAL(got_real, 2.5 * before);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(got_numbers[i], before * 10 + 2 * i);
        CHECK_INT(got_numbers[5 + i], before * 10 + 2 * i + 1);
    }
    // What is packed can be received as what it is, and the other way round.
    position = 0;
    TRY(MPI_Pack(numbers, 10, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD));
    TRY(MPI_Sendrecv(packed, position, MPI_PACKED, next, 0, got_numbers, 10, MPI_INT, before, 0, MPI_COMM_WORLD, &status));
    CHECK_INT(got_numbers[9], before * 10 + 9);
    TRY(MPI_Sendrecv(numbers, 10, MPI_INT, next, 0, packed, sizeof packed, MPI_PACKED, before, 0, MPI_COMM_WORLD, &status));
    position = 4;
    TRY(MPI_Unpack(packed, sizeof packed, &position, got_numbers, 1, MPI_INT, MPI_COMM_WORLD));
    CHECK_INT(got_numbers[0], before * 10 + 1);
    TRY(MPI_Pack_size(3, every_other, MPI_COMM_WORLD, &bytes));
    CHECK(bytes >= (count_t)(15 * sizeof(int)));
    TRY(MPI_Pack_size(0, MPI_INT, MPI_COMM_WORLD, &more));
    CHECK(more >= 0 && more < bytes);
    if (embedded()) { // Too small a buffer, which MPICH 5.0 doesn't look at.
        position = 0;
        CHECK(MPI_Pack(numbers, 10, MPI_INT, packed, 39, &position, MPI_COMM_WORLD) != MPI_SUCCESS);
        position = 4;
        CHECK(MPI_Unpack(packed, 40, &position, numbers, 10, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS);
    }
    TRY(MPI_Type_free(&every_other));
    return check_end();
}
