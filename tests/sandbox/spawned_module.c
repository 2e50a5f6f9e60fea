// A module that the program writes itself: it is validated as any other, runs if it is one, and has no rights but the program's.
// engines: local
// ranks: 1
// run: --dir {scratch}::/tmp
#include "hostile.h"

#include <unistd.h>

static char folder[] = "/tmp/rankine-spawn-XXXXXX";

/* The path of a file in a folder of our own. */
static const char *at(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const void *bytes, size_t length)
{
    FILE *file = fopen(at(name), "wb");
    CHECK(file);
    CHECK_INT(fwrite(bytes, 1, length, file), length);
    CHECK_INT(fclose(file), 0);
}

/* (module (memory (export "memory") 1) (func (export "_start"))) */
static const unsigned char module[] = {
    0, 'a', 's', 'm', 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 19, 2, 6, 'm', 'e', 'm', 'o', 'r', 'y', 2, 0,
    6, '_', 's', 't', 'a', 'r', 't', 0, 0, 10, 4, 1, 2, 0, 0x0b,
};

int main(int argc, char **argv)
{
    MPI_Comm children;
    int codes[3] = {-1, -1, -1}, many = -1;
    hostile_begin(&argc, &argv);
    CHECK(mkdtemp(folder));
#define SPAWN(name) MPI_Comm_spawn(at(name), MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes)
    put("empty", "", 0);
    put("text", "#!/bin/sh\ntouch /tmp/x\n", 22);
    put("native", "\x7f" "ELF", 4);
    FAILS(SPAWN("empty"), MPI_ERR_SPAWN);
    FAILS(SPAWN("text"), MPI_ERR_SPAWN);
    FAILS(SPAWN("native"), MPI_ERR_SPAWN);
    FAILS(SPAWN(""), MPI_ERR_SPAWN);
    // Every beginning of a module, and every byte of it changed: refused, or a module all the same.
    unsigned char other[sizeof module];
    for (size_t i = 0; i < sizeof module; i++) {
        put("cut", module, i);
        FAILS(SPAWN("cut"), MPI_ERR_SPAWN);
    }
    for (size_t i = 0; i < sizeof module; i += 3) {
        memcpy(other, module, sizeof module);
        other[i] ^= 0x40;
        put("changed", other, sizeof other);
        if (SPAWN("changed") == MPI_SUCCESS)
            TRY(MPI_Comm_free(&children));
    }
    put("module", module, sizeof module);
    TRY(SPAWN("module"));
    TRY(MPI_Comm_remote_size(children, &many));
    CHECK_INT(many, 3);
    TRY(MPI_Comm_free(&children));
    const char *const made[] = {"empty", "text", "native", "cut", "changed", "module"};
    for (int i = 0; i < 6; i++)
        CHECK_INT(remove(at(made[i])), 0);
    CHECK_INT(rmdir(folder), 0);
    return hostile_end();
}
