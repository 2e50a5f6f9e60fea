# Whoever reads what a command says may go (`| head`, a pager that is left): no command panics, and each makes what it was asked for and
# has the status that it would have.
exec 3> >(:) # a pipe that nobody reads
wait $!

# ends STATUS COMMAND…: so it does where its complaints are read, and where they are not.
ends() {
    local status=0 wanted=$1
    shift
    "$@" > said 2> complaints || status=$?
    [ $status = "$wanted" ] || { echo "status $status: $*"; cat said complaints; exit 1; }
    [ -s complaints ] || { echo "$* complains of nothing, and shows nothing here"; exit 1; }
    status=0
    "$@" > unread 2>&3 || status=$?
    [ $status = "$wanted" ] || { echo "status $status where nobody reads: $*"; exit 1; }
    cmp said unread
}

# prints STATUS COMMAND…: that of a command whose page nobody reads, quietly.
prints() {
    local status=0 wanted=$1
    shift
    "$@" >&3 2> complaints || status=$?
    [ "$status $(cat complaints)" = "$wanted " ] || { echo "status $status: $*"; cat complaints; exit 1; }
}

cp "$ROOT/examples/02-ring/ring.c" .
# What the linker merges, and warns of, becomes a program all the same.
echo 'int shared; int main(void) { return shared; }' > a.c
echo 'int shared;' > b.c
ends 0 rankine cc -fcommon a.c b.c -o merged.wasm
rm merged.wasm
rankine cc -fcommon a.c b.c -o merged.wasm 2>&3
rankine run merged.wasm
rankine cc -g ring.c -o ring.wasm
cat > stuck.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int value;
    MPI_Init(&argc, &argv);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
C
rankine cc stuck.c -o stuck.wasm
cp ring.c ring.cpp
ends 1 rankine cc no-such.cpp
ends 0 rankine run -n 2 --profile ring.wasm
ends 0 rankine run -n 2 --check ring.wasm
ends 0 rankine run -v ring.wasm
ends 0 rankine run --tag-output --oversubscribe -n 2 ring.wasm
ends 3 rankine run -n 2 stuck.wasm
ends 2 rankine run --no-such-option ring.wasm
ends 1 rankine run no-such.wasm
ends 1 rankine grid list no-such.toml
rankine sign --new key 2>&3
[ -e key.pub ]

# It may say that there is no launcher.
rankine run --hosts n1,n2 --dry-run ring.wasm >&3 2> complaints
for page in --help 'run --help' 'info --functions' 'info ring.wasm' 'sdk path' 'completions bash' 'cc --help' 'cc -show'; do
    # shellcheck disable=SC2086 # words
    prints 0 rankine $page
done
# A program ends, as a native one does.
printf '#include <stdio.h>\nint main(void) { for (;;) puts("on and on"); }\n' > chatter.c
rankine cc chatter.c -o chatter.wasm
prints 141 rankine run chatter.wasm
[ "$(rankine info --functions | head -n 1 | wc -l)" = 1 ]
