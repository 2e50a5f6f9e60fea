// Addresses in the null page, which the host can't touch either, for buffers, results, texts, windows and statuses.
// ranks: 1 2
#include "hostile.h"

static void buffers(void *at)
{
    int value = 1, in[4], place = 0;
    char pack[64];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    FAILS(MPI_Send(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Ssend(at, 70000, MPI_CHAR, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Isend(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    FAILS(MPI_Irecv(at, 70000, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Sendrecv_replace(at, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    FAILS(MPI_Bcast(at, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(at, in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(&value, at, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_local(at, in, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    FAILS(MPI_Pack(at, 1, MPI_INT, pack, sizeof pack, &place, MPI_COMM_SELF), MPI_ERR_BUFFER);
    REFUSED(MPI_Pack(&value, 1, MPI_INT, at, 64, &place, MPI_COMM_SELF));
    CHECK(request == MPI_REQUEST_NULL);
}

static void results(void *at)
{
    int flag;
    MPI_Request request = MPI_REQUEST_NULL;
    REFUSED(MPI_Comm_rank(MPI_COMM_WORLD, at));
    REFUSED(MPI_Comm_size(MPI_COMM_WORLD, at));
    REFUSED(MPI_Get_version(at, &flag));
    REFUSED(MPI_Get_processor_name(at, &flag));
    REFUSED(MPI_Comm_get_name(MPI_COMM_WORLD, at, &flag));
    REFUSED(MPI_Comm_set_name(MPI_COMM_WORLD, at));
    REFUSED(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, at, MPI_STATUS_IGNORE));
    REFUSED(MPI_Waitall(4, at, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Test(&request, at, MPI_STATUS_IGNORE));
    REFUSED(MPI_Comm_dup(MPI_COMM_SELF, at));
    REFUSED(MPI_Info_create(at));
    REFUSED(MPI_Type_contiguous(4, MPI_INT, at));
    REFUSED(MPI_Type_indexed(4, at, at, MPI_INT, &(MPI_Datatype){0}));
    REFUSED(MPI_Group_incl(MPI_GROUP_EMPTY, 1, at, &(MPI_Group){0}));
    REFUSED(MPI_Error_string(MPI_ERR_ARG, at, &flag));
}

/* An address that a datatype has, or reaches from one that is right. */
static void datatypes(char *at)
{
    static int value;
    MPI_Aint there = (MPI_Aint)at;
    MPI_Datatype absolute, below;
    TRY(MPI_Type_create_hindexed(1, &(int){1}, &there, MPI_INT, &absolute));
    TRY(MPI_Type_commit(&absolute));
    FAILS(MPI_Send(MPI_BOTTOM, 1, absolute, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    there = at - (char *)&value;
    TRY(MPI_Type_create_hindexed(1, &(int){1}, &there, MPI_INT, &below));
    TRY(MPI_Type_commit(&below));
    FAILS(MPI_Send(&value, 1, below, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(&value, 1, below, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    TRY(MPI_Type_free(&absolute));
    TRY(MPI_Type_free(&below));
}

static void windows(char *at)
{
    static int value;
    MPI_Win win = MPI_WIN_NULL;
    FAILS(MPI_Win_create(at, 1 << 20, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_BUFFER);
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    REFUSED(MPI_Win_attach(win, at, 1 << 20));
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    REFUSED(MPI_Put(&value, 1, MPI_INT, 0, (MPI_Aint)at, 1, MPI_INT, win));
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Win_free(&win));
    TRY(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    REFUSED(MPI_Put(at, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Get(at, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Fetch_and_op(at, at, MPI_INT, 0, 0, MPI_SUM, win));
    // Its origin is not looked at: a library may do so all the same.
    TRY(MPI_Get_accumulate(NULL, 0, MPI_INT, &value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    uintptr_t low[] = {4, 64, 1000, 4096, 32768, 65532, 65535};
    for (unsigned i = 0; i < sizeof low / sizeof *low; i++) {
        // The last ones of them reach out of the page, and begin in it.
        buffers((void *)low[i]);
        results((void *)low[i]);
        datatypes((char *)low[i]);
        windows((char *)low[i]);
    }
    // No bytes may lie anywhere.
    TRY(MPI_Sendrecv((void *)64, 0, MPI_INT, rank, 0, NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return hostile_end();
}
