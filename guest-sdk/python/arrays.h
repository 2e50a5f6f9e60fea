#pragma once
#include <Python.h>
#include <mpi.h>
#include <rankine/arrays.h>

enum { MANY = RANKINE_DIMENSIONS };

typedef struct {
    PyObject_HEAD
    Rankine_Array array;
    int dimensions;
    // What has to outlive it: its grid, and the array that a view is of.
    PyObject *grid, *base;
    // The memory that it was given, if it has none of its own.
    Py_buffer given;
    // Of the elements that lie here, and how many look at them.
    Py_ssize_t bytes, looks;
} Array;

// What is done once, or planned: a copy, a shift, and their like.
enum { COPY, SHIFT, CSHIFT, SKEW };

// Raises what a code says, if it is an error.
int is_wrong(int code);
PyObject *none_unless(int code);

// The array of an object, or an exception.
Rankine_Array array_of(PyObject *object);

// Plans of moves: the type, and what makes them.
extern PyTypeObject plan_type;
PyObject *remap_new(PyObject *module, PyObject *args);
PyObject *lookup_new(PyObject *module, PyObject *args);
