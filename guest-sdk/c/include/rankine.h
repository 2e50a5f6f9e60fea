/* Object graphs as messages: trees, lists, meshes, sent as simply as an array of numbers.
 *
 *     struct node { double value; struct node *left, *right; };
 *
 *     Rankine_Type node = RANKINE_DECLARE(struct node);
 *     RANKINE_DEFINE(node, struct node, RANKINE_REFERENCE(left, node), RANKINE_REFERENCE(right, node));
 *
 *     struct node *tree = ...;
 *     if (rank == 0) Rankine_Send(&tree, 1, node, 1, 0, MPI_COMM_WORLD);
 *     if (rank == 1) Rankine_Recv(&tree, 1, node, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
 *
 * The first three arguments are an array of references to objects (`objects`), how many of them travel, and their type.
 * Part of an array is `&objects[offset], count`. What several references of one message share stays shared; cycles stay
 * cycles. Received objects come from malloc, one by one: free them as usual, or all at once with Rankine_Free.
 *
 * Where the objects themselves lie in a row, and not references to them, the type is RANKINE_VALUES(type), `objects` is
 * the address of the first one, and received objects are built in the row (only what they refer to comes from malloc).
 * RANKINE_TOGETHER(type) receives a graph into one block of memory: that is faster, and one call of free ends it.
 *
 * A type is described once, after MPI_Init. Only what a field describes is followed: a pointer that nobody speaks of
 * arrives as the number it was, so describe pointers that shall stay behind as RANKINE_LEFT: they arrive null. Messages
 * are matched as all messages are, by communicator, source and tag. Errors are returned as those of MPI are, to the
 * communicator's error handler first. */
#ifndef RANKINE_H
#define RANKINE_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define RANKINE_ALIGNOF alignof
#else
#define RANKINE_ALIGNOF _Alignof
#endif

#define RANKINE_FUNCTION(name) __attribute__((import_module("rankine"), import_name(#name)))

/* A described type; predefined datatypes of MPI may stand in its place in a field. */
typedef int Rankine_Type;

#define RANKINE_OF(datatype) ((Rankine_Type)(size_t)(datatype))

/* As an argument of operations: `objects` holds objects, not references to them. */
#define RANKINE_VALUES(type) ((Rankine_Type)((type) | 0x40000000))

/* As an argument of receiving operations: all objects of a message lie in one block, which begins with the first one.
 * It came from one malloc, and free of the first reference that is not null frees all of them; so does Rankine_Free
 * with this type. */
#define RANKINE_TOGETHER(type) ((Rankine_Type)((type) | 0x10000000))

/* How a field refers to objects. */
enum {
    RANKINE_KIND_REFERENCE = 1,       /* `count` pointers, one after another */
    RANKINE_KIND_ARRAY = 2,           /* a pointer to objects in a row */
    RANKINE_KIND_REFERENCE_ARRAY = 3, /* a pointer to pointers in a row */
    RANKINE_KIND_STRING = 4,          /* a pointer to bytes that end with a zero */
    RANKINE_KIND_INLINE = 5,          /* `count` objects inside of this one */
    RANKINE_KIND_LEFT = 6,            /* `count` pointers that arrive null */
    RANKINE_KIND_DESCRIPTOR = 7,      /* a Fortran pointer or allocatable: Rankine_Descriptor_field */
    RANKINE_OWNED = 0x100,            /* nothing else refers to it */
    RANKINE_REQUIRED = 0x200,         /* never null */
    RANKINE_WEAK_FLAG = 0x400         /* null unless what it refers to travels anyway */
};

/* One field of a type. Offsets of -1 stand for "there is none". */
typedef struct {
    int kind;
    int offset;
    Rankine_Type type;
    int count;        /* how many, where that is always the same */
    int count_at;     /* offset of the int that says how many */
    int capacity_at;  /* offset of the int that says for how many there is room */
    int when_at;      /* the field means something only while the int at this offset ... */
    int when;         /* ... has this value */
    const char *name; /* for errors */
} Rankine_Field;

/* The same words for RANKINE_KIND_DESCRIPTOR: what is always the same in the CFI_cdesc_t at the offset. `type` is 0 for
 * what arrives null. */
