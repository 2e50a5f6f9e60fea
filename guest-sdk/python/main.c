// The interpreter of `rankine python`: Python's own, with the modules that are linked to it.
#include <Python.h>

extern PyObject *PyInit_MPI(void);
extern PyObject *PyInit__rankine_view(void);

#define MODULE(name, init) extern PyObject *init(void);
#include "modules.h"
#undef MODULE

static const struct {
    const char *name;
    PyObject *(*init)(void);
} modules[] = {
    {"mpi4py.MPI", PyInit_MPI},
    {"_rankine_view", PyInit__rankine_view},
#define MODULE(name, init) {name, init},
#include "modules.h"
#undef MODULE
};

int main(int argc, char **argv)
{
    PyStatus status;
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    for (size_t at = 0; at < sizeof modules / sizeof *modules; at++)
        if (PyImport_AppendInittab(modules[at].name, modules[at].init) < 0) {
            fputs("python: out of memory\n", stderr);
            return 1;
        }
    // It looks for its library where PYTHONHOME says, and not beside a file that no rank may see.
    status = PyConfig_SetBytesString(&config, &config.program_name, "/python/lib/bin/python");
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, "/python/lib/bin/python");
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesArgv(&config, argc, argv);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_IsExit(status))
        return status.exitcode;
    if (PyStatus_Exception(status))
        Py_ExitStatusException(status);
    PyObject *start = PyImport_ImportModule("_rankine_start");
    if (start == NULL)
        PyErr_Print();
    Py_XDECREF(start);
    return Py_RunMain();
}
