# numpy as it is linked to the interpreter: products, factorisations and transforms by the host and by what stands behind it, random
# numbers as natively, arrays as messages on 1 to 64 ranks, arrays in the live view, and numpy's own tests of arrays, linear
# algebra, transforms and random numbers. What is known to fail of these stands in python_numpy.txt, with the reason.
# full: it needs Python, and takes minutes
# seconds: 5400
rankine sdk build python > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
parts=$(dirname "$(rankine sdk path)")
sources=${RANKINE_PYTHON_SOURCES:-$parts/cache/python-sources}

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
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
near = np.testing.assert_allclose
rng = np.random.default_rng(7)


def product(a, b):
    return sum(a[:, k, None] * b[None, k, :] for k in range(a.shape[1]))


for kind, close in (np.float64, 1e-9), (np.float32, 1e-3), (np.complex128, 1e-9), (np.complex64, 1e-3):
    def numbers(*shape):
        real, imaginary = rng.standard_normal((2, *shape))
        return (real + 1j * imaginary if np.issubdtype(kind, np.complexfloating) else real).astype(kind)

    a, b, c, v, w = numbers(40, 30), numbers(30, 50), numbers(33, 33), numbers(30), numbers(40)
    # Every order of both factors, parts of larger matrices, vectors, and a matrix by itself.
    for left in a, np.asfortranarray(a), np.repeat(a, 2, axis=0)[::2]:
        for right in b, np.asfortranarray(b), np.repeat(b, 2, axis=1)[:, ::2]:
            near(left @ right, product(a, b), close, close)
        near(left @ v, product(a, v[:, None])[:, 0], close, close)
        near(w @ left, product(w[None], a)[0], close, close)
        near(left @ left.T, product(a, a.T), close, close)
        near(left.T @ left, product(a.T, a), close, close)
    near(np.dot(v, v), (v * v).sum(), close)
    near(np.vdot(v, v), (v.conj() * v).sum(), close)
    near(np.dot(v[::3], v[::3]), (v[::3] ** 2).sum(), close)
    near(c @ np.linalg.inv(c), np.eye(33), 10 * close, 10 * close)
    near(c @ np.linalg.solve(c, c[:, 0]), c[:, 0], 10 * close, 10 * close)
    u, s, vh = np.linalg.svd(a)
    near((u[:, :30] * s) @ vh, a, close, close)
    q, r = np.linalg.qr(a)
    near(q @ r, a, close, close)
    values, vectors = np.linalg.eig(c)
    near(c @ vectors, vectors * values, 10 * close, 10 * close)
    near(np.linalg.det(c), np.prod(values), 100 * close)
    positive = c @ c.conj().T + 33 * np.eye(33, dtype=kind)
    l = np.linalg.cholesky(positive)
    near(l @ l.conj().T, positive, close, 10 * close)
    near(np.linalg.eigvalsh(positive).sum(), positive.trace().real, close)

