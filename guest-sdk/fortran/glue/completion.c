/* The functions of MPI that start operations again and complete them, as C names them: the engine's own, and then the
 * copies of array sections are told (section.c). The names are C's, so that it does not matter which language completes
 * what Fortran began. */
#include "section.h"
#include <stdlib.h>
#include <string.h>

#define ENGINE(name) __attribute__((import_module("mpi"), import_name("MPI_" #name))) int engine_##name
#define ALSO_MPI(name) ALSO(PMPI_##name, MPI_##name)

/* Requests as they were before a call that may end them; null where nobody has to know. */
static MPI_Request *before(int count, const MPI_Request *requests)
{
    if (!rankine_copies || count <= 0)
        return NULL;
    MPI_Request *were = malloc(count * sizeof *were);
    if (!were)
        abort();
    return memcpy(were, requests, count * sizeof *were);
}

static void completed(const MPI_Request *were, const MPI_Request *requests, int at)
{
    if (were && were[at] != MPI_REQUEST_NULL)
        rankine_request_completed(were[at], requests[at] != were[at]);
}

static void all_completed(int count, const MPI_Request *were, const MPI_Request *requests)
{
    for (int at = 0; were && at < count; at++)
        completed(were, requests, at);
}

ENGINE(Wait)(MPI_Request *, MPI_Status *);
int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!rankine_copies)
        return engine_Wait(request, status);
    MPI_Request was = *request;
    int code = engine_Wait(request, status);
    completed(&was, request, 0);
    return code;
}
ALSO_MPI(Wait);

ENGINE(Test)(MPI_Request *, int *, MPI_Status *);
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!rankine_copies)
        return engine_Test(request, flag, status);
    MPI_Request was = *request;
    *flag = 0;
    int code = engine_Test(request, flag, status);
    if (*flag)
        completed(&was, request, 0);
    return code;
}
ALSO_MPI(Test);

ENGINE(Waitall)(int, MPI_Request *, MPI_Status *);
int PMPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    MPI_Request *were = before(count, requests);
    int code = engine_Waitall(count, requests, statuses);
    all_completed(count, were, requests);
    free(were);
    return code;
}
ALSO_MPI(Waitall);

ENGINE(Testall)(int, MPI_Request *, int *, MPI_Status *);
int PMPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    MPI_Request *were = before(count, requests);
    int code = engine_Testall(count, requests, flag, statuses);
    if (code != MPI_SUCCESS || *flag)
        all_completed(count, were, requests);
    free(were);
    return code;
}
ALSO_MPI(Testall);

ENGINE(Waitany)(int, MPI_Request *, int *, MPI_Status *);
int PMPI_Waitany(int count, MPI_Request *requests, int *at, MPI_Status *status)
{
    MPI_Request *were = before(count, requests);
    int code = engine_Waitany(count, requests, at, status);
    if (*at >= 0 && *at < count)
        completed(were, requests, *at);
    free(were);
    return code;
}
ALSO_MPI(Waitany);

ENGINE(Testany)(int, MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Testany(int count, MPI_Request *requests, int *at, int *flag, MPI_Status *status)
{
    MPI_Request *were = before(count, requests);
    int code = engine_Testany(count, requests, at, flag, status);
    if (*flag && *at >= 0 && *at < count)
        completed(were, requests, *at);
    free(were);
    return code;
}
ALSO_MPI(Testany);

/* What Waitsome and Testsome say, unless they refuse their arguments: `done` positions in `indices`. */
static void some_completed(int code, const MPI_Request *were, const MPI_Request *requests, int done, const int *indices)
{
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
        return;
    for (int i = 0; were && i < done; i++)
        completed(were, requests, indices[i]);
}

ENGINE(Waitsome)(int, MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    MPI_Request *were = before(count, requests);
    int code = engine_Waitsome(count, requests, done, indices, statuses);
    some_completed(code, were, requests, *done, indices);
    free(were);
    return code;
}
ALSO_MPI(Waitsome);

ENGINE(Testsome)(int, MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    MPI_Request *were = before(count, requests);
    int code = engine_Testsome(count, requests, done, indices, statuses);
    some_completed(code, were, requests, *done, indices);
    free(were);
    return code;
}
ALSO_MPI(Testsome);

ENGINE(Request_get_status)(MPI_Request, int *, MPI_Status *);
int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    int code = engine_Request_get_status(request, flag, status);
    if (code == MPI_SUCCESS && *flag)
        rankine_request_settled(request);
    return code;
}
ALSO_MPI(Request_get_status);

ENGINE(Request_get_status_all)(int, const MPI_Request *, int *, MPI_Status *);
int PMPI_Request_get_status_all(int count, const MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    int code = engine_Request_get_status_all(count, requests, flag, statuses);
    for (int i = 0; code == MPI_SUCCESS && *flag && i < count; i++)
        rankine_request_settled(requests[i]);
    return code;
}
ALSO_MPI(Request_get_status_all);

