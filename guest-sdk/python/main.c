// The interpreter of `rankine python`: Python's own, with the modules that are linked to it.
#include "image.h"

extern PyObject *PyInit_MPI(void);
extern PyObject *PyInit__rankine_arrays(void);
extern PyObject *PyInit__rankine_view(void);

// In a shared library a module's functions would learn its whole name in this way.
extern const char *_PyImport_SwapPackageContext(const char *name);

#define MODULE(name, init)                                           \
    extern PyObject *init(void);                                     \
    static PyObject *named_##init(void)                              \
    {                                                                \
        const char *before = _PyImport_SwapPackageContext(name);     \
        PyObject *made = init();                                     \
        _PyImport_SwapPackageContext(before);                        \
        return made;                                                 \
    }
#include "modules.h"
#undef MODULE

static const struct {
    const char *name;
    PyObject *(*init)(void);
} modules[] = {
    {"mpi4py.MPI", PyInit_MPI},
    {"_rankine_arrays", PyInit__rankine_arrays},
    {"_rankine_view", PyInit__rankine_view},
#define MODULE(name, init) {name, named_##init},
#include "modules.h"
#undef MODULE
};

bool start(int argc, char **argv, int *exit_status)
{
    PyStatus status;
    PyConfig config;
    *exit_status = 1;
    PyConfig_InitPythonConfig(&config);
    for (size_t at = 0; at < sizeof modules / sizeof *modules; at++)
        if (PyImport_AppendInittab(modules[at].name, modules[at].init) < 0) {
            fputs("python: out of memory\n", stderr);
            return false;
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
    if (PyStatus_IsExit(status)) {
        *exit_status = status.exitcode;
        return false;
    }
    if (PyStatus_Exception(status))
        Py_ExitStatusException(status);
    PyObject *first = PyImport_ImportModule("_rankine_start");
    if (first == NULL)
        PyErr_Print();
    Py_XDECREF(first);
    return true;
}

int main(int argc, char **argv)
{
    int status;
    if (is_from_image())
        take_up(argc, argv);
    else if (!start(argc, argv, &status))
        return status;
    return Py_RunMain();
}
