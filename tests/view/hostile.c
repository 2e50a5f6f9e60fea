// Publishes what makes no sense, from rank 1; each is an error of its call, and the program goes on. With an argument it stays
// until the button `stop` is pressed.
#include <limits.h>
#include <mpi.h>
#include <math.h>
#include <rankine/view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

#define FAILS(call, class) \
    do { \
        int code_ = (call); \
        if (code_ != (class)) { \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, code_); \
            failures++; \
        } \
    } while (0)

static int field(const char *name, int rows, int columns, int row, int column, int count_rows, int count_columns, const double *values)
{
    int shape[] = {rows, columns}, start[] = {row, column}, count[] = {count_rows, count_columns};
    return Rankine_View_field(name, 0, 2, shape, start, count, NULL, MPI_DOUBLE, values);
}

int main(int argc, char **argv)
{
    static double values[64];
    static char name[1 << 16];
    int rank, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Rankine_View_button("stop", &stop);
    // Parts that overlap: whoever comes second is told.
    int code = field("overlap", 4, 4, rank, 0, 3, 4, values);
    // Of what comes later not everything is said.
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        int ones[] = {1, 1, 1}, fours[] = {4, 4, 4}, zeros[] = {0, 0, 0}, far[] = {INT_MAX, INT_MIN, INT_MAX};
        FAILS(field("shape", -5, 4, 0, 0, 1, 1, values), MPI_ERR_ARG);
        FAILS(field("shape", 0, 0, 0, 0, 0, 0, values), MPI_ERR_ARG);
        FAILS(field("box", 4, 4, 0, -1, 1, 4, values), MPI_ERR_ARG);
        FAILS(field("box", 4, 4, 0, 0, -1, 4, values), MPI_ERR_ARG);
        FAILS(field("box", 4, 4, 0, INT_MAX, 1, 2, values), MPI_ERR_ARG);
        FAILS(field("memory", INT_MAX, INT_MAX, 0, 0, INT_MAX, INT_MAX, values), MPI_ERR_BUFFER);
        FAILS(field("memory", INT_MAX, 1, 0, 0, 1 << 30, 1, values), MPI_ERR_BUFFER);
        FAILS(field("null", 4, 4, 0, 0, 4, 4, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_field("memory", 0, 3, fours, zeros, fours, far, MPI_DOUBLE, values), MPI_ERR_BUFFER);
        FAILS(Rankine_View_field("dimensions", 0, 1000000000, fours, zeros, ones, NULL, MPI_DOUBLE, values), MPI_ERR_DIMS);
        FAILS(Rankine_View_field("dimensions", 0, -1, fours, zeros, ones, NULL, MPI_DOUBLE, values), MPI_ERR_DIMS);
        FAILS(Rankine_View_field("type", 0, 2, fours, zeros, ones, NULL, MPI_CHAR, values), MPI_ERR_TYPE);
        FAILS(Rankine_View_field("words", 0, 2, (int *)0xfffffff0, zeros, ones, NULL, MPI_DOUBLE, values), MPI_ERR_ARG);
        // Points.
        double flat[] = {0, 1, 3, 3}, wide[] = {0, INFINITY, 0, 1};
        FAILS(Rankine_View_points("places", 0, 0, 7, 1, NULL, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_DIMS);
        FAILS(Rankine_View_points("places", 0, 0, INT_MIN, 1, flat, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_DIMS);
        FAILS(Rankine_View_points("places", 0, 0, 2, -1, NULL, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_COUNT);
        FAILS(Rankine_View_points("places", 0, -1, 2, 1, NULL, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_COUNT);
        FAILS(Rankine_View_points("places", 0, 0, 2, 1, NULL, MPI_CHAR, values, NULL, NULL), MPI_ERR_TYPE);
        FAILS(Rankine_View_points("far", 0, 0, 2, INT_MAX, NULL, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_BUFFER);
        FAILS(Rankine_View_points("far", 0, 0, 3, 2, NULL, MPI_DOUBLE, values, NULL, far), MPI_ERR_BUFFER);
        FAILS(Rankine_View_points("values", 0, 0, 2, 8, NULL, MPI_DOUBLE, values, (void *)0xfffffff8, NULL), MPI_ERR_BUFFER);
        FAILS(Rankine_View_points("values", 0, 0, 2, 8, NULL, MPI_DOUBLE, values, values, (int *)0xfffffffc), MPI_ERR_ARG);
        FAILS(Rankine_View_points("bounds", 0, 0, 2, 8, flat, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_points("bounds", 0, 0, 2, 8, wide, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_points("bounds", 0, 0, 2, 8, (double *)0xfffffff8, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_points("overlap", 0, 0, 2, 8, NULL, MPI_DOUBLE, values, NULL, NULL), MPI_ERR_ARG);
        // What things mean.
        FAILS(Rankine_View_scale("meaning", "a\nb", 0, 1), MPI_ERR_ARG);
        FAILS(Rankine_View_scale("meaning", "m", 1, 0), MPI_ERR_ARG);
        FAILS(Rankine_View_scale("meaning", "m", 0, INFINITY), MPI_ERR_ARG);
        FAILS(Rankine_View_scale("meaning", NULL, 0, 1), MPI_ERR_ARG);
        FAILS(Rankine_View_axis("meaning", 'w', "", "m", 0, 1), MPI_ERR_ARG);
        FAILS(Rankine_View_axis("meaning", 0, "", "m", 0, 1), MPI_ERR_ARG);
        FAILS(Rankine_View_axis("meaning", 'x', "\x1b[2J", "m", 0, 1), MPI_ERR_ARG);
        FAILS(Rankine_View_axis("meaning", 'x', "", "m", NAN, 1), MPI_ERR_ARG);
        FAILS(Rankine_View_axis("meaning", 'x', "", "m", 0, -INFINITY), MPI_ERR_ARG);
        FAILS(Rankine_View_axis("meaning", 'z', "<b>\xff</b>", "&", -1e308, -1e308), MPI_SUCCESS);
        // Arrows.
        FAILS(Rankine_View_arrows("arrows", 0, 2, fours, zeros, ones, NULL, MPI_DOUBLE, NULL, NULL, values, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_arrows("arrows", 0, 2, fours, zeros, ones, NULL, MPI_DOUBLE, values, values, NULL, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_arrows("arrows", 0, 2, fours, zeros, ones, NULL, MPI_DOUBLE, NULL, values, values, values), MPI_ERR_ARG);
        FAILS(Rankine_View_arrows("arrows", 0, 3, fours, zeros, ones, NULL, MPI_DOUBLE, NULL, values, values, NULL), MPI_ERR_ARG);
        FAILS(Rankine_View_arrows("arrows", 0, 2, fours, zeros, ones, NULL, MPI_DOUBLE, values, values, (void *)0xfffffffc, NULL), MPI_ERR_BUFFER);
        FAILS(Rankine_View_arrows("arrows", 0, 2, fours, zeros, fours, far, MPI_DOUBLE, NULL, values, values, NULL), MPI_ERR_BUFFER);
        FAILS(Rankine_View_arrows("arrows", 0, 1000000000, fours, zeros, ones, NULL, MPI_DOUBLE, values, values, values, values), MPI_ERR_DIMS);
        // Nothing but what is no number, on a plane that is mostly elsewhere.
        for (int i = 0; i < 64; i++)
            values[i] = i % 2 ? NAN : -INFINITY;
        FAILS(field("numbers", 8, 8, 0, 0, 8, 8, values), MPI_SUCCESS);
        int eights[] = {8, 8};
        FAILS(Rankine_View_arrows("no numbers", 0, 2, eights, zeros, eights, NULL, MPI_DOUBLE, NULL, values, values, NULL), MPI_SUCCESS);
        FAILS(Rankine_View_points("nowhere", 0, 1, 2, 32, NULL, MPI_DOUBLE, values, values, NULL), MPI_SUCCESS);
        FAILS(field("large", INT_MAX, INT_MAX, 7, 7, 8, 8, values), MPI_SUCCESS);
        // Names: without end, not there, in no encoding.
        memset(name, 'x', sizeof name - 1);
        FAILS(Rankine_View_curve(name, 0, 0), MPI_ERR_ARG);
        FAILS(Rankine_View_curve(NULL, 0, 0), MPI_ERR_ARG);
        FAILS(Rankine_View_curve("\xff\xfe</script>", NAN, INFINITY), MPI_SUCCESS);
        FAILS(Rankine_View_text("text", name), MPI_ERR_ARG);
        // As many as there are numbers.
        int made = 0;
        for (int i = 0; i < 100000; i++) {
            sprintf(name, "many %d", i);
            made += field(name, 8, 8, 0, 0, 8, 8, values) == MPI_SUCCESS;
        }
        if (made > 32)
            failures++;
        made = 0;
        for (int i = 0; i < 100000; i++) {
            sprintf(name, "many %d", i);
            made += Rankine_View_scale(name, "m", 0, i + 1) == MPI_SUCCESS;
        }
        if (made > 96)
            failures++;
        double number = 1;
        const char *labels[65] = {"one"};
        int choice = 0;
        FAILS(Rankine_View_number("number", &number, 2, 1, 0.1), MPI_ERR_ARG);
        FAILS(Rankine_View_number("number", &number, NAN, 1, 0.1), MPI_ERR_ARG);
        FAILS(Rankine_View_choice("choice", &choice, 65, labels), MPI_ERR_COUNT);
        FAILS(Rankine_View_choice("choice", &choice, -1, labels), MPI_ERR_COUNT);
        FAILS(Rankine_View_choice("choice", &choice, 65, NULL), MPI_ERR_COUNT);
        FAILS(Rankine_View_number("number", &number, 0, 1, 0.1), MPI_SUCCESS);
        FAILS(Rankine_View_button("number", &choice), MPI_ERR_ARG);
    }
    int sum;
    MPI_Allreduce(&code, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    while (argc > 1 && !stop) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        Rankine_View_update(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%s\n", failures == 0 && sum == MPI_ERR_ARG ? "OK" : "not as expected");
    MPI_Finalize();
    return 0;
}
