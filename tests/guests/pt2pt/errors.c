// Wrong arguments of point-to-point calls give the error class of the argument, and nothing happens.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 1, values[2] = {1, 2};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Datatype type;
    check_begin(&argc, &argv);
    FAILS(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Recv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_INT, rank, -3, MPI_COMM_WORLD), MPI_ERR_TAG);
    FAILS(MPI_Send(&value, 1, MPI_INT, rank, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    FAILS(MPI_Recv(&value, 1, MPI_INT, rank, -5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    FAILS(MPI_Send(&value, -1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Irecv(&value, -1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    FAILS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    FAILS(MPI_Isend(&value, 1, MPI_INT, rank, 0, MPI_COMM_NULL, &request), MPI_ERR_COMM);
    FAILS(MPI_Ssend(&value, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(MPI_Probe(size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    FAILS(MPI_Sendrecv(&value, 1, MPI_INT, rank, -9, values, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    FAILS(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    // A type that is not committed.
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    FAILS(MPI_Send(&values, 1, type, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    TRY(MPI_Type_free(&type));
    // An active persistent request can't be started again.
    TRY(MPI_Recv_init(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request));
    TRY(MPI_Start(&request));
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    TRY(MPI_Send(&size, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(value, size);
    TRY(MPI_Request_free(&request));
    return check_end();
}
