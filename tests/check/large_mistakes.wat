;; What is wrong in a program whose memory may have more than 4 GiB is found, and told with whole addresses: a message of another
;; type for a receive from any source, a buffer that is changed, two that overlap, and a communicator that is left.
;; ranks: 2
;; engines: local
;; run: --check
;; exit: 4
;; stderr: rankine: check: 4 findings
;; stderr: element 0 is an 8-byte integer in the one and a 4-byte integer in the other
;; stderr: MPI_Send(buf=0x100000400, count=1, datatype=MPI_LONG, dest=0, tag=7,
;; stderr: MPI_Recv(buf=0x100000800, count=2, datatype=MPI_INT, source=MPI_ANY_SOURCE,
;; stderr: MPI_Isend(buf=0x100000c00,
;; stderr: MPI_Irecv(buf=0x10000100c,
;; stderr: made by ranks 0, 1 at
;; stderr: newcomm=0x100000110
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
  (memory (export "memory") i64 2 200000)
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func (export "_start")
    (if (i64.ne (memory.grow (i64.const 65542)) (i64.const 2)) (then (unreachable)))
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $fine (call $rank (i64.const 0x101) (i64.const 0x100000000)))
    (call $fine (call $dup (i64.const 0x101) (i64.const 0x100000110)))
    (if (i32.load (i64.const 0x100000000))
      (then
        (call $fine (call $send (i64.const 0x100000400) (i32.const 1) (i64.const 0x20a) (i32.const 0) (i32.const 7)
          (i64.const 0x101)))
        ;; It is changed before it is sent.
        (call $fine (call $isend (i64.const 0x100000c00) (i32.const 4) (i64.const 0x209) (i32.const 0) (i32.const 1)
          (i64.const 0x101) (i64.const 0x100000100)))
        (call $fine (call $isend (i64.const 0x100000e00) (i32.const 4) (i64.const 0x209) (i32.const 0) (i32.const 2)
          (i64.const 0x101) (i64.const 0x100000108)))
        (i32.store (i64.const 0x100000c0c) (i32.const 5)))
      (else
        (call $fine (call $recv (i64.const 0x100000800) (i32.const 2) (i64.const 0x209) (i32.const -1) (i32.const 7)
          (i64.const 0x101) (i64.const 0)))
        ;; The last number of the one is the first of the other.
        (call $fine (call $irecv (i64.const 0x100001000) (i32.const 4) (i64.const 0x209) (i32.const 1) (i32.const 1)
          (i64.const 0x101) (i64.const 0x100000100)))
        (call $fine (call $irecv (i64.const 0x10000100c) (i32.const 4) (i64.const 0x209) (i32.const 1) (i32.const 2)
          (i64.const 0x101) (i64.const 0x100000108)))))
    (call $fine (call $waitall (i32.const 2) (i64.const 0x100000100) (i64.const 0)))
    (call $fine (call $finalize))))
