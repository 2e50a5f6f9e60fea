/* Derived datatypes beside packing by hand: half a round trip of parts of arrays that do not lie in a row, sent as they lie, and
 * gathered into a buffer by loops and taken out of it by loops on the other side. */
#include <stddef.h>

#include "bench.h"

enum { SIDE = 64, ROWS = 1024, COLUMNS = 512, PARTICLES = 2000, LONGEST = 1 << 20 };

typedef struct {
    double position[3];
    int kind;
    double velocity[3], mass;
} Particle;

static int rank, chosen[PARTICLES];
static double *matrix, (*cube)[SIDE][SIDE];
static Particle *particles;
static double *packed;

/* Packs or, the other way round, unpacks; how many numbers there are. */
#define MOVE(place) (is_back ? (place = packed[n++]) : (packed[n++] = place))

static int column(int is_back) {
    int n = 0;
    for (int i = 0; i < ROWS; i++) MOVE(matrix[i * COLUMNS]);
    return n;
}

static int four_columns(int is_back) {
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4; j++) MOVE(matrix[i * COLUMNS + j]);
    return n;
}

static int face(int is_back) {
    int n = 0;
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++) MOVE(cube[i][j][1]);
    return n;
}

static int slab(int is_back) {
    int n = 0;
    for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++) MOVE(cube[i][1][k]);
    return n;
}

static int velocities(int is_back) {
    int n = 0;
    for (int i = 0; i < PARTICLES; i++)
        for (int j = 0; j < 3; j++) MOVE(particles[i].velocity[j]);
    return n;
}

static int some(int is_back) {
    int n = 0;
    for (int i = 0; i < PARTICLES; i++) MOVE(matrix[chosen[i]]);
    return n;
}

static MPI_Datatype columns(int width) {
    MPI_Datatype type;
    MPI_Type_vector(ROWS, width, COLUMNS, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype of_cube(int from_y, int from_x, int height, int width) {
    const int sizes[] = {SIDE, SIDE, SIDE}, parts[] = {SIDE - 2, height, width}, starts[] = {1, from_y, from_x};
    MPI_Datatype type;
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype of_velocities(void) {
    const MPI_Aint at = offsetof(Particle, velocity);
    const int three = 3;
    MPI_Datatype numbers = MPI_DOUBLE, one, particle, type;
    MPI_Type_create_struct(1, &three, &at, &numbers, &one);
    MPI_Type_create_resized(one, 0, sizeof(Particle), &particle);
    MPI_Type_contiguous(PARTICLES, particle, &type);
    MPI_Type_free(&one), MPI_Type_free(&particle);
    return type;
}

static MPI_Datatype of_some(void) {
    MPI_Datatype type;
    MPI_Type_create_indexed_block(PARTICLES, 1, chosen, MPI_DOUBLE, &type);
    return type;
}

/* One way: as it lies, or packed. */
static void pass(int is_send, void *at, MPI_Datatype type, int (*by_hand)(int)) {
    if (by_hand == NULL) {
        if (is_send) MPI_Send(at, 1, type, 1 - rank, 0, MPI_COMM_WORLD);
        else MPI_Recv(at, 1, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is_send) {
        MPI_Send(packed, by_hand(0), MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(packed, LONGEST / 8, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        by_hand(1);
    }
}

static double half_round_trip(void *at, MPI_Datatype type, int (*by_hand)(int), int rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) pass(rank == 0, at, type, by_hand), pass(rank == 1, at, type, by_hand);
    return (MPI_Wtime() - start) / rounds / 2;
}

static void measure(const char *name, void *at, MPI_Datatype type, int (*by_hand)(int)) {
    int bytes;
    char what[64];
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    for (int hand = 0; hand < 2; hand++) {
        double best = half_round_trip(at, type, hand ? by_hand : NULL, 50);
        for (int i = 0; i < BENCH_REPEAT; i++) {
            double seconds = half_round_trip(at, type, hand ? by_hand : NULL, 500);
            if (seconds < best) best = seconds;
        }
        snprintf(what, sizeof what, "%s%s", name, hand ? " by hand" : "");
        if (rank == 0) bench_print(what, bytes, best);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    matrix = bench_buffer(ROWS * COLUMNS * (long)sizeof *matrix);
    cube = bench_buffer(SIDE * (long)sizeof *cube);
    particles = bench_buffer(PARTICLES * (long)sizeof *particles);
    packed = bench_buffer(LONGEST);
    for (int i = 0; i < PARTICLES; i++) chosen[i] = i * 250 + i % 7 * 31;
    measure("column", matrix, columns(1), column);
    measure("4 columns", matrix, columns(4), four_columns);
    measure("face", cube, of_cube(1, 1, SIDE - 2, 1), face);
    measure("slab", cube, of_cube(1, 1, 1, SIDE - 2), slab);
    measure("velocities", particles, of_velocities(), velocities);
    measure("list of places", matrix, of_some(), some);
    MPI_Finalize();
    return 0;
}
