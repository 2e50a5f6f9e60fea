/* Adds users, processes and descriptors to wasi-libc's header. What a sandbox cannot do fails with ENOSYS. */
#include_next <unistd.h>
#ifndef RANKINE_UNISTD_H
#define RANKINE_UNISTD_H

#include <sys/cdefs.h>
#include <sys/types.h>

__BEGIN_DECLS
/* Who runs: one ordinary user, process 1 of its own little world. */
pid_t getppid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t);
pid_t getsid(pid_t);
pid_t gettid(void);
int setpgid(pid_t, pid_t);
pid_t setpgrp(void);
pid_t setsid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int getgroups(int, gid_t *);
int setuid(uid_t);
int seteuid(uid_t);
int setgid(gid_t);
int setegid(gid_t);
int setreuid(uid_t, uid_t);
int setregid(gid_t, gid_t);
char *ttyname(int);
int ttyname_r(int, char *, size_t);
char *getpass(const char *);
int getdtablesize(void);
int sethostname(const char *, size_t);
int getdomainname(char *, size_t);

/* No second process can be started. */
pid_t fork(void);
pid_t vfork(void);
int execv(const char *, char *const[]);
int execve(const char *, char *const[], char *const[]);
int execvp(const char *, char *const[]);
int execl(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execle(const char *, const char *, ...);
int daemon(int, int);
int nice(int);
int pause(void);
unsigned alarm(unsigned);
unsigned ualarm(unsigned, unsigned);
long syscall(long, ...);

/* Descriptors and files. */
int pipe(int[2]);
int pipe2(int[2], int);
int dup(int);
int dup2(int, int);
int dup3(int, int, int);
int fchdir(int);
int chroot(const char *);
int chown(const char *, uid_t, gid_t);
int fchown(int, uid_t, gid_t);
int lchown(const char *, uid_t, gid_t);
int lockf(int, int, off_t);
ssize_t copy_file_range(int, off_t *, int, off_t *, size_t, unsigned);
void sync(void);
int brk(void *);
int eaccess(const char *, int);
char *get_current_dir_name(void);
__END_DECLS

#endif
