// The module behind `rankine.view`: arrays are shown where they lie, whoever made them (numpy, array, memoryview).
#include <Python.h>
#include <mpi.h>
#include <rankine/view.h>
#include <string.h>

enum { MOST = 3 };

static int is_refused(int code, const char *what, const char *name)
{
    if (code != MPI_SUCCESS)
        PyErr_Format(PyExc_ValueError, "%s '%s' can't be shown: the reason stands on the standard error stream", what, name);
    return code != MPI_SUCCESS;
}

// What MPI calls the elements of a buffer.
static int element(const Py_buffer *view, MPI_Datatype *type)
{
    const char *format = view->format != NULL ? view->format : "B";
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    int is_whole = format[0] != '\0' && format[1] == '\0' && strchr("ilq", format[0]) != NULL;
    if (strcmp(format, "f") == 0 && view->itemsize == 4)
        *type = MPI_FLOAT;
    else if (strcmp(format, "d") == 0 && view->itemsize == 8)
        *type = MPI_DOUBLE;
    else if (is_whole && view->itemsize == 4)
        *type = MPI_INT;
    else if (is_whole && view->itemsize == 8)
        *type = MPI_INT64_T;
    else {
        PyErr_Format(PyExc_TypeError, "arrays that are shown are of float64, float32, int32 or int64, not of format '%s'", format);
        return -1;
    }
    return 0;
}

