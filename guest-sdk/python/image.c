// An interpreter that has started is kept as an image, and every rank goes on from there: Python is initialised and numpy and
// mpi4py are imported once, when the image is made. What belongs to one run is not in it: its environment, its arguments, its
// folders and files, what random numbers begin with, MPI.
#include "image.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// CPython's own, which has no header for those outside.
extern const PyConfig *_PyInterpreterState_GetConfig(PyInterpreterState *);
extern int _Py_abspath(const wchar_t *path, wchar_t **whole);
extern void _PyModule_Clear(PyObject *);
int __real_Py_FinalizeEx(void);
void __real_Py_Exit(int);

// The C library's.
void __wasi_init_tp(void);
void __wasm_call_ctors(void);
int __main_void(void);
void __wasilibc_reset_preopens(void);
void __wasilibc_initialize_environ(void);
extern char **environ;

// Descriptors that are open while an image is made: the usual three, and the library's folder.
enum { OPEN = 4, LOOKED_AT = 64 };

// Runs of pages that a rank writes to before it does anything: their number, then of each its first page and how many they are.
// Whoever makes an image fills it.
enum { RUNS = 1024 };
unsigned rankine_pages[1 + 2 * RUNS] __attribute__((visibility("default")));

static int is_image;
static PyObject *image;

int is_from_image(void) { return is_image; }

static void stop(const char *why)
{
    if (PyErr_Occurred())
        PyErr_Print();
    fprintf(stderr, "python: no image can be made: %s\n", why);
    exit(1);
}

// Makes an object immortal, and what it holds: nobody counts references to it, so ranks that use it don't write to it.
static int keep(PyObject *object, void *unused)
{
    if (object->ob_refcnt == _Py_IMMORTAL_REFCNT)
        return 0;
    object->ob_refcnt = _Py_IMMORTAL_REFCNT;
    traverseproc traverse = PyObject_IS_GC(object) ? Py_TYPE(object)->tp_traverse : NULL;
    return traverse ? traverse(object, keep, unused) : 0;
}

static void keep_all(PyObject *objects)
{
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(objects); at++) {
        PyObject *object = PyList_GET_ITEM(objects, at);
        keep(object, NULL);
        // One that was immortal before may hold others.
        if (Py_TYPE(object)->tp_traverse)
            Py_TYPE(object)->tp_traverse(object, keep, NULL);
    }
}

// Makes one: whoever calls this keeps the memory as it is afterwards.
__attribute__((export_name("rankine_make_image"))) void make_image(void)
{
    __wasi_init_tp();
    __wasm_call_ctors();
    char *words[] = {"python", NULL};
    int status;
    if (!start(1, words, &status))
        stop("Python does not start");
    image = PyImport_ImportModule("_rankine_image");
    PyObject *objects = image ? PyObject_CallMethod(image, "freeze", NULL) : NULL;
    if (!objects)
        stop("what it is to have can't be imported");
    keep_all(objects);
    for (int descriptor = OPEN; descriptor < LOOKED_AT; descriptor++) {
        struct stat any;
        if (fstat(descriptor, &any) == 0 || errno != EBADF)
            stop("a file is open");
    }
    // A rank's are read when they are first asked for.
    __wasilibc_reset_preopens();
    is_image = 1;
}

// Where a rank begins that runs one.
__attribute__((export_name("rankine_resume"))) void resume(void)
{
    __wasilibc_initialize_environ();
    exit(__main_void());
}

static void append(PyWideStringList *list, PyObject *copy, const char *word)
{
    wchar_t *wide = Py_DecodeLocale(word, NULL);
    PyObject *text = wide ? PyUnicode_FromWideChar(wide, -1) : NULL;
    if (!text || PyStatus_Exception(PyWideStringList_Append(list, wide)) || PyList_Append(copy, text) < 0)
        Py_FatalError("out of memory");
    Py_DECREF(text);
    PyMem_RawFree(wide);
}

static wchar_t *decoded(const char *word)
{
    wchar_t *wide = Py_DecodeLocale(word, NULL);
    if (!wide)
        Py_FatalError("out of memory");
    return wide;
}

