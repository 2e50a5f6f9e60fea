"""Arrays whose parts are distributed over all ranks: make a grid, write halos, gather.

    from rankine.arrays import Grid, block

    grid = Grid(2)                                        # all ranks, in a shape as square as can be
    u = grid.array("u", [block(500, ghosts=1), block(500, ghosts=1)])
    for step in range(1000):
        u.write_halo()
        ...                                               # with u.local, a numpy array
    whole = u.gather(0)                                   # at rank 0

`u.local` is what this rank stores, ghost cells too, and `u.owned` what of it is its own: arrays of numpy's over the same memory,
not copies. A global index counts in the whole array and is the same on all ranks, a local one in `u.local`. What has no other note
is called by all ranks of the grid at once. Where one rank can see that a call makes no sense, it raises ValueError.
"""

import contextlib
from typing import NamedTuple

import _rankine_arrays
import numpy as np

__all__ = ["Array", "Grid", "Lookup", "Range", "Remap", "block", "collapsed", "cyclic", "irregular", "show_arrows"]

_COLLAPSED, _BLOCK, _CYCLIC, _IRREGULAR = range(4)
_COPY, _SHIFT, _CSHIFT, _SKEW = range(4)
_MPI_IO = 16


class Range(NamedTuple):
    """How the indices of one dimension are dealt out: `block`, `cyclic`, `irregular` and `collapsed` make them."""

    extent: int
    kind: int
    block: int = 0
    blocks: tuple = ()
    below: int = 0
    above: int = 0
    periodic: bool = False
    along: int = -1


def _with_ghosts(range_, ghosts, periodic, on):
    below, above = (ghosts, ghosts) if np.isscalar(ghosts) else ghosts
    return range_._replace(below=int(below), above=int(above), periodic=bool(periodic), along=-1 if on is None else int(on))


def block(extent, ghosts=0, periodic=False, on=None):
    """A block for each rank, as even as can be. `ghosts` cells lie around it, or (below, above); where it is `periodic` the last
    index is the neighbour of the first. The grid's dimension is the next that is free, or `on`."""
    return _with_ghosts(Range(int(extent), _BLOCK), ghosts, periodic, on)


def irregular(blocks, ghosts=0, periodic=False, on=None):
    """Blocks of these lengths."""
    blocks = tuple(int(length) for length in blocks)
    return _with_ghosts(Range(sum(blocks), _IRREGULAR, blocks=blocks), ghosts, periodic, on)


def cyclic(extent, block=1, on=None):
    """Blocks of this length, dealt out in turn."""
    return _with_ghosts(Range(int(extent), _CYCLIC, block=int(block)), 0, False, on)


def collapsed(extent, ghosts=0, periodic=False):
    """Not distributed."""
    return _with_ghosts(Range(int(extent), _COLLAPSED), ghosts, periodic, None)


class Grid:
    """All ranks of a communicator in one to three dimensions: so many, or of a `shape` in which 0 stands for what fits."""

    def __init__(self, shape, comm=None):
        from mpi4py import MPI

        wanted = (0,) * shape if isinstance(shape, int) else tuple(int(count) for count in shape)
        self._core = _rankine_arrays.grid((comm or MPI.COMM_WORLD).handle, len(wanted), wanted)
        comm, counts, coords = self._core.place()
        self.comm = MPI.Comm.fromhandle(comm)
        self.shape, self.coords = counts[: len(wanted)], coords[: len(wanted)]

    def array(self, name, ranges, dtype=float, over=None):
        """An array of zeros with a range for each dimension, whose numbers are of a numpy type. With `over` it is `over`: an array
        of numpy's in C's order with room for what this rank stores, ghost cells too, which keeps its values and is not copied."""
        dtype = np.dtype(dtype)
        if over is not None and (not isinstance(over, np.ndarray) or over.dtype != dtype):
            raise ValueError(f"{name}: `over` is to be an array of {dtype}")
        ranges = tuple(Range(int(range_), _BLOCK) if np.isscalar(range_) else range_ for range_ in ranges)
        core = _rankine_arrays.array(name, self._core, ranges, _datatype(dtype).handle, dtype.itemsize, over)
        return Array(self, core, name, dtype, tuple(range_.extent for range_ in ranges))

    def free(self):
        """Gives back what the library has of it; its arrays must be gone. Left alone, it stays until the program ends."""
        self._core.free()


