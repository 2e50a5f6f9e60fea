// Where the working folder is granted, a folder tmp in it is another one than /tmp, which is the rank's own.
// ranks: 1
// native: no
// run: --dir {scratch}::.
#include "../check.h"
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void has_text(const char *path, const char *text)
{
    char found[32] = "";
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(found, sizeof found, file) && fclose(file) == 0);
    CHECK_STR(found, text);
}

int main(int argc, char **argv)
{
    char here[100];
    check_begin(&argc, &argv);
    CHECK_INT(mkdir("tmp", 0700), 0);
    write_text("tmp/a", "beside");
    write_text("/tmp/a", "own");
    has_text("tmp/a", "beside");
    has_text("./tmp/a", "beside");
    has_text("/tmp/a", "own");
    has_text("/tmp/../tmp/a", "own");
    CHECK(access("/dev/null", W_OK) == 0 && access("dev/null", W_OK) == -1 && errno == ENOENT);
    CHECK(rename("/tmp/a", "a") == -1 && errno == EXDEV);
    /* The working folder has a name by which it is found. */
    CHECK_INT(chdir("tmp"), 0);
    has_text("a", "beside");
    CHECK_INT(chdir("/tmp"), 0);
    has_text("a", "own");
    CHECK_INT(chdir("/"), 0);
    CHECK(getcwd(here, sizeof here) != NULL);
    DIR *folder = opendir(here);
    int found = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        found += strcmp(entry->d_name, "tmp") == 0;
    CHECK_INT(found, 1);
    closedir(folder);
    CHECK(unlink("tmp/a") == 0 && rmdir("tmp") == 0);
    return check_end();
}
