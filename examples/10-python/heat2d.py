"""Heat in a square plate: the left edge is hot, the others are cold, the inside finds its balance (Jacobi's method).

The plate is cut into bands of rows, one for each rank. In each step a rank sends its first and last row to its neighbours
and receives theirs into the ghost rows around its own (the halo exchange).

Usage: heat2d.py [CELLS [STEPS]]. The results are the same, to the last bit, with any number of ranks. With --view the page
shows the plate, and has a slider for the hot edge.
"""

import sys

import numpy as np
from mpi4py import MPI
from rankine import view


def share(cells, count, index):
    """The first row and the number of rows of a rank; the first ranks get one more if they don't divide."""
    each, more = divmod(cells, count)
    return index * each + min(index, more), each + (index < more)


def exchange(comm, plate, above, below):
    """Fills the ghost rows; nothing moves across an edge of the plate, where the neighbour is MPI.PROC_NULL."""
    comm.Sendrecv(plate[1], above, 0, plate[-1], below, 0)
    comm.Sendrecv(plate[-2], below, 1, plate[0], above, 1)


def relax(old, new):
    """One step for the cells of this rank."""
    inside = new[1:-1, 1:-1]
    np.add(old[:-2, 1:-1], old[2:, 1:-1], out=inside)
    inside += old[1:-1, :-2]
    inside += old[1:-1, 2:]
    inside *= 0.25


def main():
    cells, steps = (int(word) for word in (sys.argv[1:] + ["24", "400"][len(sys.argv[1:]) :])[:2])
    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    if cells < size:
        sys.exit(f"heat2d: {size} ranks are too many for {cells} cells")
    first, rows = share(cells, size, rank)
    above = rank - 1 if rank > 0 else MPI.PROC_NULL
    below = rank + 1 if rank < size - 1 else MPI.PROC_NULL
    old, new = np.zeros((2, rows + 2, cells + 2))
    middle = cells // 2 - first
    hot = view.number("hot edge", 100.0, 0.0, 200.0, 1.0)
    view.scale("temperature", "°C", 0.0, 100.0)
    for step in range(1, steps + 1):
        view.update(comm)
        # The hot edge lies in the ghost cells on the left.
        old[1:-1, 0] = new[1:-1, 0] = hot.value
        exchange(comm, old, above, below)
        relax(old, new)
        view.field("temperature", step, new[1:-1, 1:-1], shape=(cells, cells), start=(first, 0))
        if step % 100 == 0 or step == steps:
            residual = comm.allreduce(np.abs(new - old)[1:-1, 1:-1].max(), MPI.MAX)
            temperature = comm.allreduce(new[middle + 1, cells // 2 + 1] if 0 <= middle < rows else 0.0, MPI.MAX)
            if rank == 0:
                view.curve("residual", step, residual)
                print(f"step {step:5}: residual {residual:.12e}, middle {temperature:.12f}")
        old, new = new, old


main()
