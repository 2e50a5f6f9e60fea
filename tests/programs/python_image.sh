# Ranks that go on from the image of a started interpreter, and ranks that start one: a script sees the same, but for the modules that are
# imported already. What is of one run alone; ends of programs; lines of Python in profiles and findings.
# full: it needs Python
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
err() { grep -qF -- "$1" err || fail "stderr lacks: $1"; }
loads() { # image|python: which of them the last run had
    grep -qF "/$1.wasm" err || fail "it was not $1.wasm"
}
# What the last run said beside its log, in any order: nobody says which of two objects goes first.
said() { sed '/^ INFO /d' err | sort; }

# Everything that a program can ask of its interpreter. A module in the folder that the image has too keeps it from being used.
cat > ask.py <<'P'
import atexit
import os
import sys
import time

streams = [(s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.write_through, s.fileno(), s.isatty()) for s in (sys.stdin, sys.stdout, sys.stderr)]
for what in (
    sys.argv, sys.orig_argv[1:], sys.path, sys.flags, sys.warnoptions, streams, sorted(os.environ.items()), os.getcwd(), time.tzname,
    __name__, __file__, sorted(name for name in globals() if name != "numpy"), sys.getrecursionlimit(), sys.stdin is sys.__stdin__,
    sorted(vars(sys)), sys.stdin.read(), sys.modules["__main__"].__dict__ is globals(), hash("rankine"), sys.getfilesystemencoding(), sys.prefix,
):
    print(what)


class Says:
    def __init__(self, word):
        self.word = word

    def __del__(self):
        print("gone:", self.word, file=sys.stderr)


kept, ring = Says("global"), [Says("ring")]
ring.append(ring)
atexit.register(print, "at exit", file=sys.stderr)
import beside

import mpi4py.MPI as MPI

MPI.COMM_WORLD.barrier()
print(MPI.Query_thread(), MPI.COMM_WORLD.Get_errhandler() == MPI.ERRORS_RETURN)
sys.stdout.write("no end of a line")
if sys.argv[1:] == ["5"]:
    sys.exit(5)
elif sys.argv[1:] == ["x"]:
    raise SystemExit("in words")
elif sys.argv[1:] == ["e"]:
    1 / 0
P
echo 'import __main__; kept = __main__.Says("of a module")' > beside.py
echo 'typed' > in
mkdir folder
input=in
for words in "ask.py" "ask.py 5" "ask.py x" "ask.py e" "-m ask a" "-c code a" "-"; do
    # shellcheck disable=SC2206 # words
    command=($words)
    [ "${command[0]}" != -c ] || command=(-c "import sys; print(sys.argv, sys.orig_argv[1:], sys.path, __name__)" a)
    case $words in *5) status=5 ;; *x | *e) status=1 ;; *) status=0 ;; esac
    [ "$words" != - ] || { input=ask.py; sed -i 's/sys.stdin.read()/0/; s/^import beside//' ask.py; }
    for threads in --threads --fibers; do
        rm -f random.py
        runs $status rankine python -v $threads --env FOO=1 --dir folder::/tmp --site folder "${command[@]}"
        [ "$words" = - ] || loads image
        cp out image.out
        said > image.err
        [ "$words" = - ] || touch random.py
        runs $status rankine python -v $threads --env FOO=1 --dir folder::/tmp --site folder "${command[@]}"
        loads python
        diff image.out out || fail "other output of $words"
        diff image.err <(said) || fail "other words at the end of $words"
    done
done
rm -f random.py
unset input

# What the interpreter or a module reads while it starts is read.
runs 0 rankine python -v --env PYTHONHASHSEED=1 -c 'pass'
loads python
runs 0 rankine python -v -O -c 'assert False'
loads python
runs 0 rankine python -v --env MPI4PY_RC_INITIALIZE=no -c 'from mpi4py import MPI; assert not MPI.Is_initialized()'
loads image
runs 0 rankine python -c 'import mpi4py; mpi4py.rc.threads = False; from mpi4py import MPI; assert MPI.Query_thread() == MPI.THREAD_SINGLE'
mkdir -p site other
echo 'import builtins; builtins.custom = 7' > site/sitecustomize.py
runs 0 rankine python --site site -c 'assert custom == 7'
echo 'word = "own"' > other/textwrap.py
echo 'import textwrap; assert textwrap.word == "own"' > other/main.py
runs 0 rankine python other/main.py

# Nothing of one rank or run is another's: random numbers, and what a rank changes.
cat > alone.py <<'P'
import random
import sys
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
drawn = world.allgather((random.random(), np.random.random(), int(np.random.default_rng().integers(1 << 60))))
assert all(len(set(numbers)) == world.size for numbers in zip(*drawn)), drawn
np.rank = world.rank
sys.modules["random"].gauss = world.rank
assert world.allgather(np.rank) == list(range(world.size)) == world.allgather(random.gauss)
print(drawn[0][0])
P
runs 0 rankine python -n 64 alone.py
head -n 1 out > first
runs 0 rankine python -n 64 alone.py
! cmp -s <(head -n 1 out) first || fail "random numbers of two runs are the same"
runs 0 "$MPI_BIN/mpiexec" -n 2 rankine python alone.py

# A full disk is said at the end.
status=0
rankine python -c 'print("lost")' > /dev/full 2> err || status=$?
[ $status = 1 ] || fail "a full disk: status $status"
err 'rankine: the standard output: no storage space'

# Lines of Python in a profile, and where a mistake is.
cat > told.py <<'P'
import numpy as np
from mpi4py import MPI


def exchange(comm):
    mine, theirs = np.zeros(10), np.zeros(10)
    comm.Sendrecv(mine, 1 - comm.rank, 0, theirs, 1 - comm.rank, 0)


for _ in range(5):
    exchange(MPI.COMM_WORLD)
lost = MPI.COMM_WORLD.Dup()
P
for how in --threads --fibers; do
    runs 0 rankine python -n 2 $how --profile told.py
    grep -q 'MPI_Sendrecv.* exchange (told.py:7)' out err || fail "no line of the exchange"
    runs 4 rankine python -n 2 $how --check told.py
    err '<module> (told.py:12)'
done
