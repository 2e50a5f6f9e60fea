// WASI for programs whose addresses have 64 bits. The host's functions are those of 32-bit programs: addresses and lengths have
// 32 bits there, in parameters and in what parameters point to (vectors of buffers, of arguments, what was opened beforehand).
// It is converted here, in the program: so the host need not know of each call from which kind of program it comes.
//
// A large program may have more than 4 GiB. What lies above is copied through the stack, which lies at the bottom of the memory:
// texts and results whole, buffers in pieces, as a call may do less than it was asked for. An address is never cut. The stack of a
// thread may lie above, too; so with threads, the functions here are those that `threads.S` calls on a stack that doesn't.

#include <stdint.h>
#include <string.h>
#include <wasi/api.h>

typedef uint32_t word;

// A buffer as the host knows it.
struct buffer { word at, length; };

#ifdef _REENTRANT
#define WASI(name) __rankine_near_##name
#else
#define WASI(name) __wasi_##name
#endif

#define HOST(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))
#define IMPORT(name, ...) HOST(name) int32_t host_##name(__VA_ARGS__)

#ifdef _REENTRANT
// The stacks that threads borrow: where the null page is in other programs, which is left below the stack of the first thread. In a
// large one that page can be accessed.
enum { LOWEST = 1 << 10, STACK = 15 << 10, STACKS = 4 };
extern unsigned char __stack_low;
static unsigned char *stacks(void) { return &__stack_low + LOWEST; }

// Whether this is one: then there is little room.
static int is_borrowed(void)
{
    const unsigned char *here = __builtin_frame_address(0);
    return here >= stacks() && here <= stacks() + STACKS * STACK;
}
#else
static int is_borrowed(void) { return 0; }
#endif

// The most of a buffer that is copied in a call, of a list that has to be whole, and buffers of a call.
static size_t most_of_buffer(void) { return is_borrowed() ? 1 << 11 : 1 << 15; }
static size_t most_of_list(void) { return is_borrowed() ? 1 << 11 : 1 << 20; }
static size_t most_buffers(void) { return is_borrowed() ? 1 << 7 : 1 << 10; }

static int is_far(const void *address) { return (uintptr_t)address > UINT32_MAX; }

static word at(const void *address)
{
    if (is_far(address))
        __builtin_trap();
    return (word)(uintptr_t)address;
}

// Who asks for more than 32 bits can say is content with less, or finds that there is no such buffer.
static word length(size_t bytes) { return bytes > UINT32_MAX ? UINT32_MAX : (word)bytes; }

static size_t at_most(size_t bytes, size_t most) { return bytes < most ? bytes : most; }

// Room on the stack, if what is at an address is far, until the function returns.
#define BELOW(address, bytes) (is_far(address) ? __builtin_alloca(bytes) : (void *)(address))

// No path is longer: of one that is, so much is copied that the host finds it to be too long.
enum { PATH = 4200 };
static size_t length_of(const char *text) { return is_far(text) ? strnlen(text, PATH) : strlen(text); }
static const char *copied(char *below, const char *text)
{
    return below == text ? text : memcpy(below, text, length_of(text));
}

#define TEXT(text) at(copied(BELOW(text, PATH), text)), length(length_of(text))

// A call that gives a size.
#define GIVES_SIZE(size, call) \
    do { \
        word narrow = 0; \
        int32_t error = call; \
        *(size) = narrow; \
        return (uint16_t)error; \
    } while (0)

