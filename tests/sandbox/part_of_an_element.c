// Messages that end within an element of the type that they are received as: whatever it is to the receiver, it lives on.
// ranks: 2
#include "hostile.h"

static char bytes[4096];
static double doubles[512];

/* The result of a receive: an error, or a message of no whole number of doubles. */
static void received(int code, MPI_Status *status, MPI_Datatype type)
{
    int count = 0;
    if (code != MPI_SUCCESS)
        return;
    TRY(MPI_Get_count(status, type, &count));
    CHECK_INT(count, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 3, 9, 31};
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    MPI_Datatype three, sparse;
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_contiguous(3, MPI_DOUBLE, &three));
    TRY(MPI_Type_commit(&three));
    TRY(MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &sparse));
    TRY(MPI_Type_commit(&sparse));
    for (int i = 0; i < 4; i++) {
        const int n = lengths[i];
        const MPI_Datatype types[] = {MPI_DOUBLE, MPI_SHORT, MPI_LONG_DOUBLE, three, sparse};
        // One with gaps brings MPICH down if the message has come before: see part_of_an_element_early.c.
        for (int k = 0; k < (embedded() ? 5 : 4); k++) {
            const MPI_Datatype type = types[k];
            if (rank == 0) {
                for (int m = 0; m < 4; m++)
                    TRY(MPI_Send(bytes, n, MPI_BYTE, 1, m, MPI_COMM_WORLD));
            } else {
                received(MPI_Recv(doubles, 20, type, 0, 0, MPI_COMM_WORLD, &status), &status, type);
                TRY(MPI_Irecv(doubles, 20, type, 0, 1, MPI_COMM_WORLD, &request));
                received(MPI_Wait(&request, &status), &status, type);
                TRY(MPI_Recv_init(doubles, 20, type, 0, 2, MPI_COMM_WORLD, &request));
                TRY(MPI_Start(&request));
                received(MPI_Wait(&request, &status), &status, type);
                TRY(MPI_Request_free(&request));
                TRY(MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, &status));
                received(MPI_Mrecv(doubles, 20, type, &message, &status), &status, type);
            }
            TRY(MPI_Barrier(MPI_COMM_WORLD));
        }
        // A rank that sends to itself.
        received(MPI_Sendrecv(bytes, n, MPI_BYTE, rank, 5, doubles, 20, MPI_DOUBLE, rank, 5, MPI_COMM_WORLD, &status), &status, MPI_DOUBLE);
    }
    // In collectives rank 1 sends three bytes to where doubles are received. The embedded engine ends such a collective with an error.
    if (!embedded()) {
        const int n = rank == 0 ? 8 : 3;
        int counts[] = {1, 1}, displs[] = {0, 1}, sent[] = {n, n}, from[] = {0, 8}, offsets[] = {0, 8};
        MPI_Datatype doubles_of[] = {MPI_DOUBLE, MPI_DOUBLE}, bytes_of[] = {MPI_BYTE, MPI_BYTE};
        // What a rank sends to itself has to be whole.
        sent[rank] = 8;
        MPI_Gather(bytes, n, MPI_BYTE, doubles, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        MPI_Gatherv(bytes, n, MPI_BYTE, doubles, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        MPI_Alltoallv(bytes, sent, from, MPI_BYTE, doubles, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        MPI_Alltoallw(bytes, sent, from, bytes_of, doubles, counts, offsets, doubles_of, MPI_COMM_WORLD);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        // And what is whole arrives where it belongs.
        double mine[2] = {1.5 + rank, 2.5 + rank}, all[4] = {0};
        int swapped[] = {1, 0};
        TRY(MPI_Allgatherv(mine, 1, MPI_DOUBLE, all, counts, swapped, MPI_DOUBLE, MPI_COMM_WORLD));
        CHECK(all[0] == 2.5 && all[1] == 1.5);
        TRY(MPI_Alltoallv(mine, counts, displs, MPI_DOUBLE, all, counts, swapped, MPI_DOUBLE, MPI_COMM_WORLD));
        CHECK(all[1] == 1.5 + rank && all[0] == 2.5 + rank);
        TRY(MPI_Alltoallw(mine, counts, offsets, doubles_of, all, counts, offsets, doubles_of, MPI_COMM_WORLD));
        CHECK(all[0] == 1.5 + rank && all[1] == 2.5 + rank);
    }
    TRY(MPI_Type_free(&three));
    TRY(MPI_Type_free(&sparse));
    return hostile_end();
}