typedef struct {
    int kind;
    int offset;
    Rankine_Type type;
    int rank;
    int length; /* elem_len; 0 for strings of any length */
    int version;
    int bytes;       /* rank, type, attribute and the byte behind them, as one int */
    int information; /* what the program knows of the type, in the word behind the dimensions */
    const char *name;
} Rankine_Descriptor_field;

/* ---- describing types ---- */

/* Declares a type by the name of a C type; 0 if that fails. */
#define RANKINE_DECLARE(T) rankine_declare(#T, sizeof(T), RANKINE_ALIGNOF(T))

/* Says what the fields of a declared type are: RANKINE_DEFINE(handle, C type, fields...). An error goes to
 * MPI_COMM_SELF's handler. */
#define RANKINE_DEFINE(handle, T, ...) \
    do { \
        typedef T rankine_self; \
        Rankine_Field rankine_fields[] = {__VA_ARGS__}; \
        Rankine_Type_define(handle, (int)(sizeof rankine_fields / sizeof *rankine_fields), rankine_fields); \
    } while (0)

/* T *field;  or  T *field[8]; */
#define RANKINE_REFERENCE(field, type) rankine_pointers(RANKINE_KIND_REFERENCE, RANKINE_PLACE(field), type, #field)
/* As RANKINE_REFERENCE, but null unless something else in the message refers to the same object: a parent, for
 * instance. */
