# Programs in Python as ranks: scripts, modules, code, a prompt; objects and buffers as messages; exceptions, deadlocks, deep recursion; what a
# script may not read or write; packages. On the embedded engine, threads and fibers, and over an MPI library.
# full: it compiles CPython twice
# seconds: 5400
rankine sdk build python > build.log 2>&1 || { tail -n 40 build.log; exit 1; }

fail() { echo "$*"; cat out err; exit 1; }
# runs STATUS COMMAND…: the output is in out and err.
runs() {
    local status=0 expected=$1
    shift
    "$@" > out 2> err < "${input:-/dev/null}" || status=$?
    [ $status = "$expected" ] || fail "$*: status $status"
}
out() { grep -qxF -- "$1" out || fail "stdout lacks: $1"; }
err() { grep -qF -- "$1" err || fail "stderr lacks: $1"; }

cat > work.py <<'P'
import array
import sys
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
everything = world.allgather({"rank": rank, "set": {rank}, "text": "é" * rank, "big": 2**200 + rank})
assert everything == [{"rank": r, "set": {r}, "text": "é" * r, "big": 2**200 + r} for r in range(size)], everything
mine, theirs = array.array("d", [rank] * 100000), array.array("d", bytes(800000))
world.Sendrecv(mine, (rank + 1) % size, 0, theirs, (rank - 1) % size, 0)
assert set(theirs) == {(rank - 1) % size}
total = array.array("q", [0])
world.Allreduce(array.array("q", [rank]), total)
assert total[0] == size * (size - 1) // 2
with memoryview(bytearray(8)) as view:
    world.Bcast(view[2:6] if rank else memoryview(b"\1\2\3\4"), 0)
    assert not rank or bytes(view) == b"\0\0\1\2\3\4\0\0"
# One order of sets everywhere.
assert len(set(world.allgather(tuple({"a", "b", "c", "delta", "e", "f"})))) == 1
if rank == 0:
    print(size, sys.argv, __name__)
P
for how in "-n 1" "-n 2 --threads" "-n 3 --fibers" "-n 8"; do
    # shellcheck disable=SC2086 # words
    runs 0 rankine python $how work.py -n 'a b'
    out "${how//[^0-9]/} ['work.py', '-n', 'a b'] __main__"
done
for ranks in 1 2; do
    runs 0 "$MPI_BIN/mpiexec" -n $ranks rankine python work.py
    out "$ranks ['work.py'] __main__"
done

# Distributed arrays beside numpy's, with files, and on processes of their own.
cp "$ROOT/tests/programs/python_arrays.py" arrays.py
mkdir -p arrays
for how in "-n 1" "-n 2 --threads" "-n 4 --fibers" "-n 6"; do
    # shellcheck disable=SC2086 # words
    runs 0 rankine python $how --dir arrays arrays.py arrays
    out 'arrays as in numpy'
done
runs 0 "$MPI_BIN/mpiexec" -n 2 rankine python arrays.py
out 'arrays as in numpy'

# Who asks whether a file is there is told nothing, and who fails without it what to do; so with files that can't be written.
mkdir -p asks
printf 'import os, sys\nprint(os.path.exists("none.ini"))\nif sys.argv[1:]: open(*sys.argv[1:])\n' > asks/asks.py
for script in asks/asks.py "$PWD/asks/asks.py"; do
    runs 0 rankine python -n 2 "$script"
    out False
    [ ! -s err ] || fail "$script: a file that need not be there"
    runs 1 rankine python "$script" none.ini
    err 'looks for the file none.ini, which is in no folder that is granted: add --dir'
done
runs 1 rankine python asks/asks.py asks/made w
err 'may only read the folder in which made is: add --dir asks'