// Gets an array of so many dimensions, with its strides in elements.
static int get(PyObject *array, Py_buffer *view, MPI_Datatype *type, int least, int most, int strides[])
{
    if (PyObject_GetBuffer(array, view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0)
        return -1;
    if (view->ndim < least || view->ndim > most)
        PyErr_Format(PyExc_ValueError, "an array of %d dimensions can't be shown here", view->ndim);
    else if (element(view, type) == 0) {
        int at = 0;
        for (; at < view->ndim && view->strides[at] % view->itemsize == 0; at++)
            strides[at] = (int)(view->strides[at] / view->itemsize);
        if (at == view->ndim)
            return 0;
        PyErr_SetString(PyExc_ValueError, "the array's strides are not whole elements");
    }
    PyBuffer_Release(view);
    return -1;
}

// Reads as many whole numbers as an array has dimensions; without any, the default.
static int whole_numbers(PyObject *from, const char *what, int count, const Py_ssize_t *or_these, int numbers[])
{
    if (from == Py_None) {
        for (int at = 0; at < count; at++)
            numbers[at] = or_these != NULL ? (int)or_these[at] : 0;
        return 0;
    }
    PyObject *items = PySequence_Fast(from, "shape and start are sequences of whole numbers");
    if (items == NULL)
        return -1;
    int is_wrong = PySequence_Fast_GET_SIZE(items) != count;
    if (is_wrong)
        PyErr_Format(PyExc_ValueError, "%s has %zd numbers, and the array %d dimensions", what, PySequence_Fast_GET_SIZE(items), count);
    for (int at = 0; at < count && !is_wrong; at++) {
        PyObject *number = PyNumber_Index(PySequence_Fast_GET_ITEM(items, at));
        numbers[at] = number != NULL ? PyLong_AsInt(number) : -1;
        Py_XDECREF(number);
        is_wrong = PyErr_Occurred() != NULL;
    }
    Py_DECREF(items);
    return is_wrong ? -1 : 0;
}

static PyObject *on(PyObject *module, PyObject *nothing)
{
    return PyBool_FromLong(Rankine_View_on());
}

static PyObject *field(PyObject *module, PyObject *args)
{
    const char *name;
    long long step;
    PyObject *array, *shape, *start, *done = NULL;
    Py_buffer view;
    MPI_Datatype type;
    int whole[MOST], from[MOST], count[MOST], strides[MOST];
    if (!PyArg_ParseTuple(args, "sLOOO", &name, &step, &array, &shape, &start) || get(array, &view, &type, 2, MOST, strides) < 0)
        return NULL;
    if (whole_numbers(shape, "shape", view.ndim, view.shape, whole) == 0 && whole_numbers(start, "start", view.ndim, NULL, from) == 0) {
        for (int at = 0; at < view.ndim; at++)
            count[at] = (int)view.shape[at];
        if (!is_refused(Rankine_View_field(name, step, view.ndim, whole, from, count, strides, type, view.buf), "field", name))
            done = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&view);
    return done;
}

static PyObject *arrows(PyObject *module, PyObject *args)
{
    const char *name;
    long long step;
    PyObject *shape, *start, *given[4], *done = NULL; // values, x, y, z
    Py_buffer views[4];
    const void *values[4] = {NULL};
    MPI_Datatype type, first_type = MPI_DATATYPE_NULL;
    int whole[MOST], from[MOST], count[MOST], strides[MOST], first_strides[MOST], held = 0, first = -1;
    if (!PyArg_ParseTuple(args, "sLOOOOOO", &name, &step, &given[0], &given[1], &given[2], &given[3], &shape, &start))
        return NULL;
    for (int at = 0; at < 4; at++) {
        if (given[at] == Py_None)
            continue;
        if (get(given[at], &views[at], &type, 2, MOST, strides) < 0)
            goto end;
        held |= 1 << at;
        if (first < 0) {
            first = at;
            first_type = type;
            memcpy(first_strides, strides, sizeof strides);
        }
        int is_same = type == first_type && views[at].ndim == views[first].ndim;
        for (int d = 0; is_same && d < views[at].ndim; d++)
            is_same = strides[d] == first_strides[d] && views[at].shape[d] == views[first].shape[d];
        if (!is_same) {
            PyErr_SetString(PyExc_ValueError, "the parts of arrows and their field lie in memory in one way: shape, strides, kind of numbers");
            goto end;
        }
        values[at] = views[at].buf;
    }
    if (first < 0)
        PyErr_SetString(PyExc_ValueError, "there are no arrows");
    else if (whole_numbers(shape, "shape", views[first].ndim, views[first].shape, whole) == 0 && whole_numbers(start, "start", views[first].ndim, NULL, from) == 0) {
        for (int d = 0; d < views[first].ndim; d++)
            count[d] = (int)views[first].shape[d];
        int code = Rankine_View_arrows(name, step, views[first].ndim, whole, from, count, first_strides, first_type, values[0], values[1], values[2], values[3]);
        if (!is_refused(code, "arrows", name))
            done = Py_NewRef(Py_None);
    }
end:
    for (int at = 0; at < 4; at++)
        if (held >> at & 1)
            PyBuffer_Release(&views[at]);
    return done;
}

static PyObject *points(PyObject *module, PyObject *args)
{
    const char *name;
    long long step;
    PyObject *places, *values, *bounds, *done = NULL;
    Py_buffer view, colours;
    MPI_Datatype type, other;
    double within[2 * MOST];
    int ranks, strides[MOST], one[MOST] = {1}, has_values = 0;
    if (!PyArg_ParseTuple(args, "sLOOOi", &name, &step, &places, &values, &bounds, &ranks) || get(places, &view, &type, 2, 2, strides) < 0)
        return NULL;
    int dimensions = (int)view.shape[1];
    if (dimensions < 2 || dimensions > MOST) {
        PyErr_Format(PyExc_ValueError, "points have 2 or 3 coordinates, not %d", dimensions);
        goto end;
    }
    if (values != Py_None) {
        if (get(values, &colours, &other, 1, 1, one) < 0)
            goto end;
        has_values = 1;
        if (other != type || colours.shape[0] != view.shape[0]) {
            PyErr_SetString(PyExc_ValueError, "each point has one value, a number of the same kind as its coordinates");
            goto end;
        }
    }
    if (bounds != Py_None) {
        PyObject *items = PySequence_Fast(bounds, "within is a sequence of the least and the greatest of each coordinate");
        if (items == NULL)
            goto end;
        int is_right = PySequence_Fast_GET_SIZE(items) == 2 * dimensions;
        for (int at = 0; is_right && at < 2 * dimensions; at++)
            within[at] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(items, at));
        Py_DECREF(items);
        if (!is_right)
            PyErr_Format(PyExc_ValueError, "within has the least and the greatest of each of %d coordinates", dimensions);
        if (PyErr_Occurred())
            goto end;
    }
    int code = Rankine_View_points(name, step, ranks, dimensions, (int)view.shape[0], bounds != Py_None ? within : NULL, type, view.buf,
                                   has_values ? colours.buf : NULL, (int[]){strides[0], strides[1], one[0]});
    if (!is_refused(code, "points", name))
        done = Py_NewRef(Py_None);
end:
    if (has_values)
        PyBuffer_Release(&colours);
    PyBuffer_Release(&view);
    return done;
}

