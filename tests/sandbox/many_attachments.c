// Dynamic windows with as many attachments as a rank can have: an access finds those it needs by search, whatever their order, their
// gaps and its own datatype are. Each variation would take minutes if accesses walked over all of them.
// ranks: 2
// seconds: 120
#include "variations.h"

enum { MOST = 1 << 20, LIBRARYS = 1 << 12, ROUNDS = 2000 };

static MPI_Win win;
static char bytes[2 * MOST], values[2 * MOST];
static MPI_Aint base;
static int many, to;

static void attach(int step, int backwards)
{
    for (int i = 0; i < many; i++)
        TRY(MPI_Win_attach(win, bytes + step * (backwards ? many - 1 - i : i), 1));
    MPI_Aint mine;
    TRY(MPI_Get_address(bytes, &mine));
    TRY(MPI_Sendrecv(&mine, 1, MPI_AINT, (rank + size - 1) % size, 5, &base, 1, MPI_AINT, to, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void detach(int step)
{
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < many; i++)
        TRY(MPI_Win_detach(win, bytes + step * i));
    FAILS(MPI_Win_detach(win, bytes), MPI_ERR_RMA_ATTACH);
}

static int put(int from, int count)
{
    return MPI_Put(values, count, MPI_CHAR, to, base + from, count, MPI_CHAR, win);
}

/* One put over all of them, again and again. */
static void all_at_once(int backwards)
{
    attach(1, backwards);
    for (int i = 0; i < 100; i++)
        TRY(put(0, many));
    FAILS(put(0, many + 1), MPI_ERR_RMA_RANGE);
    FAILS(put(-1, 2), MPI_ERR_RMA_RANGE);
    TRY(MPI_Win_flush(to, win));
    detach(1);
}

static void forwards(void) { all_at_once(0); }
static void backwards(void) { all_at_once(1); }

/* The last ones alone. */
static void at_the_end(void)
{
    attach(2, 0);
    for (int i = 0; i < ROUNDS; i++) {
        TRY(put(2 * (many - 1), 1));
        FAILS(put(2 * (many - 1), 2), MPI_ERR_RMA_RANGE);
    }
    TRY(MPI_Win_flush(to, win));
    detach(2);
}

/* As many blocks as attachments, with gaps between them, which only an engine that looks at blocks can allow. */
static void every_second(void)
{
    MPI_Datatype type;
    TRY(MPI_Type_vector(many, 1, 2, MPI_CHAR, &type));
    TRY(MPI_Type_commit(&type));
    attach(2, 1);
    int code = MPI_Put(values, 1, type, to, base, 1, type, win);
    CHECK(code == MPI_SUCCESS || !embedded());
    TRY(MPI_Win_flush(to, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_detach(win, bytes + many));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_Put(values, 1, type, to, base, 1, type, win), MPI_ERR_RMA_RANGE);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_attach(win, bytes + many, 1));
    detach(2);
    TRY(MPI_Type_free(&type));
}

/* One in the middle comes and goes. */
static void a_gap(void)
{
    attach(1, 0);
    for (int i = 0; i < 200; i++) {
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_Win_detach(win, bytes + many / 2));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        FAILS(put(0, many), MPI_ERR_RMA_RANGE);
        FAILS(put(many / 2, 1), MPI_ERR_RMA_RANGE);
        TRY(put(0, many / 2));
        TRY(put(many / 2 + 1, many - many / 2 - 1));
        TRY(MPI_Win_flush(to, win));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_Win_attach(win, bytes + many / 2, 1));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(put(0, many));
    TRY(MPI_Win_flush(to, win));
    detach(1);
}