# Modules of the working folder, of the standard library and of mpi4py; code; the standard input of rank 0; names that aren't beneath the
# working folder, and imports of what lies beside the script.
mkdir -p solver elsewhere/inner
echo 'import sys; from . import part; print(part.name, sys.argv[1:])' > solver/__main__.py
echo 'name = "part"' > solver/part.py
touch solver/__init__.py
runs 0 rankine python -m solver -n 7
out "part ['-n', '7']"
runs 0 rankine python -n 2 -m mpi4py.bench helloworld
[ "$(grep -c 'Hello, World! I am process' out)" = 2 ] || fail "mpi4py.bench"
echo '{"b": 1, "a": [2]}' > in
input=in runs 0 rankine python -m json.tool --compact --sort-keys
out '{"a":[2],"b":1}'
runs 0 rankine python -n 3 -c 'from mpi4py import MPI; print("rank", MPI.COMM_WORLD.rank)'
out 'rank 2'
echo 'print(input() + "!")' > echo.py
echo hello > in
input=in runs 0 rankine python -n 1 echo.py
out 'hello!'
printf 'x = 6\nprint(x * 7)\n' > in
input=in runs 0 rankine python
out 42
runs 2 rankine python -n 2
err 'a prompt is on one rank'
echo 'import helper; print(helper.word, open(__file__).read().count("helper"))' > elsewhere/inner/main.py
echo 'word = "beside"' > elsewhere/inner/helper.py
for name in elsewhere/inner/main.py "$PWD/elsewhere/inner/main.py" solver/../elsewhere/inner/main.py; do
    runs 0 rankine python "$name"
    out 'beside 3'
done
runs 0 rankine python --wdir elsewhere inner/main.py
out 'beside 3'
runs 1 rankine python none.py
err 'none.py to be run'
runs 0 rankine python --version
grep -q '^Python 3\.13\.' out || fail "its version"

# Statuses, exceptions, deadlocks, and calls that are nested too deep.
echo 'import sys; from mpi4py import MPI; sys.exit(MPI.COMM_WORLD.rank + 2)' > leave.py
runs 4 rankine python -n 3 leave.py
cat > wrong.py <<'P'
from mpi4py import MPI
world = MPI.COMM_WORLD
def compute(rank):
    return 1 / (rank - 1)
compute(world.rank)
world.barrier()
P
for how in --threads --fibers; do
    runs 1 rankine python -n 3 $how wrong.py
    err 'rank 1: Traceback (most recent call last):'
    err 'wrong.py", line 4, in compute'
    err 'ZeroDivisionError: '
    ! grep -q 'rank [02]: Traceback' err || fail "another rank has no exception"
done
runs 1 rankine python -c '1 / 0'
err 'ZeroDivisionError'
! grep -q 'rank 0: ' err || fail "there is one rank"
echo 'from mpi4py import MPI; MPI.COMM_WORLD.recv(source=1 - MPI.COMM_WORLD.rank)' > both.py
for how in --threads --fibers; do
    runs 3 rankine python -n 2 $how both.py
    err 'rank 0 waits in MPI_'
    err 'called by <module> (both.py:1)'
done
cat > asked.py <<'P'
import sys
from mpi4py import MPI
def wait(comm):
    if comm.rank == 1:
        print("waits", flush=True)
    comm.recv(source=0)
if MPI.COMM_WORLD.rank == 1:
    wait(MPI.COMM_WORLD)
else:
    sys.stdin.readline()
    MPI.COMM_WORLD.send(None, 1)
P
mkfifo pipe
rankine python -n 2 asked.py < pipe > out 2> err &
job=$!
exec 3> pipe
until grep -q waits out; do sleep 0.2; done
until grep -qF 'called by wait (asked.py:6)' err; do
    kill -QUIT $job
    sleep 0.5
done
echo >&3
exec 3>&-
wait $job
# At a time limit one that sleeps is named by its line; what computes is in the interpreter, which nobody can compile for lines.
cat > late.py <<'P'
import time
from mpi4py import MPI
def rest():
    time.sleep(1000)
if MPI.COMM_WORLD.rank:
    rest()
while True:
    pass
P
for how in --threads --fibers; do
    runs 124 rankine python -n 2 $how --timeout 3 late.py
    err 'rank 1 sleeps in rest (late.py:4)'
    ! grep -q 'compile with -g' err || fail "a script is not compiled"
done
cat > deep.py <<'P'
import json, sys
def down(n):
    return down(n + 1)
for attempt in (lambda: down(0), lambda: json.loads("[" * 100000), lambda: eval("-" * 100000 + "1"), lambda: repr(nested)):
    nested = []
    for _ in range(100000):
        nested = [nested]
    try:
        attempt()
    except (RecursionError, MemoryError, SyntaxError):
        pass
    else:
        sys.exit("it was not too deep")
print("OK")
P
for how in --threads --fibers; do
    runs 0 rankine python -n 2 $how deep.py
    [ "$(grep -c OK out)" = 2 ] || fail "deep.py"
