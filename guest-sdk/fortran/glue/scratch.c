/* Files that Fortran opens with STATUS='SCRATCH': in /tmp where the program may write there, else in its working
 * folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the runtime calls as mkstemp, with a name in /tmp. */
int rankine_scratch_file(char *path)
{
    char folder[] = "/tmp/";
    size_t length = strlen(folder);
    char *digits = path + strlen(path) - 6;
    int file = mkstemp(path);
    if (file >= 0 || strncmp(path, folder, length) != 0)
        return file;
    memcpy(digits, "XXXXXX", 6);
    memmove(path, path + length, strlen(path + length) + 1);
    return mkstemp(path);
}
