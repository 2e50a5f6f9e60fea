// Calls with as much to look through as a program can pile up: messages and receives in the worst order, requests by the hundred thousand,
// attributes, groups, hints, blocks. Each takes what its arguments are long, and the job goes on.
// ranks: 1 2
#include "variations.h"

enum { MANY = 1 << 16, FEW = 1 << 12 };
static MPI_Request requests[MANY];
static int numbers[MANY], ones[MANY], indices[MANY];
static char bytes[MANY];

/* Messages that nobody expects, received from the last to the first. */
static void unexpected(void)
{
    for (int i = 0; i < FEW; i++)
        TRY(MPI_Isend(&numbers[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]));
    for (int i = FEW; i-- > 0;) {
        int got = -1;
        TRY(MPI_Recv(&got, 1, MPI_INT, rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(got, i);
    }
    TRY(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
}

/* Receives that wait for the last message first. */
static void posted(void)
{
    for (int i = 0; i < FEW; i++)
        TRY(MPI_Irecv(&indices[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]));
    for (int i = FEW; i-- > 0;)
        TRY(MPI_Send(&numbers[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD));
    TRY(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < FEW; i++)
        CHECK_INT(indices[i], i);
}

/* One request of many completes at a time. */
static void many_requests(void)
{
    const int many = embedded() ? MANY : FEW;
    int index, count, flag;
    for (int i = 0; i < many; i++)
        TRY(MPI_Irecv(&bytes[i], 1, MPI_CHAR, rank, i % 1000, MPI_COMM_WORLD, &requests[i]));
    for (int round = 0; round < 20; round++) {
        TRY(MPI_Testany(many, requests, &index, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0);
        TRY(MPI_Testsome(many, requests, &count, indices, MPI_STATUSES_IGNORE));
        CHECK_INT(count, 0);
        TRY(MPI_Testall(many, requests, &flag, MPI_STATUSES_IGNORE));
        CHECK_INT(flag, 0);
    }
    for (int i = many; i-- > 0;) {
        TRY(MPI_Cancel(&requests[i]));
        TRY(MPI_Request_free(&requests[i]));
    }
}

static int copied(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)state;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

/* A communicator with as many attributes as there are keyvals. */
static void attributes(void)
{
    enum { KEYS = 2000 };
    static int keys[KEYS];
    MPI_Comm comm, copies[8];
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    for (int i = 0; i < KEYS; i++) {
        TRY(MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL));
        TRY(MPI_Comm_set_attr(comm, keys[i], &keys[i]));
    }
    for (int i = 0; i < 8; i++)
        TRY(MPI_Comm_dup(comm, &copies[i]));
    for (int i = 0; i < 8; i++)
        TRY(MPI_Comm_free(&copies[i]));
    for (int i = KEYS; i-- > 0;) {
        TRY(MPI_Comm_delete_attr(comm, keys[i]));
        TRY(MPI_Comm_free_keyval(&keys[i]));
    }
    TRY(MPI_Comm_free(&comm));
}

/* Groups that are made of groups, and asked for all of the numbers there are. */
static void groups(void)
{
    MPI_Group group, next;
    int ranges[1][3] = {{0, size - 1, 1}}, result;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &group));
    for (int i = 0; i < FEW; i++) {
        TRY(i % 3 == 0   ? MPI_Group_union(group, group, &next)
            : i % 3 == 1 ? MPI_Group_range_incl(group, 1, ranges, &next)
                         : MPI_Group_intersection(group, group, &next));
        TRY(MPI_Group_free(&group));
        group = next;
    }
    memset(indices, 0, sizeof indices);
    TRY(MPI_Group_translate_ranks(group, MANY, indices, group, indices));
    TRY(MPI_Group_compare(group, group, &result));
    CHECK_INT(result, MPI_IDENT);
    TRY(MPI_Group_free(&group));
}

static void hints(void)
{
    char key[32];
    MPI_Info info, copy;
    int keys, flag;
    TRY(MPI_Info_create(&info));
    for (int i = 0; i < FEW; i++) {
        snprintf(key, sizeof key, "key %d", i);
        TRY(MPI_Info_set(info, key, "value"));
    }
    TRY(MPI_Info_dup(info, &copy));
    for (int i = FEW; i-- > 0;) {
        TRY(MPI_Info_get_nthkey(copy, i, key));
        TRY(MPI_Info_delete(copy, key));
    }
    TRY(MPI_Info_get_nkeys(copy, &keys));
    CHECK_INT(keys, 0);
    TRY(MPI_Info_get(info, "key 0", 8, key, &flag));
    TRY(MPI_Info_free(&copy));
    TRY(MPI_Info_free(&info));
}

/* Blocks of blocks, each level with more of them. */
static void blocks(void)
{
    MPI_Datatype type, next;
    int packed, position = 0;
    TRY(MPI_Type_indexed(1 << 10, ones, indices, MPI_CHAR, &type));
    TRY(MPI_Type_free(&type));
    for (int i = 0; i < MANY; i++)
        indices[i] = 2 * (i % 1000);
    TRY(MPI_Type_indexed(1 << 10, ones, indices, MPI_CHAR, &type));
    for (int level = 0; level < 3; level++) {
        TRY(MPI_Type_create_hvector(4, 1, level, type, &next));
        TRY(MPI_Type_free(&type));
        type = next;
    }
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_size(type, &packed));
    CHECK_INT(packed, 64 << 10);
    static char to[64 << 10];
    TRY(MPI_Pack(bytes, 1, type, to, sizeof to, &position, MPI_COMM_SELF));
    CHECK_INT(position, packed);
    TRY(MPI_Type_free(&type));
}

/* Persistent requests by the thousand, started and waited for together. */
static void persistent(void)
{
    for (int i = 0; i < FEW; i++)
        TRY(i % 2 ? MPI_Send_init(&numbers[i], 1, MPI_INT, rank, i / 2, MPI_COMM_WORLD, &requests[i])
                  : MPI_Recv_init(&indices[i], 1, MPI_INT, rank, FEW / 2 - 1 - i / 2, MPI_COMM_WORLD, &requests[i]));
    for (int round = 0; round < 3; round++) {
        TRY(MPI_Startall(FEW, requests));
        TRY(MPI_Waitall(FEW, requests, MPI_STATUSES_IGNORE));
    }
    for (int i = 0; i < FEW; i++)
        TRY(MPI_Request_free(&requests[i]));
}

/* Names, error classes and strings, each the longest that there may be. */
static void names(void)
{
    static char name[MPI_MAX_OBJECT_NAME], text[MPI_MAX_ERROR_STRING];
    int class, code, length;
    MPI_Comm comm;
    memset(name, 'n', sizeof name - 1);
    memset(text, 't', sizeof text - 1);
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    for (int i = 0; i < FEW; i++)
        TRY(MPI_Comm_set_name(comm, name));
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Add_error_class(&class));
    TRY(MPI_Add_error_code(class, &code));
    for (int i = 0; i < FEW; i++) {
        TRY(MPI_Add_error_string(code, text));
        TRY(MPI_Error_string(code, text, &length));
    }
}

