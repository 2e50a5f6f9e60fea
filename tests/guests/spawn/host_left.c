// Where all ranks of a node have ended no others can begin: whoever wants them there is told so, and not before.
// engines: local
// ranks: 2
// native: no (it starts itself as a module)
// run: --dir-ro {guests}/guests::.
#include "../check.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, near, children;
    MPI_Info info;
    int here = -1, code = MPI_SUCCESS;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    TRY(MPI_Comm_size(near, &here));
    TRY(MPI_Comm_free(&near));
    if (here == size)
        return check_end();
    // The other ends at once.
    if (rank > 0) {
        TRY(MPI_Finalize());
        return 0;
    }
    char *arguments[] = {"child", NULL};
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "host", "#1"));
    for (int i = 0; i < 300 && code == MPI_SUCCESS; i++) {
        code = MPI_Comm_spawn("spawn/host_left.wasm", arguments, 2, info, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
        if (code == MPI_SUCCESS)
            TRY(MPI_Comm_disconnect(&children));
        usleep(1000 * i);
    }
    CHECK_INT(check_class(code), MPI_ERR_SPAWN);
    TRY(MPI_Info_free(&info));
    TRY(MPI_Finalize());
    puts("OK");
    return 0;
}
