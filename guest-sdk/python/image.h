#pragma once
#include <Python.h>
#include <stdbool.h>

// Starts the interpreter; if it doesn't, the status of the program is there.
bool start(int argc, char **argv, int *status);

// This interpreter has started when its image was made.
int is_from_image(void);
// Gives it what belongs to this run.
void take_up(int argc, char **argv);
