// Images that somebody has tampered with: each gives an error or a graph, and never harm.
// ranks: 1 2
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct node {
    int kind, n;
    union {
        struct node *next;
        int *data;
    } u;
    struct node *weak, **many;
    char *text;
};

static Rankine_Type node;
static unsigned long long state = 12345;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    node = RANKINE_DECLARE(struct node);
    RANKINE_DEFINE(node, struct node, RANKINE_WHEN(kind, 1, RANKINE_REFERENCE(u.next, node)),
                   RANKINE_WHEN(kind, 2, RANKINE_ARRAY(u.data, RANKINE_OF(MPI_INT), n)), RANKINE_WEAK(weak, node),
                   RANKINE_REFERENCE_ARRAY(many, node, n), RANKINE_STRING(text));
    int numbers[4] = {1, 2, 3, 4};
    struct node d = {2, 4, {.data = numbers}, NULL, NULL, "end"}, c = {1, 0, {&d}, NULL, NULL, NULL};
    struct node *links[2] = {&c, &d}, b = {1, 2, {&c}, NULL, links, "some text"}, a = {1, 0, {&b}, &d, NULL, ""};
    struct node *root = &a;
    d.weak = &a;

    // An honest image, as bytes.
    int peer = size - 1 - rank, length = 0, good = 0, bad = 0;
    unsigned char image[2048], forged[2048];
    MPI_Request request;
    MPI_Status status;
    TRY(Rankine_Isend(&root, 1, node, peer, 0, MPI_COMM_WORLD, &request));
    TRY(MPI_Recv(image, sizeof image, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &status));
    TRY(MPI_Get_count(&status, MPI_BYTE, &length));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));

    for (int round = 0; round < 4000; round++) {
        struct node *came = NULL;
        int bytes = length;
        memcpy(forged, image, length);
        for (int i = below(3); i >= 0 && round > 0; i--) {
            // Mostly behind the header, mostly small words, which are what references and counts look like.
            unsigned at = below(8) == 0 ? below(length) : 64 + below((length - 64) / 4) * 4;
            forged[at] = below(3) == 0 ? below(256) : below(12);
        }
        if (round > 0 && below(10) == 0)
            bytes = below(length + 1);
        TRY(MPI_Isend(forged, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &request));
        int code = Rankine_Recv(&came, 1, node, peer, 1, MPI_COMM_WORLD, &status);
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (code == MPI_SUCCESS) {
            good++;
            TRY(Rankine_Free(&came, 1, node));
        } else {
            bad++;
            CHECK(came == NULL);
        }
        if (round == 0)
            CHECK_INT(good, 1);
    }
    CHECK(good > 100 && bad > 1000);
    return check_end();
}