ENGINE(Request_get_status_any)(int, const MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Request_get_status_any(int count, const MPI_Request *requests, int *at, int *flag, MPI_Status *status)
{
    int code = engine_Request_get_status_any(count, requests, at, flag, status);
    if (code == MPI_SUCCESS && *flag && *at >= 0)
        rankine_request_settled(requests[*at]);
    return code;
}
ALSO_MPI(Request_get_status_any);

ENGINE(Request_get_status_some)(int, const MPI_Request *, int *, int *, MPI_Status *);
int PMPI_Request_get_status_some(int count, const MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    int code = engine_Request_get_status_some(count, requests, done, indices, statuses);
    for (int i = 0; code == MPI_SUCCESS && i < *done; i++)
        rankine_request_settled(requests[indices[i]]);
    return code;
}
ALSO_MPI(Request_get_status_some);

ENGINE(Request_free)(MPI_Request *);
int PMPI_Request_free(MPI_Request *request)
{
    if (!rankine_copies)
        return engine_Request_free(request);
    MPI_Request was = *request;
    int code = engine_Request_free(request);
    if (code == MPI_SUCCESS)
        rankine_request_freed(was);
    return code;
}
ALSO_MPI(Request_free);

ENGINE(Start)(MPI_Request *);
int PMPI_Start(MPI_Request *request)
{
    if (rankine_copies)
        rankine_request_started(*request);
    return engine_Start(request);
}
ALSO_MPI(Start);

ENGINE(Startall)(int, MPI_Request *);
int PMPI_Startall(int count, MPI_Request *requests)
{
    for (int i = 0; rankine_copies && i < count; i++)
        rankine_request_started(requests[i]);
    return engine_Startall(count, requests);
}
ALSO_MPI(Startall);

/* A partition that is ready is read again, and all with it: those that were ready before have not changed since. */
ENGINE(Pready)(int, MPI_Request);
int PMPI_Pready(int partition, MPI_Request request)
{
    rankine_request_started(request);
    return engine_Pready(partition, request);
}
ALSO_MPI(Pready);

ENGINE(Pready_range)(int, int, MPI_Request);
int PMPI_Pready_range(int low, int high, MPI_Request request)
{
    rankine_request_started(request);
    return engine_Pready_range(low, high, request);
}
ALSO_MPI(Pready_range);

ENGINE(Pready_list)(int, const int *, MPI_Request);
int PMPI_Pready_list(int length, const int *partitions, MPI_Request request)
{
    rankine_request_started(request);
    return engine_Pready_list(length, partitions, request);
}
ALSO_MPI(Pready_list);

ENGINE(Parrived)(MPI_Request, int, int *);
int PMPI_Parrived(MPI_Request request, int partition, int *flag)
{
    int code = engine_Parrived(request, partition, flag);
    if (code == MPI_SUCCESS && *flag)
        rankine_request_settled(request);
    return code;
}
ALSO_MPI(Parrived);

/* Synchronisations with a window, which complete operations with all targets or with one. */
#define SYNCHRONISES(name, declared, passed, window, target)                                                                     \
    ENGINE(name) declared;                                                                                                       \
    int PMPI_##name declared                                                                                                     \
    {                                                                                                                            \
        int code = engine_##name passed;                                                                                         \
        if (code == MPI_SUCCESS)                                                                                                 \
            rankine_window_synchronised(window, target);                                                                         \
        return code;                                                                                                             \
    }                                                                                                                            \
    ALSO_MPI(name)

SYNCHRONISES(Win_fence, (int assertion, MPI_Win win), (assertion, win), win, RANKINE_ALL_TARGETS);
SYNCHRONISES(Win_complete, (MPI_Win win), (win), win, RANKINE_ALL_TARGETS);
SYNCHRONISES(Win_unlock, (int rank, MPI_Win win), (rank, win), win, rank);
SYNCHRONISES(Win_unlock_all, (MPI_Win win), (win), win, RANKINE_ALL_TARGETS);
SYNCHRONISES(Win_flush, (int rank, MPI_Win win), (rank, win), win, rank);
SYNCHRONISES(Win_flush_all, (MPI_Win win), (win), win, RANKINE_ALL_TARGETS);
SYNCHRONISES(Win_flush_local, (int rank, MPI_Win win), (rank, win), win, rank);
SYNCHRONISES(Win_flush_local_all, (MPI_Win win), (win), win, RANKINE_ALL_TARGETS);

/* Split collective access to files, of which one may go on per file. */
#define ENDS(name, constant)                                                                                                     \
    ENGINE(name)(MPI_File, constant void *, MPI_Status *);                                                                       \
    int PMPI_##name(MPI_File file, constant void *buffer, MPI_Status *status)                                                    \
    {                                                                                                                            \
        int code = engine_##name(file, rankine_file_buffer(file, (void *)buffer), status);                                       \
        rankine_file_completed(file);                                                                                            \
        return code;                                                                                                             \
    }                                                                                                                            \
    ALSO_MPI(name)

ENDS(File_read_all_end, );
ENDS(File_read_at_all_end, );
ENDS(File_read_ordered_end, );
ENDS(File_write_all_end, const);
ENDS(File_write_at_all_end, const);
ENDS(File_write_ordered_end, const);
