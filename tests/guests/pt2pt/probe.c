// MPI_Probe, MPI_Iprobe: what a message is before it is received; wildcards and order.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    static int out[9000], in[9000];
    MPI_Status status;
    int flag;
    check_begin(&argc, &argv);
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, 55, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 0);
    // Everybody sends rank-dependent sizes to rank 0, which receives what it finds.
    if (rank > 0) {
        for (int i = 0; i < 1000 * rank; i++)
            out[i] = rank + i;
        TRY(MPI_Send(out, 1000 * rank, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD));
        TRY(MPI_Send(out, 1, MPI_INT, 0, 30 + rank, MPI_COMM_WORLD));
    } else {
        for (int n = 1; n < size; n++) {
            count_t count;
            int from;
            // The second message of a rank must not be found here by its tag.
            TRY(MPI_Probe(MPI_ANY_SOURCE, 10 + n, MPI_COMM_WORLD, &status));
            from = status.MPI_SOURCE;
            CHECK_STATUS(status, n, 10 + n);
            TRY(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_INT(count, 1000 * from);
            // Probing does not take the message away.
            TRY(MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
            CHECK_INT(flag, 1);
            CHECK_STATUS(status, from, 10 + n);
            TRY(MPI_Recv(in, count, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            CHECK_STATUS(status, from, 10 + n);
            for (int i = 0; i < 1000 * from; i++)
                CHECK_INT(in[i], from + i);
        }
        for (int n = 1; n < size; n++) {
            do
                TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
            while (!flag);
            CHECK_INT(status.MPI_TAG, 30 + status.MPI_SOURCE);
            CHECK_COUNT(status, MPI_INT, 1);
            TRY(MPI_Recv(in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    }
    // From nobody there is always the empty message.
    TRY(MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    CHECK_EMPTY(status, MPI_PROC_NULL);
    TRY(MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_EMPTY(status, MPI_PROC_NULL);
    return check_end();
}
