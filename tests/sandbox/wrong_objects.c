// Objects of the right class in calls that they are not for.
// ranks: 1 2
#include "hostile.h"

int main(int argc, char **argv)
{
    static int buffer[64], other[64];
    int flag, n;
    MPI_Request request = MPI_REQUEST_NULL, started;
    MPI_Comm comm, merged;
    MPI_Group group;
    hostile_begin(&argc, &argv);

    // Communicators with one group where there have to be two.
    MPI_Comm intras[] = {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL};
    for (int i = 0; i < 3; i++) {
        REFUSED(MPI_Intercomm_merge(intras[i], 0, &merged));
        REFUSED(MPI_Comm_remote_group(intras[i], &group));
        REFUSED(MPI_Comm_remote_size(intras[i], &n));
    }
    // And the other way round.
    if (size > 1) {
        MPI_Comm half, inter;
        int dims[] = {1}, periods[] = {0}, index[] = {0};
        TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half));
        TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter));
        REFUSED(MPI_Scan(buffer, other, 1, MPI_INT, MPI_SUM, inter));
        REFUSED(MPI_Exscan(buffer, other, 1, MPI_INT, MPI_SUM, inter));
        REFUSED(MPI_Cart_create(inter, 1, dims, periods, 0, &comm));
        REFUSED(MPI_Graph_create(inter, 1, index, index, 0, &comm));
        REFUSED(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 3, &comm));
        REFUSED(MPI_Neighbor_allgather(buffer, 1, MPI_INT, other, 1, MPI_INT, inter));
        TRY(MPI_Comm_free(&inter));
        TRY(MPI_Comm_free(&half));
    }

    // Leaders that are in no group.
    MPI_Group everybody, nobody = MPI_GROUP_EMPTY;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &everybody));
    REFUSED(MPI_Intercomm_create_from_groups(everybody, 1000, nobody, -2, "rankine", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    REFUSED(MPI_Intercomm_create_from_groups(everybody, -3, everybody, 0, "rankine", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    // Groups with members that the communicator doesn't have.
    if (size > 1) {
        REFUSED(MPI_Comm_create(MPI_COMM_SELF, everybody, &comm));
        REFUSED(MPI_Comm_create_group(MPI_COMM_SELF, everybody, 0, &comm));
    }
    TRY(MPI_Group_free(&everybody));

    // Requests.
    REFUSED(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
    REFUSED(MPI_Pready(0, MPI_REQUEST_NULL));
    REFUSED(MPI_Start(&request));
    REFUSED(MPI_Cancel(&request));
    REFUSED(MPI_Request_free(&request));
    TRY(MPI_Bcast_init(buffer, 1, MPI_INT, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request));
    REFUSED(MPI_Parrived(request, 0, &flag));
    REFUSED(MPI_Pready(0, request));
    TRY(MPI_Start(&request));
    if (!embedded())
        REFUSED(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Request_free(&request));
    TRY(MPI_Ibarrier(MPI_COMM_SELF, &request));
    started = request;
    if (!embedded())
        REFUSED(MPI_Cancel(&request));
    REFUSED(MPI_Start(&started));
    REFUSED(MPI_Pready_range(0, 0, request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Irecv(buffer, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request));
    REFUSED(MPI_Parrived(request, 0, &flag));
    REFUSED(MPI_Pready(0, request));
    TRY(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    // A partitioned message: the wrong side, partitions that it doesn't have.
    MPI_Request send, receive;
    int list[] = {4, 0};
    TRY(MPI_Psend_init(buffer, 4, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    TRY(MPI_Precv_init(other, 4, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    TRY(MPI_Start(&send));
    TRY(MPI_Start(&receive));
    REFUSED(MPI_Parrived(send, 0, &flag));
    REFUSED(MPI_Pready(0, receive));
    REFUSED(MPI_Pready(4, send));
    REFUSED(MPI_Pready(-1, send));
    REFUSED(MPI_Pready(INT32_MAX, send));
    REFUSED(MPI_Pready_range(4, 5, send));
    REFUSED(MPI_Pready_range(-2, -1, send));
    REFUSED(MPI_Pready_list(2, list, send));
    REFUSED(MPI_Parrived(receive, 4, &flag));
    REFUSED(MPI_Parrived(receive, INT32_MIN, &flag));
    TRY(MPI_Pready_range(0, 3, send));
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    TRY(MPI_Request_free(&send));
    TRY(MPI_Request_free(&receive));
    // To and from nobody.
    TRY(MPI_Psend_init(buffer, 2, 3, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    TRY(MPI_Precv_init(other, 2, 3, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    TRY(MPI_Start(&send));
    TRY(MPI_Start(&receive));
    TRY(MPI_Pready(0, send));
    TRY(MPI_Pready(1, send));
    TRY(MPI_Parrived(receive, 1, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    TRY(MPI_Request_free(&send));
    TRY(MPI_Request_free(&receive));

    // Null handles, and what is not ours to free.
    MPI_Datatype type = MPI_DATATYPE_NULL, integer = MPI_INT;
    MPI_Info info = MPI_INFO_ENV, none = MPI_INFO_NULL;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Aint extent;
    REFUSED(MPI_Bcast_init(buffer, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    REFUSED(MPI_Bcast(buffer, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Send(buffer, 0, MPI_DATATYPE_NULL, rank, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Type_get_extent(MPI_DATATYPE_NULL, &extent, &extent));
    REFUSED(MPI_Type_contiguous(3, MPI_DATATYPE_NULL, &type));
    REFUSED(MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){MPI_DATATYPE_NULL}, &type));
    REFUSED(MPI_Type_free(&integer));
    REFUSED(MPI_Comm_free(&world));
    REFUSED(MPI_Info_free(&info));
    REFUSED(MPI_Info_set(info, "soft", "1"));
    REFUSED(MPI_Info_delete(info, "soft"));
    REFUSED(MPI_Info_get_nkeys(none, &n));
    REFUSED(MPI_Info_dup(none, &info));
    REFUSED(MPI_Group_size(MPI_GROUP_NULL, &n));
    REFUSED(MPI_Group_union(MPI_GROUP_NULL, MPI_GROUP_EMPTY, &group));
    REFUSED(MPI_Barrier(MPI_COMM_NULL));
    REFUSED(MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_SELF));
    return hostile_end();
}
