# mpi4py's own tests, of the archive that Python was built with, on 1 to 4 ranks, threads and fibers, and on two over an MPI library.
# What is known to fail stands in python_mpi4py.txt, with the reason.
# full: it needs Python, and takes minutes
# seconds: 5400
rankine sdk build python > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
sources=${RANKINE_PYTHON_SOURCES:-$(dirname "$(rankine sdk path)")/cache/python-sources}
tar -xf "$sources"/mpi4py-*.tar.gz --strip-components=1 --wildcards '*/test'
mkdir tmp
for how in "-n 1" "-n 2 --threads" "-n 2 --fibers" "-n 3" "-n 4 --threads" "-n 4 --fibers" mpi; do
    # shellcheck disable=SC2206 # words
    command=(rankine python $how)
    [ "$how" != mpi ] || command=("$MPI_BIN/mpiexec" -n 2 rankine python)
    "${command[@]}" --dir-ro test --dir tmp::/tmp --env TMPDIR=/tmp \
        "$ROOT/tests/programs/python_mpi4py.py" test "$ROOT/tests/programs/python_mpi4py.txt" > said 2>&1 || { echo "$how"; cat said; exit 1; }
    grep " tests, .* skipped, " said
done
