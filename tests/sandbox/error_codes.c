// Codes that no call has returned: a library would look in its memory for the text of them.
// ranks: 1 2
#include "hostile.h"

static int called;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    called++;
}

static const int made_up[] = {0x0007f003, 0x7f000f, 0x1234567, INT32_MIN, INT32_MAX, -1, 0x40000001, 0x2007f00f, 0x0fffff0f, 10000, 0x7fffff80};
enum { MADE_UP = sizeof made_up / sizeof *made_up };

static int delete_attribute(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm;
    (void)key;
    (void)state;
    return *(const int *)value;
}

static int query(void *state, MPI_Status *status)
{
    TRY(MPI_Status_set_elements(status, MPI_INT, 0));
    TRY(MPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    status->MPI_ERROR = *(const int *)state;
    return *(const int *)state;
}

static int free_request(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel_request(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* What a call returned may be asked about, unless it is what was made up. */
static void still_unknown(int code, int invented)
{
    static char text[MPI_MAX_ERROR_STRING];
    int class = -1, length = -1;
    if (code == invented)
        FAILS(MPI_Error_string(code, text, &length), MPI_ERR_ARG);
    else {
        TRY(MPI_Error_class(code, &class));
        TRY(MPI_Error_string(code, text, &length));
    }
}

int main(int argc, char **argv)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length = -1, class = -1, key, *used, flag, made, code;
    MPI_Errhandler mine;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_create_errhandler(handler, &mine));
    for (int i = 0; i < MADE_UP; i++) {
        FAILS(MPI_Error_string(made_up[i], text, &length), MPI_ERR_ARG);
        FAILS(MPI_Error_class(made_up[i], &class), MPI_ERR_ARG);
        CHECK_INT(text[0], 0);
        REFUSED(MPI_Add_error_code(made_up[i], &code));
        REFUSED(MPI_Add_error_string(made_up[i], "mine"));
        REFUSED(MPI_Remove_error_class(made_up[i]));
        REFUSED(MPI_Remove_error_code(made_up[i]));
        REFUSED(MPI_Remove_error_string(made_up[i]));
    }
    REFUSED(MPI_Add_error_string(MPI_ERR_TAG, "mine"));
    REFUSED(MPI_Remove_error_class(MPI_ERR_TAG));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine));
    if (!embedded())
        for (int i = 0; i < MADE_UP; i++) {
            called = 0;
            MPI_Comm_call_errhandler(MPI_COMM_SELF, made_up[i]);
            // It hears of the error of this very call.
            CHECK_INT(called, 1);
            FAILS(MPI_Error_string(made_up[i], text, &length), MPI_ERR_ARG);
        }
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    TRY(MPI_Errhandler_free(&mine));

    // Functions of our own answer with codes, which calls may return.
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL));
    for (int i = 0; i < MADE_UP; i++) {
        int answer = made_up[i], got;
        TRY(MPI_Comm_set_attr(MPI_COMM_SELF, key, &answer));
        got = MPI_Comm_delete_attr(MPI_COMM_SELF, key);
        still_unknown(got, answer);
        answer = MPI_SUCCESS;
        MPI_Comm_delete_attr(MPI_COMM_SELF, key);
        for (int all = 0; all < 2; all++) {
            MPI_Request request;
            MPI_Status status;
            answer = made_up[i];
            status.MPI_ERROR = answer;
            TRY(MPI_Grequest_start(query, free_request, cancel_request, &answer, &request));
            TRY(MPI_Grequest_complete(request));
            got = all ? MPI_Waitall(1, &request, &status) : MPI_Wait(&request, &status);
            still_unknown(got, answer);
        }
        FAILS(MPI_Error_string(made_up[i], text, &length), MPI_ERR_ARG);
    }
    TRY(MPI_Comm_free_keyval(&key));

    // A call that fails before it has written a status says nothing of what was in it.
    MPI_Request wrong = (MPI_Request)0x7654321;
    MPI_Status status;
    status.MPI_ERROR = made_up[0];
    REFUSED(MPI_Waitall(1, &wrong, &status));
    FAILS(MPI_Error_string(made_up[0], text, &length), MPI_ERR_ARG);

    // What was made and returned is known.
    TRY(MPI_Add_error_class(&made));
    TRY(MPI_Error_class(made, &class));
    CHECK_INT(class, made);
    TRY(MPI_Add_error_code(made, &code));
    TRY(MPI_Error_class(code, &class));
    CHECK_INT(class, made);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &used, &flag));
    FAILS(MPI_Error_string(*used + 100, text, &length), MPI_ERR_ARG);
    code = MPI_Send(&made, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD);
    TRY(MPI_Error_class(code, &class));
    CHECK_INT(class, MPI_ERR_RANK);
    TRY(MPI_Error_string(code, text, &length));
    CHECK(length > 0 && length == (int)strlen(text));
    return hostile_end();
}
