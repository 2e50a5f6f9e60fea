/* Object graphs as messages: the procedures of the module rankine. Their arguments are variables, with shape and type:
 * a scalar, an array or a part of one. The values themselves travel and arrive in place; what they refer to is
 * allocated. */
#include "objects.h"

/* Each is there for communicators of mpi_f08, and for those of the module mpi. */
#define BOTH(name) ALSO(name##_f08_, name##_f90_)

/* Frees the allocatable components of a variable, as Fortran does before it gets a new value. */
void _FortranADestroyWithoutFinalization(const CFI_cdesc_t *variable);

/* A variable as the host takes it. */
struct row {
    void *objects;
    int count;
    Rankine_Type type;
    const CFI_cdesc_t *variable;
};

static int row_of(const CFI_cdesc_t *variable, MPI_Comm comm, struct row *row)
{
    long long count = 1;
    for (int dimension = 0; dimension < variable->rank; dimension++) {
        if (variable->dim[dimension].extent < 0)
            return rankine_fail(comm, MPI_ERR_COUNT, "an array of unknown size: name a part of it, as a(1:n)");
        count *= variable->dim[dimension].extent;
    }
    if (count > 0 && variable->base_addr == NULL)
        return rankine_fail(comm, MPI_ERR_BUFFER, "the variable is not allocated or associated");
    if (count > 1 && !CFI_is_contiguous(variable))
        return rankine_fail(comm, MPI_ERR_BUFFER, "the elements of the array section do not lie side by side");
    *row = (struct row){variable->base_addr, (int)count, 0, variable};
    int code = rankine_type_of(variable, comm, &row->type);
    row->type = RANKINE_VALUES(row->type);
    return code;
}

/* A variable that gets new values. */
static void clear(const struct row *row)
{
    if (row->count > 0)
        _FortranADestroyWithoutFinalization(row->variable);
}

static int same_type(const struct row *one, const struct row *other, MPI_Comm comm)
{
    if (one->type == other->type)
        return MPI_SUCCESS;
    return rankine_fail(comm, MPI_ERR_TYPE, "the variables that are sent and received are of different types");
}

/* Evaluates to a code; returns it through `ierror` unless all is well. */
#define TRY(call)                                                          \
    do {                                                                   \
        int code_ = (call);                                                \
        if (code_ != MPI_SUCCESS) {                                        \
            return_code(ierror, code_);                                    \
            return;                                                        \
        }                                                                  \
    } while (0)

/* ---- messages ---- */

void rankine_send_f08_(const CFI_cdesc_t *objects, int *dest, int *tag, int *comm, int *ierror)
{
    struct row row;
    TRY(row_of(objects, HANDLE(*comm), &row));
    return_code(ierror, Rankine_Send(row.objects, row.count, row.type, *dest, *tag, HANDLE(*comm)));
}
BOTH(rankine_send);

void rankine_recv_f08_(const CFI_cdesc_t *objects, int *source, int *tag, int *comm, MPI_Status *status, int *ierror)
{
    struct row row;
    TRY(row_of(objects, HANDLE(*comm), &row));
    if (*source != MPI_PROC_NULL)
        clear(&row);
    return_code(ierror, Rankine_Recv(row.objects, row.count, row.type, *source, *tag, HANDLE(*comm), rankine_status(status)));
}
BOTH(rankine_recv);

void rankine_sendrecv_f08_(const CFI_cdesc_t *sendobjects, int *dest, int *sendtag, const CFI_cdesc_t *recvobjects,
                           int *source, int *recvtag, int *comm, MPI_Status *status, int *ierror)
{
    struct row from, to;
    TRY(row_of(sendobjects, HANDLE(*comm), &from));
    TRY(row_of(recvobjects, HANDLE(*comm), &to));
    TRY(same_type(&from, &to, HANDLE(*comm)));
    if (*source != MPI_PROC_NULL)
        clear(&to);
    return_code(ierror, Rankine_Sendrecv(from.objects, from.count, *dest, *sendtag, to.objects, to.count, *source, *recvtag,
                                         from.type, HANDLE(*comm), rankine_status(status)));
}
BOTH(rankine_sendrecv);