/* What overlaps one is refused, and found without a walk. */
static void overlaps(void)
{
    attach(2, 0);
    for (int i = 0; i < ROUNDS; i++) {
        int at = 2 * ((long long)i * (many - 1) / ROUNDS);
        FAILS(MPI_Win_attach(win, bytes + at, 1), MPI_ERR_RMA_ATTACH);
        FAILS(MPI_Win_attach(win, bytes + at + 1, 2), MPI_ERR_RMA_ATTACH);
        FAILS(MPI_Win_detach(win, bytes + at + 1), MPI_ERR_RMA_ATTACH);
    }
    FAILS(MPI_Win_attach(win, bytes, sizeof bytes), MPI_ERR_RMA_ATTACH);
    detach(2);
}

/* Every kind of access. */
static void kinds(void)
{
    MPI_Request request;
    attach(1, 1);
    for (int i = 0; i < ROUNDS / 10; i++) {
        char one = 1, two = 0, result;
        TRY(MPI_Get(values, many, MPI_CHAR, to, base, many, MPI_CHAR, win));
        TRY(MPI_Win_flush(to, win));
        TRY(MPI_Fetch_and_op(&one, &result, MPI_INT8_T, to, base + many - 1, MPI_BXOR, win));
        TRY(MPI_Win_flush(to, win));
        TRY(MPI_Compare_and_swap(&one, &two, &result, MPI_INT8_T, to, base + many / 2, win));
        TRY(MPI_Win_flush(to, win));
        TRY(MPI_Rput(values, 1, MPI_CHAR, to, base + i, 1, MPI_CHAR, win, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        TRY(MPI_Accumulate(&one, 1, MPI_INT8_T, to, base + 1, 1, MPI_INT8_T, MPI_SUM, win));
        TRY(MPI_Win_flush(to, win));
    }
    detach(1);
}

/* Attachments of nothing lie between the others. */
static void of_nothing(void)
{
    int kept = many;
    many /= 2;
    attach(2, 0);
    for (int i = 0; i < many - 1; i++)
        TRY(MPI_Win_attach(win, bytes + 2 * i + 1, 0));
    if (embedded())
        FAILS(MPI_Win_attach(win, bytes + 1, 0), MPI_ERR_RMA_ATTACH);
    for (int i = 0; i < ROUNDS; i++) {
        TRY(put(2 * i, 1));
        FAILS(put(2 * i, 2), MPI_ERR_RMA_RANGE);
    }
    TRY(MPI_Win_flush(to, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < many - 1; i++)
        TRY(MPI_Win_detach(win, bytes + 2 * i + 1));
    detach(2);
    many = kept;
}

/* There can be no more. */
static void one_too_many(void)
{
    attach(1, 0);
    FAILS(MPI_Win_attach(win, bytes + many, 1), MPI_ERR_RMA_ATTACH);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_detach(win, bytes + 7));
    TRY(MPI_Win_attach(win, bytes + many, 1));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(put(0, many), MPI_ERR_RMA_RANGE);
    TRY(put(8, 1));
    TRY(MPI_Win_flush(to, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_detach(win, bytes + many));
    TRY(MPI_Win_attach(win, bytes + 7, 1));
    detach(1);
}

/* In the order of a generator of random numbers, and taken back in another. */
static void in_no_order(void)
{
    for (unsigned i = 0; i < (unsigned)many; i++)
        TRY(MPI_Win_attach(win, bytes + (i * 40503u + 7) % many, 1));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (unsigned i = 0; i < (unsigned)many; i++)
        TRY(MPI_Win_detach(win, bytes + (i * 30011u + 3) % many));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(put(0, 1), MPI_ERR_RMA_RANGE);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

static void freed(void)
{
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    many = embedded() ? MOST : LIBRARYS;
    to = (rank + 1) % size;
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, win));
    const struct variation all[] = {
        {"forwards", forwards},
        {"backwards", backwards},
        {"at the end", at_the_end},
        {"every second", every_second},
        {"a gap", a_gap},
        {"overlaps", overlaps},
        {"kinds", kinds},
        {"of nothing", of_nothing},
        {"one too many", one_too_many},
        {"in no order", in_no_order},
        {"freed", freed},
    };
    return VARIATIONS(all);
}
