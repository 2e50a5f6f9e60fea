// Modules that ranks are to be started from are the memory of the rank that wants them, also where none is started: one that is nearly nothing
// but holes, a text of words without end, and many that differ.
// engines: local
// Over an MPI library the launcher starts ranks, in processes of their own.
// ranks: 1
// run: --memory-limit 64M --dir {scratch}::/tmp
// peak: limits + 96
#include "quota.h"
#include <unistd.h>

static char folder[] = "/tmp/rankine-modules-XXXXXX", binary[64], text[64], none[64];
static char *commands[] = {binary, none};

static int start(const char *name)
{
    MPI_Comm children;
    return MPI_Comm_spawn(name, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
}

/* (module (memory (export "memory") 1) (func (export "_start"))), and data of its own. */
static int another(unsigned number)
{
    static const unsigned char module[] = {
        0, 'a', 's', 'm', 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 19, 2, 6, 'm', 'e', 'm', 'o', 'r', 'y', 2, 0,
        6, '_', 's', 't', 'a', 'r', 't', 0, 0, 10, 4, 1, 2, 0, 0x0b,
        11, 0x87, 0x80, 0x80, 0x81, 0, 1, 1, 0x80, 0x80, 0x80, 0x81, 0,
    };
    static char data[1 << 21];
    MPI_Comm children;
    int each[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    FILE *file = fopen(binary, "wb");
    memcpy(data, &number, sizeof number);
    CHECK(file && fwrite(module, sizeof module, 1, file) == 1 && fwrite(data, sizeof data, 1, file) == 1 && fclose(file) == 0);
    return MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, each, infos, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    CHECK(mkdtemp(folder));
    snprintf(binary, sizeof binary, "%s/x.wasm", folder);
    snprintf(text, sizeof text, "%s/x.wat", folder);
    snprintf(none, sizeof none, "%s/none", folder);
    FILE *file = fopen(binary, "wb");
    CHECK(file && fwrite("\0asm\1\0\0\0", 8, 1, file) == 1 && fclose(file) == 0);
    CHECK_INT(truncate(binary, 1 << 30), 0);
    FAILS(start(binary), MPI_ERR_NO_MEM);
    file = fopen(text, "w");
    CHECK(file && fputs("(module", file) >= 0);
    for (int i = 0; i < 2000000; i++)
        fputs("(func)", file);
    CHECK(fputs(")", file) >= 0 && fclose(file) == 0);
    FAILS(start(text), MPI_ERR_NO_MEM);
    // They are kept for the ranks that may come, until there is no room for more.
    int code = MPI_ERR_SPAWN, class = MPI_ERR_SPAWN;
    for (unsigned i = 0; i < 400 && class == MPI_ERR_SPAWN; i++) {
        code = another(i);
        TRY(MPI_Error_class(code, &class));
    }
    CHECK_INT(class, MPI_ERR_NO_MEM);
    unlink(binary);
    unlink(text);
    CHECK_INT(rmdir(folder), 0);
    return hostile_end();
}
