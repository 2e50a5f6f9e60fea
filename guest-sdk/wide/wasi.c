// WASI for programs whose addresses have 64 bits. The host's functions are those of 32-bit programs: addresses and lengths have
// 32 bits there, in parameters and in what parameters point to (vectors of buffers, of arguments, what was opened beforehand).
// It is converted here, in the program: so the host need not know of each call from which kind of program it comes.
//
// An address that 32 bits can't hold ends the program; it is never cut.

#include <stdint.h>
#include <string.h>
#include <wasi/api.h>

typedef uint32_t word;

// A buffer as the host knows it, and how many of them a call may have.
struct buffer { word at, length; };
enum { BUFFERS = 1024 };

#define HOST(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
#define IMPORT(name, ...) HOST(name) int32_t host_##name(__VA_ARGS__)

static word at(const void *address)
{
    if ((uintptr_t)address > UINT32_MAX)
        __builtin_trap();
    return (word)(uintptr_t)address;
}

// Who asks for more than 32 bits can say is content with less, or finds that there is no such buffer.
static word length(size_t bytes) { return bytes > UINT32_MAX ? UINT32_MAX : (word)bytes; }

#define LENGTH(path) at(path), length(strlen(path))

// A call that gives a size.
#define GIVES_SIZE(size, call) \
    do { \
        word narrow = 0; \
        int32_t error = call; \
        *(size) = narrow; \
        return (uint16_t)error; \
    } while (0)

// ---- arguments and environment ----

IMPORT(args_get, word, word);
IMPORT(args_sizes_get, word, word);
IMPORT(environ_get, word, word);
IMPORT(environ_sizes_get, word, word);

static __wasi_errno_t sizes(int32_t (*get)(word, word), size_t *count, size_t *bytes)
{
    word narrow[2] = {0, 0};
    int32_t error = get(at(&narrow[0]), at(&narrow[1]));
    *count = narrow[0];
    *bytes = narrow[1];
    return (uint16_t)error;
}

// The host has put narrow addresses into the vector. From the last one on each gets the room that it is to have.
static void widen(uint8_t **vector, size_t count)
{
    while (count-- > 0) {
        word narrow;
        memcpy(&narrow, (char *)vector + count * sizeof narrow, sizeof narrow);
        vector[count] = (uint8_t *)(uintptr_t)narrow;
    }
}

__wasi_errno_t __wasi_args_sizes_get(size_t *count, size_t *bytes) { return sizes(host_args_sizes_get, count, bytes); }

__wasi_errno_t __wasi_args_get(uint8_t **vector, uint8_t *texts)
{
    size_t count, bytes;
    __wasi_errno_t error = __wasi_args_sizes_get(&count, &bytes);
    if (error == 0)
        error = (uint16_t)host_args_get(at(vector), at(texts));
    if (error == 0)
        widen(vector, count);
    return error;
}

__wasi_errno_t __wasi_environ_sizes_get(size_t *count, size_t *bytes)
{
    return sizes(host_environ_sizes_get, count, bytes);
}

__wasi_errno_t __wasi_environ_get(uint8_t **vector, uint8_t *texts)
{
    size_t count, bytes;
    __wasi_errno_t error = __wasi_environ_sizes_get(&count, &bytes);
    if (error == 0)
        error = (uint16_t)host_environ_get(at(vector), at(texts));
    if (error == 0)
        widen(vector, count);
    return error;
}

// ---- buffers ----

// Of more buffers than there may be, the first ones: a call may do less than it was asked for.
static word narrowed(struct buffer *narrow, const __wasi_iovec_t *wide, size_t count)
{
    if (count > BUFFERS)
        count = BUFFERS;
    for (size_t i = 0; i < count; i++)
        narrow[i] = (struct buffer){at(wide[i].buf), length(wide[i].buf_len)};
    return (word)count;
}

#define BUFFERS_OF(vector, count) \
    struct buffer buffers[(count) < BUFFERS ? (count) + 1 : BUFFERS]; \
    word number = narrowed(buffers, (const __wasi_iovec_t *)(vector), count)

