// Moves between arrays that are planned once and carried out often.
#include "arrays.h"

// A remap, or a lookup with the arrays of indices that it was made of.
typedef struct {
    PyObject_HEAD
    Rankine_Remap remap;
    Rankine_Lookup lookup;
} Plan;

static Plan *plan_empty(void)
{
    Plan *made = PyObject_New(Plan, &plan_type);
    if (made != NULL) {
        made->remap = NULL;
        made->lookup = NULL;
    }
    return made;
}

static int planned(Rankine_Array target, Rankine_Array source, int how, int d, int along, int by, Rankine_Remap *remap)
{
    switch (how) {
    case SHIFT: return Rankine_Remap_create_shift(target, source, d, by, remap);
    case CSHIFT: return Rankine_Remap_create_cshift(target, source, d, by, remap);
    case SKEW: return Rankine_Remap_create_skew(target, source, d, along, by, remap);
    default: return Rankine_Remap_create(target, source, remap);
    }
}

PyObject *remap_new(PyObject *module, PyObject *args)
{
    PyObject *to, *from;
    int how, d, along, by;
    Rankine_Array target, source;
    if (!PyArg_ParseTuple(args, "OOiiii", &to, &from, &how, &d, &along, &by) || (target = array_of(to)) == NULL || (source = array_of(from)) == NULL)
        return NULL;
    Plan *made = plan_empty();
    if (made != NULL && is_wrong(planned(target, source, how, d, along, by, &made->remap)))
        Py_CLEAR(made);
    return (PyObject *)made;
}

PyObject *lookup_new(PyObject *module, PyObject *args)
{
    PyObject *of, *given, *in;
    Rankine_Array values, table, indices[MANY] = {NULL};
    if (!PyArg_ParseTuple(args, "OO!O", &of, &PyTuple_Type, &given, &in) || (values = array_of(of)) == NULL || (table = array_of(in)) == NULL)
        return NULL;
    for (Py_ssize_t d = 0; d < PyTuple_GET_SIZE(given) && d < MANY; d++)
        if ((indices[d] = array_of(PyTuple_GET_ITEM(given, d))) == NULL)
            return NULL;
    Plan *made = plan_empty();
    if (made != NULL && is_wrong(Rankine_Lookup_create(values, indices, table, &made->lookup)))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static int plan_end(Plan *plan)
{
    int is_over = 0, code = MPI_SUCCESS;
    MPI_Finalized(&is_over);
    if (plan->remap != NULL && !is_over)
        code = Rankine_Remap_free(&plan->remap);
    if (plan->lookup != NULL && !is_over)
        code = Rankine_Lookup_free(&plan->lookup);
    plan->remap = NULL;
    plan->lookup = NULL;
    return code;
}

static PyObject *plan_free(PyObject *self, PyObject *nothing)
{
    return none_unless(plan_end((Plan *)self));
}

static void plan_dealloc(PyObject *self)
{
    plan_end((Plan *)self);
    PyObject_Free(self);
}

// Carries a remap or a lookup out: `op` is 0 where nothing is put.
static PyObject *plan_run(PyObject *self, PyObject *args)
{
    PyObject *to, *from;
    Py_ssize_t op;
    Rankine_Array target, source;
    Plan *plan = (Plan *)self;
    if (!PyArg_ParseTuple(args, "OOn", &to, &from, &op) || (target = array_of(to)) == NULL || (source = array_of(from)) == NULL)
        return NULL;
    if (plan->remap != NULL)
        return none_unless(Rankine_Remap_run(plan->remap, target, source));
    if (plan->lookup == NULL) {
        PyErr_SetString(PyExc_ValueError, "this plan was freed");
        return NULL;
    }
    return none_unless(op == 0 ? Rankine_Lookup_take(plan->lookup, target, source) : Rankine_Lookup_put(plan->lookup, target, source, (MPI_Op)op));
}

static PyMethodDef plan_methods[] = {
    {"run", plan_run, METH_VARARGS, NULL},
    {"free", plan_free, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject plan_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "_rankine_arrays.Plan",
    .tp_basicsize = sizeof(Plan),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = plan_methods,
    .tp_dealloc = plan_dealloc,
};
