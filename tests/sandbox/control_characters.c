// Control characters in what goes to an MPI library as text: keys, values, names, messages.
// ranks: 1 2
#include "hostile.h"

static const char *const bad[] = {
    "x\nmcmd=spawn\nexecname=/bin/sh\nendcmd", "x\n", "\n", "\r", "x\ty", "x\x0b", "x\x1b[2J", "x\x7f", "\x01", "x\xc2\x85y",
};
enum { BAD = sizeof bad / sizeof *bad };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int i = 0; i < BAD; i++) {
        MPI_Comm dup, made;
        MPI_Group group;
        MPI_Info info;
        MPI_Datatype type;
        MPI_Aint bytes;
        char value[16], name[MPI_MAX_OBJECT_NAME];
        int keys = -1, flag, code, length;
        TRY(MPI_Info_create(&info));
        FAILS(MPI_Info_set(info, bad[i], "value"), MPI_ERR_INFO_KEY);
        FAILS(MPI_Info_set(info, "key", bad[i]), MPI_ERR_INFO_VALUE);
        FAILS(MPI_Info_get(info, bad[i], 8, value, &flag), MPI_ERR_INFO_KEY);
        FAILS(MPI_Info_delete(info, bad[i]), MPI_ERR_INFO_KEY);
        TRY(MPI_Info_get_nkeys(info, &keys));
        CHECK_INT(keys, 0);
        TRY(MPI_Info_free(&info));
        TRY(MPI_Comm_dup(MPI_COMM_SELF, &dup));
        TRY(MPI_Comm_set_name(dup, "fine"));
        FAILS(MPI_Comm_set_name(dup, bad[i]), MPI_ERR_ARG);
        TRY(MPI_Comm_get_name(dup, name, &length));
        CHECK_STR(name, "fine");
        TRY(MPI_Comm_free(&dup));
        TRY(MPI_Type_dup(MPI_INT, &type));
        FAILS(MPI_Type_set_name(type, bad[i]), MPI_ERR_ARG);
        TRY(MPI_Type_free(&type));
        TRY(MPI_Add_error_code(MPI_ERR_OTHER, &code));
        // An error's text may have several lines; on their way to a library they are one.
        if (strpbrk(bad[i], "\r\x0b\x1b\x7f\x01\xc2") == NULL)
            TRY(MPI_Add_error_string(code, bad[i]));
        else
            FAILS(MPI_Add_error_string(code, bad[i]), MPI_ERR_ARG);
        FAILS(MPI_Pack_external_size(bad[i], 1, MPI_INT, &bytes), MPI_ERR_ARG);
        TRY(MPI_Comm_group(MPI_COMM_SELF, &group));
        FAILS(MPI_Comm_create_from_group(group, bad[i], MPI_INFO_NULL, MPI_ERRORS_RETURN, &made), MPI_ERR_ARG);
        TRY(MPI_Group_free(&group));
    }
    return hostile_end();
}
