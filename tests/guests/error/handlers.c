// MPI_Comm_create_errhandler, MPI_Comm_set_errhandler, MPI_Comm_get_errhandler, MPI_Comm_call_errhandler, MPI_Errhandler_free.
#include "../check.h"

static int called, code_seen;
static MPI_Comm comm_seen;

static void handler(MPI_Comm *comm, int *code, ...)
{
    called++;
    code_seen = *code;
    comm_seen = *comm;
}

// A handler without the dots is not what the header wants, but what old programs pass.
static void plain_handler(MPI_Comm *comm, int *code)
{
    called += 100;
    code_seen = *code;
    comm_seen = *comm;
}

// After a handler of one's own has returned, some libraries return the error's code, and some success: the standard is silent.
static void expect_code(int code, int class)
{
    int got = -1;
    TRY(MPI_Error_class(code, &got));
    if (embedded() || code != MPI_SUCCESS)
        CHECK_INT(got, class);
}

static int class_of(int code)
{
    int class = -1;
    TRY(MPI_Error_class(code, &class));
    return class;
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, got, world_handler;
    MPI_Comm dup;
    int value = 0;
    check_begin(&argc, &argv);
    // What check_begin has set.
    TRY(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    TRY(MPI_Errhandler_free(&got));
    TRY(MPI_Comm_create_errhandler(handler, &mine));
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    // A duplicate inherits the handler.
    TRY(MPI_Comm_get_errhandler(dup, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    TRY(MPI_Errhandler_free(&got));
    TRY(MPI_Comm_set_errhandler(dup, mine));
    int code = MPI_Send(&value, 1, MPI_INT, size, 0, dup);
    CHECK_INT(called, 1);
    expect_code(code, MPI_ERR_RANK);
    CHECK_INT(class_of(code_seen), MPI_ERR_RANK);
    CHECK(comm_seen == dup);
    // The handler is called by the communicator of the error: not for another one.
    FAILS(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_INT(called, 1);
    TRY(MPI_Comm_call_errhandler(dup, MPI_ERR_TAG));
    CHECK_INT(called, 2);
    CHECK_INT(code_seen, MPI_ERR_TAG);
    // A freed handler lives on where it is set.
    TRY(MPI_Errhandler_free(&mine));
    CHECK(mine == MPI_ERRHANDLER_NULL);
    expect_code(MPI_Recv(&value, -1, MPI_INT, 0, 0, dup, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_INT(called, 3);
    CHECK_INT(class_of(code_seen), MPI_ERR_COUNT);
    TRY(MPI_Comm_get_errhandler(dup, &got));
    TRY(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
    FAILS(MPI_Send(&value, 1, MPI_INT, size, 0, dup), MPI_ERR_RANK);
    CHECK_INT(called, 3);
    // And can be set again from what was got.
    TRY(MPI_Comm_set_errhandler(dup, got));
    TRY(MPI_Errhandler_free(&got));
    expect_code(MPI_Bcast(&value, 1, MPI_INT, size, dup), MPI_ERR_ROOT);
    CHECK_INT(called, 4);
    CHECK_INT(class_of(code_seen), MPI_ERR_ROOT);
    TRY(MPI_Comm_free(&dup));
    // What is said of an error does not grow when it is handed on.
    char text[MPI_MAX_ERROR_STRING];
    int before, length;
    code = MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    TRY(MPI_Error_string(code, text, &before));
    for (int i = 0; i < 3; i++)
        TRY(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
    TRY(MPI_Error_string(code, text, &length));
    CHECK_INT(length, before);
    called = 0;
    TRY(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)plain_handler, &world_handler));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, world_handler));
    expect_code(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_INT(called, 100);
    CHECK(comm_seen == MPI_COMM_WORLD);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(MPI_Errhandler_free(&world_handler));
    return check_end();
}
