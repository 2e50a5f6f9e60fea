// Strings that run to the end of memory without a zero, that are too long, or that are no text.
// ranks: 1 3
#include "hostile.h"

int main(int argc, char **argv)
{
    MPI_Info info;
    char value[16];
    int flag;
    hostile_begin(&argc, &argv);
    char *endless = near_end(300);
    memset(endless, 'x', 300);
    TRY(MPI_Info_create(&info));
    REFUSED(MPI_Comm_set_name(MPI_COMM_SELF, endless));
    REFUSED(MPI_Comm_set_name(MPI_COMM_SELF, near_end(0)));
    REFUSED(MPI_Type_set_name(MPI_INT, (char *)-1));
    REFUSED(MPI_Info_set(info, endless, "value"));
    REFUSED(MPI_Info_set(info, "key", endless));
    REFUSED(MPI_Info_get(info, endless, 8, value, &flag));
    REFUSED(MPI_Info_delete(info, endless));
    REFUSED(MPI_Pack_external_size(endless, 1, MPI_INT, (MPI_Aint *)value));
    // A value that would be written behind the end, or has a length of no sense.
    TRY(MPI_Info_set(info, "key", "0123456789"));
    REFUSED(MPI_Info_get(info, "key", INT32_MAX, near_end(4), &flag));
    REFUSED(MPI_Info_get(info, "key", -5, value, &flag));
    // Bytes that are no UTF-8 are a name like any other.
    MPI_Comm dup;
    char name[MPI_MAX_OBJECT_NAME], back[MPI_MAX_OBJECT_NAME];
    int length;
    memset(name, 0xff, 20);
    name[20] = 0;
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &dup));
    if (MPI_Comm_set_name(dup, name) == MPI_SUCCESS)
        TRY(MPI_Comm_get_name(dup, back, &length));
    // A name of many characters is cut or refused, not overflowing.
    memset(name, 'n', sizeof name);
    char *long_name = malloc(100000);
    memset(long_name, 'n', 100000);
    long_name[99999] = 0;
    if (MPI_Comm_set_name(dup, long_name) == MPI_SUCCESS) {
        TRY(MPI_Comm_get_name(dup, back, &length));
        CHECK(length < MPI_MAX_OBJECT_NAME);
    }
    free(long_name);
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Info_free(&info));
    return hostile_end();
}
