;; A program with 64-bit addresses: those above its memory, and above 4 GiB, are refused with an error as those of 32-bit programs are,
;; and so are handles that 32 bits can't hold; the rank goes on. Its error handler is MPI_ERRORS_RETURN (0x143).
;; ranks: 1 2
;; exit: 0
;; stdout: OK
(module
  (import "mpi" "MPI_Init" (func $init (param i64 i64) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i64 i64) (result i32)))
  (import "mpi" "MPI_Bcast" (func $bcast (param i64 i32 i64 i32 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 1 1)
  (data (i64.const 1024) "OK\n")
  (func $refused (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func (export "_start")
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $fine (call $set (i64.const 0x101) (i64.const 0x143)))
    (call $fine (call $set (i64.const 0x102) (i64.const 0x143)))
    (call $refused (call $rank (i64.const 0x101) (i64.const 65536)))
    (call $refused (call $rank (i64.const 0x101) (i64.const 0x100000080)))
    (call $refused (call $rank (i64.const 0x101) (i64.const -128)))
    (call $refused (call $rank (i64.const 0x100000101) (i64.const 128)))
    (call $fine (call $rank (i64.const 0x101) (i64.const 65532)))
    (call $refused (call $bcast (i64.const 65533) (i32.const 1) (i64.const 0x209) (i32.const 0) (i64.const 0x102)))
    (call $refused (call $bcast (i64.const 0x100000080) (i32.const 1) (i64.const 0x209) (i32.const 0) (i64.const 0x102)))
    ;; MPI_LONG has 8 bytes here, and there are 4.
    (call $refused (call $bcast (i64.const 65532) (i32.const 1) (i64.const 0x20a) (i32.const 0) (i64.const 0x102)))
    (call $fine (call $bcast (i64.const 128) (i32.const 1) (i64.const 0x20b) (i32.const 0) (i64.const 0x102)))
    (call $fine (call $bcast (i64.const 4) (i32.const 16383) (i64.const 0x209) (i32.const 0) (i64.const 0x102)))
    (if (i32.eqz (i32.load (i64.const 65532)))
      (then
        (i32.store (i64.const 8) (i32.const 1024))
        (i32.store (i64.const 12) (i32.const 3))
        (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
    (call $fine (call $finalize))))
