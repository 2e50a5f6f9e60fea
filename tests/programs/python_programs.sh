# Programs in Python that nobody here wrote, unchanged: those of mpi4py's tutorial, and its demos, of the archive that Python was built
# with. On the embedded engine, threads and fibers, and over an MPI library.
#
# Left out: what spawns a Python, which no guest can; what needs cupy or an older numpy; nxtval-threads.py, which starts threads;
# nxtval-mpi3.py, which sets its counter while others may count already.
# full: it needs Python
# seconds: 3600
rankine sdk build python > build.log 2>&1 || { tail -n 40 build.log; exit 1; }
sources=${RANKINE_PYTHON_SOURCES:-$(dirname "$(rankine sdk path)")/cache/python-sources}
tar -xf "$sources"/mpi4py-*.tar.gz --strip-components=1 --wildcards '*/demo' '*/docs/source/tutorial.rst'

# The tutorial's programs are indented blocks behind a line that ends with two colons.
mkdir tutorial
python3 - <<'P'
import pathlib
import textwrap

lines = pathlib.Path("docs/source/tutorial.rst").read_text().split("\n")
indent = lambda line: len(line) - len(line.lstrip())
programs = 0
for number, line in enumerate(lines):
    if not line.endswith("::"):
        continue
    behind = number + 1
    while behind < len(lines) and (not lines[behind].strip() or indent(lines[behind]) > indent(line)):
        behind += 1
    program = textwrap.dedent("\n".join(lines[number + 1 : behind])).strip("\n") + "\n"
    is_whole = "from mpi4py import MPI" in program and ">>>" not in program
    if is_whole and not any(word in program for word in ("cupy", "Spawn", "Get_parent", "dtype=np.int)")):
        pathlib.Path(f"tutorial/{number + 1}.py").write_text(program)
        programs += 1
assert programs >= 13, programs
P

said=$PWD/said
run() {
    timeout 300 "$@" > "$said" 2>&1 < /dev/null || { echo "$*"; cat "$said"; exit 1; }
}
(
    # They write to the folder that they run in.
    cd tutorial
    for program in *.py; do
        run rankine python -n 4 --threads --dir . "$program"
        run rankine python -n 4 --fibers --dir . "$program"
        # Over MPICH those with windows wait for ever natively, too.
        grep -q 'MPI.Win' "$program" || run "$MPI_BIN/mpiexec" -n 2 rankine python --dir . "$program"
    done
) || exit 1
for program in demo/helloworld.py demo/nxtval/nxtval-onesided.py demo/nxtval/nxtval-scalable.py demo/sequential/test_seq.py; do
    run rankine python -n 4 --threads "$program"
    run rankine python -n 4 --fibers "$program"
done
(
    cd demo/mpi-ref-v1
    for program in ex-*.py; do
        run rankine python -n 2 "$program"
    done
) || exit 1
run rankine python -n 5 demo/reductions/test_reductions.py -q
run rankine python -n 2 demo/mandelbrot/mandelbrot.py
for program in cpi-cco cpi-rma; do
    printf '1000\n0\n' | timeout 300 rankine python -n 4 demo/compute-pi/$program.py > said 2>&1 || { cat said; exit 1; }
    grep -q 'pi is approximately 3.14159' said || { echo $program; cat said; exit 1; }
done
for program in allgather alltoall alltoallv barrier bcast bibw bw gather latency multi_lat scatter; do
    run rankine python -n 2 demo/osu_$program.py
    [ "$(grep -c . said)" -gt 2 ] || { echo "osu_$program.py says too little"; cat said; exit 1; }
done