def _datatype(dtype):
    """What MPI calls elements of a numpy type: numbers by their own names, which reductions know."""
    from mpi4py import MPI
    from mpi4py.util.dtlib import from_numpy_dtype

    named = {"f4": MPI.FLOAT, "f8": MPI.DOUBLE, "c8": MPI.C_FLOAT_COMPLEX, "c16": MPI.C_DOUBLE_COMPLEX, "b1": MPI.C_BOOL}
    named |= {"i1": MPI.INT8_T, "i2": MPI.INT16_T, "i4": MPI.INT, "i8": MPI.INT64_T}
    named |= {"u1": MPI.UINT8_T, "u2": MPI.UINT16_T, "u4": MPI.UINT32_T, "u8": MPI.UINT64_T}
    found = named.get(f"{dtype.kind}{dtype.itemsize}") or _datatypes.get(dtype)
    if found is None:
        found = _datatypes[dtype] = from_numpy_dtype(dtype).Commit()
    return found


_datatypes = {}


class Array:
    """A distributed array, or a view of one: `Grid.array` makes them."""

    def __init__(self, grid, core, name, dtype, shape, base=None):
        self.grid, self.name, self.dtype, self.shape = grid, name, dtype, shape
        self._core, self._base = core, base
        if base is None:
            of = [core.dimension(d) for d in range(len(shape))]
            self._rooms = tuple(room for *_, room in of)
            self._own = tuple(slice(below, below + count) for _, _, count, below, _, _ in of)

    def __repr__(self):
        return f"<{'view of ' if self._base is not None else ''}array {self.name}, {self.shape} of {self.dtype} on {self.grid.shape}>"

    @property
    def ndim(self):
        return len(self.shape)

    # This rank's part. None of this is collective.

    @property
    def local(self):
        """What this rank stores, ghost cells too."""
        self._check()
        return np.frombuffer(self._core, self.dtype).reshape(self._rooms)

    @property
    def owned(self):
        """What of `local` is this rank's own."""
        return self.local[self._own]

    def own(self, d):
        """The slice of local indices that are this rank's own."""
        self._check(d)
        return self._own[d]

    def inner(self, d, width=1):
        """The same without the border of the whole array, `width` indices at either end."""
        self._check(d)
        own, indices = self._own[d], self.indices(d)
        inside = np.flatnonzero((indices >= width) & (indices < self.shape[d] - width))
        if len(inside) == 0:
            return slice(own.start, own.start)
        if inside[-1] - inside[0] + 1 != len(inside):
            raise ValueError(f"{self.name}: the border lies between indices of dimension {d} here, which are dealt out in turn")
        return slice(own.start + int(inside[0]), own.start + int(inside[-1]) + 1)

    def indices(self, d):
        """The global indices that are this rank's own, in the order in which they lie."""
        self._check(d)
        own = self._own[d]
        return np.fromiter((self._core.index(d, local, True) for local in range(own.start, own.stop)), np.int64)

    def stored(self, d, index):
        """The local index of a global one, ghost cells too; None where this rank doesn't store it."""
        local = self._core.index(d, index, False)
        return None if local < 0 else local

    def owner(self, *index):
        """The rank that owns an element."""
        return self._core.owner(self._index(index))

    def fill(self, value):
        """Sets every element that this rank stores, ghost cells too; of a view, those of it that this rank owns."""
        self._core.fill(np.array(value, self.dtype).tobytes())

    def free(self):
        """Gives back its memory now and not when it is collected. Nobody may look at it."""
        self._core.free()

    def _check(self, d=0):
        if self._base is not None:
            raise ValueError(f"a view of {self.name} has no local part: ask the array")
        if not 0 <= d < self.ndim:
            raise ValueError(f"{self.name} has no dimension {d}")

    def _index(self, index):
        if len(index) != self.ndim:
            raise ValueError(f"{self.name} has {self.ndim} dimensions, not {len(index)}")
        return tuple(int(number) for number in index)

    # Views, which copy nothing. They are not collective.

    def section(self, d, first, count, step=1):
        """`count` indices of a dimension, from `first` on and `step` apart; a negative step goes backwards."""
        return self._view(self._core.section(d, first, count, step), self._shape_with(d, count))

    def at(self, d, index):
        """One index of a dimension, which the view doesn't have."""
        return self._view(self._core.at(d, index), self.shape[:d] + self.shape[d + 1 :])

    def transposed(self, order=None):
        """The view's dimension d is this one's dimension order[d]; without an order, the last is the first."""
        order = tuple(reversed(range(self.ndim))) if order is None else self._index(order)
        return self._view(self._core.transposed(order), tuple(self.shape[d] if 0 <= d < self.ndim else 0 for d in order))

    def spread(self, d, count):
        """The same elements along a further dimension before d: copying that broadcasts them."""
        return self._view(self._core.spread(d, count), self.shape[:d] + (count,) + self.shape[d:])

    def _shape_with(self, d, count):
        return self.shape[:d] + (count,) + self.shape[d + 1 :]

    def _view(self, core, shape):
        return Array(self.grid, core, self.name, self.dtype, shape, self)

    # Halos.

    def write_halo(self, corners=False, widths=None):
        """Copies the neighbours' rims to the ghost cells: of the faces, or of edges and corners too. `widths` has a pair for each
        dimension, below and above, and None where all ghost cells are written."""
        self.start_halo(corners, widths)
        self.finish_halo()

    def start_halo(self, corners=False, widths=None):
        """Begins that. Until it is finished ghost cells mean nothing, and what this rank owns may be read, not changed."""
        pairs = [(-1, -1) if pair is None else pair for pair in widths or ()]
        self._core.start_halo(corners, tuple(int(width) for pair in pairs for width in pair))

    def finish_halo(self):
        self._core.finish_halo()

    @contextlib.contextmanager
    def halo(self, corners=False, widths=None):
        """What stands in `with u.halo():` is computed while the halo is under way."""
        self.start_halo(corners, widths)
        try:
            yield self
        finally:
            self.finish_halo()

    # From one distribution to another.

    def gather(self, root=0):
        """All elements in global order, at one rank; None at the others."""
        all_ = np.empty(self.shape, self.dtype) if self.grid.comm.rank == root else None
        self._core.gather(root, all_)
        return all_

    def gather_to_all(self):
        """The same at each rank."""
        all_ = np.empty(self.shape, self.dtype)
        self._core.gather(-1, all_)
        return all_

    def scatter(self, all_, root=0):
        """The reverse of `gather`: the others' `all_` is not used."""
        if self.grid.comm.rank != root:
            all_ = None
        else:
            all_ = np.ascontiguousarray(all_, self.dtype)
            if all_.shape != self.shape:
                raise ValueError(f"{self.name} has the shape {self.shape}, and what is scattered {all_.shape}")
        self._core.scatter(root, all_)

    def copy(self, source):
        """self[i, j, ...] = source[i, j, ...], whatever the distributions."""
        self._core.move(source._core, _COPY, 0, 0, 0)

    def shift(self, source, d, by):
        """self[.., k, ..] = source[.., k + by, ..]: where there is no such element, this stays as it is."""
        self._core.move(source._core, _SHIFT, d, 0, by)

    def cshift(self, source, d, by):
        """self[.., k, ..] = source[.., (k + by) mod n, ..]"""
        self._core.move(source._core, _CSHIFT, d, 0, by)

    def skew(self, source, d, along, by):
        """As `cshift`, for each index l of the dimension `along` by l * by."""
        self._core.move(source._core, _SKEW, d, along, by)

    # Reductions, of every element once. All ranks have the result.

    def reduce(self, op):
        """All elements combined by an operation of MPI."""
        result = np.empty((), self.dtype)
        self._core.reduce(op.handle, result)
        return result[()]

    def sum(self):
        from mpi4py import MPI

        return self.reduce(MPI.SUM)

    def max(self):
        from mpi4py import MPI

        return self.reduce(MPI.MAX)

    def min(self):
        from mpi4py import MPI

        return self.reduce(MPI.MIN)

    def max_place(self):
        """The greatest element, and the first index where it stands."""
        from mpi4py import MPI

        return self._extreme(MPI.MAX)

    def min_place(self):
        from mpi4py import MPI

        return self._extreme(MPI.MIN)

    def _extreme(self, op):
        result = np.empty((), self.dtype)
        index = self._core.extreme(op.handle, result)
        return result[()], index

    def reduce_along(self, d, op):
        """An array without dimension d, along which its elements are combined."""
        core = self._core.reduce_along(d, op.handle, self.dtype.itemsize)
        return Array(self.grid, core, self.name, self.dtype, self.shape[:d] + self.shape[d + 1 :])

    def dot(self, other):
        """The sum of products."""
        return self._core.dot(other._core)

    def norm(self, which=2):
        """The sum of magnitudes (1), the root of the sum of their squares (2), the greatest one ("max")."""
        kinds = {1: 0, 2: 1, "max": 2, np.inf: 2}
        if which not in kinds:
            raise ValueError(f"there are the norms 1, 2 and 'max', not {which!r}")
        return self._core.norm(kinds[which])

    # Files and the page.

    def save(self, path, each_rank=False):
        """Writes a file as `numpy.save` does, which must be called .npy: rank 0, or each rank its own part by MPI-IO."""
        self._core.write(str(path), _MPI_IO if each_rank else 0)

    def load(self, path, each_rank=False):
        """Reads a file as `numpy.save` writes it, of this shape and type."""
        self._core.read(str(path), _MPI_IO if each_rank else 0)

    def show(self, name, step):
        """Shows it in the page of `--view`, without ghost cells."""
        self._core.show(name, step)


