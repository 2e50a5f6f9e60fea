;; One page of memory, addresses at and behind its end: each call is refused with an error, and the rank goes on. Its first
;; error handler is MPI_ERRORS_RETURN (0x143) on MPI_COMM_WORLD (0x101) and MPI_COMM_SELF (0x102).
;; ranks: 1 2
;; exit: 0
;; stdout: OK
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i32 i32) (result i32)))
  (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i32 i32) (result i32)))
  (import "mpi" "MPI_Bcast" (func $bcast (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1 1)
  (data (i32.const 1024) "OK\n")
  (func $refused (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func (export "_start")
    (call $fine (call $init (i32.const 0) (i32.const 0)))
    (call $fine (call $set (i32.const 0x101) (i32.const 0x143)))
    (call $fine (call $set (i32.const 0x102) (i32.const 0x143)))
    (call $refused (call $rank (i32.const 0x101) (i32.const 65536)))
    (call $refused (call $rank (i32.const 0x101) (i32.const 65533)))
    (call $fine (call $rank (i32.const 0x101) (i32.const 65532)))
    (call $refused (call $bcast (i32.const 65533) (i32.const 1) (i32.const 0x209) (i32.const 0) (i32.const 0x102)))
    (call $refused (call $bcast (i32.const 4) (i32.const 16384) (i32.const 0x209) (i32.const 0) (i32.const 0x102)))
    (call $fine (call $bcast (i32.const 4) (i32.const 16383) (i32.const 0x209) (i32.const 0) (i32.const 0x102)))
    (if (i32.eqz (i32.load (i32.const 65532)))
      (then
        (i32.store (i32.const 8) (i32.const 1024))
        (i32.store (i32.const 12) (i32.const 3))
        (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
    (call $fine (call $finalize))))