void rankine_isend_f08_(const CFI_cdesc_t *objects, int *dest, int *tag, int *comm, int *request, int *ierror)
{
    struct row row;
    TRY(row_of(objects, HANDLE(*comm), &row));
    MPI_Request request_h = HANDLE(*request);
    return_code(ierror, Rankine_Isend(row.objects, row.count, row.type, *dest, *tag, HANDLE(*comm), &request_h));
    *request = INTEGER(request_h);
}
BOTH(rankine_isend);

void rankine_irecv_f08_(const CFI_cdesc_t *objects, int *source, int *tag, int *comm, int *request, int *ierror)
{
    struct row row;
    TRY(row_of(objects, HANDLE(*comm), &row));
    if (*source != MPI_PROC_NULL)
        clear(&row);
    MPI_Request request_h = HANDLE(*request);
    return_code(ierror, Rankine_Irecv(row.objects, row.count, row.type, *source, *tag, HANDLE(*comm), &request_h));
    *request = INTEGER(request_h);
}
BOTH(rankine_irecv);

void rankine_probe_f08_(int *source, int *tag, int *comm, MPI_Status *status, int *ierror)
{
    return_code(ierror, Rankine_Probe(*source, *tag, HANDLE(*comm), rankine_status(status)));
}
BOTH(rankine_probe);

void rankine_iprobe_f08_(int *source, int *tag, int *comm, int *flag, MPI_Status *status, int *ierror)
{
    return_code(ierror, Rankine_Iprobe(*source, *tag, HANDLE(*comm), flag, rankine_status(status)));
}
BOTH(rankine_iprobe);

void rankine_get_count_f08_(const MPI_Status *status, int *count, int *ierror)
{
    return_code(ierror, Rankine_Get_count(status, count));
}
BOTH(rankine_get_count);

void rankine_get_objects_f08_(const MPI_Status *status, int *count, int *ierror)
{
    return_code(ierror, Rankine_Get_objects(status, count));
}
BOTH(rankine_get_objects);

/* ---- collectives ---- */

/* Whether this rank is the one that gives to the others, or takes from them. */
static int is_root(int root, MPI_Comm comm)
{
    int rank, inter = 0;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &rank);
    return inter ? root == MPI_ROOT : root == rank;
}

/* Checks that the parts lie in the array. */
static int check_parts(const struct row *row, const int *counts, const int *displs, MPI_Comm comm)
{
    int size, inter = 0;
    MPI_Comm_test_inter(comm, &inter);
    (inter ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &size);
    long long next = 0;
    for (int rank = 0; rank < size; rank++) {
        long long start = displs ? displs[rank] : next;
        if (start < 0 || counts[rank] < 0 || start + counts[rank] > row->count)
            return rankine_fail(comm, MPI_ERR_COUNT, "the part of rank %d, %d from %lld on, is not in the array of %d objects",
                                rank, counts[rank], start, row->count);
        next = start + counts[rank];
    }
    return MPI_SUCCESS;
}

void rankine_bcast_f08_(const CFI_cdesc_t *objects, int *root, int *comm, int *ierror)
{
    struct row row;
    TRY(row_of(objects, HANDLE(*comm), &row));
    if (*root != MPI_PROC_NULL && !is_root(*root, HANDLE(*comm)))
        clear(&row);
    return_code(ierror, Rankine_Bcast(row.objects, row.count, row.type, *root, HANDLE(*comm)));
}
BOTH(rankine_bcast);

