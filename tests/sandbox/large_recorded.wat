;; A program whose memory may have more than 4 GiB is recorded: what lies above them is shown, and what lies beyond its end is an
;; error of the call.
;; ranks: 2
;; engines: local
;; run: --record {scratch}/shown.rkv
;; exit: 0
;; stderr: rankine: recorded:
(module
  (import "mpi" "MPI_Init" (func $init (param i64 i64) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i64 i64) (result i32)))
  (import "rankine_view" "Rankine_View_on" (func $on (result i32)))
  (import "rankine_view" "Rankine_View_field" (func $field
    (param i64 i64 i32 i64 i64 i64 i64 i64 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 2 200000)
  (data (i64.const 1024) "OK\n")
  (func $fine (param i32) (if (local.get 0) (then (unreachable))))
  (func $refused (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  ;; One of two rows of two doubles.
  (func $show (param $name i64) (param $values i64) (result i32)
    (call $field
      (local.get $name) (i64.const 1) (i32.const 2) (i64.const 0x100000010) (i64.const 0x100000000) (i64.const 0x100000020)
      (i64.const 0) (i64.const 0x214) (local.get $values)))
  (func (export "_start")
    (if (i64.ne (memory.grow (i64.const 65542)) (i64.const 2)) (then (unreachable)))
    (call $fine (call $init (i64.const 0) (i64.const 0)))
    (call $refused (call $on))
    (call $fine (call $rank (i64.const 0x101) (i64.const 0x100000000)))
    (i64.store (i64.const 0x100000010) (i64.const 0x200000002))
    (i64.store (i64.const 0x100000020) (i64.const 0x200000001))
    (i64.store (i64.const 0x100000040) (i64.const 0x74616568))
    (f64.store (i64.const 0x100000080) (f64.const 1))
    (f64.store (i64.const 0x100000088) (f64.const 2))
    (call $fine (call $show (i64.const 0x100000040) (i64.const 0x100000080)))
    (call $refused (call $show (i64.const 0x100000040) (i64.const 0x200000080)))
    (if (i32.eqz (i32.load (i64.const 0x100000000)))
      (then
        (i32.store (i64.const 8) (i32.const 1024))
        (i32.store (i64.const 12) (i32.const 3))
        (call $fine (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
    (call $fine (call $finalize))))
