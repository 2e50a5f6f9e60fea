// The module behind `rankine.arrays`: grids and arrays as objects, whose elements numpy sees where they lie.
#include "arrays.h"

typedef struct {
    PyObject_HEAD
    Rankine_Grid grid;
} Grid;

static PyTypeObject grid_type, array_type;

int is_wrong(int code)
{
    if (code == MPI_SUCCESS || PyErr_Occurred())
        return code != MPI_SUCCESS;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class = code;
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_ARG && Rankine_Arrays_error()[0] != '\0')
        PyErr_SetString(PyExc_ValueError, Rankine_Arrays_error());
    else {
        MPI_Error_string(code, text, &length);
        PyErr_SetString(PyExc_RuntimeError, text);
    }
    return 1;
}

PyObject *none_unless(int code)
{
    return is_wrong(code) ? NULL : Py_NewRef(Py_None);
}

// Whole numbers of a tuple; how many there are, or -1.
static int numbers(PyObject *from, int most, int into[])
{
    Py_ssize_t count = PyTuple_Size(from);
    if (count > most)
        PyErr_Format(PyExc_ValueError, "there are %zd numbers where at most %d have a meaning", count, most);
    for (Py_ssize_t n = 0; n < count && !PyErr_Occurred(); n++)
        into[n] = PyLong_AsInt(PyTuple_GET_ITEM(from, n));
    return PyErr_Occurred() ? -1 : (int)count;
}

static PyObject *tuple_of(int count, const int values[])
{
    PyObject *tuple = PyTuple_New(count);
    for (int n = 0; tuple != NULL && n < count; n++)
        PyTuple_SET_ITEM(tuple, n, PyLong_FromLong(values[n]));
    return tuple;
}

Rankine_Array array_of(PyObject *object)
{
    Rankine_Array array = PyObject_TypeCheck(object, &array_type) ? ((Array *)object)->array : NULL;
    if (array == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "this is no array, or one that was freed");
    return array;
}

static Rankine_Grid grid_of(PyObject *object)
{
    Rankine_Grid grid = ((Grid *)object)->grid;
    if (grid == NULL)
        PyErr_SetString(PyExc_ValueError, "this grid was freed");
    return grid;
}

// Grids.

