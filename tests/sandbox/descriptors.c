// Descriptors as no C library uses them, between a folder that may be changed and one that may only be read: moved over each other, closed, walked
// out of by names and links, given lengths and addresses that are none. Nothing outside is reached, and what may only be read stays.
// ranks: 1 2
// run: --dir {scratch}::/change --dir-ro {guests}/sandbox::/keep
#include "variations.h"
#include "../guests/own_number.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wasi/api.h>

static char folder[64], kept[300];
static struct stat before;
static int change, keep, own;

/* A function of WASI must succeed, or must not. */
#define DONE(call) CHECK_INT(call, 0)
#define NOT(call) CHECK((call) != 0)

/* A function of WASI that may. */
#define MAY(call) ((void)!(call))

static const __wasi_rights_t ALL = ~0ull >> 35;

static int open_at(int at, int follow, const char *name, int how, int *fd)
{
    return __wasi_path_open(at, follow ? __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW : 0, name, how,
                            how & __WASI_OFLAGS_DIRECTORY || at == keep ? ALL & ~(__wasi_rights_t)__WASI_RIGHTS_FD_WRITE : ALL, ALL, 0, fd);
}

/* The descriptor of a granted folder, by its name. */
static int granted(const char *name)
{
    for (int fd = 3; fd < 16; fd++) {
        char text[64] = "";
        __wasi_prestat_t it;
        if (__wasi_fd_prestat_get(fd, &it) == 0 && it.u.dir.pr_name_len < sizeof text &&
            __wasi_fd_prestat_dir_name(fd, (uint8_t *)text, it.u.dir.pr_name_len) == 0 && strcmp(text, name) == 0)
            return fd;
    }
    check_fail(__FILE__, __LINE__, "granted", "no folder %s", name);
    return -1;
}

/* From what may only be read to what may be changed, and back: by a rename, a hard link, a link's target. */
static void between(void)
{
    int fd;
    const char *base = strrchr(kept, '/') + 1;
    NOT(__wasi_path_rename(keep, base, own, "taken"));
    NOT(__wasi_path_link(keep, 0, base, own, "taken"));
    NOT(__wasi_path_link(keep, 1, base, own, "taken"));
    DONE(__wasi_path_symlink("x", own, "link"));
    NOT(__wasi_path_rename(own, "link", keep, base));
    NOT(__wasi_path_link(own, 0, "link", keep, "new"));
    NOT(__wasi_path_symlink(base, keep, "new"));
    NOT(__wasi_path_unlink_file(keep, base));
    NOT(__wasi_path_create_directory(keep, "new"));
    NOT(__wasi_path_filestat_set_times(keep, 0, base, 1, 1, __WASI_FSTFLAGS_ATIM | __WASI_FSTFLAGS_MTIM));
    NOT(open_at(keep, 0, base, __WASI_OFLAGS_TRUNC, &fd));
    NOT(open_at(keep, 0, "new", __WASI_OFLAGS_CREAT, &fd));
    DONE(__wasi_path_unlink_file(own, "link"));
    CHECK(open_at(own, 0, "taken", 0, &fd) != 0);
}

/* A descriptor of the one folder where that of the other was. */
static void moved_over(void)
{
    int a, b, fd;
    DONE(open_at(keep, 0, ".", __WASI_OFLAGS_DIRECTORY, &a));
    DONE(open_at(own, 0, ".", __WASI_OFLAGS_DIRECTORY, &b));
    // The number of a folder that may be changed now leads to one that may not.
    DONE(__wasi_fd_renumber(a, b));
    NOT(__wasi_path_create_directory(b, "new"));
    NOT(open_at(b, 0, "new", __WASI_OFLAGS_CREAT, &fd));
    NOT(__wasi_fd_close(a));
    DONE(__wasi_fd_close(b));
    DONE(open_at(keep, 0, strrchr(kept, '/') + 1, 0, &a));
    DONE(open_at(own, 0, "file", __WASI_OFLAGS_CREAT, &b));
    DONE(__wasi_fd_renumber(a, b));
    __wasi_ciovec_t text = {(const uint8_t *)"x", 1};
    __wasi_size_t n;
    NOT(__wasi_fd_write(b, &text, 1, &n));
    NOT(__wasi_fd_pwrite(b, &text, 1, 0, &n));
    NOT(__wasi_fd_filestat_set_size(b, 0));
    NOT(__wasi_fd_allocate(b, 0, 1 << 20));
    NOT(__wasi_fd_filestat_set_times(b, 1, 1, __WASI_FSTFLAGS_ATIM | __WASI_FSTFLAGS_MTIM));
    // Whatever rights it is said to have.
    MAY(__wasi_fd_fdstat_set_rights(b, ALL, ALL));
    NOT(__wasi_fd_write(b, &text, 1, &n));
    DONE(__wasi_fd_close(b));
    DONE(__wasi_path_unlink_file(own, "file"));
}

