# Packages with parts in C, C++ and Cython as `rankine python build` links them to an interpreter: what they do on two ranks, and which
# packages and folders are refused. Two have a module and a function of one name.
# full: it builds Python and fetches packages
# seconds: 5400
rankine sdk build python > build.log 2>&1 || { tail -n 40 build.log; exit 1; }

fail() { echo "$*"; cat out err; exit 1; }
# runs STATUS COMMAND…: the output is in out and err.
runs() {
    local status=0 expected=$1
    shift
    "$@" > out 2> err < /dev/null || status=$?
    [ $status = "$expected" ] || fail "$*: status $status"
}
err() { grep -qF -- "$1" err || fail "stderr lacks: $1"; }

cat > work.py <<'P'
import sys

import markupsafe._speedups
import simplejson
from mpi4py import MPI

world = MPI.COMM_WORLD
for name in "markupsafe._speedups", "simplejson._speedups":
    assert sys.modules[name].__spec__.origin == "built-in", sys.modules[name].__spec__
assert simplejson.encoder.c_make_encoder and simplejson.scanner.c_make_scanner
everything = {"rank": world.rank, "text": markupsafe.escape("<b>"), "list": [1.5, None, "é"]}
for rank, said in enumerate(world.allgather(simplejson.dumps(everything))):
    assert simplejson.loads(said) == {"rank": rank, "text": "&lt;b&gt;", "list": [1.5, None, "é"]}
if "msgpack" in sys.argv:
    from msgpack import _cmsgpack, packb, unpackb
    assert _cmsgpack.__spec__.origin == "built-in"
    assert unpackb(packb(everything)) == everything
if "own" in sys.argv:
    import own.fast
    import numpy
    assert own.fast.total(numpy.arange(5.0)) == 10 and own.fast.thrown() == "caught"
print("OK", world.rank)
P
ok() { [ "$(grep -c OK out)" = 2 ] || fail "$*"; }

runs 0 rankine python build markupsafe simplejson
runs 0 rankine python -n 2 --with rankine-python work.py
ok "two packages"
runs 0 rankine python build msgpack
runs 0 rankine python -n 2 --with rankine-python work.py msgpack
ok "one more"
runs 0 "$MPI_BIN/mpiexec" -n 2 rankine python --with rankine-python work.py msgpack
ok "on an MPI library"

# A folder with C++ that throws, and numpy's headers.
mkdir -p own/own
touch own/own/__init__.py
cat > own/setup.py <<'P'
import numpy
from setuptools import Extension, setup
fast = Extension("own.fast", ["fast.cpp"], include_dirs=[numpy.get_include()])
setup(name="own", version="1", packages=["own"], ext_modules=[fast])
P
printf '[build-system]\nrequires = ["setuptools", "numpy"]\nbuild-backend = "setuptools.build_meta"\n' > own/pyproject.toml
cat > own/fast.cpp <<'C'
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stdexcept>

static_assert(sizeof(void *) == 4 && PY_MINOR_VERSION == 13, "these are a guest's headers");

static PyObject *total(PyObject *, PyObject *argument)
{
    auto *array = (PyArrayObject *)argument;
    double sum = 0;
    for (npy_intp at = 0; at < PyArray_SIZE(array); at++)
        sum += static_cast<double *>(PyArray_DATA(array))[at];
    return PyFloat_FromDouble(sum);
}

static PyObject *thrown(PyObject *, PyObject *)
{
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &error) {
        return PyUnicode_FromString(error.what());
    }
}

static PyMethodDef methods[] = {{"total", total, METH_O, ""}, {"thrown", thrown, METH_NOARGS, ""}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "fast", "", -1, methods};

PyMODINIT_FUNC PyInit_fast(void)
{
    import_array();
    return PyModule_Create(&module);
}
C
runs 0 rankine python build ./own
runs 0 rankine python -n 2 --with=rankine-python work.py msgpack own
ok "a folder"

# A library for guests, which two modules share, and which stays when more is built without it.
mkdir -p libraries/lib libraries/include counted
echo 'int count(void);' > libraries/include/count.h
echo 'int count(void) { static int counted; return ++counted; }' > count.c
rankine cc -c count.c
ar rcs libraries/lib/libcount.a count.o
cat > counted/setup.py <<'P'
from setuptools import Extension, setup
both = [Extension(name, [name + ".c"], libraries=["count"]) for name in ("counted_a", "counted_b")]
setup(name="counted", version="1", py_modules=[], ext_modules=both)
P
for name in counted_a counted_b; do
    cat > counted/$name.c <<C
#include <Python.h>
#include <count.h>
static PyObject *next(PyObject *self, PyObject *nothing) { return PyLong_FromLong(count()); }
static PyMethodDef methods[] = {{"next", next, METH_NOARGS, ""}, {0}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "$name", "", -1, methods};
PyMODINIT_FUNC PyInit_$name(void) { return PyModule_Create(&module); }
C
done
echo 'import counted_a, counted_b; print(counted_a.next(), counted_b.next(), counted_a.next())' > count.py
runs 1 rankine python build ./counted
err "'count.h' file not found"
mkdir alone
echo 'from setuptools import Extension, setup; setup(name="alone", py_modules=[], ext_modules=[Extension("alone", ["a.c"], libraries=["count"])])' > alone/setup.py
echo 'int count(void); int PyInit_alone(void) { return count(); }' > alone/a.c
runs 1 rankine python build ./alone
err 'name its folder by --libraries'
runs 1 rankine python build --libraries counted ./counted
err 'has no lib'
runs 0 rankine python build --libraries libraries ./counted
rm -r libraries
runs 0 rankine python build ./own
runs 0 rankine python --with rankine-python count.py
grep -qx '1 2 3' out || fail "a library of two modules"

# What can't be built is refused, and the folder stays as it is.
mkdir meson
printf '[build-system]\nrequires = ["meson-python"]\nbuild-backend = "mesonpy"\n' > meson/pyproject.toml
runs 1 rankine python build ./meson
err 'it is built by Meson'
sed -i 's/#include <stdexcept>/#include <nowhere.h>/' own/fast.cpp
runs 1 rankine python build ./own
err "'nowhere.h' file not found"
sed -i 's/#include <nowhere.h>/#include <stdexcept>/; s/import_array();/extern int nowhere(void); nowhere(); import_array();/' own/fast.cpp
sed -i 's/^PyMODINIT_FUNC/extern "C" int nowhere(void);\n&/; s/extern int nowhere(void); //' own/fast.cpp
runs 1 rankine python build ./own
err 'own.fast calls nowhere'
runs 0 rankine python -n 2 --with rankine-python work.py msgpack own
ok "as it was"
mkdir other
runs 1 rankine python build --output other ./own
err 'has not made it'
runs 1 rankine python --with other work.py
# shellcheck disable=SC2016 # backticks of the answer
err 'is no folder that `rankine python build` has made'

# Nor is anything put, or run, where others may write.
mkdir open
chmod 777 open
runs 1 rankine python build --output open/built ./own
err 'would not be run'
chmod 777 rankine-python
runs 1 rankine python --with rankine-python work.py
err 'is not run'
chmod 755 rankine-python
# What a program was allowed to write, it may have written. That is remembered, so the folder is another one each time.
written=$(mktemp -d "$PWD/written.XXXXXX")
cp -r rankine-python/. "$written"
runs 0 rankine python -n 2 --with "$written" work.py
runs 0 rankine python --dir "$written" -c 'print(1)'
runs 1 rankine python --with "$written" work.py
err 'is not run'