#define RANKINE_WEAK(field, type) \
    rankine_pointers(RANKINE_KIND_REFERENCE | RANKINE_WEAK_FLAG, RANKINE_PLACE(field), type, #field)
/* Pointers that stay behind. */
#define RANKINE_LEFT(field) rankine_pointers(RANKINE_KIND_LEFT, RANKINE_PLACE(field), 0, #field)
/* T *field; int n; */
#define RANKINE_ARRAY(field, type, n) \
    rankine_array(RANKINE_KIND_ARRAY, RANKINE_AT(field), type, 0, RANKINE_AT(n), -1, #field)
/* T *field; int n, capacity; */
#define RANKINE_GROWABLE(field, type, n, capacity) \
    rankine_array(RANKINE_KIND_ARRAY, RANKINE_AT(field), type, 0, RANKINE_AT(n), RANKINE_AT(capacity), #field)
/* T *field; with always the same number of objects */
#define RANKINE_FIXED_ARRAY(field, type, number) \
    rankine_array(RANKINE_KIND_ARRAY, RANKINE_AT(field), type, number, -1, -1, #field)
/* T **field; int n; */
#define RANKINE_REFERENCE_ARRAY(field, type, n) \
    rankine_array(RANKINE_KIND_REFERENCE_ARRAY, RANKINE_AT(field), type, 0, RANKINE_AT(n), -1, #field)
/* char *field; */
#define RANKINE_STRING(field) rankine_array(RANKINE_KIND_STRING, RANKINE_AT(field), 0, 0, -1, -1, #field)
/* struct S field;  or  struct S field[4];  where `T` is struct S and `type` describes it */
#define RANKINE_MEMBER(field, T, type) \
    rankine_array(RANKINE_KIND_INLINE, RANKINE_AT(field), type, (int)(sizeof(((rankine_self *)0)->field) / sizeof(T)), -1, -1, #field)
/* The field means something only while the int (or enum) `tag` has this value: a member of a union. */
#define RANKINE_WHEN(tag, value, field) rankine_when(field, RANKINE_AT(tag), value)

#define RANKINE_AT(field) ((int)offsetof(rankine_self, field))
#define RANKINE_PLACE(field) RANKINE_AT(field), (int)(sizeof(((rankine_self *)0)->field) / sizeof(void *))

int Rankine_Type_create(const char *name, int size, int align, Rankine_Type *type) RANKINE_FUNCTION(Rankine_Type_create);
int Rankine_Type_define(Rankine_Type type, int count, const Rankine_Field fields[]) RANKINE_FUNCTION(Rankine_Type_define);
int Rankine_Type_free(Rankine_Type *type) RANKINE_FUNCTION(Rankine_Type_free);

/* ---- sending and receiving ---- */

int Rankine_Send(const void *objects, int count, Rankine_Type type, int dest, int tag, MPI_Comm comm)
    RANKINE_FUNCTION(Rankine_Send);
/* At most `count` references; Rankine_Get_count says how many came. */
int Rankine_Recv(void *objects, int count, Rankine_Type type, int source, int tag, MPI_Comm comm, MPI_Status *status)
    RANKINE_FUNCTION(Rankine_Recv);
int Rankine_Sendrecv(const void *sendobjects, int sendcount, int dest, int sendtag, void *recvobjects, int recvcount,
                     int source, int recvtag, Rankine_Type type, MPI_Comm comm, MPI_Status *status)
    RANKINE_FUNCTION(Rankine_Sendrecv);
/* The graph is copied at once: it may change before the request is complete. */
int Rankine_Isend(const void *objects, int count, Rankine_Type type, int dest, int tag, MPI_Comm comm,
                  MPI_Request *request) RANKINE_FUNCTION(Rankine_Isend);
/* The objects are built, and `objects` is written, when the request is completed by MPI_Wait, MPI_Test or another of
 * them. */
int Rankine_Irecv(void *objects, int count, Rankine_Type type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) RANKINE_FUNCTION(Rankine_Irecv);
/* What comes next: Rankine_Get_count and Rankine_Get_objects of the status are MPI_UNDEFINED for a plain message, and
 * MPI_Get_count with MPI_BYTE gives its bytes. */
int Rankine_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) RANKINE_FUNCTION(Rankine_Probe);
int Rankine_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) RANKINE_FUNCTION(Rankine_Iprobe);
/* How many references of the array a message holds. */
int Rankine_Get_count(const MPI_Status *status, int *count) RANKINE_FUNCTION(Rankine_Get_count);
/* How many objects a message holds. */
int Rankine_Get_objects(const MPI_Status *status, int *count) RANKINE_FUNCTION(Rankine_Get_objects);

/* ---- collectives ---- */

int Rankine_Bcast(void *objects, int count, Rankine_Type type, int root, MPI_Comm comm) RANKINE_FUNCTION(Rankine_Bcast);
/* Rank i gets sendcounts[i] references, from displs[i] on (or one part after another, if displs is null): a graph of
 * its own. `received` may be null. */
int Rankine_Scatter(const void *sendobjects, const int sendcounts[], const int displs[], Rankine_Type type,
                    void *recvobjects, int recvcount, int *received, int root, MPI_Comm comm)
    RANKINE_FUNCTION(Rankine_Scatter);
/* All parts, one after another in the order of ranks, at most `recvcount` references; recvcounts[i] is how many came
 * from rank i, or null. */
int Rankine_Gather(const void *sendobjects, int sendcount, Rankine_Type type, void *recvobjects, int recvcount,
                   int recvcounts[], int root, MPI_Comm comm) RANKINE_FUNCTION(Rankine_Gather);
int Rankine_Allgather(const void *sendobjects, int sendcount, Rankine_Type type, void *recvobjects, int recvcount,
                      int recvcounts[], MPI_Comm comm) RANKINE_FUNCTION(Rankine_Allgather);
int Rankine_Alltoall(const void *sendobjects, const int sendcounts[], const int displs[], Rankine_Type type,
                     void *recvobjects, int recvcount, int recvcounts[], MPI_Comm comm)
    RANKINE_FUNCTION(Rankine_Alltoall);

/* ---- memory and limits ---- */

/* Frees everything that can be reached from these references and came from malloc or a receive, each object once. */
int Rankine_Free(void *objects, int count, Rankine_Type type) RANKINE_FUNCTION(Rankine_Free);
/* What this rank accepts in one message: bytes, objects, references from a root to the farthest object. -1: any number. */
int Rankine_Set_limits(long long bytes, long long objects, long long depth) RANKINE_FUNCTION(Rankine_Set_limits);

/* Finds memory for n objects, all or none: 0, or 1 if there is no memory. The usual one calls malloc. */
typedef int Rankine_Allocate_function(int n, const unsigned sizes[], void *addresses[]);
/* Gives it back. */
typedef void Rankine_Release_function(int n, void *addresses[]);
/* Where received objects come from; without this call from malloc and free. Types may be declared before or after. */
int Rankine_Set_allocator(Rankine_Allocate_function *allocate, Rankine_Release_function *release)
    RANKINE_FUNCTION(Rankine_Set_allocator);
Rankine_Allocate_function Rankine_Allocate;
Rankine_Release_function Rankine_Release;

/* ---- images that the program makes and reads itself (for languages whose objects have no described layout) ---- */

/* Writes the header into the first 64 of an image's bytes. */
int Rankine_Seal(void *image, int bytes, int objects, int roots, Rankine_Type type) RANKINE_FUNCTION(Rankine_Seal);
/* As the type of a receive: what comes stays an image, in a block from the allocator; `objects` gets its address and
 * how many bytes it has. */
#define RANKINE_IMAGE(type) ((Rankine_Type)((type) | 0x20000000))
/* Checks an image, and stores position, type and count of each object, if there is room for `capacity` of them. */
int Rankine_Open(const void *image, int bytes, Rankine_Type type, int table[], int capacity, int *objects, int *roots)
    RANKINE_FUNCTION(Rankine_Open);

/* ---- clusters: memory at the same address in every rank, sent as it is ---- */

/* A graph that is allocated in a cluster needs no description: one message, one copy, and pointers inside of it are
 * right on the other side. */
typedef struct Rankine_Cluster_state *Rankine_Cluster;

/* A cluster of up to `bytes` bytes, at the same address in every rank of the communicator (collective). Its name is the
 * pair of `creator`, a rank of the communicator, and a number. */
int Rankine_Cluster_create(size_t bytes, int creator, MPI_Comm comm, Rankine_Cluster *cluster);
/* Gives the memory back for clusters created later (collective, as the creation). */
int Rankine_Cluster_free(Rankine_Cluster *cluster);
/* Memory in the cluster, aligned to 16 bytes; null if it is full. */
void *Rankine_Cluster_allocate(Rankine_Cluster cluster, size_t bytes);
/* Forgets everything in it. */
void Rankine_Cluster_reset(Rankine_Cluster cluster);
/* The object from which a receiver finds the others. */
void Rankine_Cluster_set_root(Rankine_Cluster cluster, void *root);
void *Rankine_Cluster_get_root(Rankine_Cluster cluster);
/* Its name, in the communicator that it was created on. */
void Rankine_Cluster_get_name(Rankine_Cluster cluster, int *creator, int *number);
/* Bytes in use. */
size_t Rankine_Cluster_get_size(Rankine_Cluster cluster);
int Rankine_Cluster_send(Rankine_Cluster cluster, int dest, int tag, MPI_Comm comm);
/* Replaces what is in the cluster by what the sender has in the cluster of the same name. */
int Rankine_Cluster_recv(Rankine_Cluster cluster, int source, int tag, MPI_Comm comm, MPI_Status *status);
int Rankine_Cluster_bcast(Rankine_Cluster cluster, int root, MPI_Comm comm);

/* ---- what the macros are made of ---- */

/* The same import as Rankine_Set_allocator. With its highest bit set, the number of `release` says that the program has
 * not chosen these two itself: then they take nothing's place. */
int rankine_offer_allocator(Rankine_Allocate_function *allocate, size_t release)
    __attribute__((import_module("rankine"), import_name("Rankine_Set_allocator")));

static inline Rankine_Type rankine_declare(const char *name, size_t size, size_t align)
{
    Rankine_Type type = 0;
    rankine_offer_allocator(Rankine_Allocate, (size_t)Rankine_Release | 0x80000000u);
    Rankine_Type_create(name, (int)size, (int)align, &type);
    return type;
}

static inline Rankine_Field rankine_array(int kind, int offset, Rankine_Type type, int count, int count_at,
                                          int capacity_at, const char *name)
{
    Rankine_Field field = {kind, offset, type, count, count_at, capacity_at, -1, 0, name};
    return field;
}

static inline Rankine_Field rankine_pointers(int kind, int offset, int count, Rankine_Type type, const char *name)
{
    return rankine_array(kind, offset, type, count, -1, -1, name);
}

static inline Rankine_Field rankine_when(Rankine_Field field, int tag_at, int value)
{
    field.when_at = tag_at;
    field.when = value;
    return field;
}

#ifdef __cplusplus
}
#endif
#endif
