// What is refused: descriptions that are wrong, graphs that don't fit them, messages that aren't what they should be.
// ranks: 2
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct node { int value; struct node *next; };
struct other { double value, more; struct other *next; };
struct strong { int n; struct strong *next; char *text; double *data; };

static void check_text(int code, const char *part1, const char *part2)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    int length;
    CHECK(code != MPI_SUCCESS);
    if (!embedded())
        return; // an MPI library's texts know nothing of this call
    TRY(MPI_Error_string(code, text, &length));
    if (strstr(text, part1) == NULL || strstr(text, part2) == NULL)
        check_fail(__FILE__, __LINE__, part1, "expected it and \"%s\" in: %s", part2, text);
}

static Rankine_Type node, other;

static void descriptions(void)
{
    Rankine_Type bad = 0, undefined;
    FAILS(Rankine_Type_create("bad", 0, 4, &bad), MPI_ERR_ARG);
    FAILS(Rankine_Type_create("bad", 12, 8, &bad), MPI_ERR_ARG);
    static char long_name[5000];
    memset(long_name, 'n', sizeof long_name - 1);
    check_text(Rankine_Type_create(long_name, 8, 4, &bad), "the name of a type", "4096");
    enum { WORD = sizeof(void *) };
    TRY(Rankine_Type_create("bad", 2 * WORD, WORD, &bad));
    Rankine_Field outside = {RANKINE_KIND_REFERENCE, 2 * WORD, bad, 1, -1, -1, -1, 0, "next"};
    check_text(Rankine_Type_define(bad, 1, &outside), "field next of bad", "not inside");
    Rankine_Field twice[2] = {{RANKINE_KIND_REFERENCE, WORD, bad, 1, -1, -1, -1, 0, "a"},
                              {RANKINE_KIND_REFERENCE, WORD, bad, 1, -1, -1, -1, 0, "b"}};
    check_text(Rankine_Type_define(bad, 2, twice), "field b of bad", "overlaps a");
    FAILS(Rankine_Type_define(bad, 1, (void *)0xfffffff0u), MPI_ERR_ARG);
    FAILS(Rankine_Type_define(bad, -1, twice), MPI_ERR_COUNT);
    FAILS(Rankine_Type_define(12345, 0, NULL), MPI_ERR_TYPE);
    TRY(Rankine_Type_create("later", 8, 4, &undefined));
    struct node here = {1, NULL}, *root = &here;
    check_text(Rankine_Send(&root, 1, undefined, 0, 0, MPI_COMM_WORLD), "later", "never described");
    FAILS(Rankine_Send(&root, 1, 77, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    TRY(Rankine_Type_free(&undefined));
    CHECK_INT(undefined, 0);
    FAILS(Rankine_Type_free(&undefined), MPI_ERR_TYPE);
}

static void graphs(void)
{
    // A reference to nowhere, a count that is none, a text without an end; arguments of the call.
    Rankine_Type type = RANKINE_DECLARE(struct strong);
    RANKINE_DEFINE(type, struct strong, RANKINE_REFERENCE(next, type), RANKINE_STRING(text),
                   RANKINE_ARRAY(data, RANKINE_OF(MPI_DOUBLE), n));
    struct strong first = {0, NULL, NULL, NULL}, second = {-3, NULL, NULL, &(double){1}}, *root = &first;
    first.next = (struct strong *)0xfffffff0u;
    check_text(Rankine_Send(&root, 1, type, 0, 0, MPI_COMM_SELF), "0xfffffff0", "not inside");
    first.next = &second;
    check_text(Rankine_Send(&root, 1, type, 0, 0, MPI_COMM_SELF), "field data", "-3");
    second.n = 0x7fffffff;
    FAILS(Rankine_Send(&root, 1, type, 0, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    second.n = 0;
    second.text = (char *)0xffffff00u;
    FAILS(Rankine_Send(&root, 1, type, 0, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    second.text = NULL;
    FAILS(Rankine_Send(&root, -1, type, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    FAILS(Rankine_Send((void *)0xfffffff0u, 100, type, 0, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    FAILS(Rankine_Send(&root, 1, type, 7, 0, MPI_COMM_SELF), MPI_ERR_RANK);
    FAILS(Rankine_Send(&root, 1, type, 0, -5, MPI_COMM_SELF), MPI_ERR_TAG);
    FAILS(Rankine_Send(&root, 1, type, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    // Two references that want different things of one address.
    struct strong both = {2, &first, (char *)"x", (double *)(void *)&second};
    first.next = &second;
    root = &both;
    check_text(Rankine_Send(&root, 1, type, 0, 0, MPI_COMM_SELF), "strong", "MPI_DOUBLE");
}

static void messages(void)
{
    struct node second = {2, NULL}, first = {1, &second}, *root = &first, *came[2] = {NULL, NULL};
    struct other alien = {1.5, 2, NULL}, *alien_root = &alien;
    double plain[20] = {1};
    MPI_Status status;
    int peer = 1 - rank;

    MPI_Request request;
    TRY(MPI_Isend(plain, 20, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &request));
    TRY(Rankine_Probe(peer, 1, MPI_COMM_WORLD, &status));
    int objects = 0;
    TRY(Rankine_Get_objects(&status, &objects));
    CHECK_INT(objects, MPI_UNDEFINED);
    int code = Rankine_Recv(came, 1, node, peer, 1, MPI_COMM_WORLD, &status);
    CHECK_INT(check_class(code), MPI_ERR_TYPE);
    check_text(code, "160 plain bytes", "struct node");
    CHECK_STATUS(status, peer, 1);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));

    TRY(Rankine_Isend(&alien_root, 1, other, peer, 2, MPI_COMM_WORLD, &request));
    code = Rankine_Recv(came, 1, node, peer, 2, MPI_COMM_WORLD, &status);
    CHECK_INT(check_class(code), MPI_ERR_TYPE);
    check_text(code, "struct other", "struct node");
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));

    // The same through a request.
    TRY(Rankine_Irecv(came, 1, node, peer, 3, MPI_COMM_WORLD, &request));
    TRY(Rankine_Send(&alien_root, 1, other, peer, 3, MPI_COMM_WORLD));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK(request == MPI_REQUEST_NULL);

    // More than there is room for, or than this rank wants.
    struct node *two[2] = {&first, &second};
    TRY(Rankine_Isend(two, 2, node, peer, 4, MPI_COMM_WORLD, &request));
    FAILS(Rankine_Recv(came, 1, node, peer, 4, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    CHECK(came[0] == NULL);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    long long limits[3][3] = {{10, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    for (int i = 0; i < 3; i++) {
        TRY(Rankine_Isend(&root, 1, node, peer, 5 + i, MPI_COMM_WORLD, &request));
        TRY(Rankine_Set_limits(limits[i][0], limits[i][1], limits[i][2]));
        FAILS(Rankine_Recv(came, 1, node, peer, 5 + i, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
        TRY(Rankine_Set_limits(-1, -1, -1));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    // A place for the result that does not exist, found before anything is taken.
    TRY(Rankine_Isend(&root, 1, node, peer, 9, MPI_COMM_WORLD, &request));
    FAILS(Rankine_Recv((void *)0xfffffffcu, 2, node, peer, 9, MPI_COMM_WORLD, &status), MPI_ERR_ARG);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));

    // A cancelled receive leaves nothing behind.
    TRY(Rankine_Irecv(came, 1, node, peer, 10, MPI_COMM_WORLD, &request));
    TRY(MPI_Cancel(&request));
    int flag = 0;
    TRY(MPI_Wait(&request, &status));
    TRY(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 1);
    TRY(Rankine_Iprobe(peer, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    CHECK_INT(flag, 0);
}

static int given, refused;

static int allocate(int n, const unsigned sizes[], void *addresses[])
{
    for (int i = 0; i < n; i++) {
        if (given == 20000) {
            refused++;
            while (i-- > 0) {
                free(addresses[i]);
                given--;
            }
            return 1;
        }
        addresses[i] = malloc(sizes[i]);
        given++;
    }
    return 0;
}

static void release(int n, void *addresses[])
{
    for (int i = 0; i < n; i++)
        free(addresses[i]);
    given -= n;
}

/* The allocator fails in the third batch: everything is given back. */
static void memory(void)
{
    enum { NODES = 30000 };
    struct node *list = NULL, *came = NULL;
    MPI_Request request;
    for (int i = 0; i < NODES; i++) {
        struct node *one = malloc(sizeof *one);
        *one = (struct node){i, list};
        list = one;
    }
    TRY(Rankine_Set_allocator(allocate, release));
    TRY(Rankine_Isend(&list, 1, node, rank, 0, MPI_COMM_WORLD, &request));
    FAILS(Rankine_Recv(&came, 1, node, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_NO_MEM);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(came == NULL);
    CHECK_INT(given, 0);
    CHECK_INT(refused, 1);
    TRY(Rankine_Set_allocator(Rankine_Allocate, Rankine_Release));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    node = RANKINE_DECLARE(struct node);
    RANKINE_DEFINE(node, struct node, RANKINE_REFERENCE(next, node));
    other = RANKINE_DECLARE(struct other);
    RANKINE_DEFINE(other, struct other, RANKINE_REFERENCE(next, other));
    descriptions();
    graphs();
    messages();
    memory();
    return check_end();
}