done

# What a script may do: read its folder and the library, write nowhere, except where --dir says so.
echo secret > outside
mkdir jail out_folder
cat > jail/hostile.py <<'P'
import os, sys
library = os.path.dirname(os.__file__)
def refused(what, *arguments, **named):
    try:
        what(*arguments, **named)
    except (OSError, NotImplementedError, AttributeError, ModuleNotFoundError):
        return
    sys.exit(f"{what} of {arguments} was let through")
refused(open, "../outside")
refused(open, sys.argv[1])
refused(open, "/etc/passwd")
refused(os.listdir, "/etc")
for folder in ("jail", library, os.path.join(library, "site-packages", "mpi4py"), "/python", "/"):
    refused(open, os.path.join(folder, "new.py"), "w")
    refused(os.mkdir, os.path.join(folder, "new"))
refused(open, os.path.join(library, "os.py"), "a")
refused(os.unlink, os.path.join(library, "os.py"))
refused(os.rename, os.path.join(library, "os.py"), os.path.join(library, "so.py"))
refused(os.symlink, sys.argv[1], "jail/link")
refused(os.truncate, os.path.join(library, "__pycache__", "os.cpython-313.pyc"), 0)
refused(__import__, "ctypes")
refused(lambda: __import__("subprocess").run(["/bin/true"]))
refused(lambda: os.execv("/bin/true", ["true"]))
refused(lambda: os.system("true") and None)
refused(lambda: __import__("socket").create_connection(("127.0.0.1", 22), 1))
assert [name for name in os.environ if "PATH" in name or "HOME" in name] == ["PYTHONHOME"], dict(os.environ)
print("OK")
P
runs 0 rankine python -n 2 jail/hostile.py "$PWD/outside"
[ "$(grep -c OK out)" = 2 ] || fail "hostile.py"
{ [ "$(cat outside)" = secret ] && [ -z "$(ls out_folder)" ] && [ "$(ls -A jail)" = hostile.py ]; } || fail "something was written"
echo 'open("out_folder/result", "w").write("written")' > save.py
runs 1 rankine python save.py
err 'out_folder'
runs 0 rankine python --dir out_folder save.py
[ "$(cat out_folder/result)" = written ] || fail "it was granted"
data=$(dirname "$(rankine sdk path)")
runs 1 rankine python --dir "$data" save.py
err 'could change'

# Packages of folders and environments, hashes, other variables.
mkdir -p packages/greeting .venv/lib/python3.11/site-packages
echo 'word = "of a folder"' > packages/greeting/__init__.py
echo 'word = "of an environment"' > .venv/lib/python3.11/site-packages/parting.py
runs 0 rankine python --site packages --venv .venv -c 'import greeting, parting; print(greeting.word, parting.word)'
out 'of a folder of an environment'
runs 1 rankine python --venv packages -c 1
err 'no virtual environment'
runs 0 rankine python -c 'print(hash("rankine"))'
cp out hash
runs 0 rankine python -c 'print(hash("rankine"))'
cmp out hash || fail "two hashes"
runs 0 rankine python --env PYTHONHASHSEED=1 -c 'print(hash("rankine"))'
! cmp -s out hash || fail "PYTHONHASHSEED"
runs 0 rankine python -c 'import zlib, bz2, lzma, decimal, hashlib, sysconfig, asyncio, unittest.mock, logging.handlers; print(zlib.decompress(bz2.decompress(lzma.decompress(lzma.compress(bz2.compress(zlib.compress(b"OK")))))))'
out "b'OK'"

# The example: the same numbers with any number of ranks, and as the program in C has them.
example=$ROOT/examples/10-python/heat2d.py
rankine cc -O2 "$ROOT/examples/04-heat2d/heat2d.c" -o heat2d.wasm
rankine run heat2d.wasm 24 400 2> err | grep ^step > last
for ranks in 1 2 4 7; do
    runs 0 rankine python -n $ranks "$example"
    [ "$(tail -n 1 out)" = "$(cat last)" ] || fail "other numbers than in C"
    if [ $ranks = 1 ]; then cp out alone; else cmp out alone || fail "other numbers than alone"; fi
done
sed -n 's/^step /step /p' "$ROOT/examples/10-python/README.md" | diff - alone || fail "the page shows other numbers"
runs 1 rankine python -n 30 "$example"
err 'too many'
