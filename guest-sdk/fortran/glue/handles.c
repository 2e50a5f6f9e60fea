/* Arrays of handles where C's have 64 bits and Fortran's 32. */
#include "glue.h"
#include <stdio.h>
#include <stdlib.h>

void *rankine_handles(const int *array, long long count)
{
    if (!array)
        return NULL;
    if (count < 0)
        count = 0;
    void **handles = malloc((count + 1) * sizeof *handles);
    if (!handles) {
        fprintf(stderr, "Fortran: no memory for an array of %lld handles that is passed to MPI\n", count);
        abort();
    }
    for (long long at = 0; at < count; at++)
        handles[at] = HANDLE(array[at]);
    return handles;
}

void rankine_handles_free(void *handles)
{
    free(handles);
}

void rankine_handles_back(int *array, void *handles, long long count)
{
    for (long long at = 0; handles && at < count; at++)
        array[at] = INTEGER(((void **)handles)[at]);
    free(handles);
}

int rankine_peers(MPI_Comm comm)
{
    int is_inter = 0, peers = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS)
        return 0;
    int code = is_inter ? PMPI_Comm_remote_size(comm, &peers) : PMPI_Comm_size(comm, &peers);
    return code == MPI_SUCCESS ? peers : 0;
}

int rankine_neighbors(MPI_Comm comm, int are_destinations)
{
    int topology = MPI_UNDEFINED, rank = 0, neighbors = 0, destinations = 0, is_weighted = 0;
    if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &topology) != MPI_SUCCESS)
        return 0;
    switch (topology) {
    case MPI_CART:
        return PMPI_Cartdim_get(comm, &neighbors) == MPI_SUCCESS ? 2 * neighbors : 0;
    case MPI_GRAPH:
        PMPI_Comm_rank(comm, &rank);
        return PMPI_Graph_neighbors_count(comm, rank, &neighbors) == MPI_SUCCESS ? neighbors : 0;
    case MPI_DIST_GRAPH:
        if (PMPI_Dist_graph_neighbors_count(comm, &neighbors, &destinations, &is_weighted) != MPI_SUCCESS)
            return 0;
        return are_destinations ? destinations : neighbors;
    default:
        return 0;
    }
}
