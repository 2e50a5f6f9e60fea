// Clusters: at the same address everywhere, sent as they are, with a root, a name, reset and reuse.
// ranks: 1 2 4
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct node { struct node *next, *self; int value; };

static void fill(Rankine_Cluster cluster, int count, int first)
{
    struct node *list = NULL;
    Rankine_Cluster_reset(cluster);
    for (int i = 0; i < count; i++) {
        struct node *node = Rankine_Cluster_allocate(cluster, sizeof *node);
        CHECK(node != NULL);
        *node = (struct node){list, node, first + i};
        list = node;
    }
    Rankine_Cluster_set_root(cluster, list);
}

static void check_filled(Rankine_Cluster cluster, int count, int first)
{
    for (struct node *node = Rankine_Cluster_get_root(cluster); node != NULL; node = node->next) {
        CHECK(node->self == node);
        CHECK_INT(node->value, first + --count);
    }
    CHECK_INT(count, 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    // Ranks with memories of different sizes agree all the same.
    CHECK(malloc(100000 * (rank + 1)) != NULL);
    Rankine_Cluster one, two, old;
    TRY(Rankine_Cluster_create(1 << 20, 0, MPI_COMM_WORLD, &one));
    TRY(Rankine_Cluster_create(1 << 16, size - 1, MPI_COMM_WORLD, &two));
    int creator = -1, number = -1, after = -1;
    Rankine_Cluster_get_name(one, &creator, &number);
    CHECK_INT(creator, 0);
    Rankine_Cluster_get_name(two, &creator, &after);
    CHECK_INT(creator, size - 1);
    CHECK_INT(after, number + 1);

    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (rank == 0) {
        fill(one, 1000, 5);
        if (size > 1) {
            TRY(Rankine_Cluster_send(one, next, 0, MPI_COMM_WORLD));
            Rankine_Cluster_reset(one);
            CHECK(Rankine_Cluster_get_root(one) == NULL);
            TRY(Rankine_Cluster_recv(one, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        check_filled(one, 1000, 5);
    } else {
        MPI_Status status;
        TRY(Rankine_Cluster_recv(one, before, 0, MPI_COMM_WORLD, &status));
        CHECK_STATUS(status, before, 0);
        check_filled(one, 1000, 5);
        TRY(Rankine_Cluster_send(one, next, 0, MPI_COMM_WORLD));
    }
    if (rank == 0)
        fill(two, 50, 9);
    TRY(Rankine_Cluster_bcast(two, 0, MPI_COMM_WORLD));
    check_filled(two, 50, 9);

    // Another cluster's content, or none at all, is refused.
    if (rank == 0 && size > 1) {
        TRY(Rankine_Cluster_send(two, 1, 1, MPI_COMM_WORLD));
        TRY(MPI_Send("nonsense", 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD));
    } else if (rank == 1) {
        FAILS(Rankine_Cluster_recv(one, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
        FAILS(Rankine_Cluster_recv(two, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
        CHECK(Rankine_Cluster_get_root(one) == NULL);
    }

    // A full cluster says so; a freed one is used again.
    CHECK(Rankine_Cluster_allocate(two, 1 << 20) == NULL);
    CHECK(Rankine_Cluster_allocate(two, 0xfffffff0u) == NULL);
    old = two;
    TRY(Rankine_Cluster_free(&two));
    CHECK(two == NULL);
    TRY(Rankine_Cluster_create(1 << 16, 0, MPI_COMM_WORLD, &two));
    CHECK(two == old);
    CHECK(Rankine_Cluster_get_root(two) == NULL);
    return check_end();
}