/* Numbers that are none, or not open. */
static void numbers(void)
{
    static const int none[] = {-1, 99, INT32_MAX, INT32_MIN, 1 << 20};
    __wasi_prestat_t it;
    __wasi_fdstat_t status;
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        NOT(__wasi_fd_renumber(none[i], own));
        NOT(__wasi_fd_renumber(own, none[i]));
        NOT(__wasi_fd_close(none[i]));
        NOT(__wasi_fd_prestat_get(none[i], &it));
        NOT(__wasi_fd_fdstat_get(none[i], &status));
        NOT(__wasi_path_create_directory(none[i], "new"));
    }
    DONE(__wasi_fd_renumber(own, own));
    DONE(__wasi_fd_fdstat_get(own, &status));
    CHECK_INT(status.fs_filetype, __WASI_FILETYPE_DIRECTORY);
}

/* The standard streams are not folders, and folders no streams. */
static void streams(void)
{
    int fd;
    __wasi_filestat_t it;
    for (int i = 0; i < 3; i++) {
        NOT(open_at(i, 0, "etc/passwd", 0, &fd));
        NOT(__wasi_path_filestat_get(i, 0, ".", &it));
        NOT(__wasi_path_unlink_file(i, "x"));
        NOT(__wasi_fd_filestat_set_size(i, 0));
        NOT(__wasi_path_link(i, 0, "/etc/passwd", own, "taken"));
    }
    uint8_t bytes[8];
    __wasi_iovec_t room = {bytes, 8};
    __wasi_size_t n;
    NOT(__wasi_fd_read(own, &room, 1, &n));
    NOT(__wasi_fd_pread(own, &room, 1, 0, &n));
}

/* Names that lead out, one after the other. */
static void names(void)
{
    static const char *const out[] = {"..", "../", "/", "/etc/passwd", "../../etc/passwd", "a/../../../etc/passwd", "./..", "a/../..", "//etc", ""};
    __wasi_filestat_t it;
    int fd;
    char text[64];
    __wasi_size_t n;
    DONE(__wasi_path_create_directory(own, "a"));
    for (unsigned i = 0; i < sizeof out / sizeof *out; i++) {
        NOT(open_at(change, 1, out[i], 0, &fd));
        NOT(open_at(change, 1, out[i], __WASI_OFLAGS_DIRECTORY, &fd));
        NOT(__wasi_path_filestat_get(change, 1, out[i], &it));
        NOT(__wasi_path_readlink(change, out[i], (uint8_t *)text, sizeof text, &n));
        NOT(__wasi_path_remove_directory(change, out[i]));
        NOT(__wasi_path_unlink_file(change, out[i]));
        NOT(__wasi_path_create_directory(change, out[i]));
        NOT(__wasi_path_rename(own, "a", change, out[i]));
        NOT(__wasi_path_link(change, 0, out[i], own, "taken"));
        NOT(__wasi_path_symlink("x", change, out[i]));
    }
    DONE(__wasi_path_remove_directory(own, "a"));
}