IMPORT(fd_read, int32_t, word, word, word);
IMPORT(fd_write, int32_t, word, word, word);
IMPORT(fd_pread, int32_t, word, word, int64_t, word);
IMPORT(fd_pwrite, int32_t, word, word, int64_t, word);
IMPORT(sock_recv, int32_t, word, word, int32_t, word, word);
IMPORT(sock_send, int32_t, word, word, int32_t, word);

__wasi_errno_t __wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *vector, size_t count, size_t *read)
{
    BUFFERS_OF(vector, count);
    GIVES_SIZE(read, host_fd_read(fd, at(buffers), number, at(&narrow)));
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *vector, size_t count, size_t *written)
{
    BUFFERS_OF(vector, count);
    GIVES_SIZE(written, host_fd_write(fd, at(buffers), number, at(&narrow)));
}

__wasi_errno_t __wasi_fd_pread(__wasi_fd_t fd, const __wasi_iovec_t *vector, size_t count, __wasi_filesize_t offset,
                               size_t *read)
{
    BUFFERS_OF(vector, count);
    GIVES_SIZE(read, host_fd_pread(fd, at(buffers), number, offset, at(&narrow)));
}

__wasi_errno_t __wasi_fd_pwrite(__wasi_fd_t fd, const __wasi_ciovec_t *vector, size_t count, __wasi_filesize_t offset,
                                size_t *written)
{
    BUFFERS_OF(vector, count);
    GIVES_SIZE(written, host_fd_pwrite(fd, at(buffers), number, offset, at(&narrow)));
}

__wasi_errno_t __wasi_sock_recv(__wasi_fd_t fd, const __wasi_iovec_t *vector, size_t count, __wasi_riflags_t flags,
                                size_t *read, __wasi_roflags_t *given)
{
    BUFFERS_OF(vector, count);
    GIVES_SIZE(read, host_sock_recv(fd, at(buffers), number, flags, at(&narrow), at(given)));
}

__wasi_errno_t __wasi_sock_send(__wasi_fd_t fd, const __wasi_ciovec_t *vector, size_t count, __wasi_siflags_t flags,
                                size_t *written)
{
    BUFFERS_OF(vector, count);
    GIVES_SIZE(written, host_sock_send(fd, at(buffers), number, flags, at(&narrow)));
}

// ---- other calls that give sizes ----

IMPORT(fd_prestat_get, int32_t, word);
IMPORT(fd_readdir, int32_t, word, word, int64_t, word);
IMPORT(path_readlink, int32_t, word, word, word, word, word);
IMPORT(poll_oneoff, word, word, word, word);

__wasi_errno_t __wasi_fd_prestat_get(__wasi_fd_t fd, __wasi_prestat_t *opened)
{
    struct { uint8_t tag; word length; } narrow = {0, 0};
    int32_t error = host_fd_prestat_get(fd, at(&narrow));
    opened->tag = narrow.tag;
    opened->u.dir.pr_name_len = narrow.length;
    return (uint16_t)error;
}

__wasi_errno_t __wasi_fd_readdir(__wasi_fd_t fd, uint8_t *buffer, size_t bytes, __wasi_dircookie_t cookie, size_t *used)
{
    GIVES_SIZE(used, host_fd_readdir(fd, at(buffer), length(bytes), cookie, at(&narrow)));
}

__wasi_errno_t __wasi_path_readlink(__wasi_fd_t fd, const char *path, uint8_t *buffer, size_t bytes, size_t *used)
{
    GIVES_SIZE(used, host_path_readlink(fd, LENGTH(path), at(buffer), length(bytes), at(&narrow)));
}

__wasi_errno_t __wasi_poll_oneoff(const __wasi_subscription_t *in, __wasi_event_t *out, size_t count, size_t *happened)
{
    GIVES_SIZE(happened, host_poll_oneoff(at(in), at(out), length(count), at(&narrow)));
}

// ---- calls that only take addresses ----

