// A rank exchanges a folder, and a file, for links that lead out of what is granted, while another opens, makes and deletes files there.
// ranks: 2
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "own_folder.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 6000 };

/* `there` is now the one, now the other. */
static void exchange(const char *there, const char *kept, const char *lure)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_INT(rename(there, kept), 0);
        CHECK_INT(rename(lure, there), 0);
        CHECK_INT(rename(there, lure), 0);
        CHECK_INT(rename(kept, there), 0);
    }
}

/* What is read there is ours, whenever anything is. */
static int read_ours(const char *name)
{
    char text[16] = "";
    MPI_File file;
    if (MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return 0;
    TRY(MPI_File_read(file, text, 5, MPI_CHAR, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&file));
    CHECK_STR(text, "decoy");
    return 1;
}

/* Tries until the other rank has done its rounds, and then once more, when what is there is ours: a rank that hardly ever gets a
   core may have met nothing but wrong moments. What is made must lie in the granted folder. */
static int attack(const char *name, const char *made)
{
    int opened = 0, done = 0;
    while (!done) {
        MPI_File file;
        opened += read_ours(name);
        if (MPI_File_open(MPI_COMM_SELF, made, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file) == MPI_SUCCESS)
            MPI_File_close(&file);
        MPI_File_delete(made, MPI_INFO_NULL);
        TRY(MPI_Iprobe(1, 0, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE));
    }
    TRY(MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return opened + read_ours(name);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    int number = own_number();
    snprintf(folder, sizeof folder, "/tmp/rankine-links-%d", number);
    if (rank == 0) {
        CHECK_INT(mkdir(folder, 0777), 0);
        CHECK_INT(mkdir(in(0, "x"), 0777), 0);
        write_file(in(0, "x/passwd"), "decoy folder");
        write_file(in(0, "file"), "decoy file");
        // /etc has a passwd too.
        CHECK_INT(symlink("../../etc", in(0, "folder-lure")), 0);
        CHECK_INT(symlink("../../etc/passwd", in(0, "file-lure")), 0);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < 2; round++) {
        const char *there = in(0, round ? "file" : "x"), *lure = in(1, round ? "file-lure" : "folder-lure"), *kept = in(2, "kept");
        const char *name = in(3, round ? "file" : "x/passwd"), *made = in(4, round ? "made" : "x/rankine-made");
        if (rank == 1) {
            exchange(there, kept, lure);
            TRY(MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD));
        } else {
            CHECK(attack(name, made) > 0);
        }
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    // Links that stay.
    if (rank == 0) {
        MPI_File file;
        FAILS(MPI_File_open(MPI_COMM_SELF, in(0, "folder-lure/passwd"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
        FAILS(MPI_File_open(MPI_COMM_SELF, in(0, "file-lure"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
        FAILS(MPI_File_delete(in(0, "folder-lure/passwd"), MPI_INFO_NULL), MPI_ERR_ACCESS);
        FAILS(MPI_File_open(MPI_COMM_SELF, "/etc/passwd", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
        FAILS(MPI_File_open(MPI_COMM_SELF, "/tmp/../etc/passwd", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
        FAILS(MPI_File_open(MPI_COMM_SELF, folder, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
        for (int i = 0; i < 5; i++) {
            static const char *const names[] = {"x/passwd", "file", "folder-lure", "file-lure", "x/rankine-made"};
            CHECK(unlink(in(0, names[i])) == 0 || errno == ENOENT);
        }
        CHECK_INT(rmdir(in(0, "x")), 0);
        CHECK_INT(rmdir(folder), 0);
    }
    return hostile_end();
}
