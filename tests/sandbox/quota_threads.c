// Programs with more globals or imports than anybody needs, and as many threads as they get: each thread's instance is the memory
// of its rank, and so is the rank's own. For stacks alone there would be room for twenty threads.
// engines: local
// bounded: mpi
// ranks: 1
// each: globals imports
// cc: -pthread
// run: --memory-limit 64M --dir {scratch}::/tmp
// peak: limits + 96
#include "quota.h"
#include <unistd.h>

enum { BYTES = 6 << 20, GLOBALS = 500000, IMPORTS = 60000 };
static unsigned char module[BYTES];
static size_t length;

static void byte(int value) { module[length++] = (unsigned char)value; }

static void bytes(const char *values, size_t count)
{
    memcpy(module + length, values, count);
    length += count;
}

/* A number that takes five bytes. */
static void number(unsigned value)
{
    for (int i = 0; i < 4; i++, value >>= 7)
        byte((value & 127) | 128);
    byte((int)value);
}

static void name(const char *text)
{
    byte((int)strlen(text));
    bytes(text, strlen(text));
}

/* Begins a section; its length is written when it ends. */
static size_t begin(int id)
{
    byte(id);
    number(0);
    return length;
}

static void end(size_t start)
{
    size_t now = length;
    length = start - 5;
    number((unsigned)(now - start));
    length = now;
}

static void import(const char *library, const char *function, int type)
{
    name(library);
    name(function);
    byte(0);
    byte(type);
}

/* Starts threads that wait for ever, until it gets none; that it got more than ten is a trap. */
static void code(void)
{
    static const char main_[] = {
        1, 1, 0x7f, 0x41, 0, 0x41, 0, 0x10, 1, 0x1a,                              // MPI_Init(0, 0)
        0x03, 0x40, 0x41, 0, 0x10, 0, 0x41, 0, 0x4a,                              // thread-spawn(0) > 0:
        0x04, 0x40, 0x20, 0, 0x41, 1, 0x6a, 0x21, 0, 0x0c, 1, 0x0b, 0x0b,         // one more, and again
        0x20, 0, 0x41, 10, 0x4a, 0x04, 0x40, 0, 0x0b,                             // too many
        0x10, 2, 0x1a, 0x0b,                                                      // MPI_Finalize()
    };
    static const char thread[] = {0, 0x41, 0, 0x41, 0, 0x42, 0x7f, (char)0xfe, 1, 2, 0, 0x1a, 0x0b};
    size_t start = begin(10);
    byte(2);
    byte(sizeof main_);
    bytes(main_, sizeof main_);
    byte(sizeof thread);
    bytes(thread, sizeof thread);
    end(start);
}

static void make(const char *what)
{
    int imports = strcmp(what, "imports") == 0 ? IMPORTS : 0;
    static const char types[] = {5, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 0, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7f};
    bytes("\0asm\1\0\0\0", 8);
    size_t start = begin(1);
    bytes(types, sizeof types);
    end(start);
    start = begin(2);
    number(4 + (unsigned)imports);
    import("wasi", "thread-spawn", 1);
    import("mpi", "MPI_Init", 3);
    import("mpi", "MPI_Finalize", 4);
    name("env");
    name("memory");
    bytes("\2\3\1\2", 4);
    for (int i = 0; i < imports; i++)
        import("wasi", "thread-spawn", 1);
    end(start);
    bytes("\3\3\2\0\2", 5);
    if (strcmp(what, "globals") == 0) {
        start = begin(6);
        number(GLOBALS);
        for (int i = 0; i < GLOBALS; i++)
            bytes("\x7f\1\x41\0\x0b", 5);
        end(start);
    }
    start = begin(7);
    byte(3);
    name("_start");
    byte(0);
    number(3 + (unsigned)imports);
    name("wasi_thread_start");
    byte(0);
    number(4 + (unsigned)imports);
    name("memory");
    bytes("\2\0", 2);
    end(start);
    code();
}

int main(int argc, char **argv)
{
    MPI_Comm children;
    int started = -1;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    set_canaries();
    make(argv[argc - 1]);
    FILE *file = fopen("/tmp/many.wasm", "wb");
    CHECK(file && fwrite(module, length, 1, file) == 1 && fclose(file) == 0);
    TRY(MPI_Comm_spawn("/tmp/many.wasm", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, &started));
    CHECK_INT(started, MPI_SUCCESS);
    unlink("/tmp/many.wasm");
    return hostile_end();
}
