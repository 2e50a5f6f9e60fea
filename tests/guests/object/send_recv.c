// Trees, lists and shared objects, sent from rank to rank and received with wildcards.
// ranks: 1 2 4
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct node {
    int value;
    struct node *left, *right, *parent;
    char *name;
    double *data;
    int n;
};

static Rankine_Type node_type;

static void describe(void)
{
    node_type = RANKINE_DECLARE(struct node);
    RANKINE_DEFINE(node_type, struct node, RANKINE_REFERENCE(left, node_type), RANKINE_REFERENCE(right, node_type),
                   RANKINE_WEAK(parent, node_type), RANKINE_STRING(name),
                   RANKINE_ARRAY(data, RANKINE_OF(MPI_DOUBLE), n));
}

static struct node *tree(int depth, int value, struct node *parent)
{
    if (depth == 0)
        return NULL;
    struct node *node = calloc(1, sizeof *node);
    char name[32];
    snprintf(name, sizeof name, "node %d", value);
    node->value = value;
    node->name = strdup(name);
    node->n = value % 5;
    node->data = malloc(node->n * sizeof(double) + 1);
    for (int i = 0; i < node->n; i++)
        node->data[i] = value + i / 8.0;
    node->parent = parent;
    node->left = tree(depth - 1, 2 * value, node);
    node->right = tree(depth - 1, 2 * value + 1, node);
    return node;
}

static void check_tree(struct node *node, int depth, int value, struct node *parent)
{
    if (depth == 0) {
        CHECK(node == NULL);
        return;
    }
    char name[32];
    snprintf(name, sizeof name, "node %d", value);
    CHECK_INT(node->value, value);
    CHECK_STR(node->name, name);
    CHECK(node->parent == parent);
    CHECK_INT(node->n, value % 5);
    CHECK((node->data == NULL) == (node->n == 0));
    for (int i = 0; i < node->n; i++)
        CHECK_REAL(node->data[i], value + i / 8.0);
    check_tree(node->left, depth - 1, 2 * value, node);
    check_tree(node->right, depth - 1, 2 * value + 1, node);
}

static void free_tree(struct node *node)
{
    if (node == NULL)
        return;
    free_tree(node->left);
    free_tree(node->right);
    free(node->name);
    free(node->data);
    free(node);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    describe();
    CHECK(node_type != 0);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    // A tree around the ring, received from anybody with any tag.
    struct node *sent = tree(6, 1, NULL), *got = NULL;
    MPI_Request request;
    MPI_Status status;
    TRY(Rankine_Isend(&sent, 1, node_type, next, 7, MPI_COMM_WORLD, &request));
    TRY(Rankine_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    int roots = -1, objects = -1, bytes = -1;
    TRY(Rankine_Get_count(&status, &roots));
    TRY(Rankine_Get_objects(&status, &objects));
    TRY(MPI_Get_count(&status, MPI_BYTE, &bytes));
    // Over an MPI library a message can't be looked into.
    CHECK_INT(roots, embedded() ? 1 : MPI_UNDEFINED);
    CHECK_INT(objects, embedded() ? 63 + 63 + 51 : MPI_UNDEFINED); // nodes, names, and the arrays that are not empty
    CHECK(bytes > 63 * (int)sizeof *sent);
    TRY(Rankine_Recv(&got, 1, node_type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_STATUS(status, before, 7);
    TRY(Rankine_Get_objects(&status, &objects));
    CHECK_INT(objects, 63 + 63 + 51);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_tree(got, 6, 1, NULL);
    free_tree(got);

    // Two references to one object in one message, a null one, and a subtree: its parent stays behind.
    struct node *some[4] = {sent->left, sent->left->right, NULL, sent->left}, *came[4] = {0};
    TRY(Rankine_Irecv(came, 4, node_type, before, 8, MPI_COMM_WORLD, &request));
    TRY(Rankine_Send(some, 4, node_type, next, 8, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, &status));
    CHECK_STATUS(status, before, 8);
    check_tree(came[0], 5, 2, NULL);
    CHECK(came[1] == came[0]->right && came[2] == NULL && came[3] == came[0]);
    free_tree(came[0]);

    // A cycle, and part of an array.
    sent->left->left->left = sent;
    struct node *parts[3] = {NULL, sent, NULL};
    TRY(Rankine_Sendrecv(&parts[1], 1, next, 9, &parts[2], 1, before, 9, node_type, MPI_COMM_WORLD, &status));
    CHECK_INT(parts[2]->value, 1);
    CHECK(parts[2]->left->left->left == parts[2]);
    CHECK(parts[2]->left->parent == parts[2]);
    TRY(Rankine_Free(&parts[2], 1, node_type));
    sent->left->left->left = NULL;

    // From nobody, and to nobody.
    TRY(Rankine_Send(&sent, 1, node_type, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    got = sent;
    TRY(Rankine_Recv(&got, 1, node_type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK(got == sent);
    return check_end();
}
