// Objects of every class under a small limit: what stands behind their handles counts, too.
// ranks: 1 2
// engines: local
// bounded: mpi
// Over an MPI library a quarter of a million objects take minutes (see quota_library).
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"

enum { MOST = 1 << 20, SPARE = 1 << 15 };
static unsigned all[MOST / 4];

// A type with a name.
static int name_type(MPI_Datatype *type)
{
    char name[MPI_MAX_OBJECT_NAME];
    int code = MPI_Type_contiguous(3, MPI_INT, type);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    return code == MPI_SUCCESS ? MPI_Type_set_name(*type, name) : code;
}

// A message to oneself, set aside by a matched probe.
static int put_aside(MPI_Message *message)
{
    int found;
    int code = MPI_Send(&rank, 1, MPI_INT, rank, 8, MPI_COMM_WORLD);
    return code == MPI_SUCCESS ? MPI_Improbe(rank, 8, MPI_COMM_WORLD, &found, message, MPI_STATUS_IGNORE) : code;
}

int main(int argc, char **argv)
{
    MPI_Group world, group;
    MPI_Op op;
    MPI_Errhandler handler;
    MPI_Info info;
    MPI_Request request;
    MPI_Message message;
    MPI_Comm comm, spare;
    int key, none = 0;
    hostile_begin(&argc, &argv);
    // Given back at the end, for what the collectives there take.
    TRY(MPI_Graph_create(MPI_COMM_SELF, 1, &(int){SPARE}, (int *)all, 0, &spare));
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    EXHAUST(MOST / 4, name_type((MPI_Datatype *)&all[made]));
    for (int i = 0; i < made; i++)
        TRY(MPI_Type_free((MPI_Datatype *)&all[i]));
    // What follows takes the rest, and all but the sessions keep it.
    EXHAUST(MOST, MPI_Info_create(&info));
    EXHAUST(MOST, MPI_Group_incl(world, 1, &none, &group));
    EXHAUST(MOST, MPI_Op_create(user_op, 1, &op));
    EXHAUST(MOST, MPI_Comm_create_errhandler(on_error, &handler));
    EXHAUST(MOST, MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    EXHAUST(MOST, MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, NULL, &request));
    EXHAUST(MOST / 4, MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, (MPI_Session *)&all[made]));
    for (int i = 0; i < made; i++)
        TRY(MPI_Session_finalize((MPI_Session *)&all[i]));
    EXHAUST(MOST, MPI_Comm_dup(MPI_COMM_SELF, &comm));
    EXHAUST(MOST, put_aside(&message));
    TRY(MPI_Comm_free(&spare));
    TRY(MPI_Recv(&none, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return hostile_end();
}
