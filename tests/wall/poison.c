// Shows a text of its own. With an argument it changes that text in all compiled code that it can write to, says how often, and
// looks for the key that would make it right again.
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE "granted/cache"

static const char says[] = "the text of the program that was compiled";

static int change(const char *name)
{
    char path[512];
    int changes = 0;
    snprintf(path, sizeof path, CACHE "/%s", name);
    FILE *file = fopen(path, "r+b");
    if (!file)
        return 0;
    fseek(file, 0, SEEK_END);
    long length = ftell(file), size = sizeof says - 1;
    char *code = malloc(length);
    rewind(file);
    if (fread(code, 1, length, file) == (size_t)length)
        for (long at = 0; at + size <= length; at++)
            if (!memcmp(code + at, says, size)) {
                fseek(file, at, SEEK_SET);
                fwrite("A WORD", 1, 6, file);
                changes++;
            }
    fclose(file);
    free(code);
    return changes;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts(says);
    if (argc > 1) {
        static const char *const keys[] = {"../state/key", "granted/../state/key", "granted/key", "granted/up/state/key"};
        for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
            MPI_File file;
            MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
            if (fopen(keys[i], "rb") || !MPI_File_open(MPI_COMM_SELF, keys[i], MPI_MODE_RDONLY, MPI_INFO_NULL, &file))
                printf("read: %s\n", keys[i]);
        }
        DIR *cache = opendir(CACHE);
        int changes = 0;
        for (struct dirent *entry; cache && (entry = readdir(cache));)
            if (strstr(entry->d_name, ".code"))
                changes += change(entry->d_name);
        printf("changes: %d\n", changes);
    }
    puts("asked");
    MPI_Finalize();
}