/* The same by links: absolute ones, those that go up, a chain, a circle, one within a folder that is moved up afterwards. */
static void links(void)
{
    static const char *const to[] = {"../../etc/passwd", "../../../../../etc/passwd", "circle", "chain2", "deep/../../../etc"};
    static const char *const from[] = {"up", "far", "circle", "chain1", "odd"};
    __wasi_filestat_t it;
    int fd;
    char top[32], top_passwd[64];
    snprintf(top, sizeof top, "rankine-top-%d-%d", rank, size);
    snprintf(top_passwd, sizeof top_passwd, "%s/etc/passwd", top);
    // An absolute target isn't even kept.
    NOT(__wasi_path_symlink("/etc/passwd", own, "absolute"));
    DONE(__wasi_path_symlink("../../etc", own, "chain2"));
    for (int i = 0; i < 5; i++) {
        DONE(__wasi_path_symlink(to[i], own, from[i]));
        NOT(open_at(own, 1, from[i], 0, &fd));
        NOT(open_at(own, 1, from[i], __WASI_OFLAGS_CREAT, &fd));
        NOT(__wasi_path_filestat_get(own, 1, from[i], &it));
    }
    NOT(open_at(own, 1, "chain1/passwd", 0, &fd));
    NOT(open_at(own, 1, "chain1", __WASI_OFLAGS_DIRECTORY, &fd));
    NOT(__wasi_path_rename(own, "chain1/passwd", own, "taken"));
    NOT(__wasi_path_link(own, 1, "up", own, "taken"));
    NOT(__wasi_path_filestat_set_times(own, 1, "up", 1, 1, __WASI_FSTFLAGS_MTIM));
    // Two levels down it leads to what is granted, one level up it doesn't any more.
    DONE(__wasi_path_create_directory(own, "deep"));
    DONE(__wasi_path_create_directory(own, "deep/down"));
    DONE(__wasi_path_symlink("../../../..", own, "deep/down/top"));
    NOT(open_at(own, 1, "deep/down/top", __WASI_OFLAGS_DIRECTORY, &fd));
    DONE(__wasi_path_rename(own, "deep/down/top", change, top));
    NOT(open_at(change, 1, top, __WASI_OFLAGS_DIRECTORY, &fd));
    NOT(open_at(change, 1, top_passwd, 0, &fd));
    DONE(__wasi_path_unlink_file(change, top));
    DONE(__wasi_path_remove_directory(own, "deep/down"));
    DONE(__wasi_path_remove_directory(own, "deep"));
    for (int i = 0; i < 5; i++)
        DONE(__wasi_path_unlink_file(own, from[i]));
    DONE(__wasi_path_unlink_file(own, "chain2"));
}

/* A folder that goes elsewhere while a descriptor stands in it. */
static void moved_away(void)
{
    int fd, inner;
    DONE(__wasi_path_create_directory(own, "one"));
    DONE(__wasi_path_create_directory(own, "one/two"));
    DONE(open_at(own, 0, "one/two", __WASI_OFLAGS_DIRECTORY, &inner));
    DONE(__wasi_path_rename(own, "one/two", own, "two"));
    NOT(open_at(inner, 1, "..", __WASI_OFLAGS_DIRECTORY, &fd));
    NOT(open_at(inner, 1, "../one", __WASI_OFLAGS_DIRECTORY, &fd));
    NOT(__wasi_path_rename(own, "one", inner, "../three"));
    DONE(__wasi_path_remove_directory(own, "two"));
    // It is nowhere now.
    NOT(__wasi_path_create_directory(inner, "new"));
    NOT(open_at(inner, 0, "new", __WASI_OFLAGS_CREAT, &fd));
    DONE(__wasi_fd_close(inner));
    DONE(__wasi_path_remove_directory(own, "one"));
}

