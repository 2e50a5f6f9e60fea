/* Slots for internal procedures that are passed as arguments; compiler/closures.cpp explains them. */
#include <stdio.h>
#include <stdlib.h>

struct frames {
    int depth;
    void *frame[];
};

/* The slot for `frame`: the newest one if it is that frame's already, as in a loop, else the next. */
int rankine_closure_enter(struct frames *frames, void *frame, int slots, const char *procedure)
{
    if (frames->depth > 0 && frames->frame[frames->depth - 1] == frame)
        return frames->depth - 1;
    if (frames->depth == slots) {
        fprintf(stderr, "Fortran runtime error: the internal procedure %s is passed as an argument by more than %d calls "
                        "of its host at once, which is the limit in WebAssembly\n", procedure, slots);
        abort();
    }
    frames->frame[frames->depth] = frame;
    return frames->depth++;
}
