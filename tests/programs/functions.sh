# What configure scripts are told of the functions that they ask for most: a question each, as AC_CHECK_FUNC has it. Those that
# can only fail here are absent, and so are those that there are not.
# full: it links 166 programs
# seconds: 900
there="_exit access aligned_alloc alphasort atexit basename chdir chmod chown clock clock_gettime copysign dirfd dirname dlerror
    dlopen drand48 dup dup2 getpwnam_r erf fallocate fchmod fdatasync fileno flockfile floor fma fmax fpclassify fseeko fsync
    ftruncate ftw gamma getcwd getdelim getegid getentropy geteuid getgid gethostname getline getloadavg getlogin getopt_long
    getpagesize getpid getppid getpwnam getpwuid getrandom getrlimit getrusage gettimeofday getuid glob gmtime_r iconv
    initstate_r isatty isblank isfinite isinf isnan lgamma_r link localeconv localtime_r log2 longjmp lrint lstat madvise
    mallinfo malloc malloc_usable_size mblen memalign memchr memmem memmove mempcpy memset mkdir mkdtemp mkostemp mkstemp mmap
    munmap nanosleep nearbyint nftw nl_langinfo openat poll posix_fadvise posix_fallocate posix_memalign pow pread psignal
    pthread_create pthread_exit pthread_mutex_lock pthread_sigmask pwrite qsort_r raise random random_r readlink reallocarray
    realpath scandir sched_yield select setenv setitimer setjmp setlocale setrlimit sigaction siglongjmp signbit sigsetjmp
    snprintf srandom_r statvfs strcasecmp strchrnul strdup strerror_r strlcpy strnlen strptime strsep strsignal strtod strtok_r
    strtold symlink sysconf tcgetattr timegm tmpfile uname unsetenv utimensat vasprintf vsnprintf"
absent="chroot execv fork getcontext memfd_create mkfifo mprotect pipe popen shm_open socket swapcontext timer_create vfork wordexp"
ask() {
    mkdir "$1"
    printf 'char %s ();\nint main (void) { return %s (); }\n' "$1" "$1" > "$1/conftest.c"
    rankine cc -o "$1/conftest" "$1/conftest.c" > "$1/log" 2>&1 && echo "$1"
    true
}
export -f ask
# shellcheck disable=SC2086 # a word for each function
names=$(printf '%s\n' $there $absent)
[ "$(wc -l <<< "$names")" = 166 ]
xargs -P 2 -I NAME bash -c 'ask NAME' <<< "$names" | sort > found
# shellcheck disable=SC2086
printf '%s\n' $there | sort > expected
diff expected found || { tail -n 5 ./*/log; exit 1; }