IMPORT(clock_res_get, int32_t, word);
__wasi_errno_t __wasi_clock_res_get(__wasi_clockid_t id, __wasi_timestamp_t *time)
{
    return (uint16_t)host_clock_res_get(id, at(time));
}

IMPORT(clock_time_get, int32_t, int64_t, word);
__wasi_errno_t __wasi_clock_time_get(__wasi_clockid_t id, __wasi_timestamp_t precision, __wasi_timestamp_t *time)
{
    return (uint16_t)host_clock_time_get(id, precision, at(time));
}

IMPORT(fd_fdstat_get, int32_t, word);
__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t fd, __wasi_fdstat_t *about)
{
    return (uint16_t)host_fd_fdstat_get(fd, at(about));
}

IMPORT(fd_filestat_get, int32_t, word);
__wasi_errno_t __wasi_fd_filestat_get(__wasi_fd_t fd, __wasi_filestat_t *about)
{
    return (uint16_t)host_fd_filestat_get(fd, at(about));
}

IMPORT(fd_prestat_dir_name, int32_t, word, word);
__wasi_errno_t __wasi_fd_prestat_dir_name(__wasi_fd_t fd, uint8_t *path, size_t bytes)
{
    return (uint16_t)host_fd_prestat_dir_name(fd, at(path), length(bytes));
}

IMPORT(fd_seek, int32_t, int64_t, int32_t, word);
__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t by, __wasi_whence_t from, __wasi_filesize_t *now)
{
    return (uint16_t)host_fd_seek(fd, by, from, at(now));
}

IMPORT(fd_tell, int32_t, word);
__wasi_errno_t __wasi_fd_tell(__wasi_fd_t fd, __wasi_filesize_t *now) { return (uint16_t)host_fd_tell(fd, at(now)); }

IMPORT(path_create_directory, int32_t, word, word);
__wasi_errno_t __wasi_path_create_directory(__wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_create_directory(fd, LENGTH(path));
}

IMPORT(path_filestat_get, int32_t, int32_t, word, word, word);
__wasi_errno_t __wasi_path_filestat_get(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path,
                                        __wasi_filestat_t *about)
{
    return (uint16_t)host_path_filestat_get(fd, flags, LENGTH(path), at(about));
}

IMPORT(path_filestat_set_times, int32_t, int32_t, word, word, int64_t, int64_t, int32_t);
__wasi_errno_t __wasi_path_filestat_set_times(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path,
                                              __wasi_timestamp_t access, __wasi_timestamp_t change,
                                              __wasi_fstflags_t which)
{
    return (uint16_t)host_path_filestat_set_times(fd, flags, LENGTH(path), access, change, which);
}

IMPORT(path_link, int32_t, int32_t, word, word, int32_t, word, word);
__wasi_errno_t __wasi_path_link(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path, __wasi_fd_t new_fd,
                                const char *new_path)
{
    return (uint16_t)host_path_link(fd, flags, LENGTH(path), new_fd, LENGTH(new_path));
}

IMPORT(path_open, int32_t, int32_t, word, word, int32_t, int64_t, int64_t, int32_t, word);
__wasi_errno_t __wasi_path_open(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path, __wasi_oflags_t how,
                                __wasi_rights_t rights, __wasi_rights_t passed_on, __wasi_fdflags_t fd_flags,
                                __wasi_fd_t *opened)
{
    return (uint16_t)host_path_open(fd, flags, LENGTH(path), how, rights, passed_on, fd_flags, at(opened));
}

IMPORT(path_remove_directory, int32_t, word, word);
__wasi_errno_t __wasi_path_remove_directory(__wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_remove_directory(fd, LENGTH(path));
}

IMPORT(path_rename, int32_t, word, word, int32_t, word, word);
__wasi_errno_t __wasi_path_rename(__wasi_fd_t fd, const char *path, __wasi_fd_t new_fd, const char *new_path)
{
    return (uint16_t)host_path_rename(fd, LENGTH(path), new_fd, LENGTH(new_path));
}

IMPORT(path_symlink, word, word, int32_t, word, word);
__wasi_errno_t __wasi_path_symlink(const char *text, __wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_symlink(LENGTH(text), fd, LENGTH(path));
}

