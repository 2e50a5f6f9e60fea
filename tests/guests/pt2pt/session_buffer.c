// MPI_Session_attach_buffer, MPI_Session_detach_buffer, MPI_Session_flush_buffer, MPI_Session_iflush_buffer.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    static char space[1000 + MPI_BSEND_OVERHEAD];
    void *detached = NULL;
    count_t bytes = 0;
    int in = -1, self;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Request request;
    check_begin(&argc, &argv);
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    TRY(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    TRY(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    TRY(MPI_Session_attach_buffer(session, space, sizeof space));
    TRY(MPI_Comm_rank(comm, &self));
    TRY(MPI_Bsend(&rank, 1, MPI_INT, self, 0, comm));
    TRY(MPI_Recv(&in, 1, MPI_INT, self, 0, comm, MPI_STATUS_IGNORE));
    CHECK_INT(in, rank);
    TRY(MPI_Session_flush_buffer(session));
    TRY(MPI_Session_iflush_buffer(session, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Session_detach_buffer(session, &detached, &bytes));
    CHECK(detached == space);
    CHECK_INT(bytes, sizeof space);
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&group));
    TRY(MPI_Session_finalize(&session));
    return check_end();
}
