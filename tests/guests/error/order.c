// Of several wrong arguments the same one is named on every engine: communicator, datatype, count, buffer, operation, tag,
// rank; a root comes right after its communicator, since it says which buffers count.
// ranks: 1 2
#include "../check.h"

#define NOBODY 1000
#define NO_TAG (-7)

static int word;

/* The class of what is wrong with a call. */
#define EXPECT(call, class) \
    do { \
        int code_ = (call), class_ = -1; \
        MPI_Error_class(code_, &class_); \
        CHECK_INT(class_, class); \
    } while (0)

/* A send or receive of any kind, `f(buffer, count, datatype, rank, tag, comm, …)`: right before an argument, wrong from
 * there on. */
#define MESSAGE(f, ...) \
    do { \
        EXPECT(f(NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_NULL __VA_ARGS__), MPI_ERR_COMM); \
        EXPECT(f(NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_TYPE); \
        EXPECT(f(NULL, -1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_COUNT); \
        EXPECT(f(far, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_BUFFER); \
        EXPECT(f(&word, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_TAG); \
        EXPECT(f(&word, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_RANK); \
    } while (0)

static void messages(void)
{
    MPI_Request request;
    MPI_Status status;
    /* Just below the end of what a guest can address, where no memory of this program is. */
    void *far = (void *)(uintptr_t)0xffffff00u;
    MESSAGE(MPI_Send);
    MESSAGE(MPI_Ssend);
    MESSAGE(MPI_Rsend);
    MESSAGE(MPI_Isend, , &request);
    MESSAGE(MPI_Issend, , &request);
    MESSAGE(MPI_Send_init, , &request);
    MESSAGE(MPI_Recv, , &status);
    MESSAGE(MPI_Irecv, , &request);
    MESSAGE(MPI_Recv_init, , &request);
    CHECK(request == MPI_REQUEST_NULL);

    EXPECT(MPI_Probe(NOBODY, NO_TAG, MPI_COMM_NULL, &status), MPI_ERR_COMM);
    EXPECT(MPI_Probe(NOBODY, NO_TAG, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
    EXPECT(MPI_Probe(NOBODY, 1, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
}

static void both_ways(void)
{
    int in, out = 0;
    MPI_Status status;
#define SENDRECV(sendtype, dest, sendtag, recvcount, source, recvtag, comm) \
    MPI_Sendrecv(&out, 1, sendtype, dest, sendtag, &in, recvcount, MPI_INT, source, recvtag, comm, &status)
    EXPECT(SENDRECV(MPI_DATATYPE_NULL, NOBODY, NO_TAG, -1, NOBODY, NO_TAG, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(SENDRECV(MPI_DATATYPE_NULL, NOBODY, NO_TAG, -1, NOBODY, NO_TAG, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(SENDRECV(MPI_INT, NOBODY, NO_TAG, -1, NOBODY, NO_TAG, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EXPECT(SENDRECV(MPI_INT, NOBODY, 1, 1, NOBODY, NO_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    EXPECT(SENDRECV(MPI_INT, NOBODY, 1, 1, 0, 1, MPI_COMM_WORLD), MPI_ERR_RANK);
}

static void collectives(void)
{
    int in = 0, out;
    EXPECT(MPI_Bcast(&word, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Bcast(&word, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_WORLD), MPI_ERR_ROOT);
    EXPECT(MPI_Bcast(&word, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(MPI_Bcast(&word, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);

    EXPECT(MPI_Reduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, NOBODY, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Reduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, NOBODY, MPI_COMM_WORLD), MPI_ERR_ROOT);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);

    EXPECT(MPI_Allgather(&in, -1, MPI_DATATYPE_NULL, &out, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Allgather(&in, -1, MPI_DATATYPE_NULL, &out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(MPI_Allgather(&in, -1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    messages();
    both_ways();
    collectives();
    return check_end();
}