IMPORT(path_unlink_file, int32_t, word, word);
__wasi_errno_t __wasi_path_unlink_file(__wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_unlink_file(fd, LENGTH(path));
}

IMPORT(random_get, word, word);
__wasi_errno_t __wasi_random_get(uint8_t *buffer, size_t bytes)
{
    return (uint16_t)host_random_get(at(buffer), length(bytes));
}

IMPORT(sock_accept, int32_t, int32_t, word);
__wasi_errno_t __wasi_sock_accept(__wasi_fd_t fd, __wasi_fdflags_t flags, __wasi_fd_t *accepted)
{
    return (uint16_t)host_sock_accept(fd, flags, at(accepted));
}

// ---- calls without addresses ----

IMPORT(fd_advise, int32_t, int64_t, int64_t, int32_t);
__wasi_errno_t __wasi_fd_advise(__wasi_fd_t fd, __wasi_filesize_t offset, __wasi_filesize_t bytes, __wasi_advice_t advice)
{
    return (uint16_t)host_fd_advise(fd, offset, bytes, advice);
}

IMPORT(fd_allocate, int32_t, int64_t, int64_t);
__wasi_errno_t __wasi_fd_allocate(__wasi_fd_t fd, __wasi_filesize_t offset, __wasi_filesize_t bytes)
{
    return (uint16_t)host_fd_allocate(fd, offset, bytes);
}

IMPORT(fd_close, int32_t);
__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd) { return (uint16_t)host_fd_close(fd); }

IMPORT(fd_datasync, int32_t);
__wasi_errno_t __wasi_fd_datasync(__wasi_fd_t fd) { return (uint16_t)host_fd_datasync(fd); }

IMPORT(fd_fdstat_set_flags, int32_t, int32_t);
__wasi_errno_t __wasi_fd_fdstat_set_flags(__wasi_fd_t fd, __wasi_fdflags_t flags)
{
    return (uint16_t)host_fd_fdstat_set_flags(fd, flags);
}

IMPORT(fd_fdstat_set_rights, int32_t, int64_t, int64_t);
__wasi_errno_t __wasi_fd_fdstat_set_rights(__wasi_fd_t fd, __wasi_rights_t rights, __wasi_rights_t passed_on)
{
    return (uint16_t)host_fd_fdstat_set_rights(fd, rights, passed_on);
}

IMPORT(fd_filestat_set_size, int32_t, int64_t);
__wasi_errno_t __wasi_fd_filestat_set_size(__wasi_fd_t fd, __wasi_filesize_t bytes)
{
    return (uint16_t)host_fd_filestat_set_size(fd, bytes);
}

IMPORT(fd_filestat_set_times, int32_t, int64_t, int64_t, int32_t);
__wasi_errno_t __wasi_fd_filestat_set_times(__wasi_fd_t fd, __wasi_timestamp_t access, __wasi_timestamp_t change,
                                            __wasi_fstflags_t which)
{
    return (uint16_t)host_fd_filestat_set_times(fd, access, change, which);
}

IMPORT(fd_renumber, int32_t, int32_t);
__wasi_errno_t __wasi_fd_renumber(__wasi_fd_t fd, __wasi_fd_t to) { return (uint16_t)host_fd_renumber(fd, to); }

IMPORT(fd_sync, int32_t);
__wasi_errno_t __wasi_fd_sync(__wasi_fd_t fd) { return (uint16_t)host_fd_sync(fd); }

HOST(proc_exit) _Noreturn void host_proc_exit(int32_t);
_Noreturn void __wasi_proc_exit(__wasi_exitcode_t status) { host_proc_exit(status); }

IMPORT(sched_yield, void);
__wasi_errno_t __wasi_sched_yield(void) { return (uint16_t)host_sched_yield(); }

IMPORT(sock_shutdown, int32_t, int32_t);
__wasi_errno_t __wasi_sock_shutdown(__wasi_fd_t fd, __wasi_sdflags_t how) { return (uint16_t)host_sock_shutdown(fd, how); }