def show_arrows(name, step, parts, values=None):
    """Shows two arrays, or three of three dimensions, as vectors along x (the last dimension), y and z, over a field of `values`
    or over their lengths."""
    parts = tuple(part._core for part in parts)
    _rankine_arrays.arrows(parts, None if values is None else values._core, name, step)


class Remap:
    """A copy from `source` to `target`, or `shift`, `cshift` and `skew` with what these take, planned once for arrays that are
    distributed as these are."""

    def __init__(self, target, source, how="copy", d=0, by=0, along=0):
        kinds = {"copy": _COPY, "shift": _SHIFT, "cshift": _CSHIFT, "skew": _SKEW}
        if how not in kinds:
            raise ValueError(f"moves are {', '.join(kinds)}, not {how!r}")
        self._core = _rankine_arrays.remap(target._core, source._core, kinds[how], d, along, by)

    def run(self, target, source):
        self._core.run(target._core, source._core, 0)

    def free(self):
        self._core.free()


class Lookup:
    """Elements of a `table` that arrays of int32 name, one for each of its dimensions, distributed as the values are. Who needs what
    of whom is found out once."""

    def __init__(self, values, indices, table):
        wrong = [array.name for array in indices if array.dtype != np.int32]
        if wrong or len(indices) != table.ndim:
            raise ValueError(f"{table.name} has {table.ndim} dimensions: name an array of int32 for each")
        self._core = _rankine_arrays.lookup(values._core, tuple(array._core for array in indices), table._core)

    def take(self, values, table):
        """values[i] = table[indices[0][i], indices[1][i], ...]"""
        self._core.run(values._core, table._core, 0)

    def put(self, table, values, op=None):
        """The reverse: what comes to one element is combined by an operation of MPI, or the last value stays."""
        from mpi4py import MPI

        self._core.run(table._core, values._core, (op or MPI.REPLACE).handle)

    def free(self):
        self._core.free()
