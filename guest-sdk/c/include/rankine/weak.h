/* Every definition of the SDK library is weak: a program's own function of the same name wins. */
#define WEAK __attribute__((__weak__))

/* What a sandbox cannot do. */
#define UNSUPPORTED (errno = ENOSYS, -1)
