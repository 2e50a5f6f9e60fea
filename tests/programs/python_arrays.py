"""Distributed arrays from Python: each result beside what numpy gives on the whole array."""

import sys

import numpy as np
from mpi4py import MPI
from rankine.arrays import Grid, Lookup, Remap, block, collapsed, cyclic, irregular, show_arrows

world = MPI.COMM_WORLD
grid = Grid(2)
assert np.prod(grid.shape) == world.size and grid.comm.size == world.size

ROWS, COLUMNS = 13, 11
whole = np.arange(ROWS * COLUMNS, dtype=float).reshape(ROWS, COLUMNS) - 40.5


def same(array, expected):
    got = array.gather_to_all()
    assert np.array_equal(got, expected), (array, got, expected)


# Memory: zeros at first, the library's and numpy's in one place, and the other way round.
u = grid.array("u", [block(ROWS, ghosts=1), block(COLUMNS, ghosts=(2, 1), periodic=True)])
assert not u.local.any() and u.local.shape == tuple(len(u.indices(d)) + ghosts for d, ghosts in enumerate((2, 3)))
u.scatter(whole)
same(u, whole)
u.owned[...] += 1
same(u, whole + 1)
u.owned[...] = whole[np.ix_(u.indices(0), u.indices(1))]
same(u, whole)
assert (u.gather(0) is None) == (world.rank != 0)
given = np.zeros_like(u.local)
v = grid.array("v", [block(ROWS, ghosts=1), block(COLUMNS, ghosts=(2, 1), periodic=True)], over=given)
v.copy(u)
assert np.shares_memory(v.local, given) and np.array_equal(given[v.own(0), v.own(1)], u.owned)

# Halos: of faces, of corners, a part, and while something is computed.
u.write_halo(corners=True)
first, columns = u.indices(0)[0], np.arange(u.indices(1)[0] - 2, u.indices(1)[-1] + 2) % COLUMNS
if first > 0:
    assert np.array_equal(u.local[0], whole[first - 1, columns])
v.fill(-1)
v.copy(u)
with v.halo(widths=[(0, 0), None]):
    interior = v.owned.sum()
assert np.array_equal(v.local[1:-1], u.local[1:-1]) and (v.local[0] == -1).all() and interior == u.owned.sum()
assert (u.owner(0, 0) == world.rank) == (grid.coords == (0, 0)) == (v.stored(0, 0) == 1 and v.stored(1, 0) == 2)
rows, inner = u.indices(0), u.inner(0)
assert inner.stop - inner.start == np.count_nonzero((rows > 0) & (rows < ROWS - 1))

# Other distributions, views, and moves of all kinds.
c = grid.array("c", [cyclic(ROWS, 2), cyclic(COLUMNS)])
c.copy(u)
same(c, whole)
lengths = [ROWS - 2 * (grid.shape[0] - 1)] + [2] * (grid.shape[0] - 1)
w = grid.array("w", [irregular(lengths), collapsed(COLUMNS)])
w.copy(c)
same(w, whole)
t = grid.array("t", [COLUMNS, ROWS])
t.copy(u.transposed())
same(t, whole.T)
t.transposed([1, 0]).copy(c)
same(t, whole.T)
c.shift(u, 0, 3)
same(c, np.concatenate([whole[3:], whole[-3:]]))
c.cshift(u, 1, -2)
same(c, np.roll(whole, 2, 1))
c.skew(u, 1, 0, 1)
same(c, np.array([np.roll(row, -l) for l, row in enumerate(whole)]))
line = grid.array("line", [block(COLUMNS, on=1)])
line.copy(u.at(0, 5))
same(line, whole[5])
c.copy(line.spread(0, ROWS))
same(c, np.tile(whole[5], (ROWS, 1)))
part = u.section(0, 10, 4, -2)
assert part.shape == (4, COLUMNS)
same(part, whole[10:3:-2])
plan = Remap(c, u, "cshift", d=0, by=1)
for _ in range(2):
    plan.run(c, u)
same(c, np.roll(whole, -1, 0))
plan.free()

# Reductions.
assert u.sum() == whole.sum() and u.max() == whole.max() and u.min() == whole.min()
assert u.max_place() == (whole.max(), (ROWS - 1, COLUMNS - 1)) and u.min_place()[1] == (0, 0)
same(u.reduce_along(0, MPI.SUM), whole.sum(0))
assert np.isclose(u.dot(w), (whole * whole).sum()) and np.isclose(u.norm(), np.linalg.norm(whole))
assert u.norm(1) == abs(whole).sum() and u.norm("max") == abs(whole).max() and part.sum() == whole[10:3:-2].sum()

# Elements by indices that are an array, too.
i = grid.array("i", [block(ROWS, on=0)], np.int32)
i.owned[...] = i.indices(0)[::-1].max() - i.indices(0) + i.indices(0).min()
picked = grid.array("picked", [block(ROWS, on=0)])
lookup = Lookup(picked, [i], picked)
lookup.take(picked, picked)
lookup.free()

# Other kinds of numbers, and structures.
for dtype in (np.int32, np.int64, np.float32, np.complex128, np.uint8, [("x", "f8"), ("n", "i8")]):
    k = grid.array("k", [block(6), collapsed(2)], dtype)
    k.fill(np.ones((), dtype)[()])
    assert (k.gather_to_all() == np.ones((6, 2), dtype)).all()

# Files, as numpy's.
if len(sys.argv) > 1:
    for each_rank in (False, True):
        u.save(f"{sys.argv[1]}/u.npy", each_rank)
        assert np.array_equal(np.load(f"{sys.argv[1]}/u.npy"), whole)
        v.fill(0)
        v.load(f"{sys.argv[1]}/u.npy", each_rank)
        same(v, whole)
u.show("u", 0)
show_arrows("arrows", 0, [u, v], u)


def refuses(error, words, call, *args, **more):
    try:
        call(*args, **more)
    except error as what:
        assert words in str(what), what
    else:
        raise AssertionError(f"{call} with {args} and {more} is not refused")


# What makes no sense is an exception that says so.
refuses(ValueError, "dimension", u.own, 7)
refuses(ValueError, "no local part", lambda: part.owned)
refuses(ValueError, "given", grid.array, "less", [block(ROWS), block(COLUMNS)], over=np.zeros((1, 1)))
refuses(ValueError, "float64", grid.array, "other", [block(ROWS)], over=np.zeros(3, np.int32))
refuses(ValueError, "at most 4", grid.array, "many", [2] * 5)
if world.rank == 0:
    refuses(ValueError, "shape", t.scatter, whole)
refuses(ValueError, "norms", u.norm, 3)
refuses(ValueError, "no array", u._core.dot, 3)
refuses(TypeError, "", grid.array, "u", [("a", "b")])
seen = u.local
refuses(BufferError, "looked at", u.free)
del seen
u.free()
refuses(ValueError, "freed", u.sum)

# An array lives as long as numpy looks at it.
kept = grid.array("kept", [block(ROWS)]).local
kept[...] = 3
many = [grid.array("many", [block(1000)]) for _ in range(10)]
assert (kept == 3).all()
world.Barrier()
if world.rank == 0:
    print("arrays as in numpy")
