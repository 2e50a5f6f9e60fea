// Arguments of MPI_Comm_spawn that no program has: lists without end, names outside of what was granted, numbers that overflow.
// engines: local
// ranks: 1 2
// run: --dir-ro {guests}
#include "hostile.h"

static char *endless[70000];

int main(int argc, char **argv)
{
    MPI_Comm children;
    MPI_Info info;
    int codes[4];
    hostile_begin(&argc, &argv);
    char *one[] = {"a", NULL};
#define SPAWN(name, list, most, info) MPI_Comm_spawn(name, list, most, info, 0, MPI_COMM_SELF, &children, codes)
    const char *const outside[] = {"/bin/sh", "sh", "../../etc/passwd", "/etc/passwd", "/proc/self/exe", "", "/", "."};
    for (int i = 0; i < (int)(sizeof outside / sizeof *outside); i++) {
        REFUSED(SPAWN(outside[i], MPI_ARGV_NULL, 1, MPI_INFO_NULL));
        CHECK(children == MPI_COMM_NULL);
    }
    char name[4096];
    snprintf(name, sizeof name, "%s/../../../../../../../../bin/sh", argv[0]);
    REFUSED(SPAWN(name, MPI_ARGV_NULL, 1, MPI_INFO_NULL));
    const int numbers[] = {0, -1, 0x7fffffff, -0x7fffffff - 1};
    for (int i = 0; i < 4; i++)
        REFUSED(SPAWN(argv[0], one, numbers[i], MPI_INFO_NULL));
    for (int i = 0; i < 70000; i++)
        endless[i] = "x";
    REFUSED(SPAWN(argv[0], endless, 1, MPI_INFO_NULL));
    REFUSED(SPAWN(argv[0], near_end(2), 1, MPI_INFO_NULL));
    REFUSED(SPAWN(near_end(1), one, 1, MPI_INFO_NULL));
    REFUSED(MPI_Comm_spawn(argv[0], one, 1, (MPI_Info)0x7fffff, 0, MPI_COMM_SELF, &children, codes));
    REFUSED(MPI_Comm_spawn(argv[0], one, 1, MPI_INFO_NULL, 1, MPI_COMM_SELF, &children, codes));
    REFUSED(MPI_Comm_spawn(argv[0], one, 1, MPI_INFO_NULL, -1, MPI_COMM_SELF, &children, codes));
    REFUSED(MPI_Comm_spawn(argv[0], one, 1, MPI_INFO_NULL, 0, (MPI_Comm)0x123456, &children, codes));
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "soft", "-2147483648:2147483647:-2147483648"));
    REFUSED(SPAWN(argv[0], one, 1, info));
    /* What is asked for, and not what is started, would fill the host's memory. */
    TRY(MPI_Info_set(info, "soft", "1"));
    REFUSED(SPAWN(argv[0], MPI_ARGV_NULL, 0x7fffffff, info));
    TRY(MPI_Info_free(&info));
    char *same[4000], *long_one = malloc(1 << 19);
    memset(long_one, 'x', (1 << 19) - 1);
    long_one[(1 << 19) - 1] = 0;
    for (int i = 0; i < 3999; i++)
        same[i] = long_one;
    same[3999] = NULL;
    REFUSED(SPAWN(argv[0], same, 1, MPI_INFO_NULL));
    free(long_one);
    char *commands[] = {argv[0], argv[0]};
    int each[] = {0x7fffffff, 0x7fffffff};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
#define MULTIPLE(count, commands, lists, each) \
    MPI_Comm_spawn_multiple(count, commands, lists, each, infos, 0, MPI_COMM_SELF, &children, codes)
    REFUSED(MULTIPLE(2, commands, MPI_ARGVS_NULL, each));
    REFUSED(MULTIPLE(0, commands, MPI_ARGVS_NULL, each));
    REFUSED(MULTIPLE(-1, commands, MPI_ARGVS_NULL, each));
    REFUSED(MULTIPLE(0x7fffffff, commands, MPI_ARGVS_NULL, each));
    REFUSED(MULTIPLE(2, near_end(4), MPI_ARGVS_NULL, each));
    REFUSED(MULTIPLE(2, commands, near_end(4), each));
    return hostile_end();
}
