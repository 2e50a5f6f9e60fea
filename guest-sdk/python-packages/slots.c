// Types in C++ are often given functions for their slots through `void *`, of which no compiler tells, and some are of another
// type than the slot: where natively nobody looks at the result, they return none. Calls by a slot's type forgive these.
#include <Python.h>

static void without_result(PyObject *self)
{
    (void)self;
}

// A cast that is told of.
inquiry rankine_slot_without_result = (inquiry)without_result;
