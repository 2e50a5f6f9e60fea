// MPI_T_*: control and performance variables of the library are found, read, and described; handles are checked.
// ranks: 1
#include "../check.h"

/* Errors of the tools interface are no classes of error handlers. */
#define TOOL(call) CHECK_INT(call, MPI_SUCCESS)

int main(int argc, char **argv)
{
    int provided = -1, number = -1, categories = -1, integers = 0;
#ifdef __wasm__
    int fixed = 0;
#endif
    TOOL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    check_begin(&argc, &argv);
    TOOL(MPI_T_cvar_get_num(&number));
    for (int n = 0; n < number; n++) {
        char name[128], text[32];
        int length = sizeof name, text_length = sizeof text, verbosity = -1, bind = -1, scope = -1, index = -1, count = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum enumeration;
        TOOL(MPI_T_cvar_get_info(n, name, &length, &verbosity, &type, &enumeration, text, &text_length, &bind, &scope));
        CHECK_INT(length, strlen(name) + 1);
        CHECK(strlen(text) < sizeof text);
        TOOL(MPI_T_cvar_get_index(name, &index));
        CHECK_INT(index, n);
        // What isn't wanted may be null.
        TOOL(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
#ifdef __wasm__
        // What can't be written says so, and everything else can be: here with the value that it has.
        int is_fixed = scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY;
        if (bind == MPI_T_BIND_NO_OBJECT && (is_fixed || type == MPI_INT || type == MPI_UNSIGNED_LONG_LONG)) {
            MPI_T_cvar_handle handle;
            unsigned long long value[64] = {0};
            TOOL(MPI_T_cvar_handle_alloc(n, NULL, &handle, &count));
            if (!is_fixed)
                TOOL(MPI_T_cvar_read(handle, value));
            CHECK_INT(MPI_T_cvar_write(handle, value), is_fixed ? MPI_T_ERR_CVAR_SET_NEVER : MPI_SUCCESS);
            TOOL(MPI_T_cvar_handle_free(&handle));
            fixed += is_fixed;
        }
#endif
        if (type == MPI_INT && bind == MPI_T_BIND_NO_OBJECT) {
            MPI_T_cvar_handle handle;
            int value[64] = {-77}, again[64] = {-78};
            TOOL(MPI_T_cvar_handle_alloc(n, NULL, &handle, &count));
            CHECK(count >= 1 && count <= 64);
            TOOL(MPI_T_cvar_read(handle, value));
            TOOL(MPI_T_cvar_read(handle, again));
            CHECK_BYTES(again, value, count * sizeof(int));
            CHECK(MPI_T_cvar_read(handle, (void *)-2L) != MPI_SUCCESS);
            MPI_T_cvar_handle stale = handle;
            TOOL(MPI_T_cvar_handle_free(&handle));
            CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
            CHECK_INT(MPI_T_cvar_read(stale, value), MPI_T_ERR_INVALID_HANDLE);
            integers++;
        }
    }
    CHECK(integers > 0);
#ifdef __wasm__
    CHECK(fixed > 0);
    if (!embedded())
        CHECK_INT(fixed, number); // an MPI library's are all as they are
#endif
    CHECK(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) != MPI_SUCCESS);
    TOOL(MPI_T_category_get_num(&categories));
    for (int n = 0; n < categories; n++) {
        char name[128];
        int length = sizeof name, variables = -1, counters = -1, inner = -1;
        TOOL(MPI_T_category_get_info(n, name, &length, NULL, NULL, &variables, &counters, &inner));
        CHECK(variables >= 0 && counters >= 0 && inner >= 0);
        if (variables > 0) {
            int *indices = calloc(variables, sizeof(int));
            TOOL(MPI_T_category_get_cvars(n, variables, indices));
            CHECK(indices[0] >= 0 && indices[0] < number);
            free(indices);
        }
    }
    MPI_T_pvar_session session;
    TOOL(MPI_T_pvar_session_create(&session));
    TOOL(MPI_T_pvar_get_num(&number));
    TOOL(MPI_T_pvar_session_free(&session));
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    int code = check_end();
    TOOL(MPI_T_finalize());
    return code;
}
