// Weak references to what lies inside of something that travels: elements of arrays, and members.
// ranks: 1 2
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct node {
    struct node *children;
    int n, value;
    struct node *parent; // weak
};
struct part { int value; struct box *around; /* weak */ struct part *other; /* weak */ };
struct box { struct part first, second; struct box *next; };

static Rankine_Type node, part, box;
static int next, before;

static void grow(struct node *at, int depth, int value)
{
    *at = (struct node){NULL, depth, value, at->parent};
    at->children = depth ? calloc(depth, sizeof *at) : NULL;
    for (int i = 0; i < depth; i++) {
        at->children[i].parent = at;
        grow(&at->children[i], depth - 1, 10 * value + i);
    }
}

static int check_tree(const struct node *at, const struct node *parent, int depth, int value)
{
    CHECK(at->parent == parent);
    CHECK_INT(at->value, value);
    CHECK_INT(at->n, depth);
    int count = 1;
    for (int i = 0; i < at->n; i++)
        count += check_tree(&at->children[i], at, depth - 1, 10 * value + i);
    return count;
}

static void trees(void)
{
    struct node outer = {0}, *root = calloc(1, sizeof *root), *came = NULL, *pair[2], *both[2];
    MPI_Status status;
    root->parent = &outer;
    grow(root, 5, 1);
    TRY(Rankine_Sendrecv(&root, 1, next, 0, &came, 1, before, 0, node, MPI_COMM_WORLD, &status));
    CHECK_INT(check_tree(came, NULL, 5, 1), 326);
    TRY(Rankine_Free(&came, 1, node));

    // A reference to an element makes that one part of its row in the image; the others are found all the same.
    pair[0] = &root->children[3];
    pair[1] = root;
    TRY(Rankine_Sendrecv(pair, 2, next, 1, both, 2, before, 1, node, MPI_COMM_WORLD, &status));
    check_tree(both[1], NULL, 5, 1);
    CHECK(both[0] == &both[1]->children[3]);
    TRY(Rankine_Free(both, 2, node));

    // A branch alone: its own parent stays behind.
    pair[0] = &root->children[3];
    TRY(Rankine_Sendrecv(pair, 1, next, 2, &came, 1, before, 2, node, MPI_COMM_WORLD, &status));
    check_tree(came, NULL, 4, 13);
    TRY(Rankine_Free(&came, 1, node));

    // In one block, and as values in the array.
    TRY(Rankine_Sendrecv(&root, 1, next, 3, &came, 1, before, 3, node, MPI_COMM_WORLD, &status));
    MPI_Request request;
    TRY(Rankine_Isend(&came, 1, node, rank, 4, MPI_COMM_WORLD, &request));
    struct node *whole = NULL, values[1];
    TRY(Rankine_Recv(&whole, 1, RANKINE_TOGETHER(node), rank, 4, MPI_COMM_WORLD, &status));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_tree(whole, NULL, 5, 1);
    free(whole);
    TRY(Rankine_Isend(&came, 1, node, rank, 5, MPI_COMM_WORLD, &request));
    TRY(Rankine_Recv(values, 1, RANKINE_VALUES(node), rank, 5, MPI_COMM_WORLD, &status));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_tree(values, NULL, 5, 1);
    TRY(Rankine_Free(values, 1, RANKINE_VALUES(node)));
    TRY(Rankine_Free(&came, 1, node));

    // By collectives.
    struct node *all[8];
    TRY(Rankine_Allgather(&root, 1, node, all, size, NULL, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        check_tree(all[i], NULL, 5, 1);
    TRY(Rankine_Free(all, size, node));
    root->parent = NULL;
    TRY(Rankine_Free(&root, 1, node));
}

static void members(void)
{
    struct box second = {{3}, {4}, NULL}, first = {{1}, {2}, &second}, *root = &first, *came = NULL;
    first.first.other = &second.second;
    first.second.other = &first.first;
    second.second.around = &first;
    second.first.other = &first.second;
    second.second.other = &first.second;
    TRY(Rankine_Sendrecv(&root, 1, next, 6, &came, 1, before, 6, box, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    struct box *last = came->next;
    CHECK(came->first.other == &last->second && came->second.other == &came->first);
    CHECK(last->second.around == came && last->first.other == &came->second && last->second.other == &came->second);
    CHECK(came->first.around == NULL);
    CHECK_INT(came->first.other->value, 4);
    TRY(Rankine_Free(&came, 1, box));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    next = (rank + 1) % size, before = (rank + size - 1) % size;
    node = RANKINE_DECLARE(struct node);
    part = RANKINE_DECLARE(struct part);
    box = RANKINE_DECLARE(struct box);
    RANKINE_DEFINE(node, struct node, RANKINE_ARRAY(children, node, n), RANKINE_WEAK(parent, node));
    RANKINE_DEFINE(part, struct part, RANKINE_WEAK(around, box), RANKINE_WEAK(other, part));
    RANKINE_DEFINE(box, struct box, RANKINE_MEMBER(first, struct part, part), RANKINE_MEMBER(second, struct part, part),
                   RANKINE_REFERENCE(next, box));
    trees();
    members();
    return check_end();
}
