// Random graphs with sharing, cycles, arrays, unions and weak references go around a ring: what comes back is the same graph.
// ranks: 1 2 4
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

enum kind { LEAF, PAIR, MANY, DATA };

struct node {
    int kind, id, n, capacity;
    union {
        struct node *pair[2];
        struct {
            struct node **many;
            struct node *extra;
        } list;
        double *data;
    } u;
    struct node *weak, *left;
    char *text;
    struct { struct node *inside; int number; } part[2];
};

static Rankine_Type node_type, part_type;

typedef struct { struct node *inside; int number; } part;

static void describe(void)
{
    node_type = RANKINE_DECLARE(struct node);
    part_type = RANKINE_DECLARE(part);
    RANKINE_DEFINE(part_type, part, RANKINE_REFERENCE(inside, node_type));
    RANKINE_DEFINE(node_type, struct node, RANKINE_WHEN(kind, PAIR, RANKINE_REFERENCE(u.pair, node_type)),
                   RANKINE_WHEN(kind, MANY, RANKINE_REFERENCE_ARRAY(u.list.many, node_type, n)),
                   RANKINE_WHEN(kind, MANY, RANKINE_REFERENCE(u.list.extra, node_type)),
                   RANKINE_WHEN(kind, DATA, RANKINE_GROWABLE(u.data, RANKINE_OF(MPI_DOUBLE), n, capacity)),
                   RANKINE_WEAK(weak, node_type), RANKINE_LEFT(left), RANKINE_STRING(text),
                   RANKINE_MEMBER(part, part, part_type));
}

static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)n);
}

enum { MAX = 300 };

/* Shared texts and arrays are among them. */
static void make(struct node *nodes[], int count)
{
    char *shared = strdup("shared");
    for (int i = 0; i < count; i++)
        nodes[i] = calloc(1, sizeof *nodes[i]);
    for (int i = 0; i < count; i++) {
        struct node *node = nodes[i], *any = nodes[below(count)];
        node->id = i;
        node->kind = below(4);
        node->weak = below(2) ? nodes[below(count)] : NULL;
        node->left = any;
        char text[40];
        snprintf(text, sizeof text, "%*d", below(30) + 1, i);
        node->text = below(3) == 0 ? shared : below(2) ? strdup(text) : NULL;
        for (int p = 0; p < 2; p++) {
            node->part[p].inside = below(4) == 0 ? nodes[below(count)] : NULL;
            node->part[p].number = i + p;
        }
        if (node->kind == PAIR) {
            node->u.pair[0] = below(5) ? nodes[below(count)] : NULL;
            node->u.pair[1] = below(5) ? nodes[below(count)] : node;
        } else if (node->kind == MANY) {
            node->n = below(6);
            node->u.list.many = malloc(node->n * sizeof(struct node *) + 1);
            for (int j = 0; j < node->n; j++)
                node->u.list.many[j] = below(6) ? nodes[below(count)] : NULL;
            node->u.list.extra = any;
        } else if (node->kind == DATA) {
            node->n = below(9);
            node->capacity = node->n + 5;
            node->u.data = malloc(node->capacity * sizeof(double));
            for (int j = 0; j < node->n; j++)
                node->u.data[j] = i * 100 + j;
        }
    }
}

/* A description of a graph that does not depend on addresses: nodes by the order in which they are met. */
struct canon {
    struct node *met[MAX];
    char *texts[2 * MAX];
    int nodes, ntexts, words;
    int word[40 * MAX];
};

static int meet(struct canon *canon, struct node *node)
{
    if (node == NULL)
        return -1;
    for (int i = 0; i < canon->nodes; i++)
        if (canon->met[i] == node)
            return i;
    CHECK(canon->nodes < MAX);
    canon->met[canon->nodes] = node;
    return canon->nodes++;
}

static int met(struct canon *canon, struct node *node)
{
    for (int i = 0; i < canon->nodes; i++)
        if (canon->met[i] == node)
            return i;
    return -1;
}

static void say(struct canon *canon, int word)
{
    CHECK(canon->words < 40 * MAX);
    canon->word[canon->words++] = word;
}

static void say_text(struct canon *canon, char *text)
{
    int which = 0;
    if (text == NULL) {
        say(canon, -1);
        return;
    }
    while (which < canon->ntexts && canon->texts[which] != text)
        which++;
    if (which == canon->ntexts)
        canon->texts[canon->ntexts++] = text;
    say(canon, which);
    say(canon, (int)strlen(text));
    say(canon, text[strlen(text) - 1]);
}

static struct canon *canon_of(struct node **roots, int count)
{
    struct canon *canon = calloc(1, sizeof *canon);
    for (int i = 0; i < count; i++)
        say(canon, meet(canon, roots[i]));
    for (int i = 0; i < canon->nodes; i++) {
        struct node *node = canon->met[i];
        say(canon, node->id);
        say(canon, node->kind);
        say_text(canon, node->text);
        for (int p = 0; p < 2; p++) {
            say(canon, meet(canon, node->part[p].inside));
            say(canon, node->part[p].number);
        }
        if (node->kind == PAIR) {
            say(canon, meet(canon, node->u.pair[0]));
            say(canon, meet(canon, node->u.pair[1]));
        } else if (node->kind == MANY) {
            for (int j = 0; j < node->n; j++)
                say(canon, meet(canon, node->u.list.many[j]));
            say(canon, meet(canon, node->u.list.extra));
        } else if (node->kind == DATA) {
            for (int j = 0; j < node->n; j++)
                say(canon, (int)node->u.data[j]);
        }
    }
    // What weak references lead to counts only if it is there otherwise.
    for (int i = 0; i < canon->nodes; i++)
        say(canon, met(canon, canon->met[i]->weak));
    return canon;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    describe();
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < 60; round++) {
        struct node *nodes[MAX], *mine[3], *got[3], *came[3];
        state = (unsigned)(round * 1000 + rank);
        int count = 1 + below(MAX - 1);
        make(nodes, count);
        for (int i = 0; i < 3; i++)
            mine[i] = nodes[below(count)];
        struct canon *expected = canon_of(mine, 3);
        // The shared text is freed by nobody: it is freed with the graph that holds it, if any does.
        memcpy(got, mine, sizeof mine);
        for (int hop = 0; hop < size; hop++) {
            MPI_Status status;
            TRY(Rankine_Sendrecv(got, 3, next, hop, came, 3, before, hop, node_type, MPI_COMM_WORLD, &status));
            if (hop > 0)
                TRY(Rankine_Free(got, 3, node_type));
            memcpy(got, came, sizeof came);
        }
        struct canon *found = canon_of(got, 3);
        CHECK_INT(found->words, expected->words);
        for (int i = 0; i < found->words; i++)
            CHECK_INT(found->word[i], expected->word[i]);
        for (int i = 0; i < found->nodes; i++) {
            CHECK(found->met[i]->left == NULL);
            if (found->met[i]->kind == DATA)
                CHECK_INT(found->met[i]->capacity, found->met[i]->n);
        }
        TRY(Rankine_Free(got, 3, node_type));
        free(found);
        free(expected);
    }
    return check_end();
}
