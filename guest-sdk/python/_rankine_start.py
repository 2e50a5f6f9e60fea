"""What every interpreter of `rankine python` begins with."""

import sys


def _world():
    """The module MPI, where this is one of several ranks that are in the middle of a job."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not mpi.Is_initialized() or mpi.Is_finalized() or mpi.COMM_WORLD.size == 1:
        return None
    return mpi


def _excepthook(kind, value, trace):
    """Says of which rank an exception is, and ends the job: others may wait for what this rank won't send any more."""
    mpi = _world()
    if mpi is None:
        sys.__excepthook__(kind, value, trace)
        return
    import traceback

    lines = "".join(traceback.format_exception(kind, value, trace))
    # In one piece, as other ranks may have the same to say.
    sys.stderr.write(f"rank {mpi.COMM_WORLD.rank}: {lines}")
    sys.stderr.flush()
    if sys.stdout is not None:
        sys.stdout.flush()
    mpi.COMM_WORLD.Abort(1)


sys.excepthook = _excepthook
