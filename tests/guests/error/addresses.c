// What a library says about an error that it has found has addresses as the program knows them, and none of the host's.
// ranks: 1 2
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"

// The library's text for a message that is longer than its buffer.
static void truncated(char *text, void *buffer, int count)
{
    int numbers[4] = {0}, length = -1;
    MPI_Request request;
    TRY(MPI_Isend(numbers, 4, MPI_INT, 0, 5, MPI_COMM_SELF, &request));
    int code = MPI_Recv(buffer, count, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(code != MPI_SUCCESS);
    TRY(MPI_Error_string(code, text, &length));
    CHECK_INT(length, strlen(text));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int *room = calloc(16, sizeof(int));
    char text[MPI_MAX_ERROR_STRING];
    check_begin(&argc, &argv);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    for (int i = 0; i < 3; i++) {
        truncated(text, room + i, 1);
        for (const char *at = text; (at = strstr(at, "0x")) != NULL;) {
            char *end = (char *)at + 2;
            while (isxdigit((unsigned char)*end))
                end++;
            CHECK(end - at <= (sizeof(long) == 8 ? 12 : 10)); // The host's have 14.
            at = end;
        }
        const char *buffer = strstr(text, "buf=0x");
        if (buffer != NULL)
            CHECK_INT((int)strtoul(buffer + 4, NULL, 16), (int)(uintptr_t)(room + i));
    }
    free(room);
    return check_end();
}
