# Where Python is not built, or what is asked for is no command line of it, the answer says what to do. None of this needs Python.
export RANKINE_DATA_DIR=$PWD/data
mkdir data
answers() { # STATUS WORDS COMMAND…
    local status=0 expected=$1 words=$2
    shift 2
    "$@" > out 2>&1 < /dev/null || status=$?
    { [ $status = "$expected" ] && grep -qF -- "$words" out; } || { echo "$*: status $status"; cat out; exit 1; }
}
echo 'print(1)' > a.py
# shellcheck disable=SC2016 # backticks of the answer
answers 1 'run `rankine sdk build python` once' rankine python a.py
answers 2 'there is no option --lable; did you mean --label?' rankine python --lable a.py
answers 2 '-m needs what is to be run' rankine python -n 2 -m
answers 2 '--site names a folder' rankine python --site
printf '# both are linked\nNumPy >= 2\nmpi4py\n' > both.txt
answers 0 'linked in: numpy 2.' rankine python --pip-check both.txt
answers 0 'linked in: mpi4py 4.' rankine python --pip-check=both.txt
answers 1 'names no package' rankine python --pip-check /dev/null
answers 1 'cannot read none.txt' rankine python --pip-check none.txt
answers 2 '--pip-check names a file' rankine python --pip-check
answers 0 'rankine python -n 4 heat.py' rankine python --help
answers 0 'import packages of a virtual environment' rankine python -n 4 -h
