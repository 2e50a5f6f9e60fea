// Two groups that know nothing of each other meet over a port, whose name the one publishes and the other looks up.
// ranks: 2
// native: no (it starts itself as a module)
// run: --dir-ro {guests}
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other, children, joined;
    int value = -1, codes[2] = {-1, -1};
    check_begin(&argc, &argv);
    if (argc > 1) {
        // One of those that are started below.
        MPI_Comm parent;
        TRY(MPI_Comm_get_parent(&parent));
        // MPICH lets a child disconnect and end while its parent still connects to it, which then fails.
        TRY(MPI_Barrier(parent));
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    if (rank == 0)
        TRY(MPI_Open_port(MPI_INFO_NULL, port));
    TRY(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
    CHECK(strlen(port) > 0);
    if (rank == 0) {
        TRY(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
        value = 42;
        TRY(MPI_Send(&value, 1, MPI_INT, 0, 0, other));
        TRY(MPI_Publish_name("rankine-service", MPI_INFO_NULL, port));
        char found[MPI_MAX_PORT_NAME] = "";
        TRY(MPI_Lookup_name("rankine-service", MPI_INFO_NULL, found));
        CHECK_STR(found, port);
        TRY(MPI_Unpublish_name("rankine-service", MPI_INFO_NULL, port));
        TRY(MPI_Close_port(port));
    } else {
        TRY(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
        TRY(MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE));
        CHECK_INT(value, 42);
    }
    TRY(MPI_Comm_disconnect(&other));
    // A service that nobody has published.
    FAILS(MPI_Lookup_name("rankine-none", MPI_INFO_NULL, port), MPI_ERR_NAME);
    // The library can't have the guest's descriptors.
    FAILS(MPI_Comm_join(3, &joined), MPI_ERR_UNSUPPORTED_OPERATION);
    if (rank == 0) {
        char *commands[] = {argv[0], argv[0]}, *one[] = {"child", NULL}, **arguments[] = {one, one};
        int each[] = {1, 1};
        MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        int many = -1;
        TRY(MPI_Comm_spawn_multiple(2, commands, arguments, each, infos, 0, MPI_COMM_SELF, &children, codes));
        TRY(MPI_Comm_remote_size(children, &many));
        CHECK_INT(many, 2);
        TRY(MPI_Barrier(children));
        TRY(MPI_Comm_disconnect(&children));
    }
    return check_end();
}
