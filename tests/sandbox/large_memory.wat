;; A program whose memory may have more than 4 GiB: what lies above them is sent and received, a place behind its end is an error
;; of the call, an address is not cut, and growth beyond what the machine has fails.
;; ranks: 2
;; exit: 0
;; stdout: OK
(module
  (import "mpi" "MPI_Init" (func $init (param i64 i64) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i64 i64) (result i32)))
  (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i64 i64) (result i32)))
  (import "mpi" "MPI_Get_address" (func $address (param i64 i64) (result i32)))
  (import "mpi" "MPI_Sendrecv" (func $sendrecv
    (param i64 i32 i64 i32 i32 i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 2 200000)
  (data (i64.const 1024) "OK\n")
  (func $refused (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func $same (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then (unreachable))))
  ;; Eight bytes to the other rank, and as many from it.
  (func $exchange (param $from i64) (param $to i64) (result i32)
    (local $other i32)
    (local.set $other (i32.sub (i32.const 1) (i32.load (i64.const 128))))
    (call $sendrecv
      (local.get $from) (i32.const 1) (i64.const 0x20a) (local.get $other) (i32.const 3)
      (local.get $to) (i32.const 1) (i64.const 0x20a) (local.get $other) (i32.const 3)
      (i64.const 0x101) (i64.const 0)))
  (func (export "_start")
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $fine (call $set (i64.const 0x101) (i64.const 0x143)))
    (call $fine (call $rank (i64.const 0x101) (i64.const 128)))
    ;; 4 GiB and 8 pages more.
    (call $same (memory.grow (i64.const 65542)) (i64.const 2))
    (call $same (memory.grow (i64.const 0x10000000000)) (i64.const -1))
    (call $same (memory.grow (i64.const -1)) (i64.const -1))
    (call $same (memory.size) (i64.const 65544))
    (i64.store (i64.const 0x100000400) (i64.add (i64.const 1000) (i64.extend_i32_u (i32.load (i64.const 128)))))
    (call $fine (call $exchange (i64.const 0x100000400) (i64.const 0x10007fff8)))
    (call $same
      (i64.load (i64.const 0x10007fff8))
      (i64.sub (i64.const 1001) (i64.extend_i32_u (i32.load (i64.const 128)))))
    ;; What lies 4 GiB below is what it was.
    (call $same (i64.load (i64.const 0x7fff8)) (i64.const 0))
    (call $fine (call $address (i64.const 0x100000400) (i64.const 0x100000408)))
    (call $same (i64.load (i64.const 0x100000408)) (i64.const 0x100000400))
    (call $refused (call $address (i64.const 0) (i64.const 0x10007fff9)))
    (call $refused (call $rank (i64.const 0x101) (i64.const 0x10007fffd)))
    (call $refused (call $rank (i64.const 0x101) (i64.const 0x200000080)))
    (call $refused (call $rank (i64.const 0x101) (i64.const -4)))
    (call $refused (call $rank (i64.const 0x100000101) (i64.const 128)))
    (if (i32.eqz (i32.load (i64.const 128)))
      (then
        (i32.store (i64.const 8) (i32.const 1024))
        (i32.store (i64.const 12) (i32.const 3))
        (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
    (call $fine (call $finalize))))
