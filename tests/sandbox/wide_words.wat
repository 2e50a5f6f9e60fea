;; A program with 64-bit addresses: handles and MPI_Aints have 8 bytes in its memory. One of which only 4 lie in it is refused, as is a
;; handle with a bit above the 32nd; an attribute keeps all of its bits. The rank goes on. Its error handler is MPI_ERRORS_RETURN (0x143).
;; ranks: 1
;; engines: local
;; exit: 0
;; stdout: OK
(module
  (import "mpi" "MPI_Init" (func $init (param i64 i64) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_dup" (func $dup (param i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_free" (func $free (param i64) (result i32)))
  (import "mpi" "MPI_Type_get_extent" (func $extent (param i64 i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_create_keyval" (func $keyval (param i64 i64 i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_set_attr" (func $set_attr (param i64 i32 i64) (result i32)))
  (import "mpi" "MPI_Comm_get_attr" (func $get_attr (param i64 i32 i64 i64) (result i32)))
  (import "mpi" "MPI_Alloc_mem" (func $alloc (param i64 i64 i64) (result i32)))
  (import "mpi" "MPI_Waitall" (func $waitall (param i32 i64 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 1 1)
  (data (i64.const 1024) "OK\n")
  (func $refused (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func $same (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then (unreachable))))
  (func (export "_start")
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $fine (call $set (i64.const 0x101) (i64.const 0x143)))
    (call $fine (call $set (i64.const 0x102) (i64.const 0x143)))
    ;; A handle at the end of the memory, whose upper half is written.
    (i64.store (i64.const 65528) (i64.const -1))
    (call $fine (call $dup (i64.const 0x102) (i64.const 65528)))
    (if (i32.load (i64.const 65532)) (then (unreachable)))
    (call $refused (call $dup (i64.const 0x102) (i64.const 65532)))
    (i32.store (i64.const 65532) (i32.const 1))
    (call $refused (call $free (i64.const 65528)))
    (i32.store (i64.const 65532) (i32.const 0))
    (call $fine (call $free (i64.const 65528)))
    ;; MPI_LONG has 8 bytes, and so has its extent.
    (call $fine (call $extent (i64.const 0x20a) (i64.const 128) (i64.const 136)))
    (call $same (i64.load (i64.const 136)) (i64.const 8))
    (call $refused (call $extent (i64.const 0x20a) (i64.const 128) (i64.const 65532)))
    (call $fine (call $keyval (i64.const 0) (i64.const 0) (i64.const 128) (i64.const 0)))
    (call $fine (call $set_attr (i64.const 0x102) (i32.load (i64.const 128)) (i64.const 0x123456789abcdef0)))
    (call $fine (call $get_attr (i64.const 0x102) (i32.load (i64.const 128)) (i64.const 136) (i64.const 144)))
    (call $same (i64.load (i64.const 136)) (i64.const 0x123456789abcdef0))
    ;; More than there is, of which the lower half would be little.
    (call $refused (call $alloc (i64.const 0x100000008) (i64.const 0x130) (i64.const 136)))
    ;; Of two requests one lies in the memory.
    (i64.store (i64.const 65528) (i64.const 0x180))
    (call $fine (call $waitall (i32.const 1) (i64.const 65528) (i64.const 0)))
    (call $refused (call $waitall (i32.const 2) (i64.const 65528) (i64.const 0)))
    (i64.store (i64.const 65528) (i64.const 0x100000180))
    (call $refused (call $waitall (i32.const 1) (i64.const 65528) (i64.const 0)))
    (i32.store (i64.const 8) (i32.const 1024))
    (i32.store (i64.const 12) (i32.const 3))
    (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))
    (call $fine (call $finalize))))