static PyObject *grid_new(PyObject *module, PyObject *args)
{
    Py_ssize_t comm;
    int dimensions, shape[RANKINE_GRID_DIMENSIONS] = {0};
    PyObject *given;
    if (!PyArg_ParseTuple(args, "niO!", &comm, &dimensions, &PyTuple_Type, &given) || numbers(given, RANKINE_GRID_DIMENSIONS, shape) < 0)
        return NULL;
    Grid *made = PyObject_New(Grid, &grid_type);
    if (made == NULL)
        return NULL;
    made->grid = NULL;
    if (is_wrong(Rankine_Grid_create((MPI_Comm)comm, dimensions, shape, &made->grid)))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static PyObject *grid_place(PyObject *self, PyObject *nothing)
{
    int shape[RANKINE_GRID_DIMENSIONS] = {0}, coords[RANKINE_GRID_DIMENSIONS] = {0};
    Rankine_Grid grid = grid_of(self);
    if (grid == NULL || is_wrong(Rankine_Grid_get(grid, shape, coords)))
        return NULL;
    return Py_BuildValue("nNN", (Py_ssize_t)Rankine_Grid_comm(grid), tuple_of(RANKINE_GRID_DIMENSIONS, shape), tuple_of(RANKINE_GRID_DIMENSIONS, coords));
}

static PyObject *grid_free(PyObject *self, PyObject *nothing)
{
    Rankine_Grid *grid = &((Grid *)self)->grid;
    return *grid != NULL ? none_unless(Rankine_Grid_free(grid)) : Py_NewRef(Py_None);
}

// Arrays.

static Array *array_empty(PyObject *grid, PyObject *base, int dimensions)
{
    Array *made = PyObject_New(Array, &array_type);
    if (made != NULL) {
        made->array = NULL;
        made->dimensions = dimensions;
        made->grid = Py_NewRef(grid);
        made->base = Py_XNewRef(base);
        made->given.obj = NULL;
        made->bytes = made->looks = 0;
    }
    return made;
}

// A view of an array, with so many dimensions more.
static PyObject *view_of(PyObject *of, int more, int code, Rankine_Array view)
{
    if (is_wrong(code))
        return NULL;
    Array *made = array_empty(((Array *)of)->grid, of, ((Array *)of)->dimensions + more);
    if (made != NULL)
        made->array = view;
    return (PyObject *)made;
}

// Counts the bytes of the elements that lie here; false if that can't be.
static int count_bytes(Array *array, Py_ssize_t size)
{
    array->bytes = size;
    for (int d = 0; d < array->dimensions; d++) {
        Rankine_Dimension dimension;
        if (is_wrong(Rankine_Array_dimension(array->array, d, &dimension)))
            return 0;
        array->bytes *= dimension.room;
    }
    return 1;
}

// A range as its eight numbers, and the lengths of irregular blocks.
static int range(PyObject *from, Rankine_Range *range, int **blocks)
{
    PyObject *lengths;
    int fields[7];
    if (!PyArg_ParseTuple(from, "iiiO!iipi", &fields[0], &fields[1], &fields[2], &PyTuple_Type, &lengths, &fields[3], &fields[4], &fields[5], &fields[6]))
        return -1;
    Py_ssize_t count = PyTuple_GET_SIZE(lengths);
    *blocks = PyMem_Calloc(count + 1, sizeof **blocks);
    if (*blocks == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (numbers(lengths, (int)count, *blocks) < 0)
        return -1;
    *range = fields[1] == RANKINE_IRREGULAR ? Rankine_irregular((int)count, *blocks)
                                            : (Rankine_Range){.extent = fields[0], .kind = fields[1], .block = fields[2]};
    range->below = fields[3];
    range->above = fields[4];
    range->periodic = fields[5];
    range->along = fields[6];
    return 0;
}

static PyObject *array_new(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *grid, *given, *over;
    Py_ssize_t element, size;
    Rankine_Range ranges[MANY];
    int *blocks[MANY] = {NULL}, dimensions;
    if (!PyArg_ParseTuple(args, "sO!O!nnO", &name, &grid_type, &grid, &PyTuple_Type, &given, &element, &size, &over) || grid_of(grid) == NULL)
        return NULL;
    dimensions = (int)PyTuple_GET_SIZE(given);
    Array *made = array_empty(grid, NULL, dimensions);
    if (made == NULL)
        return NULL;
    int is_right = dimensions <= MANY;
    if (!is_right)
        PyErr_Format(PyExc_ValueError, "an array has at most %d dimensions", MANY);
    for (int d = 0; is_right && d < dimensions; d++)
        is_right = range(PyTuple_GET_ITEM(given, d), &ranges[d], &blocks[d]) == 0;
    if (is_right && over != Py_None)
        is_right = PyObject_GetBuffer(over, &made->given, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) == 0;
    if (is_right) {
        Rankine_Grid of = grid_of(grid);
        MPI_Datatype type = (MPI_Datatype)element;
        Py_buffer *memory = &made->given;
        int code = memory->obj != NULL
            ? Rankine_Array_create_over(memory->buf, memory->len / size, name, of, dimensions, ranges, type, &made->array)
            : Rankine_Array_create(name, of, dimensions, ranges, type, &made->array);
        is_right = !is_wrong(code) && count_bytes(made, size);
    }
    for (int d = 0; d < MANY; d++)
        PyMem_Free(blocks[d]);
    if (!is_right)
        Py_CLEAR(made);
    return (PyObject *)made;
}

// Frees what the library has, unless MPI has ended, which has taken it along.
static int array_end(Array *self)
{
    int is_over = 0, code = MPI_SUCCESS;
    MPI_Finalized(&is_over);
    if (self->array != NULL && !is_over)
        code = Rankine_Array_free(&self->array);
    self->array = NULL;
    return code;
}

static PyObject *array_free(PyObject *self, PyObject *nothing)
{
    if (((Array *)self)->looks > 0) {
        PyErr_SetString(PyExc_BufferError, "its elements are looked at: drop the arrays of numpy's that are made of it first");
        return NULL;
    }
    return none_unless(array_end((Array *)self));
}

static void array_dealloc(PyObject *self)
{
    Array *array = (Array *)self;
    array_end(array);
    if (array->given.obj != NULL)
        PyBuffer_Release(&array->given);
    Py_XDECREF(array->base);
    Py_XDECREF(array->grid);
    PyObject_Free(self);
}

// The elements that lie here, as bytes: numpy knows their kind.
static int array_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    Array *array = (Array *)self;
    Rankine_Array of = array_of(self);
    if (of == NULL || array->base != NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_BufferError, "a view has no elements of its own: ask its array");
        view->obj = NULL;
        return -1;
    }
    int code = PyBuffer_FillInfo(view, self, Rankine_Array_local(of), array->bytes, 0, flags);
    array->looks += code == 0;
    return code;
}