/* Communicators of every kind, alive at once, each with something under way. */
static void communicators(void)
{
    enum { ALIVE = 200 };
    static MPI_Comm all[ALIVE];
    int none = 0;
    for (int i = 0; i < ALIVE; i++) {
        TRY(i % 4 == 0   ? MPI_Comm_dup(MPI_COMM_WORLD, &all[i])
            : i % 4 == 1 ? MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all[i])
            : i % 4 == 2 ? MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &none, 0, &all[i])
                         : MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &all[i]));
        TRY(MPI_Irecv(&indices[i], 1, MPI_INT, 0, 5, all[i], &requests[i]));
    }
    for (int i = ALIVE; i-- > 0;) {
        int members, me;
        TRY(MPI_Comm_size(all[i], &members));
        TRY(MPI_Comm_rank(all[i], &me));
        for (int to = 0; me == 0 && to < members; to++)
            TRY(MPI_Send(&i, 1, MPI_INT, to, 5, all[i]));
        TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        CHECK_INT(indices[i], i);
        TRY(MPI_Comm_free(&all[i]));
    }
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"unexpected", unexpected}, {"posted", posted}, {"many requests", many_requests}, {"attributes", attributes}, {"groups", groups}, {"hints", hints},
        {"blocks", blocks}, {"persistent", persistent}, {"names", names}, {"communicators", communicators},
    };
    hostile_begin(&argc, &argv);
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i;
        ones[i] = 1;
    }
    return VARIATIONS(all);
}