for kind, close in (np.float64, 1e-11), (np.float32, 1e-4):
    for n in 8, 30, 64, 97, 1000, 1021:
        x = rng.standard_normal((3, n)).astype(kind)
        z = (x + 1j * x[:, ::-1]).astype(np.result_type(kind, np.complex64))
        waves = np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
        whole = z.astype(complex) @ waves
        limit = dict(rtol=close, atol=close * n)
        for lines in z, np.asfortranarray(z), np.repeat(z, 2, axis=1)[:, ::2]:
            near(np.fft.fft(lines), whole, **limit)
            near(np.fft.ifft(np.fft.fft(lines)), z, **limit)
            near(np.fft.fft(lines, norm="ortho"), whole / np.sqrt(n), **limit)
        near(np.fft.fft(z.T, axis=0).T, whole, **limit)
        near(np.fft.rfft(x), (x.astype(complex) @ waves)[:, : n // 2 + 1], **limit)
        near(np.fft.irfft(np.fft.rfft(x), n), x, **limit)
        near(np.fft.fft(z, 2 * n)[:, ::2], whole, **limit)
        near(np.fft.fft(z, n // 2), np.fft.fft(z[:, : n // 2].copy()), **limit)
        same = z.copy()
        np.fft.fft(same, out=same)
        near(same, whole, **limit)
    assert np.fft.fft(z).dtype == z.dtype and np.fft.rfft(x).dtype == z.dtype
near(np.fft.ifft2(np.fft.fft2(rng.standard_normal((24, 36)))).imag, 0, atol=1e-12)

# What these generators give on any machine.
near(np.random.default_rng(42).random(3), [0.77395605, 0.43887844, 0.85859792], 1e-7)
near(np.random.RandomState(1).rand(3), [4.17022005e-01, 7.20324493e-01, 1.14374817e-04], 1e-7)
assert np.random.RandomState(1).multinomial(20, [1 / 6] * 6).sum() == 20
assert np.random.default_rng(1).negative_binomial(5, 0.5, 4).tolist() == np.random.default_rng(1).negative_binomial(5, 0.5, 4).tolist()
assert (np.random.RandomState(3).negative_binomial(5, 0.5, 100) >= 0).all()

mine, theirs = np.full((300, 70), rank, dtype=np.float64), np.empty((300, 70))
world.Sendrecv(mine, (rank + 1) % size, 0, theirs, (rank - 1) % size, 0)
assert (theirs == (rank - 1) % size).all()
total = np.empty(5, dtype=np.int64)
world.Allreduce(np.arange(5, dtype=np.int64) + rank, total)
assert (total == size * np.arange(5) + size * (size - 1) // 2).all()
world.Allreduce(MPI.IN_PLACE, total, op=MPI.MAX)
rows = np.zeros((size, 3), dtype=np.complex64)
world.Allgather(np.full(3, rank + 1j, dtype=np.complex64), rows)
assert (rows == (np.arange(size) + 1j)[:, None]).all()
objects = world.allgather({"array": np.arange(rank + 1)[::-1], "rank": np.int64(rank)})
assert all((each["array"] == np.arange(r + 1)[::-1]).all() and each["rank"] == r for r, each in enumerate(objects))
print("OK", np.__version__, size) if rank == 0 else None
P
for how in "-n 1" "-n 2 --threads" "-n 3 --fibers" "-n 64" "-n 1 --reproducible"; do
    # shellcheck disable=SC2086 # words
    runs 0 rankine python $how work.py
    grep -q '^OK 2\.' out || fail "$how"
done
runs 0 "$MPI_BIN/mpiexec" -n 2 rankine python work.py
grep -q '^OK 2\.' out || fail "on an MPI library"

# The host multiplies, and doesn't where it is told not to.
echo 'import numpy; numpy.show_config()' > config.py
runs 0 rankine python config.py
grep -q rankine out || fail "numpy doesn't name its BLAS"

# Arrays in a recording, which shows that they were published as they are; wrong ones are refused with a reason.
cat > shown.py <<'P'
import array
import numpy as np
from mpi4py import MPI
from rankine import view

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
speed = view.number("speed", 1.5, 0, 2, 0.5)
choice, button = view.choice("colour", ["red", "green"], 1), view.button("again")
whole = np.arange(6 * 8 * size, dtype=np.float64).reshape(6 * size, 8)
for step in range(3):
    view.update()
    part = np.zeros((8, 10))
    part[1:-1, 1:-1] = whole[6 * rank : 6 * rank + 6] + step
    view.field("inside", step, part[1:-1, 1:-1], shape=whole.shape, start=(6 * rank, 0))
    view.points("points", step, np.array([[rank, step, 2.0]] * 5), np.arange(5.0), within=[0, 9, 0, 9, 0, 9])
    up = 2 * part
    view.arrows("wind", step, part[1:-1, 1:-1], up[1:-1, 1:-1], shape=whole.shape, start=(6 * rank, 0))
    if rank == 0:
        view.curve("residual", step, 1 / (step + 1))
        view.text("words", "step é")
    view.scale("inside", "m/s", 0, 100)
    view.axis("inside", "x", "length", "m", 0, 0.5)
assert (speed.value, choice.value, button.value) == (1.5, 1, 0)
for wrong, kind in (np.zeros(3), ValueError), (np.zeros((2, 2), dtype=bool), TypeError), (np.zeros((1, 2, 3, 4)), ValueError), (3, TypeError):
    try:
        view.field("wrong", 0, wrong)
    except kind:
        continue
    raise AssertionError(wrong)
try:
    view.field("outside", 0, np.zeros((2, 2)), shape=(2, 2), start=(1, 1))
except ValueError:
    print("refused")
P
runs 0 rankine python -n 2 shown.py # nobody looks
runs 0 rankine python -n 2 --record shown.rkv shown.py
[ "$(grep -c refused out)" = 2 ] || fail "a part outside of the whole"
rankine view --export inside.npy --field inside --step 0 shown.rkv
cat > look.py <<'P'
import numpy as np
assert (np.load("inside.npy") == np.arange(96).reshape(12, 8)).all()
P
runs 0 rankine python look.py
rankine view --list shown.rkv > out
for word in speed colour again residual words wind points; do grep -qF "$word" out || fail "the recording lacks $word"; done

# numpy's own tests: its package as it is built, with the tests of the archive.
mkdir -p packages
cp -r "$parts/python/lib/python3.13/site-packages/numpy" packages/
tar -xf "$sources"/numpy-2.*.tar.gz -C packages --strip-components=1 --wildcards '*/numpy/*/tests' '*/numpy/conftest.py'
python3 -m pip install -q --target packages pytest==8.4.2 hypothesis==6.130.0
mkdir tmp
rankine python -n 3 --site packages --dir tmp::/tmp --env TMPDIR=/tmp \
    --env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 "$ROOT/tests/programs/python_numpy.py" \
    "$PWD/packages" "$ROOT/tests/programs/python_numpy.txt" _core linalg fft random > said 2>&1 || { cat said; exit 1; }
tail -n 1 said