static void array_release_buffer(PyObject *self, Py_buffer *view)
{
    ((Array *)self)->looks--;
}

static PyObject *array_dimension(PyObject *self, PyObject *args)
{
    int d;
    Rankine_Dimension of;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "i", &d) || is_wrong(Rankine_Array_dimension(array, d, &of)))
        return NULL;
    return Py_BuildValue("iiiiii", of.extent, of.first, of.count, of.below, of.above, of.room);
}

// The global index at a local one, or the local one of a global index, -1 if it isn't here.
static PyObject *array_index(PyObject *self, PyObject *args)
{
    int d, index, is_local;
    Rankine_Dimension of;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "iip", &d, &index, &is_local) || is_wrong(Rankine_Array_dimension(array, d, &of)))
        return NULL;
    if (!is_local)
        return PyLong_FromLong(Rankine_Array_stored(array, d, index));
    if (index < 0 || index >= of.room) {
        PyErr_Format(PyExc_IndexError, "this rank stores %d indices of dimension %d", of.room, d);
        return NULL;
    }
    return PyLong_FromLong(Rankine_Array_global(array, d, index));
}

static PyObject *array_owner(PyObject *self, PyObject *args)
{
    int index[MANY] = {0}, rank;
    PyObject *given;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given) || numbers(given, MANY, index) < 0)
        return NULL;
    return is_wrong(Rankine_Array_owner(array, index, &rank)) ? NULL : PyLong_FromLong(rank);
}

// One element as bytes, which has the size that the caller has checked.
static PyObject *array_fill(PyObject *self, PyObject *args)
{
    Py_buffer element;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "y*", &element))
        return NULL;
    int code = Rankine_Array_fill(array, element.buf);
    PyBuffer_Release(&element);
    return none_unless(code);
}

// Views.

static PyObject *array_section(PyObject *self, PyObject *args)
{
    int d, first, count, step;
    Rankine_Array view, array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "iiii", &d, &first, &count, &step))
        return NULL;
    return view_of(self, 0, Rankine_Array_section(array, d, first, count, step, &view), view);
}

static PyObject *array_at(PyObject *self, PyObject *args)
{
    int d, index;
    Rankine_Array view, array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "ii", &d, &index))
        return NULL;
    return view_of(self, -1, Rankine_Array_at(array, d, index, &view), view);
}

static PyObject *array_transposed(PyObject *self, PyObject *args)
{
    int order[MANY];
    PyObject *given;
    Rankine_Array view, array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given))
        return NULL;
    for (int d = 0; d < MANY; d++)
        order[d] = -1;
    if (numbers(given, MANY, order) < 0)
        return NULL;
    return view_of(self, 0, Rankine_Array_transposed(array, order, &view), view);
}

static PyObject *array_spread(PyObject *self, PyObject *args)
{
    int d, count;
    Rankine_Array view, array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "ii", &d, &count))
        return NULL;
    return view_of(self, 1, Rankine_Array_spread(array, d, count, &view), view);
}

// Halos: corners or not, and of each dimension how wide below and above, where -1 is all.
static PyObject *array_start_halo(PyObject *self, PyObject *args)
{
    int corners, widths[2 * MANY];
    PyObject *given;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "pO!", &corners, &PyTuple_Type, &given))
        return NULL;
    int count = numbers(given, 2 * MANY, widths);
    if (count < 0)
        return NULL;
    Rankine_Halo halo = corners ? Rankine_corners() : Rankine_faces();
    for (int d = 0; d < count / 2; d++)
        if (widths[2 * d] >= 0)
            halo = Rankine_width(halo, d, widths[2 * d], widths[2 * d + 1]);
    return none_unless(Rankine_Start_halo_of(array, halo));
}

