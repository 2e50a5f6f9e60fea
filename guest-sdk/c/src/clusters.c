/* Clusters: arenas at the same address in every rank, so that a graph inside one is sent as it is.
 *
 * The ranks of a communicator agree on an address that lies behind the memory of all of them, and each makes its memory
 * that long. What a cluster holds begins with a head that travels with it; what a rank knows about it lies outside,
 * where no message reaches. */
#include <rankine.h>
#include <rankine/weak.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 65536u
#define ALIGNMENT 16u

/* The first bytes of a cluster. */
struct head {
    uint32_t creator, number;
    uint32_t used; /* bytes, with this head */
    void *root;
};

struct Rankine_Cluster_state {
    char *base;
    uint32_t size;
    uint32_t creator, number;
    struct Rankine_Cluster_state *next; /* while it is free */
};

static struct Rankine_Cluster_state *free_clusters;
static int clusters_made;

static struct head *head_of(Rankine_Cluster cluster)
{
    return (struct head *)(void *)cluster->base;
}

/* Calls the communicator's error handler. */
static int fail(MPI_Comm comm, int class, const char *text)
{
    fprintf(stderr, "rankine: cluster: %s\n", text);
    MPI_Comm_call_errhandler(comm, class);
    return class;
}

WEAK void Rankine_Cluster_reset(Rankine_Cluster cluster)
{
    struct head *head = head_of(cluster);
    *head = (struct head){cluster->creator, cluster->number, sizeof(struct head), NULL};
}

/* A free cluster that is large enough, taken off the list. */
static struct Rankine_Cluster_state *take_free(uint32_t base, uint32_t size)
{
    for (struct Rankine_Cluster_state **at = &free_clusters; *at != NULL; at = &(*at)->next) {
        struct Rankine_Cluster_state *found = *at;
        if (found->size >= size && (base == 0 || (uintptr_t)found->base == base)) {
            *at = found->next;
            return found;
        }
    }
    return NULL;
}

/* Pages from the same address on in every rank, or nothing. */
static char *common_pages(uint32_t pages, MPI_Comm comm)
{
    uint32_t mine = (uint32_t)__builtin_wasm_memory_size(0), base = 0;
    int good, all = 0;
    if (MPI_Allreduce(&mine, &base, 1, MPI_UINT32_T, MPI_MAX, comm) != MPI_SUCCESS)
        return NULL;
    good = (uint64_t)base + pages < 65536 && __builtin_wasm_memory_grow(0, base - mine + pages) != (size_t)-1;
    if (MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all)
        return NULL;
    return (char *)(uintptr_t)((size_t)base * PAGE);
}

WEAK int Rankine_Cluster_create(size_t bytes, int creator, MPI_Comm comm, Rankine_Cluster *cluster)
{
    uint32_t size = ((uint32_t)bytes + sizeof(struct head) + PAGE - 1) / PAGE * PAGE;
    struct Rankine_Cluster_state *state = NULL;
    /* The smallest and the largest address that ranks have free: if they are one, everybody has it. */
    uint32_t range[2], all[2];
    int number = clusters_made, code;

    *cluster = NULL;
    if (bytes > (size_t)0xff000000u)
        return fail(comm, MPI_ERR_ARG, "the size is more than a 32-bit memory has");
    state = take_free(0, size);
    range[0] = state ? (uint32_t)(uintptr_t)state->base : 0;
    range[1] = ~range[0];
    if ((code = MPI_Allreduce(range, all, 2, MPI_UINT32_T, MPI_MIN, comm)) != MPI_SUCCESS ||
        (code = MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, comm)) != MPI_SUCCESS)
        return code;
    if (all[0] == 0 || all[0] != ~all[1]) {
        char *base = common_pages(size / PAGE, comm);
        if (state != NULL) {
            state->next = free_clusters;
            free_clusters = state;
        }
        state = malloc(sizeof *state);
        if (base == NULL || state == NULL) {
            free(state);
            return fail(comm, MPI_ERR_NO_MEM, "a rank has no memory left for it");
        }
        *state = (struct Rankine_Cluster_state){.base = base, .size = size};
    }
    clusters_made = number + 1;
    state->creator = (uint32_t)creator;
    state->number = (uint32_t)number;
    *cluster = state;
    Rankine_Cluster_reset(state);
    return MPI_SUCCESS;
}

