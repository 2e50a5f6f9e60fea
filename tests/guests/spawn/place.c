// The info keys `path` and `wdir`: where a module is looked for, and where its ranks begin, and what they start themselves.
// ranks: 1 3
// engines: local
// native: no (it starts itself as a module)
// run: --dir-ro {guests}/guests::.
#include "../check.h"

/* Starts a rank of this module, looked for along `path`, that begins in `folder`. */
static int start(const char *path, const char *folder, char *argument, MPI_Comm *children)
{
    char *arguments[] = {argument, NULL};
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    if (path)
        TRY(MPI_Info_set(info, "path", path));
    if (folder)
        TRY(MPI_Info_set(info, "wdir", folder));
    int code = MPI_Comm_spawn("place.wasm", arguments, 1, info, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE);
    TRY(MPI_Info_free(&info));
    return code;
}

/* It is where the module is, whichever way a file is opened. */
static void begun_beside_the_module(void)
{
    MPI_File file;
    char folder[64];
    int flag;
    FILE *plain = fopen("place.wasm", "r");
    CHECK(plain != NULL);
    fclose(plain);
    CHECK(fopen("spawn/place.wasm", "r") == NULL);
    CHECK(fopen("../spawn/place.wasm", "r") == NULL);
    TRY(MPI_File_open(MPI_COMM_SELF, "place.wasm", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    TRY(MPI_File_close(&file));
    FAILS(MPI_File_open(MPI_COMM_SELF, "spawn/place.wasm", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    FAILS(MPI_File_open(MPI_COMM_SELF, "../spawn/place.wasm", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
    TRY(MPI_Info_get(MPI_INFO_ENV, "wdir", sizeof folder - 1, folder, &flag));
    CHECK(flag);
    CHECK_STR(folder, "./spawn");
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        begun_beside_the_module();
        /* Names are looked up from here, and so begins what this rank starts. */
        if (!strcmp(argv[1], "child")) {
            TRY(start(NULL, NULL, "grandchild", &children));
            TRY(MPI_Barrier(children));
            TRY(MPI_Comm_disconnect(&children));
            FAILS(start(NULL, "spawn", "grandchild", &children), MPI_ERR_SPAWN);
        }
        TRY(MPI_Barrier(parent));
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    FAILS(start(NULL, "spawn", "child", &children), MPI_ERR_SPAWN);
    FAILS(start("nowhere:io", NULL, "child", &children), MPI_ERR_SPAWN);
    FAILS(start("spawn", "nowhere", "child", &children), MPI_ERR_SPAWN);
    FAILS(start("spawn", "..", "child", &children), MPI_ERR_SPAWN);
    FAILS(start("spawn", "spawn/place.wasm", "child", &children), MPI_ERR_SPAWN);
    TRY(start("nowhere:spawn:io", "./spawn", "child", &children));
    TRY(MPI_Barrier(children));
    TRY(MPI_Comm_disconnect(&children));
    return check_end();
}
