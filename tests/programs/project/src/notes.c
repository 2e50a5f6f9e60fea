// Writes a file where it is started, as the tests of many programs do, and reads it.
#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[16] = "";
    FILE *file = fopen("notes.txt", "w");
    if (!file || fputs("kept", file) < 0 || fclose(file) != 0)
        return 1;
    file = fopen("notes.txt", "r");
    return !file || !fgets(text, sizeof text, file) || strcmp(text, "kept") != 0;
}
