// MPI_Comm_spawn starts more processes of a module beneath a granted folder; parent and children exchange messages.
// ranks: 1
// native: no (it starts itself as a module)
// run: --dir-ro {guests}
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int value = -1, codes[1] = {-1}, many = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        MPI_Comm again;
        TRY(MPI_Comm_get_parent(&again));
        CHECK(again == parent);
        CHECK_INT(argc, 2);
        CHECK_STR(argv[1], "child");
        TRY(MPI_Recv(&value, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE));
        value++;
        TRY(MPI_Send(&value, 1, MPI_INT, 0, 0, parent));
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    char *arguments[] = {"child", NULL};
    char none[4096];
    snprintf(none, sizeof none, "%s.none", argv[0]);
    FAILS(MPI_Comm_spawn(none, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_SPAWN);
    FAILS(MPI_Comm_spawn(argv[0], arguments, 0x7fffffff, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_SPAWN);
    /* Where things lie on the host is none of a guest's business: a launcher that was told this would find nothing. */
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "path", "/nowhere"));
    TRY(MPI_Info_set(info, "soft", "0, 1:1"));
    TRY(MPI_Comm_spawn(argv[0], arguments, 1, info, 0, MPI_COMM_SELF, &children, codes));
    TRY(MPI_Info_free(&info));
    CHECK_INT(codes[0], MPI_SUCCESS);
    TRY(MPI_Comm_remote_size(children, &many));
    CHECK_INT(many, 1);
    value = 41;
    TRY(MPI_Send(&value, 1, MPI_INT, 0, 0, children));
    TRY(MPI_Recv(&value, 1, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE));
    CHECK_INT(value, 42);
    TRY(MPI_Comm_disconnect(&children));
    return check_end();
}