void rankine_scatter_f08_(const CFI_cdesc_t *sendobjects, const int *sendcounts, const CFI_cdesc_t *recvobjects, int *root,
                          int *comm, int *received, const int *displs, int *ierror)
{
    struct row from = {0}, to = {0};
    int gives = is_root(*root, HANDLE(*comm)), takes = *root != MPI_ROOT && *root != MPI_PROC_NULL;
    if (gives) {
        TRY(row_of(sendobjects, HANDLE(*comm), &from));
        TRY(check_parts(&from, sendcounts, displs, HANDLE(*comm)));
    }
    if (takes) {
        TRY(row_of(recvobjects, HANDLE(*comm), &to));
        if (gives)
            TRY(same_type(&from, &to, HANDLE(*comm)));
        clear(&to);
    }
    if (!gives && !takes)
        TRY(row_of(recvobjects, HANDLE(*comm), &to));
    return_code(ierror, Rankine_Scatter(from.objects, sendcounts, displs, gives ? from.type : to.type, to.objects, to.count,
                                        received, *root, HANDLE(*comm)));
}
BOTH(rankine_scatter);

void rankine_gather_f08_(const CFI_cdesc_t *sendobjects, const CFI_cdesc_t *recvobjects, int *root, int *comm,
                         int *recvcounts, int *ierror)
{
    struct row from = {0}, to = {0};
    int takes = is_root(*root, HANDLE(*comm)), gives = *root != MPI_ROOT && *root != MPI_PROC_NULL;
    if (gives || !takes)
        TRY(row_of(sendobjects, HANDLE(*comm), &from));
    if (takes) {
        TRY(row_of(recvobjects, HANDLE(*comm), &to));
        if (gives)
            TRY(same_type(&from, &to, HANDLE(*comm)));
        clear(&to);
    }
    return_code(ierror, Rankine_Gather(from.objects, from.count, takes ? to.type : from.type, to.objects, to.count,
                                       recvcounts, *root, HANDLE(*comm)));
}
BOTH(rankine_gather);

void rankine_allgather_f08_(const CFI_cdesc_t *sendobjects, const CFI_cdesc_t *recvobjects, int *comm, int *recvcounts,
                            int *ierror)
{
    struct row from, to;
    TRY(row_of(sendobjects, HANDLE(*comm), &from));
    TRY(row_of(recvobjects, HANDLE(*comm), &to));
    TRY(same_type(&from, &to, HANDLE(*comm)));
    clear(&to);
    return_code(ierror, Rankine_Allgather(from.objects, from.count, from.type, to.objects, to.count, recvcounts, HANDLE(*comm)));
}
BOTH(rankine_allgather);

void rankine_alltoall_f08_(const CFI_cdesc_t *sendobjects, const int *sendcounts, const CFI_cdesc_t *recvobjects,
                           int *comm, int *recvcounts, const int *displs, int *ierror)
{
    struct row from, to;
    TRY(row_of(sendobjects, HANDLE(*comm), &from));
    TRY(row_of(recvobjects, HANDLE(*comm), &to));
    TRY(same_type(&from, &to, HANDLE(*comm)));
    TRY(check_parts(&from, sendcounts, displs, HANDLE(*comm)));
    clear(&to);
    return_code(ierror, Rankine_Alltoall(from.objects, sendcounts, displs, from.type, to.objects, to.count, recvcounts, HANDLE(*comm)));
}
BOTH(rankine_alltoall);

/* ---- memory and limits ---- */

void rankine_free_(const CFI_cdesc_t *objects, int *ierror)
{
    struct row row;
    TRY(row_of(objects, MPI_COMM_SELF, &row));
    TRY(Rankine_Free(row.objects, row.count, row.type));
    rankine_nullify(objects, row.objects, row.count);
    return_code(ierror, MPI_SUCCESS);
}

void rankine_set_limits_(const long long *bytes, const long long *objects, const long long *depth, int *ierror)
{
    return_code(ierror, Rankine_Set_limits(bytes ? *bytes : -1, objects ? *objects : -1, depth ? *depth : -1));
}