// A command ends with a line's end, as the interpreter's own has it.
static wchar_t *command(const char *code)
{
    size_t length = strlen(code);
    char *line = malloc(length + 2);
    if (!line)
        Py_FatalError("out of memory");
    memcpy(line, code, length);
    strcpy(line + length, "\n");
    wchar_t *wide = decoded(line);
    free(line);
    return wide;
}

static wchar_t *whole(const char *script)
{
    wchar_t *named = decoded(script), *path = NULL;
    if (script[0] == '/')
        return named;
    if (_Py_abspath(named, &path) < 0 || !path)
        return named;
    PyMem_RawFree(named);
    return path;
}

// What is to be run: `-c CODE`, `-m MODULE`, a script, or what is typed. With other options no image is run.
static void read_words(int argc, char **argv)
{
    PyConfig *config = (PyConfig *)_PyInterpreterState_GetConfig(PyInterpreterState_Get());
    PyObject *words = PyList_New(0), *all = PyList_New(0);
    PyWideStringList unused = {0, NULL};
    if (!words || !all)
        Py_FatalError("out of memory");
    for (int at = 0; at < argc; at++)
        append(&unused, all, argv[at]);
    config->argv = (PyWideStringList){0, NULL};
    int rest = 1;
    if (argc > 2 && strcmp(argv[1], "-c") == 0) {
        config->run_command = command(argv[2]);
        rest = 3;
    } else if (argc > 2 && strcmp(argv[1], "-m") == 0) {
        config->run_module = decoded(argv[2]);
        rest = 3;
    } else if (argc > 1 && strcmp(argv[1], "-") != 0) {
        config->run_filename = whole(argv[1]);
    }
    append(&config->argv, words, argc > 1 ? argv[1] : "");
    for (int at = rest > 1 ? rest : 2; at < argc; at++)
        append(&config->argv, words, argv[at]);
    PySys_SetObject("argv", words);
    PySys_SetObject("orig_argv", all);
    Py_DECREF(words);
    Py_DECREF(all);
}

static PyObject *environment(void)
{
    PyObject *all = PyDict_New();
    for (char **variable = environ; all && variable && *variable; variable++) {
        const char *equals = strchr(*variable, '=');
        if (!equals)
            continue;
        PyObject *name = PyBytes_FromStringAndSize(*variable, equals - *variable);
        PyObject *value = PyBytes_FromString(equals + 1);
        if (!name || !value || PyDict_SetItem(all, name, value) < 0)
            Py_FatalError("out of memory");
        Py_DECREF(name);
        Py_DECREF(value);
    }
    return all;
}

void take_up(int argc, char **argv)
{
    read_words(argc, argv);
    PyObject *variables = environment();
    PyObject *done = variables ? PyObject_CallMethod(image, "thaw", "O", variables) : NULL;
    if (!done) {
        PyErr_Print();
        exit(1);
    }
    Py_DECREF(done);
    Py_DECREF(variables);
}

// Ends a program as CPython does, as far as anybody sees: its own objects go, while those of the image stay, and with them pages
// that nobody has written to.
static int end(void)
{
    PyObject *modules = PyObject_CallMethod(image, "end", NULL);
    if (!modules)
        PyErr_Print();
    for (Py_ssize_t at = modules ? PyList_GET_SIZE(modules) : 0; at-- > 0;) {
        PyObject *module;
        if (PyWeakref_GetRef(PyList_GET_ITEM(modules, at), &module) > 0) {
            if (PyModule_Check(module))
                _PyModule_Clear(module);
            Py_DECREF(module);
        }
    }
    Py_XDECREF(modules);
    PyObject *status = PyObject_CallMethod(image, "close", NULL);
    if (!status)
        PyErr_Print();
    return status == Py_True ? 0 : -1;
}

int __wrap_Py_FinalizeEx(void) { return is_image ? end() : __real_Py_FinalizeEx(); }

void __wrap_Py_Exit(int status)
{
    if (is_image)
        exit(end() < 0 ? 120 : status);
    __real_Py_Exit(status);
}
