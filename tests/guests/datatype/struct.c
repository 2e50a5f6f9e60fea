// MPI_Type_create_struct: members of several types, padding at the end, nesting.
// large: yes
#include "layout.h"
#include <stddef.h>

typedef struct {
    char kind;
    double place[3];
    short pair[2];
    int count;
    char name[5];
} Particle;

static MPI_Datatype particle_type(void)
{
    MPI_Datatype raw, type;
    count_t lengths[] = {1, 3, 2, 1, 5};
    aint_t offsets[] = {offsetof(Particle, kind), offsetof(Particle, place), offsetof(Particle, pair), offsetof(Particle, count), offsetof(Particle, name)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT, MPI_CHAR};
    TRY(MPI_Type_create_struct(5, lengths, offsets, types, &raw));
    TRY(MPI_Type_create_resized(raw, 0, sizeof(Particle), &type));
    TRY(MPI_Type_free(&raw));
    TRY(MPI_Type_commit(&type));
    return type;
}

static Particle particle(int i)
{
    Particle p;
    memset(&p, 0, sizeof p);
    p.kind = (char)('a' + i);
    for (int k = 0; k < 3; k++)
        p.place[k] = i + 0.25 * k;
    p.pair[0] = (short)i;
    p.pair[1] = (short)-i;
    p.count = 100 * i;
    memcpy(p.name, "abcd", 5);
    p.name[0] = p.kind;
    return p;
}

int main(int argc, char **argv)
{
    enum { N = 20 };
    Particle out[N], in[N];
    MPI_Datatype type, nested;
    MPI_Status status;
    count_t bytes, elements;
    aint_t lb, extent;
    check_begin(&argc, &argv);
    type = particle_type();
    TRY(MPI_Type_size(type, &bytes));
    CHECK_INT(bytes, 1 + 3 * sizeof(double) + 2 * sizeof(short) + sizeof(int) + 5);
    TRY(MPI_Type_get_extent(type, &lb, &extent));
    CHECK_INT(lb, 0);
    CHECK_INT(extent, sizeof(Particle));
    for (int i = 0; i < N; i++)
        out[i] = particle(rank + i);
    memset(in, 0, sizeof in);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Sendrecv(out, N, type, next, 0, in, N, type, before, 0, MPI_COMM_WORLD, &status));
    CHECK_COUNT(status, type, N);
    TRY(MPI_Get_elements(&status, type, &elements));
    CHECK_INT(elements, 12 * N);
    for (int i = 0; i < N; i++) {
        Particle expected = particle(before + i);
        CHECK_BYTES(&in[i], &expected, sizeof expected);
    }
    TRY(MPI_Type_free(&type));
    // The extent is rounded up to the alignment of the strictest member, in most libraries; the true extent is not.
    TRY(MPI_Type_create_struct(2, (count_t[]){1, 1}, (aint_t[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &type));
    TRY(MPI_Type_get_true_extent(type, &lb, &extent));
    CHECK_INT(extent, 9);
    TRY(MPI_Type_get_extent(type, &lb, &extent));
    CHECK_INT(extent, 16);
    TRY(MPI_Type_free(&type));
    // A struct of ints and of structs.
    TRY(MPI_Type_create_struct(2, (count_t[]){2, 1}, (aint_t[]){8, -8}, (MPI_Datatype[]){MPI_INT, MPI_INT}, &type));
    check_layout(type, (long[]){8, 12, -8}, 3, -8, 24);
    TRY(MPI_Type_create_struct(2, (count_t[]){1, 2}, (aint_t[]){0, 100}, (MPI_Datatype[]){MPI_INT, type}, &nested));
    check_layout(nested, (long[]){0, 108, 112, 92, 132, 136, 116}, 7, 0, 140);
    TRY(MPI_Type_free(&nested));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_struct(0, NULL, NULL, NULL, &type));
    check_layout(type, NULL, 0, 0, 0);
    TRY(MPI_Type_free(&type));
    return check_end();
}
