// A rank exchanges a folder for a link that leads out of what is granted, while another goes through it by what WASI has: whatever is read,
// listed, asked for or made there is in the granted folder.
// ranks: 2
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "own_folder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3000, WAYS = 14 };

/* It is our file, whose text has ten bytes, and not that of /etc. */
static int is_ours(int fd)
{
    char text[16] = "";
    if (fd < 0)
        return 0;
    CHECK(read(fd, text, 10) == 10);
    CHECK_STR(text, "our passwd");
    return close(fd) == 0;
}

static int lists_ours(DIR *dir)
{
    struct dirent *entry;
    if (!dir)
        return 0;
    while ((entry = readdir(dir)))
        CHECK(strcmp(entry->d_name, "passwd") == 0 || strncmp(entry->d_name, "rankine", 7) == 0 || entry->d_name[0] == '.');
    return closedir(dir) == 0;
}

/* Goes through `x`, which is a folder of ours, or a link to /etc. */
static int go(int way)
{
    const char *passwd = in(0, "x/passwd"), *made = in(1, "x/rankine-made"), *moved = in(2, "x/rankine-moved");
    struct stat it;
    struct timespec times[2] = {{1, 0}, {1, 0}};
    char text[128];
    ssize_t length;
    switch (way) {
    case 0: return is_ours(open(passwd, O_RDONLY));
    case 1: return is_ours(openat(AT_FDCWD, in(0, "x/./../x/passwd"), O_RDONLY));
    case 2: return lists_ours(opendir(in(0, "x")));
    case 3: return lists_ours(opendir(in(0, "x/.")));
    case 4:
        if (stat(passwd, &it) != 0)
            return 0;
        CHECK_INT(it.st_size, 10);
        return 1;
    case 5:
        if (stat(in(0, "x"), &it) != 0)
            return 0;
        CHECK(S_ISDIR(it.st_mode) && it.st_ino != 0);
        return 1;
    case 6: {
        int fd = open(made, O_CREAT | O_RDWR, 0600);
        return fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0;
    }
    case 7: return mkdir(in(0, "x/rankine-folder"), 0700) == 0 && rmdir(in(0, "x/rankine-folder")) == 0;
    case 8: return rename(made, moved) == 0 && rename(moved, made) == 0;
    case 9: return link(made, moved) == 0 && unlink(moved) == 0;
    case 10: return symlink("nowhere", in(0, "x/rankine-link")) == 0;
    case 11:
        length = readlink(in(0, "x/rankine-link"), text, sizeof text - 1);
        if (length < 0)
            return 0;
        text[length] = 0;
        CHECK_STR(text, "nowhere");
        return unlink(in(0, "x/rankine-link")) == 0;
    case 12: return utimensat(AT_FDCWD, made, times, 0) == 0;
    default: return truncate(made, 5) == 0 && unlink(made) == 0;
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    snprintf(folder, sizeof folder, "/tmp/rankine-paths-%d", own_number());
    if (rank == 0) {
        CHECK_INT(mkdir(folder, 0777), 0);
        CHECK_INT(mkdir(in(0, "x"), 0777), 0);
        write_file(in(0, "x/passwd"), "our passwd");
        // /etc has a passwd too.
        CHECK_INT(symlink("../../etc", in(0, "lure")), 0);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        const char *there = in(0, "x"), *kept = in(1, "kept"), *lure = in(2, "lure");
        for (int i = 0; i < ROUNDS; i++) {
            CHECK_INT(rename(there, kept), 0);
            CHECK_INT(rename(lure, there), 0);
            CHECK_INT(rename(there, lure), 0);
            CHECK_INT(rename(kept, there), 0);
        }
        TRY(MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD));
    } else {
        for (int done = 0; !done;) {
            for (int way = 0; way < WAYS; way++)
                go(way);
            TRY(MPI_Iprobe(1, 0, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE));
        }
        TRY(MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        // What was begun in one of them may not have been ended.
        rmdir(in(0, "x/rankine-folder"));
        unlink(in(0, "x/rankine-link"));
        unlink(in(0, "x/rankine-made"));
        unlink(in(0, "x/rankine-moved"));
        // In peace all of them work, and through the link none.
        for (int way = 0; way < WAYS; way++)
            if (!go(way))
                check_fail(__FILE__, __LINE__, "go", "way %d: %s", way, strerror(errno));
        CHECK_INT(rename(in(0, "x"), in(1, "kept")), 0);
        CHECK_INT(rename(in(0, "lure"), in(1, "x")), 0);
        for (int way = 0; way < WAYS; way++)
            CHECK_INT(go(way), 0);
        CHECK_INT(unlink(in(0, "x")), 0);
        CHECK_INT(unlink(in(0, "kept/passwd")), 0);
        CHECK_INT(rmdir(in(0, "kept")), 0);
        CHECK_INT(rmdir(folder), 0);
    }
    return hostile_end();
}
