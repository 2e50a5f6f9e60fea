// MPI_*_toint and MPI_*_fromint: predefined handles are their numbers, others come back as they went.
// ranks: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Info info;
    MPI_Request request;
    MPI_Op op = MPI_SUM;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    int in = -1;
    check_begin(&argc, &argv);
    CHECK_INT(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    CHECK_INT(MPI_Comm_toint(MPI_COMM_NULL), 0x100);
    CHECK_INT(MPI_Type_toint(MPI_INT32_T), 0x250);
    CHECK_INT(MPI_Op_toint(MPI_SUM), 0x21);
    CHECK_INT(MPI_Group_toint(MPI_GROUP_EMPTY), 0x109);
    CHECK_INT(MPI_Request_toint(MPI_REQUEST_NULL), 0x180);
    CHECK_INT(MPI_Message_toint(MPI_MESSAGE_NO_PROC), 0x129);
    CHECK_INT(MPI_Win_toint(MPI_WIN_NULL), 0x110);
    CHECK_INT(MPI_File_toint(MPI_FILE_NULL), 0x118);
    CHECK_INT(MPI_Session_toint(MPI_SESSION_NULL), 0x120);
    CHECK_INT(MPI_Info_toint(MPI_INFO_ENV), 0x131);
    CHECK_INT(MPI_Errhandler_toint(MPI_ERRORS_ABORT), 0x142);
    CHECK(MPI_Comm_fromint(0x102) == MPI_COMM_SELF);
    CHECK(MPI_Type_fromint(0x214) == MPI_DOUBLE);
    CHECK(MPI_Win_fromint(0x110) == MPI_WIN_NULL);
    CHECK(MPI_File_fromint(0x118) == MPI_FILE_NULL);
    CHECK(MPI_Session_fromint(0x120) == MPI_SESSION_NULL);
    CHECK(MPI_Message_fromint(0x128) == MPI_MESSAGE_NULL);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    TRY(MPI_Comm_group(comm, &group));
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Info_create(&info));
    TRY(MPI_Irecv(&in, 1, MPI_INT, rank, 0, comm, &request));
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm);
    CHECK(MPI_Group_fromint(MPI_Group_toint(group)) == group);
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    CHECK(MPI_Request_fromint(MPI_Request_toint(request)) == request);
    CHECK(MPI_Op_fromint(MPI_Op_toint(op)) == op);
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(handler)) == handler);
    // Fortran's names for the same, of which the library need know nothing.
#if defined(MPI_Comm_c2f) || defined(__wasm__)
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(type)) == type);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(op)) == op);
    CHECK(MPI_Group_f2c(MPI_Group_c2f(group)) == group);
    CHECK(MPI_Info_f2c(MPI_Info_c2f(info)) == info);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request);
    CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler);
#endif
    TRY(MPI_Send(&rank, 1, MPI_INT, rank, 0, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Group_free(&group));
    TRY(MPI_Comm_free(&comm));
    return check_end();
}