// A call that gives what is to lie at a place.
#define GIVES(place, call) \
    do { \
        __typeof__(*(place)) given; \
        int32_t error = call; \
        if (error == 0) \
            *(place) = given; \
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

// The host puts narrow addresses into a vector of its own.
static __wasi_errno_t texts_of(int32_t (*get)(word, word), size_t count, size_t bytes, uint8_t **vector, uint8_t *texts)
{
    word narrow[count + 1];
    uint8_t *below = BELOW(texts, bytes);
    int32_t error = get(at(narrow), at(below));
    if (error != 0)
        return (uint16_t)error;
    if (below != texts)
        memcpy(texts, below, bytes);
    for (size_t i = 0; i < count; i++)
        vector[i] = texts + (narrow[i] - at(below));
    return 0;
}

__wasi_errno_t WASI(args_sizes_get)(size_t *count, size_t *bytes) { return sizes(host_args_sizes_get, count, bytes); }

__wasi_errno_t WASI(args_get)(uint8_t **vector, uint8_t *texts)
{
    size_t count, bytes;
    __wasi_errno_t error = WASI(args_sizes_get)(&count, &bytes);
    return error == 0 ? texts_of(host_args_get, count, bytes, vector, texts) : error;
}

__wasi_errno_t WASI(environ_sizes_get)(size_t *count, size_t *bytes)
{
    return sizes(host_environ_sizes_get, count, bytes);
}

__wasi_errno_t WASI(environ_get)(uint8_t **vector, uint8_t *texts)
{
    size_t count, bytes;
    __wasi_errno_t error = WASI(environ_sizes_get)(&count, &bytes);
    return error == 0 ? texts_of(host_environ_get, count, bytes, vector, texts) : error;
}

// ---- buffers ----

IMPORT(fd_read, int32_t, word, word, word);
IMPORT(fd_write, int32_t, word, word, word);
IMPORT(fd_pread, int32_t, word, word, int64_t, word);
IMPORT(fd_pwrite, int32_t, word, word, int64_t, word);
IMPORT(sock_recv, int32_t, word, word, int32_t, word, word);
IMPORT(sock_send, int32_t, word, word, int32_t, word);

// Of more buffers than there may be, and of those with one that is far, the first ones: a call may do less than it was asked for.
static word narrowed(struct buffer *narrow, const __wasi_iovec_t *wide, size_t count)
{
    word number = 0;
    for (; number < count && number < most_buffers(); number++) {
        const __wasi_iovec_t *one = &wide[number];
        if (one->buf_len > 0 && is_far(one->buf))
            break;
        narrow[number] = (struct buffer){one->buf_len > 0 ? at(one->buf) : 0, length(one->buf_len)};
    }
    return number;
}

// Where the first buffer that has bytes lies, if it is far.
static const __wasi_iovec_t *far_one(const __wasi_iovec_t *wide, size_t count)
{
    while (count > 1 && wide->buf_len == 0)
        wide++, count--;
    return count > 0 && wide->buf_len > 0 && is_far(wide->buf) ? wide : NULL;
}

// Whether who reads a piece and wants more finds that there too, and does not wait for it.
IMPORT(fd_fdstat_get, int32_t, word);
static int has_all(__wasi_fd_t fd)
{
    __wasi_fdstat_t about;
    return host_fd_fdstat_get(fd, at(&about)) == 0 && about.fs_filetype == __WASI_FILETYPE_REGULAR_FILE;
}

// A call in terms of `number` buffers, with `done` bytes done before: of those that are near, or of a far one as long as pieces
// are done whole, and `goes_on`.
#define BUFFERS_OF(vector, count, size, before, call, after, goes_on) \
    do { \
        const __wasi_iovec_t *far = far_one(vector, count); \
        size_t done = 0; \
        if (!far) { \
            struct buffer buffers[at_most(count, most_buffers()) + 1]; \
            word number = narrowed(buffers, vector, count); \
            GIVES_SIZE(size, call); \
        } \
        const size_t most = most_of_buffer(); \
        char piece[most]; \
        const word number = 1; \
        word narrow, bytes; \
        int32_t error; \
        do { \
            uint8_t *place = (uint8_t *)far->buf + done; \
            bytes = (word)at_most(far->buf_len - done, most); \
            struct buffer buffers[1] = {{at(piece), bytes}}; \
            narrow = 0; \
            before; \
            error = call; \
            if (error != 0) \
                break; \
            after; \
            done += narrow; \
        } while (narrow == bytes && done < far->buf_len && (goes_on)); \
        *(size) = done; \
        return done > 0 ? 0 : (uint16_t)error; \
    } while (0)
#define FILLS(vector, count, size, call, goes_on) \
    BUFFERS_OF(vector, count, size, , call, memcpy(place, piece, at_most(narrow, bytes)), goes_on)
#define TAKES(vector, count, size, call) BUFFERS_OF(vector, count, size, memcpy(piece, place, bytes), call, , 1)

__wasi_errno_t WASI(fd_read)(__wasi_fd_t fd, const __wasi_iovec_t *vector, size_t count, size_t *read)
{
    FILLS(vector, count, read, host_fd_read(fd, at(buffers), number, at(&narrow)), has_all(fd));
}

__wasi_errno_t WASI(fd_pread)(__wasi_fd_t fd, const __wasi_iovec_t *vector, size_t count, __wasi_filesize_t offset,
                               size_t *read)
{
    FILLS(vector, count, read, host_fd_pread(fd, at(buffers), number, offset + done, at(&narrow)), 1);
}

__wasi_errno_t WASI(sock_recv)(__wasi_fd_t fd, const __wasi_iovec_t *vector, size_t count, __wasi_riflags_t flags,
                                size_t *read, __wasi_roflags_t *given)
{
    __wasi_roflags_t how = 0;
    *given = how;
    FILLS(vector, count, read, host_sock_recv(fd, at(buffers), number, flags, at(&narrow), at(&how)), 0);
}

static const __wasi_iovec_t *taken(const __wasi_ciovec_t *vector) { return (const __wasi_iovec_t *)vector; }

__wasi_errno_t WASI(fd_write)(__wasi_fd_t fd, const __wasi_ciovec_t *vector, size_t count, size_t *written)
{
    TAKES(taken(vector), count, written, host_fd_write(fd, at(buffers), number, at(&narrow)));
}

__wasi_errno_t WASI(fd_pwrite)(__wasi_fd_t fd, const __wasi_ciovec_t *vector, size_t count, __wasi_filesize_t offset,
                                size_t *written)
{
    TAKES(taken(vector), count, written, host_fd_pwrite(fd, at(buffers), number, offset + done, at(&narrow)));
}

__wasi_errno_t WASI(sock_send)(__wasi_fd_t fd, const __wasi_ciovec_t *vector, size_t count, __wasi_siflags_t flags,
                                size_t *written)
{
    TAKES(taken(vector), count, written, host_sock_send(fd, at(buffers), number, flags, at(&narrow)));
}

// ---- other calls that give sizes ----

IMPORT(fd_prestat_get, int32_t, word);
IMPORT(fd_readdir, int32_t, word, word, int64_t, word);
IMPORT(path_readlink, int32_t, word, word, word, word, word);
IMPORT(poll_oneoff, word, word, word, word);

__wasi_errno_t WASI(fd_prestat_get)(__wasi_fd_t fd, __wasi_prestat_t *opened)
{
    struct { uint8_t tag; word length; } narrow = {0, 0};
    int32_t error = host_fd_prestat_get(fd, at(&narrow));
    opened->tag = narrow.tag;
    opened->u.dir.pr_name_len = narrow.length;
    return (uint16_t)error;
}

__wasi_errno_t WASI(fd_readdir)(__wasi_fd_t fd, uint8_t *buffer, size_t bytes, __wasi_dircookie_t cookie, size_t *used)
{
    // What has not been filled says that there is no more.
    const size_t most = at_most(bytes, most_of_list());
    uint8_t *below = BELOW(buffer, most);
    word narrow = 0;
    int32_t error = host_fd_readdir(fd, at(below), below == buffer ? length(bytes) : (word)most, cookie, at(&narrow));
    if (below != buffer)
        memcpy(buffer, below, error == 0 ? at_most(narrow, bytes) : 0);
    *used = narrow < most || below == buffer ? narrow : bytes;
    return (uint16_t)error;
}

__wasi_errno_t WASI(path_readlink)(__wasi_fd_t fd, const char *path, uint8_t *buffer, size_t bytes, size_t *used)
{
    const size_t most = is_far(buffer) ? at_most(bytes, most_of_buffer()) : bytes;
    uint8_t *below = BELOW(buffer, most);
    word narrow = 0;
    int32_t error = host_path_readlink(fd, TEXT(path), at(below), length(most), at(&narrow));
    if (below != buffer)
        memcpy(buffer, below, error == 0 ? at_most(narrow, most) : 0);
    *used = narrow;
    return (uint16_t)error;
}

#ifdef _REENTRANT
// Who sleeps on a stack of their own above 4 GiB does it without the host: they would keep a borrowed one.
__wasi_errno_t __wasi_poll(const __wasi_subscription_t *in, __wasi_event_t *out, size_t count, size_t *happened);
__wasi_errno_t __wasi_poll_oneoff(const __wasi_subscription_t *in, __wasi_event_t *out, size_t count, size_t *happened)
{
    static int never;
    const __wasi_subscription_clock_t *clock = &in->u.u.clock;
    const int sleeps = count == 1 && in->u.tag == __WASI_EVENTTYPE_CLOCK &&
                       !(clock->flags & __WASI_SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME);
    if (!sleeps || !is_far(__builtin_frame_address(0)))
        return __wasi_poll(in, out, count, happened);
    __builtin_wasm_memory_atomic_wait32(&never, 0, clock->timeout > INT64_MAX ? INT64_MAX : (int64_t)clock->timeout);
    *out = (__wasi_event_t){.userdata = in->userdata, .type = __WASI_EVENTTYPE_CLOCK};
    *happened = 1;
    return 0;
}
__wasi_errno_t WASI(poll)(const __wasi_subscription_t *in, __wasi_event_t *out, size_t count, size_t *happened)
#else
__wasi_errno_t __wasi_poll_oneoff(const __wasi_subscription_t *in, __wasi_event_t *out, size_t count, size_t *happened)
#endif
{
    if (!is_far(in) && !is_far(out))
        GIVES_SIZE(happened, host_poll_oneoff(at(in), at(out), length(count), at(&narrow)));
    if (count > most_of_list() / sizeof *in)
        return __WASI_ERRNO_INVAL;
    __wasi_subscription_t asked[count + 1];
    __wasi_event_t events[count + 1];
    memcpy(asked, in, count * sizeof *in);
    word narrow = 0;
    int32_t error = host_poll_oneoff(at(asked), at(events), (word)count, at(&narrow));
    memcpy(out, events, error == 0 ? at_most(narrow, count) * sizeof *out : 0);
    *happened = narrow;
    return (uint16_t)error;
}

// ---- calls that give something else, or only take texts ----

IMPORT(clock_res_get, int32_t, word);
__wasi_errno_t WASI(clock_res_get)(__wasi_clockid_t id, __wasi_timestamp_t *time)
{
    GIVES(time, host_clock_res_get(id, at(&given)));
}

IMPORT(clock_time_get, int32_t, int64_t, word);
__wasi_errno_t WASI(clock_time_get)(__wasi_clockid_t id, __wasi_timestamp_t precision, __wasi_timestamp_t *time)
{
    GIVES(time, host_clock_time_get(id, precision, at(&given)));
}

__wasi_errno_t WASI(fd_fdstat_get)(__wasi_fd_t fd, __wasi_fdstat_t *about)
{
    GIVES(about, host_fd_fdstat_get(fd, at(&given)));
}

IMPORT(fd_filestat_get, int32_t, word);
__wasi_errno_t WASI(fd_filestat_get)(__wasi_fd_t fd, __wasi_filestat_t *about)
{
    GIVES(about, host_fd_filestat_get(fd, at(&given)));
}

IMPORT(fd_prestat_dir_name, int32_t, word, word);
__wasi_errno_t WASI(fd_prestat_dir_name)(__wasi_fd_t fd, uint8_t *path, size_t bytes)
{
    const size_t most = is_far(path) ? at_most(bytes, most_of_buffer()) : bytes;
    uint8_t *below = BELOW(path, most);
    int32_t error = host_fd_prestat_dir_name(fd, at(below), length(most));
    if (below != path)
        memcpy(path, below, error == 0 ? most : 0);
    return (uint16_t)error;
}

IMPORT(fd_seek, int32_t, int64_t, int32_t, word);
__wasi_errno_t WASI(fd_seek)(__wasi_fd_t fd, __wasi_filedelta_t by, __wasi_whence_t from, __wasi_filesize_t *now)
{
    GIVES(now, host_fd_seek(fd, by, from, at(&given)));
}

IMPORT(fd_tell, int32_t, word);
__wasi_errno_t WASI(fd_tell)(__wasi_fd_t fd, __wasi_filesize_t *now) { GIVES(now, host_fd_tell(fd, at(&given))); }

IMPORT(path_create_directory, int32_t, word, word);
__wasi_errno_t WASI(path_create_directory)(__wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_create_directory(fd, TEXT(path));
}

IMPORT(path_filestat_get, int32_t, int32_t, word, word, word);
__wasi_errno_t WASI(path_filestat_get)(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path,
                                        __wasi_filestat_t *about)
{
    GIVES(about, host_path_filestat_get(fd, flags, TEXT(path), at(&given)));
}

IMPORT(path_filestat_set_times, int32_t, int32_t, word, word, int64_t, int64_t, int32_t);
__wasi_errno_t WASI(path_filestat_set_times)(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path,
                                              __wasi_timestamp_t access, __wasi_timestamp_t change,
                                              __wasi_fstflags_t which)
{
    return (uint16_t)host_path_filestat_set_times(fd, flags, TEXT(path), access, change, which);
}

IMPORT(path_link, int32_t, int32_t, word, word, int32_t, word, word);
__wasi_errno_t WASI(path_link)(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path, __wasi_fd_t new_fd,
                                const char *new_path)
{
    return (uint16_t)host_path_link(fd, flags, TEXT(path), new_fd, TEXT(new_path));
}

IMPORT(path_open, int32_t, int32_t, word, word, int32_t, int64_t, int64_t, int32_t, word);
__wasi_errno_t WASI(path_open)(__wasi_fd_t fd, __wasi_lookupflags_t flags, const char *path, __wasi_oflags_t how,
                                __wasi_rights_t rights, __wasi_rights_t passed_on, __wasi_fdflags_t fd_flags,
                                __wasi_fd_t *opened)
{
    GIVES(opened, host_path_open(fd, flags, TEXT(path), how, rights, passed_on, fd_flags, at(&given)));
}

IMPORT(path_remove_directory, int32_t, word, word);
__wasi_errno_t WASI(path_remove_directory)(__wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_remove_directory(fd, TEXT(path));
}

IMPORT(path_rename, int32_t, word, word, int32_t, word, word);
__wasi_errno_t WASI(path_rename)(__wasi_fd_t fd, const char *path, __wasi_fd_t new_fd, const char *new_path)
{
    return (uint16_t)host_path_rename(fd, TEXT(path), new_fd, TEXT(new_path));
}

IMPORT(path_symlink, word, word, int32_t, word, word);
__wasi_errno_t WASI(path_symlink)(const char *text, __wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_symlink(TEXT(text), fd, TEXT(path));
}

IMPORT(path_unlink_file, int32_t, word, word);
__wasi_errno_t WASI(path_unlink_file)(__wasi_fd_t fd, const char *path)
{
    return (uint16_t)host_path_unlink_file(fd, TEXT(path));
}

IMPORT(random_get, word, word);
__wasi_errno_t WASI(random_get)(uint8_t *buffer, size_t bytes)
{
    if (!is_far(buffer))
        return (uint16_t)host_random_get(at(buffer), length(bytes));
    const size_t most = most_of_buffer();
    for (uint8_t piece[most]; bytes > 0;) {
        const size_t some = at_most(bytes, most);
        int32_t error = host_random_get(at(piece), (word)some);
        if (error != 0)
            return (uint16_t)error;
        memcpy(buffer, piece, some);
        buffer += some, bytes -= some;
    }
    return 0;
}

IMPORT(sock_accept, int32_t, int32_t, word);
__wasi_errno_t WASI(sock_accept)(__wasi_fd_t fd, __wasi_fdflags_t flags, __wasi_fd_t *accepted)
{
    GIVES(accepted, host_sock_accept(fd, flags, at(&given)));
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

// ---- threads ----

#ifdef _REENTRANT
// What a thread starts with may lie above 4 GiB, and the host doesn't look at it: it gives it on to the thread.
__attribute__((import_module("wasi"), import_name("thread-spawn_64"))) int32_t host_thread_spawn(void *start);
int32_t __wasi_thread_spawn(void *start) { return host_thread_spawn(start); }

// A bit for each stack that is borrowed. Whoever finds none waits: no call takes long but one that waits itself, and those are few.
static _Atomic uint32_t borrowed;

unsigned char *__rankine_borrow_stack(void)
{
    for (uint32_t seen = borrowed;;) {
        const uint32_t one = ~seen & -~seen;
        if (one >= 1u << STACKS) {
            __builtin_wasm_memory_atomic_wait32((int *)&borrowed, (int)seen, -1);
            seen = borrowed;
        } else if (__c11_atomic_compare_exchange_strong(&borrowed, &seen, seen | one, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return stacks() + STACK * (__builtin_ctz(one) + 1);
        }
    }
}

void __rankine_give_back_stack(const unsigned char *end)
{
    const size_t number = (size_t)(end - stacks()) / STACK - 1;
    borrowed &= ~(1u << number);
    __builtin_wasm_memory_atomic_notify((int *)&borrowed, 1);
}

int __rankine_call(int (*function)(void *), void *argument) { return function(argument); }
#else
int __rankine_on_low_stack(int (*function)(void *), void *argument) { return function(argument); }
#endif