WEAK int Rankine_Cluster_free(Rankine_Cluster *cluster)
{
    (*cluster)->next = free_clusters;
    free_clusters = *cluster;
    *cluster = NULL;
    return MPI_SUCCESS;
}

WEAK void *Rankine_Cluster_allocate(Rankine_Cluster cluster, size_t bytes)
{
    struct head *head = head_of(cluster);
    uint32_t start = (head->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > cluster->size || start > cluster->size - bytes)
        return NULL;
    head->used = start + (uint32_t)bytes;
    return cluster->base + start;
}

WEAK void Rankine_Cluster_set_root(Rankine_Cluster cluster, void *root) { head_of(cluster)->root = root; }
WEAK void *Rankine_Cluster_get_root(Rankine_Cluster cluster) { return head_of(cluster)->root; }
WEAK size_t Rankine_Cluster_get_size(Rankine_Cluster cluster) { return head_of(cluster)->used; }

WEAK void Rankine_Cluster_get_name(Rankine_Cluster cluster, int *creator, int *number)
{
    *creator = (int)cluster->creator;
    *number = (int)cluster->number;
}

/* What came: if it is not what this cluster can be, the cluster is empty afterwards. */
static int check(Rankine_Cluster cluster, uint32_t came, MPI_Comm comm)
{
    struct head *head = head_of(cluster);
    char text[200];
    uintptr_t base = (uintptr_t)cluster->base, root;

    if (came >= sizeof *head && (head->creator != cluster->creator || head->number != cluster->number)) {
        snprintf(text, sizeof text, "what came is the cluster (%u, %u), or none; this is (%u, %u)", (unsigned)head->creator,
                 (unsigned)head->number, (unsigned)cluster->creator, (unsigned)cluster->number);
        Rankine_Cluster_reset(cluster);
        return fail(comm, MPI_ERR_TYPE, text);
    }
    root = came >= sizeof *head ? (uintptr_t)head->root : 0;
    if (came < sizeof *head || head->used != came || (root != 0 && (root < base || root - base >= came))) {
        snprintf(text, sizeof text, "%u bytes came that are not the content of a cluster", (unsigned)came);
        Rankine_Cluster_reset(cluster);
        return fail(comm, MPI_ERR_TYPE, text);
    }
    return MPI_SUCCESS;
}

WEAK int Rankine_Cluster_send(Rankine_Cluster cluster, int dest, int tag, MPI_Comm comm)
{
    return MPI_Send_c(cluster->base, (MPI_Count)head_of(cluster)->used, MPI_BYTE, dest, tag, comm);
}

WEAK int Rankine_Cluster_recv(Rankine_Cluster cluster, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    MPI_Count came = 0;
    int code = MPI_Recv_c(cluster->base, (MPI_Count)cluster->size, MPI_BYTE, source, tag, comm, &own);
    if (code != MPI_SUCCESS) {
        Rankine_Cluster_reset(cluster);
        return code;
    }
    if (status != MPI_STATUS_IGNORE)
        *status = own;
    MPI_Get_count_c(&own, MPI_BYTE, &came);
    return own.MPI_SOURCE == MPI_PROC_NULL ? MPI_SUCCESS : check(cluster, (uint32_t)came, comm);
}

WEAK int Rankine_Cluster_bcast(Rankine_Cluster cluster, int root, MPI_Comm comm)
{
    int rank, code;
    uint32_t used = head_of(cluster)->used;
    MPI_Comm_rank(comm, &rank);
    if ((code = MPI_Bcast(&used, 1, MPI_UINT32_T, root, comm)) != MPI_SUCCESS)
        return code;
    if (used < sizeof(struct head) || used > cluster->size)
        return fail(comm, MPI_ERR_TYPE, "the root's cluster is not this one");
    if ((code = MPI_Bcast_c(cluster->base, (MPI_Count)used, MPI_BYTE, root, comm)) != MPI_SUCCESS)
        return code;
    return rank == root ? MPI_SUCCESS : check(cluster, used, comm);
}