/* Offsets, sizes and positions that no file has. */
static void offsets(void)
{
    static const __wasi_filesize_t far[] = {UINT64_MAX, 1ull << 63, (1ull << 63) - 1, UINT64_MAX - 7};
    uint8_t bytes[16] = {0};
    __wasi_iovec_t room = {bytes, 8};
    __wasi_ciovec_t text = {bytes, 8};
    __wasi_size_t n = 77;
    __wasi_filesize_t where;
    int fd;
    DONE(open_at(own, 0, "file", __WASI_OFLAGS_CREAT, &fd));
    for (unsigned i = 0; i < 4; i++) {
        CHECK(__wasi_fd_pread(fd, &room, 1, far[i], &n) != 0 || n == 0);
        NOT(__wasi_fd_pwrite(fd, &text, 1, far[i], &n));
        NOT(__wasi_fd_filestat_set_size(fd, far[i]));
        NOT(__wasi_fd_allocate(fd, far[i], far[i]));
        NOT(__wasi_fd_seek(fd, (int64_t)far[i] | INT64_MIN, __WASI_WHENCE_SET, &where));
        MAY(__wasi_fd_seek(fd, (int64_t)far[i], __WASI_WHENCE_END, &where));
        MAY(__wasi_fd_seek(fd, (int64_t)far[i], __WASI_WHENCE_CUR, &where));
        DONE(__wasi_fd_seek(fd, 0, __WASI_WHENCE_SET, &where));
        MAY(__wasi_fd_advise(fd, far[i], far[i], 0));
    }
    DONE(__wasi_fd_close(fd));
    DONE(__wasi_path_unlink_file(own, "file"));
}

/* Lists of a folder from places that there are not, into rooms of nothing. */
static void lists(void)
{
    uint8_t bytes[64];
    __wasi_size_t n;
    static const uint64_t places[] = {UINT64_MAX, 1ull << 63, 1u << 31, 1000000};
    for (unsigned i = 0; i < 4; i++)
        if (__wasi_fd_readdir(own, bytes, sizeof bytes, places[i], &n) == 0)
            CHECK_INT(n, 0);
    for (__wasi_size_t room = 0; room < 30; room++)
        if (__wasi_fd_readdir(own, bytes, room, 0, &n) == 0)
            CHECK(n <= room);
}

/* Names of which only a part is in memory end the program, or are an error: a thread of its own would be needed to go on after a trap. */
static void bytes_of_names(void)
{
    static const char *const odd[] = {"\xff\xfe", "a\nb", "\x1b[2J", "con:", "a\\b", "%2e%2e", "..\\..", " ", "...", "~"};
    int fd;
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        if (open_at(own, 0, odd[i], __WASI_OFLAGS_CREAT, &fd) == 0) {
            DONE(__wasi_fd_close(fd));
            DONE(__wasi_path_unlink_file(own, odd[i]));
        }
    static char longest[70000];
    memset(longest, 'x', sizeof longest - 1);
    NOT(open_at(own, 0, longest, __WASI_OFLAGS_CREAT, &fd));
    for (int i = 0; i < 69998; i += 2)
        memcpy(longest + i, "./", 2);
    // A long way to a short name: an error, or the file of that name.
    if (open_at(own, 0, longest, __WASI_OFLAGS_CREAT, &fd) == 0) {
        DONE(__wasi_fd_close(fd));
        DONE(__wasi_path_unlink_file(own, "x"));
    }
}

/* What may only be read is as it was. */
static void as_before(void)
{
    struct stat after;
    CHECK_INT(stat(kept, &after), 0);
    CHECK(before.st_size == after.st_size && before.st_mtime == after.st_mtime && before.st_nlink == after.st_nlink);
}

/* The last of all. */
static void removed(void)
{
    DONE(__wasi_fd_close(own));
    CHECK_INT(rmdir(folder), 0);
    NOT(__wasi_path_create_directory(own, "new"));
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"between", between}, {"moved over", moved_over}, {"numbers", numbers}, {"streams", streams}, {"names", names}, {"links", links},
        {"moved away", moved_away}, {"offsets", offsets}, {"lists", lists}, {"bytes of names", bytes_of_names}, {"removed", removed},
    };
    hostile_begin(&argc, &argv);
    // A module among the guests: this one.
    const char *end = strrchr(argv[0], '/');
    snprintf(kept, sizeof kept, "/keep/%s", end ? end + 1 : argv[0]);
    CHECK_INT(stat(kept, &before), 0);
    snprintf(folder, sizeof folder, "/change/rankine-descriptors-%d-%d-%d", rank, size, own_number());
    CHECK_INT(mkdir(folder, 0777), 0);
    change = granted("/change");
    keep = granted("/keep");
    DONE(open_at(change, 0, strrchr(folder, '/') + 1, __WASI_OFLAGS_DIRECTORY, &own));
    after_each = as_before;
    return VARIATIONS(all);
}
