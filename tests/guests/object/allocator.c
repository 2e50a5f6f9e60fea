// A program's own allocator stays the one that is used, whenever types are declared; what fails half way is given back.
// ranks: 2
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct node { int value; struct node *next; };
struct later { int value; struct later *next; };

static int calls, given, most;

static int allocate(int n, const unsigned sizes[], void *addresses[])
{
    calls++;
    if (given + n > most)
        return 1;
    for (int i = 0; i < n; i++)
        addresses[i] = malloc(sizes[i]);
    given += n;
    return 0;
}

static void release(int n, void *addresses[])
{
    for (int i = 0; i < n; i++)
        free(addresses[i]);
    given -= n;
}

static struct node *list_of(int n, struct node *nodes)
{
    for (int i = 0; i < n; i++)
        nodes[i] = (struct node){i, i + 1 < n ? &nodes[i + 1] : NULL};
    return nodes;
}

// The parts of all ranks, for which there is not memory enough, as references and as values.
static void half_way(Rankine_Type node)
{
    struct node nodes[10], *list = list_of(10, nodes), marks[2] = {0}, *came[2] = {&marks[0], &marks[1]};
    struct node values[2] = {{77, NULL}, {78, NULL}};
    int counts[2] = {-1, -1};
    most = 15;
    FAILS(Rankine_Allgather(&list, 1, node, came, 2, counts, MPI_COMM_WORLD), MPI_ERR_NO_MEM);
    CHECK_INT(given, 0);
    CHECK(came[0] == &marks[0] && came[1] == &marks[1] && counts[0] == -1);
    FAILS(Rankine_Allgather(&list, 1, RANKINE_TOGETHER(node), came, 1, NULL, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
    CHECK_INT(given, 0);
    CHECK(came[0] == &marks[0]);
    FAILS(Rankine_Allgather(nodes, 1, RANKINE_VALUES(node), values, 2, counts, MPI_COMM_WORLD), MPI_ERR_NO_MEM);
    CHECK_INT(given, 0);
    CHECK(values[0].value == 77 && values[0].next == NULL && values[1].value == 78);
    most = 20;
    TRY(Rankine_Allgather(&list, 1, node, came, 2, counts, MPI_COMM_WORLD));
    CHECK_INT(given, 20);
    CHECK(counts[0] == 1 && counts[1] == 1);
    TRY(Rankine_Free(came, 2, node));
    CHECK_INT(given, 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    most = 1000;
    TRY(Rankine_Set_allocator(allocate, release));
    Rankine_Type node = RANKINE_DECLARE(struct node);
    RANKINE_DEFINE(node, struct node, RANKINE_REFERENCE(next, node));
    struct node one = {1, NULL}, *root = &one, *came = NULL;
    TRY(Rankine_Sendrecv(&root, 1, 0, 0, &came, 1, 0, 0, node, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(calls == 1 && given == 1);
    Rankine_Type later = RANKINE_DECLARE(struct later);
    RANKINE_DEFINE(later, struct later, RANKINE_REFERENCE(next, later));
    TRY(Rankine_Free(&came, 1, node));
    CHECK_INT(given, 0);
    half_way(node);
    return check_end();
}