static PyObject *array_finish_halo(PyObject *self, PyObject *nothing)
{
    Rankine_Array array = array_of(self);
    return array != NULL ? none_unless(Rankine_Finish_halo(array)) : NULL;
}

// Moves.

// All elements at one rank or at each, or from one: `all` is a buffer of the right size, or None where there is none.
static PyObject *gather_or_scatter(PyObject *self, PyObject *args, int is_gather)
{
    int root;
    PyObject *all;
    Py_buffer memory = {.obj = NULL};
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "iO", &root, &all))
        return NULL;
    if (all != Py_None && PyObject_GetBuffer(all, &memory, is_gather ? PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    int code = is_gather ? Rankine_Array_gather(array, root, memory.buf) : Rankine_Array_scatter(array, root, memory.buf);
    if (memory.obj != NULL)
        PyBuffer_Release(&memory);
    return none_unless(code);
}

static PyObject *array_gather(PyObject *self, PyObject *args)
{
    return gather_or_scatter(self, args, 1);
}

static PyObject *array_scatter(PyObject *self, PyObject *args)
{
    return gather_or_scatter(self, args, 0);
}

// Moves done once.
static int moved(Rankine_Array target, Rankine_Array source, int how, int d, int along, int by)
{
    switch (how) {
    case SHIFT: return Rankine_Shift(target, source, d, by);
    case CSHIFT: return Rankine_Cshift(target, source, d, by);
    case SKEW: return Rankine_Skew(target, source, d, along, by);
    default: return Rankine_Copy(target, source);
    }
}

static PyObject *array_move(PyObject *self, PyObject *args)
{
    PyObject *from;
    int how, d, along, by;
    Rankine_Array source, target = array_of(self);
    if (target == NULL || !PyArg_ParseTuple(args, "Oiiii", &from, &how, &d, &along, &by) || (source = array_of(from)) == NULL)
        return NULL;
    return none_unless(moved(target, source, how, d, along, by));
}

// Reductions.

// The result is one element, whose room the caller has made.
static PyObject *array_reduce(PyObject *self, PyObject *args)
{
    Py_ssize_t op;
    Py_buffer result;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "nw*", &op, &result))
        return NULL;
    int code = Rankine_Reduce(array, (MPI_Op)op, result.buf);
    PyBuffer_Release(&result);
    return none_unless(code);
}

static PyObject *array_reduce_along(PyObject *self, PyObject *args)
{
    int d;
    Py_ssize_t op, size;
    Rankine_Array result, array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "inn", &d, &op, &size) || is_wrong(Rankine_Reduce_along(array, d, (MPI_Op)op, &result)))
        return NULL;
    Array *made = array_empty(((Array *)self)->grid, NULL, ((Array *)self)->dimensions - 1);
    if (made == NULL)
        return NULL;
    made->array = result;
    if (!count_bytes(made, size))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static PyObject *array_extreme(PyObject *self, PyObject *args)
{
    Py_ssize_t op;
    int index[MANY];
    Py_buffer result;
    Rankine_Array array = array_of(self);
    if (array == NULL || !PyArg_ParseTuple(args, "nw*", &op, &result))
        return NULL;
    int code = Rankine_Extreme(array, (MPI_Op)op, result.buf, index);
    PyBuffer_Release(&result);
    return is_wrong(code) ? NULL : tuple_of(((Array *)self)->dimensions, index);
}

static PyObject *array_dot(PyObject *self, PyObject *other)
{
    double result;
    Rankine_Array a = array_of(self), b = a != NULL ? array_of(other) : NULL;
    return b == NULL || is_wrong(Rankine_Dot(a, b, &result)) ? NULL : PyFloat_FromDouble(result);
}

static PyObject *array_norm(PyObject *self, PyObject *args)
{
    int which;
    double result;
    Rankine_Array array = array_of(self);
    return array == NULL || !PyArg_ParseTuple(args, "i", &which) || is_wrong(Rankine_Norm(array, which, &result)) ? NULL : PyFloat_FromDouble(result);
}

// Files and the page.

