// A list of ten million nodes overflows nothing.
// ranks: 1
// native: no (Rankine's own functions)
// cc: -O2
#include "../check.h"
#include <rankine.h>

struct node { struct node *next; int value; };

int main(int argc, char **argv)
{
    enum { NODES = 10000000 };
    check_begin(&argc, &argv);
    Rankine_Type type = RANKINE_DECLARE(struct node);
    RANKINE_DEFINE(type, struct node, RANKINE_REFERENCE(next, type));
    struct node *nodes = malloc(NODES * sizeof *nodes), *list = NULL, *came = NULL;
    CHECK(nodes != NULL);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (struct node){list, i};
        list = &nodes[i];
    }
    MPI_Status status;
    TRY(Rankine_Sendrecv(&list, 1, 0, 0, &came, 1, 0, 0, type, MPI_COMM_WORLD, &status));
    int objects = 0, i = NODES;
    TRY(Rankine_Get_objects(&status, &objects));
    CHECK_INT(objects, NODES);
    for (struct node *node = came; node != NULL; node = node->next)
        if (node->value != --i)
            CHECK_INT(node->value, i);
    CHECK_INT(i, 0);
    return check_end();
}
