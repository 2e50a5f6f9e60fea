# Python in a wheel of Rankine's: what pip installs runs programs with numpy and mpi4py, with a home of its own and no compiler.
# full: it builds Python
# seconds: 5400
rankine sdk build python > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
export RANKINE_CLONE=$ROOT
packager=$ROOT/target/release/rankine-package
binary=$(command -v rankine)
RANKINE_DATA_DIR=$(dirname "$(rankine sdk path)") "$packager" package --python --binary "$binary" --out "$PWD/made" > package.log 2>&1 ||
    { cat package.log; exit 1; }
if RANKINE_DATA_DIR=$PWD/none "$packager" package --python --binary "$binary" --out "$PWD/other" 2> refused.log; then exit 1; fi
grep -q "there is no Python in $PWD/none/python: rankine sdk build python" refused.log || { cat refused.log; exit 1; }
python3 -m venv venv
venv/bin/pip install -q --no-index --no-cache-dir --disable-pip-version-check made/rankine-*.whl
mkdir sums
cat > sums/sum.py <<'P'
import numpy
from mpi4py import MPI
from rankine import arrays, view
print("sum", MPI.COMM_WORLD.allreduce(int(numpy.arange(4).sum())))
P
installed() { env -i HOME="$PWD/home" PATH=/usr/bin:/bin venv/bin/rankine "$@"; }
installed python -n 3 sums/sum.py > out 2> err || { cat out err; exit 1; }
[ "$(grep -cx 'sum 18' out)" = 3 ] || { cat out err; exit 1; }
venv/bin/pip uninstall -q -y rankine
[ ! -e venv/share/rankine/python/python.wasm ]
