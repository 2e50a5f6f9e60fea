# An attacker and a program of one page of memory in one job: what the one may touch of the other is measured by the other's memory, table and
# types, in one process and over an MPI library.
cat > small.wat <<'END'
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
  (import "mpi" "MPI_Comm_set_errhandler" (func $set_errhandler (param i32 i32) (result i32)))
  (import "mpi" "MPI_Recv" (func $recv (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Allreduce" (func $allreduce (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Win_create" (func $win_create (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Win_create_dynamic" (func $win_dynamic (param i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Win_attach" (func $attach (param i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Win_free" (func $win_free (param i32) (result i32)))
  (memory (export "memory") 1 1)
  (data (i32.const 16) "small is well\n")
  ;; Ends with a status that says where.
  (func $must (param $holds i32) (param $where i32)
    (if (i32.eqz (local.get $holds)) (then (call $exit (local.get $where)))))
  (func $succeeds (param $code i32) (param $where i32)
    (call $must (i32.eqz (local.get $code)) (local.get $where)))
  (func (export "_start")
    (call $succeeds (call $init (i32.const 0) (i32.const 0)) (i32.const 21))
    (call $succeeds (call $set_errhandler (i32.const 0x101) (i32.const 0x143)) (i32.const 22))
    ;; All of its memory but the first KiB is a window.
    (call $succeeds (call $win_create (i32.const 1024) (i32.const 64512) (i32.const 1) (i32.const 0x130) (i32.const 0x101) (i32.const 64))
      (i32.const 23))
    (call $succeeds (call $barrier (i32.const 0x101)) (i32.const 24))
    (call $succeeds (call $barrier (i32.const 0x101)) (i32.const 25))
    (call $must (i32.eq (i32.load (i32.const 65532)) (i32.const 4711)) (i32.const 26))
    (call $must (i32.eqz (i32.load (i32.const 2048))) (i32.const 27))
    (call $succeeds (call $win_free (i32.const 64)) (i32.const 28))
    ;; The last bytes of it are attached.
    (call $succeeds (call $win_dynamic (i32.const 0x130) (i32.const 0x101) (i32.const 64)) (i32.const 29))
    (call $succeeds (call $attach (i32.load (i32.const 64)) (i32.const 65520) (i32.const 16)) (i32.const 30))
    (call $succeeds (call $barrier (i32.const 0x101)) (i32.const 31))
    (call $succeeds (call $barrier (i32.const 0x101)) (i32.const 32))
    (call $must (i32.eq (i32.load (i32.const 65532)) (i32.const 4712)) (i32.const 33))
    (call $succeeds (call $win_free (i32.const 64)) (i32.const 34))
    ;; Two integers fit where a hundred come, and no buffer ends behind the memory.
    (call $must (call $recv (i32.const 65528) (i32.const 3) (i32.const 0x209) (i32.const 0) (i32.const 1) (i32.const 0x101) (i32.const 0))
      (i32.const 35))
    (call $must (call $recv (i32.const 65528) (i32.const 2) (i32.const 0x209) (i32.const 0) (i32.const 1) (i32.const 0x101) (i32.const 0))
      (i32.const 36))
    ;; Its own operation is a sum; the other one's is a function of a table that this module doesn't have.
    (i32.store (i32.const 128) (i32.const 1))
    (drop (call $allreduce (i32.const 128) (i32.const 132) (i32.const 1) (i32.const 0x209) (i32.const 0x21) (i32.const 0x101)))
    (call $succeeds (call $barrier (i32.const 0x101)) (i32.const 37))
    (i32.store (i32.const 0) (i32.const 16))
    (i32.store (i32.const 4) (i32.const 14))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $succeeds (call $finalize) (i32.const 38))))
END
cat > large.c <<'END'
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition) ((condition) ? (void)0 : (fprintf(stderr, "line %d\n", __LINE__), MPI_Abort(MPI_COMM_WORLD, 99), (void)0))
#define FINE(call) MUST((call) == MPI_SUCCESS)
#define REFUSED(call) MUST((call) != MPI_SUCCESS)

static int numbers[100];

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Every kind of access there is refused. */
static void beyond(MPI_Win window, MPI_Aint place)
{
    int one = 1, got = 0;
    MPI_Request request;
    REFUSED(MPI_Put(&one, 1, MPI_INT, 1, place, 1, MPI_INT, window));
    REFUSED(MPI_Get(&got, 1, MPI_INT, 1, place, 1, MPI_INT, window));
    REFUSED(MPI_Accumulate(&one, 1, MPI_INT, 1, place, 1, MPI_INT, MPI_SUM, window));
    REFUSED(MPI_Fetch_and_op(&one, &got, MPI_INT, 1, place, MPI_SUM, window));
    REFUSED(MPI_Compare_and_swap(&one, &one, &got, MPI_INT, 1, place, window));
    REFUSED(MPI_Rput(&one, 1, MPI_INT, 1, place, 1, MPI_INT, window, &request));
}

int main(int argc, char **argv)
{
    MPI_Win window;
    MPI_Op op;
    // Four megabytes, which lie where the other one has no memory.
    char *mine = calloc(1 << 22, 1);
    int value = 4711;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MUST((uintptr_t)mine > 65536);
    FINE(MPI_Win_create(mine, 1 << 22, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    FINE(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    FINE(MPI_Barrier(MPI_COMM_WORLD));
    FINE(MPI_Win_lock_all(0, window));
    FINE(MPI_Put(&value, 1, MPI_INT, 1, 64508, 1, MPI_INT, window));
    static const MPI_Aint places[] = {64509, 64512, 65536, 1 << 20, (1 << 22) - 4, INT32_MAX, -4, -1024};
    for (int i = 0; i < 8; i++)
        beyond(window, places[i]);
    // Within this rank's own part all of it is fine, but for its end.
    FINE(MPI_Put(&value, 1, MPI_INT, 0, (1 << 22) - 4, 1, MPI_INT, window));
    REFUSED(MPI_Put(&value, 1, MPI_INT, 0, (1 << 22) - 3, 1, MPI_INT, window));
    FINE(MPI_Win_unlock_all(window));
    FINE(MPI_Barrier(MPI_COMM_WORLD));
    FINE(MPI_Win_free(&window));

    FINE(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    FINE(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    FINE(MPI_Win_attach(window, mine, 1 << 22));
    FINE(MPI_Barrier(MPI_COMM_WORLD));
    FINE(MPI_Win_lock_all(0, window));
    value++;
    FINE(MPI_Put(&value, 1, MPI_INT, 1, 65532, 1, MPI_INT, window));
    beyond(window, 65533);
    beyond(window, 65516);
    beyond(window, 65536);
    beyond(window, (MPI_Aint)mine);
    FINE(MPI_Win_unlock_all(window));
    FINE(MPI_Barrier(MPI_COMM_WORLD));
    FINE(MPI_Win_free(&window));

    FINE(MPI_Send(numbers, 100, MPI_INT, 1, 1, MPI_COMM_WORLD));
    FINE(MPI_Op_create(add, 1, &op));
    numbers[0] = 1;
    MPI_Allreduce(numbers, numbers + 1, 1, MPI_INT, op, MPI_COMM_WORLD);
    FINE(MPI_Barrier(MPI_COMM_WORLD));
    puts("large is well");
    MPI_Finalize();
    return 0;
}
END
rankine cc -o large.wasm large.c
expected="large is well
small is well"
for ranks in --threads --fibers; do
    diff <(rankine run $ranks large.wasm : small.wat | sort) - <<< "$expected"
done
diff <("$MPI_BIN/mpiexec" -n 1 rankine run large.wasm : -n 1 rankine run small.wat | sort) - <<< "$expected"
