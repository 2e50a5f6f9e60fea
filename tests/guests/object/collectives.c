// Arrays of objects through every collective: each part is a graph of its own, and their lengths differ.
// ranks: 1 2 3 8 16
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct item {
    int value, n;
    int *data;
    struct item *next;
};

static Rankine_Type item_type;

static struct item *item(int value, struct item *next)
{
    struct item *item = malloc(sizeof *item);
    item->value = value;
    item->n = value % 4;
    item->data = malloc(item->n * sizeof(int) + 1);
    for (int i = 0; i < item->n; i++)
        item->data[i] = value + i;
    item->next = next;
    return item;
}

static void check_item(const struct item *item, int value)
{
    CHECK(item != NULL);
    CHECK_INT(item->value, value);
    CHECK_INT(item->n, value % 4);
    for (int i = 0; i < item->n; i++)
        CHECK_INT(item->data[i], value + i);
}

enum { MOST = 1000 };

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    item_type = RANKINE_DECLARE(struct item);
    RANKINE_DEFINE(item_type, struct item, RANKINE_ARRAY(data, RANKINE_OF(MPI_INT), n),
                   RANKINE_REFERENCE(next, item_type));
    int root = size / 2, counts[64], displs[64], received = -1;
    struct item *all[MOST], *own[MOST];

    // A list of three, on every rank.
    own[0] = rank == root ? item(1, item(2, item(3, NULL))) : NULL;
    TRY(Rankine_Bcast(own, 1, item_type, root, MPI_COMM_WORLD));
    check_item(own[0], 1);
    check_item(own[0]->next, 2);
    check_item(own[0]->next->next, 3);
    CHECK(own[0]->next->next->next == NULL);
    TRY(Rankine_Free(own, 1, item_type));

    // Rank i gets i items, which share their end.
    int total = size * (size - 1) / 2;
    struct item *end = item(7, NULL);
    for (int i = 0; i < total; i++)
        all[i] = rank == root ? item(100 + i, end) : NULL;
    for (int i = 0; i < size; i++)
        counts[i] = i;
    TRY(Rankine_Scatter(all, counts, NULL, item_type, own, MOST, &received, root, MPI_COMM_WORLD));
    CHECK_INT(received, rank);
    for (int i = 0; i < rank; i++) {
        check_item(own[i], 100 + rank * (rank - 1) / 2 + i);
        check_item(own[i]->next, 7);
        CHECK(own[i]->next == own[0]->next);
    }

    // And they come back, in the order of ranks.
    struct item *back[MOST];
    int came[64];
    TRY(Rankine_Gather(own, received, item_type, back, MOST, came, root, MPI_COMM_WORLD));
    if (rank == root) {
        for (int i = 0; i < size; i++)
            CHECK_INT(came[i], i);
        for (int i = 0; i < total; i++) {
            check_item(back[i], 100 + i);
            check_item(back[i]->next, 7);
        }
        TRY(Rankine_Free(back, total, item_type));
    }
    TRY(Rankine_Free(own, received, item_type));

    // The same by displacements, from the end to the beginning.
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        displs[i] = size - 1 - i;
    }
    for (int i = 0; i < size; i++)
        all[i] = item(i, NULL);
    TRY(Rankine_Scatter(all, counts, displs, item_type, own, 1, NULL, root, MPI_COMM_WORLD));
    check_item(own[0], size - 1 - rank);

    TRY(Rankine_Allgather(own, 1, item_type, back, MOST, NULL, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        check_item(back[i], size - 1 - i);
    TRY(Rankine_Free(back, size, item_type));

    // Rank i gives rank j j items, numbered by both.
    struct item *parts[MOST];
    int filled = 0;
    for (int j = 0; j < size; j++) {
        counts[j] = j;
        for (int k = 0; k < j; k++)
            parts[filled++] = item(rank * 1000 + j * 10 + k % 10, NULL);
    }
    TRY(Rankine_Alltoall(parts, counts, NULL, item_type, back, MOST, came, MPI_COMM_WORLD));
    for (int i = 0, at = 0; i < size; i++) {
        CHECK_INT(came[i], rank);
        for (int k = 0; k < rank; k++)
            check_item(back[at++], i * 1000 + rank * 10 + k % 10);
    }

    // Nothing at all, and too much.
    TRY(Rankine_Allgather(NULL, 0, item_type, NULL, 0, came, MPI_COMM_WORLD));
    CHECK_INT(came[size - 1], 0);
    FAILS(Rankine_Allgather(own, 1, item_type, back, size - 1, NULL, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);

    // A rank that cannot make its part does not keep the others waiting.
    if (size > 1) {
        struct item *broken = item(1, NULL);
        broken->next = (struct item *)0xfffffff0u;
        if (rank == 0)
            own[0] = broken;
        int class = rank == 0 ? MPI_ERR_ARG : rank == root ? MPI_ERR_OTHER : MPI_SUCCESS;
        FAILS(Rankine_Gather(own, 1, item_type, back, MOST, NULL, root, MPI_COMM_WORLD), class);
    }
    return check_end();
}
