// MPI_Comm_spawn with `soft`: where the job has no room for all, as many are started as the numbers allow.
// engines: local
// ranks: 1
// native: no (it starts itself as a module)
// run: --dir-ro {guests} --max-ranks 8 --universe-size 5
#include "../check.h"

enum { MOST = 20 };

static char *program;
static int codes[MOST];

static int start(const char *soft, MPI_Comm *children)
{
    MPI_Info info = MPI_INFO_NULL;
    char *arguments[] = {"child", NULL};
    for (int i = 0; i < MOST; i++)
        codes[i] = -1;
    if (soft) {
        TRY(MPI_Info_create(&info));
        TRY(MPI_Info_set(info, "soft", soft));
    }
    int code = MPI_Comm_spawn(program, arguments, MOST, info, 0, MPI_COMM_SELF, children, codes);
    if (soft)
        TRY(MPI_Info_free(&info));
    return code;
}

int main(int argc, char **argv)
{
    MPI_Comm children;
    int many = -1;
    check_begin(&argc, &argv);
    program = argv[0];
    if (argc > 1) {
        TRY(MPI_Comm_get_parent(&children));
        TRY(MPI_Comm_disconnect(&children));
        TRY(MPI_Finalize());
        return 0;
    }
    int *universe = NULL, is_set = 0;
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &is_set));
    CHECK(is_set && *universe == 5);
    FAILS(start(NULL, &children), MPI_ERR_SPAWN);
    CHECK(children == MPI_COMM_NULL);
    FAILS(start("10:20", &children), MPI_ERR_SPAWN);
    FAILS(start("21:30", &children), MPI_ERR_ARG);
    FAILS(start("1:3, x", &children), MPI_ERR_INFO_VALUE);
    // There is room for seven.
    TRY(start("20, 1:8:2, 6", &children));
    TRY(MPI_Comm_remote_size(children, &many));
    CHECK_INT(many, 7);
    for (int i = 0; i < MOST; i++)
        CHECK_INT(codes[i], i < 7 ? MPI_SUCCESS : MPI_ERR_SPAWN);
    TRY(MPI_Comm_disconnect(&children));
    FAILS(start("0:20", &children), MPI_ERR_SPAWN);
    return check_end();
}
