/* Slots for internal procedures that are passed as arguments; compiler/closures.cpp explains them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct slot {
    void *frame;
    int users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The slot of a frame: the one that it has, or the first that is free; behind one that never had a frame none has.
 * `*taken` is what this call of the host has taken before, or negative. */
int rankine_closure_take(struct slot slots[], void *frame, int count, int *taken, const char *procedure)
{
    int free = count;
    if (*taken >= 0)
        return *taken;
    pthread_mutex_lock(&lock);
    for (int at = 0; at < count && *taken < 0; at++) {
        if (slots[at].users > 0 && slots[at].frame == frame)
            *taken = at;
        else if (slots[at].users == 0 && at < free)
            free = at;
        if (slots[at].frame == NULL)
            break;
    }
    if (*taken < 0 && free == count) {
        fprintf(stderr, "Fortran runtime error: the internal procedure %s is passed as an argument by more than %d calls "
                        "of its host at once, which is the limit in WebAssembly\n", procedure, count);
        abort();
    }
    if (*taken < 0)
        *taken = free;
    slots[*taken].frame = frame;
    slots[*taken].users++;
    pthread_mutex_unlock(&lock);
    return *taken;
}

void rankine_closure_give(struct slot slots[], int taken)
{
    if (taken < 0)
        return;
    pthread_mutex_lock(&lock);
    slots[taken].users--;
    pthread_mutex_unlock(&lock);
}
