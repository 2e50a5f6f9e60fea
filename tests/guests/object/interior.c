// A mesh: triangles refer to vertices that lie in an array, and arrays to elements of other arrays.
// ranks: 1 2
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct vertex { double x, y; struct triangle *owner; };
struct triangle { struct vertex *corner[3]; int id; struct vertex own; };
struct mesh {
    struct vertex *first, *current;
    int nv, nt;
    struct vertex *vertices;
    struct triangle *triangles;
};

static Rankine_Type vertex, triangle, mesh;

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    vertex = RANKINE_DECLARE(struct vertex);
    triangle = RANKINE_DECLARE(struct triangle);
    mesh = RANKINE_DECLARE(struct mesh);
    RANKINE_DEFINE(vertex, struct vertex, RANKINE_REFERENCE(owner, triangle));
    RANKINE_DEFINE(triangle, struct triangle, RANKINE_REFERENCE(corner, vertex),
                   RANKINE_MEMBER(own, struct vertex, vertex));
    RANKINE_DEFINE(mesh, struct mesh, RANKINE_REFERENCE(first, vertex), RANKINE_REFERENCE(current, vertex),
                   RANKINE_ARRAY(vertices, vertex, nv), RANKINE_ARRAY(triangles, triangle, nt));

    enum { V = 40, T = 30 };
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    struct mesh *sent = calloc(1, sizeof *sent), *got = NULL;
    *sent = (struct mesh){.nv = V, .nt = T, .vertices = calloc(V, sizeof(struct vertex)),
                          .triangles = calloc(T, sizeof(struct triangle))};
    for (int i = 0; i < V; i++)
        sent->vertices[i] = (struct vertex){i, -i, &sent->triangles[i % T]};
    for (int i = 0; i < T; i++) {
        sent->triangles[i].id = i;
        sent->triangles[i].own = (struct vertex){1000 + i, 0, &sent->triangles[(i + 1) % T]};
        for (int j = 0; j < 3; j++)
            sent->triangles[i].corner[j] = j == 2 ? &sent->triangles[(i + 7) % T].own : &sent->vertices[(3 * i + j) % V];
    }
    sent->first = &sent->vertices[0]; // met before the array, at its very address
    sent->current = &sent->vertices[17];
    TRY(Rankine_Sendrecv(&sent, 1, next, 0, &got, 1, before, 0, mesh, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got != sent && got->vertices != sent->vertices);
    CHECK(got->first == &got->vertices[0] && got->current == &got->vertices[17]);
    for (int i = 0; i < V; i++) {
        CHECK_REAL(got->vertices[i].x, i);
        CHECK(got->vertices[i].owner == &got->triangles[i % T]);
    }
    for (int i = 0; i < T; i++) {
        CHECK_INT(got->triangles[i].id, i);
        CHECK(got->triangles[i].own.owner == &got->triangles[(i + 1) % T]);
        for (int j = 0; j < 2; j++)
            CHECK(got->triangles[i].corner[j] == &got->vertices[(3 * i + j) % V]);
        CHECK(got->triangles[i].corner[2] == &got->triangles[(i + 7) % T].own);
    }
    TRY(Rankine_Free(&got, 1, mesh));

    // Only an element is named: the array that holds it is unknown, so it travels alone.
    struct vertex alone = {5, 6, NULL}, *one = &alone, *came = NULL;
    TRY(Rankine_Sendrecv(&one, 1, next, 0, &came, 1, before, 0, vertex, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_REAL(came->x, 5);
    free(came);

    // Two arrays that overlap, and neither is a part of the other.
    struct mesh *crossed = calloc(1, sizeof *crossed);
    crossed->nv = 3;
    crossed->vertices = sent->vertices;
    crossed->current = (struct vertex *)(void *)((char *)&sent->vertices[1] + 8);
    for (int i = 0; i < 3; i++)
        sent->vertices[i] = (struct vertex){0, 0, NULL};
    FAILS(Rankine_Send(&crossed, 1, mesh, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    return check_end();
}
