"""What an image of a started interpreter has, and what a rank that goes on from it is given of its own."""

import atexit
import gc
import io
import sys

# What is imported when the image is made. numpy.random has a state, which each rank begins anew.
_IMPORTED = "runpy", "random", "numpy", "numpy.fft", "numpy.linalg", "numpy.random"

_mpi = None
# Names of modules that are in the image, and whether standard output could be written.
_modules = frozenset()
_is_written = True


class _Begins:
    """Finds mpi4py.MPI, which is in the image but has not begun: importing it initialises MPI, as `mpi4py.rc` says then."""

    @staticmethod
    def find_spec(name, path, target=None):
        if name != "mpi4py.MPI":
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _Begins, origin="built-in")

    @staticmethod
    def create_module(spec):
        return _mpi

    @staticmethod
    def exec_module(module):
        sys.meta_path.remove(_Begins)
        module.__spec__ = module.__rankine_spec__
        del module.__rankine_spec__
        global _end_mpi
        _end_mpi = module._rankine_end
        module._rankine_begin()


def freeze():
    """Imports all of it, and says by their names on standard output what modules there are. All objects are returned."""
    import importlib

    plain = {name.partition(".")[0] for name in sys.modules}
    for name in _IMPORTED:
        importlib.import_module(name)
    _freeze_mpi()
    for name in sorted({name.partition(".")[0] for name in sys.modules} - plain):
        print(name)
    sys.stdout.flush()
    # What is in the image stays: the collector neither looks at it nor writes to it.
    global _modules
    _modules = frozenset(sys.modules)
    gc.collect()
    objects = gc.get_objects()
    gc.freeze()
    return objects


def _freeze_mpi():
    global _mpi
    import mpi4py

    mpi4py.rc.initialize = False
    import mpi4py.MPI

    _mpi = mpi4py.MPI
    if _mpi.Is_initialized():
        raise RuntimeError("MPI is initialised")
    # As the class has it.
    del mpi4py.rc.initialize
    _mpi.__rankine_spec__ = _mpi.__spec__
    del sys.modules["mpi4py.MPI"], mpi4py.MPI
    sys.meta_path.insert(0, _Begins)


def thaw(environment):
    """Gives a rank its environment, standard streams, folders of packages and random numbers."""
    import os
    import posix
    import random

    import numpy

    for variables in posix.environ, os.environ._data:
        variables.clear()
        variables.update(environment)
    # The program's own, which goes when it ends; the image's stays.
    main = type(sys)("__main__")
    shared = vars(sys.modules["__main__"])
    vars(main).update({name: shared[name] for name in ("__builtins__", "__loader__", "__annotations__") if name in shared})
    sys.modules["__main__"] = main
    _open_streams()
    path = os.environ.get("PYTHONPATH")
    if path:
        sys.path[:0] = path.split(":")
    random.seed()
    numpy.random.seed()


def _open_streams():
    errors = sys.stdin.errors, sys.stdout.errors, "backslashreplace"
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _stream(number, name, errors[number])
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _stream(number, name, errors):
    mode = "w" if number else "r"
    try:
        buffer = open(number, mode + "b", closefd=False)
    except OSError:
        return None
    buffer.raw.name = f"<{name}>"
    is_by_line = number == 2 or buffer.raw.isatty()
    stream = io.TextIOWrapper(buffer, "utf-8", errors, "\n", line_buffering=is_by_line)
    stream.mode = mode
    return stream


def _end_mpi():
    """What mpi4py does last, once it has begun."""


def _flush():
    global _is_written
    for stream in sys.stdout, sys.stderr:
        try:
            stream.flush()
        except (AttributeError, ValueError):
            # There is none, or it is closed.
            continue
        except Exception as error:
            if stream is sys.stdout:
                _is_written = False
                sys.unraisablehook(_Unraisable(error, stream))


class _Unraisable:
    err_msg = None

    def __init__(self, error, stream):
        self.exc_type, self.exc_value, self.exc_traceback = type(error), error, error.__traceback__
        self.object = stream


def end():
    """Runs what is to run at the end, and removes the program's modules: references to those that still live are returned."""
    import threading
    import weakref

    threading._shutdown()
    atexit._run_exitfuncs()
    _flush()
    gc.collect()
    for name in "last_exc", "last_type", "last_value", "last_traceback", "ps1", "ps2":
        sys.__dict__.pop(name, None)
    own = [name for name in sys.modules if name not in _modules or name == "__main__"]
    modules = [weakref.ref(sys.modules.pop(name)) for name in own if sys.modules[name] is not None]
    gc.collect()
    return modules


def close():
    """Ends MPI; whether all could be written."""
    _flush()
    _end_mpi()
    return _is_written