static PyObject *array_write(PyObject *self, PyObject *args)
{
    const char *path;
    int format;
    Rankine_Array array = array_of(self);
    return array == NULL || !PyArg_ParseTuple(args, "si", &path, &format) ? NULL : none_unless(Rankine_Write(array, path, format));
}

static PyObject *array_read(PyObject *self, PyObject *args)
{
    const char *path;
    int format;
    Rankine_Array array = array_of(self);
    return array == NULL || !PyArg_ParseTuple(args, "si", &path, &format) ? NULL : none_unless(Rankine_Read(array, path, format));
}

static PyObject *array_show(PyObject *self, PyObject *args)
{
    const char *name;
    long long step;
    Rankine_Array array = array_of(self);
    return array == NULL || !PyArg_ParseTuple(args, "sL", &name, &step) ? NULL : none_unless(Rankine_Array_show(array, name, step));
}

static PyObject *show_arrows(PyObject *module, PyObject *args)
{
    const char *name;
    long long step;
    PyObject *given, *values;
    Rankine_Array parts[3] = {NULL}, field = NULL;
    if (!PyArg_ParseTuple(args, "O!OsL", &PyTuple_Type, &given, &values, &name, &step))
        return NULL;
    for (Py_ssize_t d = 0; d < PyTuple_GET_SIZE(given) && d < 3; d++)
        if ((parts[d] = array_of(PyTuple_GET_ITEM(given, d))) == NULL)
            return NULL;
    if (values != Py_None && (field = array_of(values)) == NULL)
        return NULL;
    return none_unless(Rankine_Array_arrows(parts, field, name, step));
}

static PyMethodDef grid_methods[] = {
    {"place", grid_place, METH_NOARGS, NULL},
    {"free", grid_free, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef array_methods[] = {
    {"free", array_free, METH_NOARGS, NULL},
    {"dimension", array_dimension, METH_VARARGS, NULL},
    {"index", array_index, METH_VARARGS, NULL},
    {"owner", array_owner, METH_VARARGS, NULL},
    {"fill", array_fill, METH_VARARGS, NULL},
    {"section", array_section, METH_VARARGS, NULL},
    {"at", array_at, METH_VARARGS, NULL},
    {"transposed", array_transposed, METH_VARARGS, NULL},
    {"spread", array_spread, METH_VARARGS, NULL},
    {"start_halo", array_start_halo, METH_VARARGS, NULL},
    {"finish_halo", array_finish_halo, METH_NOARGS, NULL},
    {"gather", array_gather, METH_VARARGS, NULL},
    {"scatter", array_scatter, METH_VARARGS, NULL},
    {"move", array_move, METH_VARARGS, NULL},
    {"reduce", array_reduce, METH_VARARGS, NULL},
    {"reduce_along", array_reduce_along, METH_VARARGS, NULL},
    {"extreme", array_extreme, METH_VARARGS, NULL},
    {"dot", array_dot, METH_O, NULL},
    {"norm", array_norm, METH_VARARGS, NULL},
    {"write", array_write, METH_VARARGS, NULL},
    {"read", array_read, METH_VARARGS, NULL},
    {"show", array_show, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyBufferProcs array_buffer = {array_get_buffer, array_release_buffer};

// What a grid has is freed by all of its ranks at once, so a collected one leaves that to the end of MPI.
static PyTypeObject grid_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_rankine_arrays.Grid",
    .tp_basicsize = sizeof(Grid),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = grid_methods,
};

static PyTypeObject array_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_rankine_arrays.Array",
    .tp_basicsize = sizeof(Array),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = array_methods,
    .tp_dealloc = array_dealloc,
    .tp_as_buffer = &array_buffer,
};

static PyMethodDef methods[] = {
    {"grid", grid_new, METH_VARARGS, NULL},
    {"array", array_new, METH_VARARGS, NULL},
    {"remap", remap_new, METH_VARARGS, NULL},
    {"lookup", lookup_new, METH_VARARGS, NULL},
    {"arrows", show_arrows, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_rankine_arrays", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__rankine_arrays(void)
{
    return PyType_Ready(&grid_type) < 0 || PyType_Ready(&array_type) < 0 || PyType_Ready(&plan_type) < 0 ? NULL : PyModule_Create(&definition);
}
