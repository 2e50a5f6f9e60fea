// An MPI library that was taken over once the wall was up: its MPI_Barrier says what the process has open, and tries to make use
// of it. All else is the real library's, with which it is linked.
//
// TAKEN_OVER_STARTS is a file that only a process outside of the wall can make. With TAKEN_OVER_AT_ONCE it does not wait for a barrier, but is
// taken over while it begins, and ends the process: for launchers that the real library does not know.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int PMPI_Barrier(void *comm);
int PMPI_Init(int *argc, char ***argv);
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);

// What the processes of MPICH's launcher say to each other: a head, and a request to start a program.
static void ask_launcher(int fd, const char *file)
{
    struct {
        int command, length, group, proxy, version, process;
    } head = {.command = 7, .version = 1, .process = 6};
    char body[1024];
    head.length = snprintf(body, sizeof body,
                           "mcmd=spawn\nnprocs=1\nexecname=/usr/bin/touch\ntotspawns=1\nspawnssofar=1\nargcnt=1\narg1=%s\n"
                           "preput_num=0\ninfo_num=0\nendcmd\n",
                           file);
    if (write(fd, &head, sizeof head) < 0 || write(fd, body, head.length) < 0)
        fprintf(stderr, "taken over: %d can't be written: %s\n", fd, strerror(errno));
}

static void try(int fd, const char *starts)
{
    char name[64], leads[256];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, leads, sizeof leads - 1);
    if (length < 0)
        return;
    leads[length] = 0;
    fprintf(stderr, "taken over: %d leads to %s\n", fd, leads);
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return;
    if (S_ISREG(stat.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY && strncmp(leads, "/dev/shm/", 9) != 0 &&
        strncmp(leads, "/memfd:", 7) != 0) {
        if (ftruncate(fd, 0) == 0 && write(fd, "{\"forged\":true}\n", 16) == 16)
            fprintf(stderr, "taken over: %s was changed\n", leads);
    }
    const char *pmi = getenv("PMI_FD");
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;
    if (!S_ISSOCK(stat.st_mode) || (pmi && atoi(pmi) == fd))
        return;
    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
    if (domain == AF_UNIX && type == SOCK_STREAM)
        ask_launcher(fd, starts);
}

static void try_all(void)
{
    const char *starts = getenv("TAKEN_OVER_STARTS");
    int file = open(starts, O_CREAT | O_WRONLY, 0600);
    fprintf(stderr, "taken over: a file outside: %s\n", file < 0 ? "refused" : "made");
    for (int fd = 3; fd < 1024; fd++)
        try(fd, starts);
    // The launcher would need a moment.
    sleep(1);
}

static void begin(void)
{
    if (getenv("TAKEN_OVER_AT_ONCE") == NULL)
        return;
    try_all();
    _exit(0);
}

int MPI_Init(int *argc, char ***argv)
{
    begin();
    return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    begin();
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Barrier(void *comm)
{
    static int done;
    if (!done++)
        try_all();
    return PMPI_Barrier(comm);
}
