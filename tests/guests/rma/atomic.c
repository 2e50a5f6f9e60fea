// Accumulates of all ranks at one place, of every width, aligned and not: none is lost; a lock made of MPI_Compare_and_swap.
// ranks: 1 2 4 8
#include "../check.h"
#include <complex.h>

enum { ROUNDS = 50 };

/* Where each number lies in rank 0's window. The last two are not aligned. */
enum { I8 = 0, I16 = 2, I32 = 4, I64 = 8, F32 = 16, F64 = 24, C64 = 32, ODD32 = 49, ODD64 = 57, LOCK = 72, COUNT = 76, BYTES = 80 };

static unsigned char *window;
static MPI_Win win;

static void add(const void *one, MPI_Datatype type, int at)
{
    char before[16];
    TRY(MPI_Accumulate(one, 1, type, 0, at, 1, type, MPI_SUM, win));
    TRY(MPI_Fetch_and_op(one, before, type, 0, at, MPI_SUM, win));
    TRY(MPI_Get_accumulate(one, 1, type, before, 1, type, 0, at, 1, type, MPI_SUM, win));
    TRY(MPI_Win_flush(0, win));
}

static void sums(void)
{
    int8_t i8 = 1;
    int16_t i16 = 1;
    int32_t i32 = 1;
    int64_t i64 = 1;
    float f32 = 1;
    double f64 = 1;
    double complex c64 = 1 + 2 * I;
    for (int i = 0; i < ROUNDS; i++) {
        add(&i8, MPI_INT8_T, I8);
        add(&i16, MPI_INT16_T, I16);
        add(&i32, MPI_INT32_T, I32);
        add(&i64, MPI_INT64_T, I64);
        add(&f32, MPI_FLOAT, F32);
        add(&f64, MPI_DOUBLE, F64);
        add(&c64, MPI_C_DOUBLE_COMPLEX, C64);
        add(&i32, MPI_INT32_T, ODD32);
        add(&f64, MPI_DOUBLE, ODD64);
    }
}

/* What is between this lock and its end one rank does at a time. */
static void increments(void)
{
    int32_t mine = rank + 1, nobody = 0, was, count;
    for (int i = 0; i < ROUNDS; i++) {
        do {
            TRY(MPI_Compare_and_swap(&mine, &nobody, &was, MPI_INT32_T, 0, LOCK, win));
            TRY(MPI_Win_flush(0, win));
            if (was != 0) { /* lets others run, where ranks share a core */
                int flag;
                TRY(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            }
        } while (was != 0);
        TRY(MPI_Get(&count, 1, MPI_INT32_T, 0, COUNT, 1, MPI_INT32_T, win));
        TRY(MPI_Win_flush(0, win));
        count++;
        TRY(MPI_Put(&count, 1, MPI_INT32_T, 0, COUNT, 1, MPI_INT32_T, win));
        TRY(MPI_Win_flush(0, win));
        TRY(MPI_Accumulate(&nobody, 1, MPI_INT32_T, 0, LOCK, 1, MPI_INT32_T, MPI_REPLACE, win));
        TRY(MPI_Win_flush(0, win));
    }
}

#define IS(type, at, expected) \
    do { \
        type value_; \
        memcpy(&value_, window + (at), sizeof value_); \
        CHECK(value_ == (type)(expected)); \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TRY(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    memset(window, 0, BYTES);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_lock_all(0, win));
    sums();
    increments();
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        int sum = 3 * ROUNDS * size;
        IS(int8_t, I8, sum);
        IS(int16_t, I16, sum);
        IS(int32_t, I32, sum);
        IS(int64_t, I64, sum);
        IS(float, F32, sum);
        IS(double, F64, sum);
        IS(double complex, C64, sum * (1 + 2 * I));
        IS(int32_t, ODD32, sum);
        IS(double, ODD64, sum);
        IS(int32_t, COUNT, ROUNDS * size);
        TRY(MPI_Win_unlock(0, win));
    }
    TRY(MPI_Win_free(&win));
    return check_end();
}