static PyObject *scale(PyObject *module, PyObject *args)
{
    const char *name, *unit;
    double least, greatest;
    if (!PyArg_ParseTuple(args, "ssdd", &name, &unit, &least, &greatest))
        return NULL;
    return is_refused(Rankine_View_scale(name, unit, least, greatest), "the scale of", name) ? NULL : Py_NewRef(Py_None);
}

static PyObject *axis(PyObject *module, PyObject *args)
{
    const char *name, *label, *unit;
    int letter;
    double first, spacing;
    if (!PyArg_ParseTuple(args, "sCssdd", &name, &letter, &label, &unit, &first, &spacing))
        return NULL;
    return is_refused(Rankine_View_axis(name, (char)letter, label, unit, first, spacing), "an axis of", name) ? NULL : Py_NewRef(Py_None);
}

static PyObject *curve(PyObject *module, PyObject *args)
{
    const char *name;
    double x, y;
    if (!PyArg_ParseTuple(args, "sdd", &name, &x, &y))
        return NULL;
    return is_refused(Rankine_View_curve(name, x, y), "curve", name) ? NULL : Py_NewRef(Py_None);
}

static PyObject *text(PyObject *module, PyObject *args)
{
    const char *name, *words;
    if (!PyArg_ParseTuple(args, "ss", &name, &words))
        return NULL;
    return is_refused(Rankine_View_text(name, words), "text", name) ? NULL : Py_NewRef(Py_None);
}

// A control's variable, which updates change: it stays as long as the program.
static PyObject *variable(void *at, Py_ssize_t size)
{
    return PyMemoryView_FromMemory(at, size, PyBUF_READ);
}

static PyObject *number(PyObject *module, PyObject *args)
{
    const char *name;
    double value, least, greatest, step;
    if (!PyArg_ParseTuple(args, "sdddd", &name, &value, &least, &greatest, &step))
        return NULL;
    double *at = PyMem_RawMalloc(sizeof *at);
    if (at == NULL)
        return PyErr_NoMemory();
    *at = value;
    return is_refused(Rankine_View_number(name, at, least, greatest, step), "number", name) ? NULL : variable(at, sizeof *at);
}

static PyObject *choice(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *labels;
    int chosen;
    if (!PyArg_ParseTuple(args, "sO!i", &name, &PyTuple_Type, &labels, &chosen))
        return NULL;
    int count = (int)PyTuple_GET_SIZE(labels);
    const char **words = PyMem_RawCalloc(count, sizeof *words);
    int *at = PyMem_RawMalloc(sizeof *at);
    PyObject *done = NULL;
    if (words == NULL || at == NULL)
        PyErr_NoMemory();
    else {
        *at = chosen;
        for (int i = 0; i < count && !PyErr_Occurred(); i++)
            words[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(labels, i));
        if (!PyErr_Occurred() && !is_refused(Rankine_View_choice(name, at, count, words), "choice", name))
            done = variable(at, sizeof *at);
    }
    PyMem_RawFree(words);
    return done;
}

static PyObject *button(PyObject *module, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    int *at = PyMem_RawCalloc(1, sizeof *at);
    if (at == NULL)
        return PyErr_NoMemory();
    return is_refused(Rankine_View_button(name, at), "button", name) ? NULL : variable(at, sizeof *at);
}

static PyObject *update(PyObject *module, PyObject *args)
{
    size_t comm;
    if (!PyArg_ParseTuple(args, "n", (Py_ssize_t *)&comm))
        return NULL;
    return is_refused(Rankine_View_update((MPI_Comm)comm), "what the page says of", "controls") ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"on", on, METH_NOARGS, NULL},
    {"field", field, METH_VARARGS, NULL},
    {"arrows", arrows, METH_VARARGS, NULL},
    {"points", points, METH_VARARGS, NULL},
    {"scale", scale, METH_VARARGS, NULL},
    {"axis", axis, METH_VARARGS, NULL},
    {"curve", curve, METH_VARARGS, NULL},
    {"text", text, METH_VARARGS, NULL},
    {"number", number, METH_VARARGS, NULL},
    {"choice", choice, METH_VARARGS, NULL},
    {"button", button, METH_VARARGS, NULL},
    {"update", update, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_rankine_view", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__rankine_view(void)
{
    return PyModule_Create(&definition);
}
