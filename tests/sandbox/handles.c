// Handles that are made up, stale, freed, or of another class.
// ranks: 1 3
#include "hostile.h"

int main(int argc, char **argv)
{
    int value = 0, flag;
    MPI_Comm comm;
    MPI_Datatype type, stale_type;
    MPI_Group group, stale_group;
    MPI_Op op, stale_op;
    MPI_Request request, stale_request;
    MPI_Info info, stale_info;
    MPI_Errhandler handler;
    MPI_Message message;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Comm_group(comm, &group));
    TRY(MPI_Info_create(&info));
    static const uint32_t made_up[] = {0, 1, 7, 0x3ff, 0x400, 0x1000, 0x12345678, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0xdeadbeef};
    uintptr_t wrong[40];
    int n = 0;
    for (unsigned i = 0; i < sizeof made_up / sizeof *made_up; i++)
        wrong[n++] = made_up[i];
    // Of every class, and the neighbours of real ones.
    uintptr_t real[] = {(uintptr_t)comm, (uintptr_t)type, (uintptr_t)group, (uintptr_t)info, (uintptr_t)MPI_SUM, (uintptr_t)MPI_ERRORS_RETURN};
    for (int i = 0; i < n; i++) {
        FAILS(MPI_Send(&value, 1, MPI_INT, rank, 0, (MPI_Comm)wrong[i]), MPI_ERR_COMM);
        FAILS(MPI_Send(&value, 1, (MPI_Datatype)wrong[i], rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
        FAILS(MPI_Group_size((MPI_Group)wrong[i], &value), MPI_ERR_GROUP);
        FAILS(MPI_Allreduce(&value, &flag, 1, MPI_INT, (MPI_Op)wrong[i], MPI_COMM_SELF), MPI_ERR_OP);
        FAILS(MPI_Info_get_nkeys((MPI_Info)wrong[i], &value), MPI_ERR_INFO);
        request = (MPI_Request)wrong[i];
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        FAILS(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
        FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
        handler = (MPI_Errhandler)wrong[i];
        REFUSED(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
        message = (MPI_Message)wrong[i];
        REFUSED(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    }
    for (unsigned i = 0; i < sizeof real / sizeof *real; i++) {
        if (real[i] != (uintptr_t)comm)
            FAILS(MPI_Barrier((MPI_Comm)real[i]), MPI_ERR_COMM);
        if (real[i] != (uintptr_t)type)
            FAILS(MPI_Type_size((MPI_Datatype)real[i], &value), MPI_ERR_TYPE);
        if (real[i] != (uintptr_t)group)
            FAILS(MPI_Group_rank((MPI_Group)real[i], &value), MPI_ERR_GROUP);
        request = (MPI_Request)real[i];
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        FAILS(MPI_Comm_rank((MPI_Comm)(real[i] + 0x10000), &value), MPI_ERR_COMM);
    }
    // What was freed is gone, also when its place is taken by another.
    stale_type = type;
    TRY(MPI_Type_free(&type));
    FAILS(MPI_Type_size(stale_type, &value), MPI_ERR_TYPE);
    TRY(MPI_Type_contiguous(3, MPI_INT, &type));
    FAILS(MPI_Type_size(stale_type, &value), MPI_ERR_TYPE);
    FAILS(MPI_Type_free(&stale_type), MPI_ERR_TYPE);
    TRY(MPI_Type_free(&type));
    stale_group = group;
    TRY(MPI_Group_free(&group));
    FAILS(MPI_Group_free(&stale_group), MPI_ERR_GROUP);
    stale_info = info;
    TRY(MPI_Info_free(&info));
    FAILS(MPI_Info_set(stale_info, "a", "b"), MPI_ERR_INFO);
    MPI_Comm stale_comm = comm;
    TRY(MPI_Comm_free(&comm));
    FAILS(MPI_Barrier(stale_comm), MPI_ERR_COMM);
    FAILS(MPI_Comm_free(&stale_comm), MPI_ERR_COMM);
    TRY(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    stale_request = request;
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    FAILS(MPI_Wait(&stale_request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    // The same request twice in an array.
    MPI_Request twice[2];
    TRY(MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &twice[0]));
    twice[1] = twice[0];
    TRY(MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    MPI_Waitall(2, twice, MPI_STATUSES_IGNORE);
    if (twice[0] != MPI_REQUEST_NULL)
        MPI_Wait(&twice[0], MPI_STATUS_IGNORE);
    // An operation that was never created, and one whose function is none of ours.
    TRY(MPI_Op_create((MPI_User_function *)0x7fffff, 1, &op));
    stale_op = op;
    TRY(MPI_Op_free(&op));
    FAILS(MPI_Op_free(&stale_op), MPI_ERR_OP);
    REFUSED(MPI_Comm_free_keyval(&value));
    REFUSED(MPI_Comm_set_attr(MPI_COMM_WORLD, 0x7654321, NULL));
    REFUSED(MPI_Type_get_attr(MPI_INT, -77, &value, &flag));
    return hostile_end();
}
