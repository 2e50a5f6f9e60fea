// A single completion leaves MPI_ERROR of the status alone; the status accessors; what MPI_Get_count and MPI_Get_elements make of bytes.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    int out[4] = {1, 2, 3, 4}, in[4], field;
    count_t count;
    MPI_Status status;
    MPI_Datatype two;
    check_begin(&argc, &argv);
    memset(&status, 0, sizeof status);
    status.MPI_ERROR = 12345;
    TRY(MPI_Sendrecv(out, 3, MPI_INT, rank, 8, in, 4, MPI_INT, rank, 8, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_ERROR, 12345);
    CHECK_COUNT(status, MPI_INT, 3);
    CHECK_COUNT(status, MPI_BYTE, 3 * sizeof(int));
    CHECK_COUNT(status, MPI_DOUBLE, MPI_UNDEFINED);
    TRY(MPI_Type_contiguous(2, MPI_INT, &two));
    TRY(MPI_Type_commit(&two));
    CHECK_COUNT(status, two, MPI_UNDEFINED);
    TRY(MPI_Get_elements(&status, two, &count));
    CHECK_INT(count, 3);
    TRY(MPI_Type_free(&two));
    TRY(MPI_Status_get_source(&status, &field));
    CHECK_INT(field, rank);
    TRY(MPI_Status_get_tag(&status, &field));
    CHECK_INT(field, 8);
    TRY(MPI_Status_get_error(&status, &field));
    CHECK_INT(field, 12345);
    TRY(MPI_Status_set_source(&status, 5));
    TRY(MPI_Status_set_tag(&status, 6));
    TRY(MPI_Status_set_error(&status, MPI_ERR_TAG));
    TRY(MPI_Status_set_elements(&status, MPI_SHORT, 9));
    TRY(MPI_Status_set_cancelled(&status, 1));
    CHECK_STATUS(status, 5, 6);
    CHECK_INT(status.MPI_ERROR, MPI_ERR_TAG);
    CHECK_COUNT(status, MPI_SHORT, 9);
    TRY(MPI_Test_cancelled(&status, &field));
    CHECK_INT(field, 1);
    TRY(MPI_Status_set_cancelled(&status, 0));
    TRY(MPI_Test_cancelled(&status, &field));
    CHECK_INT(field, 0);
    MPI_Count large;
    TRY(MPI_Status_set_elements_x(&status, MPI_INT, (MPI_Count)3000000000));
    TRY(MPI_Get_elements_x(&status, MPI_INT, &large));
    CHECK(large == (MPI_Count)3000000000);
#ifndef LARGE
    // More elements than an int holds.
    TRY(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, MPI_UNDEFINED);
#endif
    return check_end();
}
