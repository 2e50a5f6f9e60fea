// MPI_Get_version, MPI_Get_library_version, MPI_Get_processor_name.
#include "../check.h"

int main(int argc, char **argv)
{
    int version = 0, subversion = -1, length = -1;
    char library[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME];
    // These two may be called before MPI_Init.
    MPI_Get_version(&version, &subversion);
    CHECK_INT(version, MPI_VERSION);
    CHECK_INT(subversion, MPI_SUBVERSION);
    CHECK_INT(version, 5);
    memset(library, 'x', sizeof library);
    MPI_Get_library_version(library, &length);
    CHECK(length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING);
    CHECK_INT(strlen(library), length);
    check_begin(&argc, &argv);
    memset(name, 'x', sizeof name);
    TRY(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    CHECK_INT(strlen(name), length);
    return check_end();
}
