;; A program whose memory may have more than 4 GiB, and whose words have 64 bits. Buffers that lie 4 GiB apart don't overlap,
;; what receives from any source got is read from where nobody else looks, above 4 GiB.
;; ranks: 2
;; engines: local
;; run: --check
;; stderr: rankine: check: nothing found
(module
  (import "mpi" "MPI_Init" (func $init (param i64 i64) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i64 i64) (result i32)))
  (import "mpi" "MPI_Send" (func $send (param i64 i32 i64 i32 i32 i64) (result i32)))
  (import "mpi" "MPI_Recv" (func $recv (param i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (import "mpi" "MPI_Isend" (func $isend (param i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (import "mpi" "MPI_Irecv" (func $irecv (param i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (import "mpi" "MPI_Waitall" (func $waitall (param i32 i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_dup" (func $dup (param i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_free" (func $free (param i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 2 200000)
  (data (i64.const 1024) "OK\n")
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func (export "_start") (local $other i32)
    (if (i64.ne (memory.grow (i64.const 65542)) (i64.const 2)) (then (unreachable)))
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $fine (call $rank (i64.const 0x101) (i64.const 0x100000000)))
    (local.set $other (i32.sub (i32.const 1) (i32.load (i64.const 0x100000000))))
    ;; Eight bytes to where they would lie if addresses were cut; requests lie above 4 GiB, too.
    (call $fine (call $irecv (i64.const 0x800) (i32.const 1) (i64.const 0x20a) (i32.const -1) (i32.const -2)
      (i64.const 0x101) (i64.const 0x100000100)))
    (call $fine (call $isend (i64.const 0x100000800) (i32.const 1) (i64.const 0x20a) (local.get $other) (i32.const 9)
      (i64.const 0x101) (i64.const 0x100000108)))
    (call $fine (call $waitall (i32.const 2) (i64.const 0x100000100) (i64.const 0)))
    (call $fine (call $dup (i64.const 0x101) (i64.const 0x100000110)))
    (call $fine (call $free (i64.const 0x100000110)))
    ;; A long each way, one after the other.
    (if (local.get $other)
      (then
        (call $fine (call $send (i64.const 0x100000400) (i32.const 1) (i64.const 0x20a) (i32.const 1) (i32.const 3)
          (i64.const 0x101)))
        (call $fine (call $recv (i64.const 0x100000400) (i32.const 1) (i64.const 0x20a) (i32.const -1) (i32.const 3)
          (i64.const 0x101) (i64.const 0))))
      (else
        (call $fine (call $recv (i64.const 0x100000400) (i32.const 1) (i64.const 0x20a) (i32.const -1) (i32.const 3)
          (i64.const 0x101) (i64.const 0)))
        (call $fine (call $send (i64.const 0x100000400) (i32.const 1) (i64.const 0x20a) (i32.const 0) (i32.const 3)
          (i64.const 0x101)))))
    (if (i32.eqz (i32.load (i64.const 0x100000000)))
      (then
        (i32.store (i64.const 8) (i32.const 1024))
        (i32.store (i64.const 12) (i32.const 3))
        (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
    (call $fine (call $finalize))))
