;; Ranks that have used all of their memory write a MiB at once, and read as much: each call takes steps that there is room for.
;; ranks: 1 8
;; run: --memory-limit 64M
;; peak: limits + 96
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $rank (param i32 i32) (result i32)))
  (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (memory (export "memory") 20)
  (data (i32.const 16) "\00\00\01\00\00\00\10\00\20\00\00\00\03\00\00\00OK\n")
  (func (export "_start")
    (loop $more
      (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
    (drop (call $init (i32.const 0) (i32.const 0)))
    (drop (call $rank (i32.const 0x101) (i32.const 8)))
    (drop (call $barrier (i32.const 0x101)))
    ;; A MiB of nothing to the standard error stream, of which all is written.
    (if (call $write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 12)) (then (unreachable)))
    (if (i32.ne (i32.load (i32.const 12)) (i32.const 0x100000)) (then (unreachable)))
    (if (call $read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 12)) (then (unreachable)))
    (drop (call $barrier (i32.const 0x101)))
    (if (i32.eqz (i32.load (i32.const 8)))
      (then (drop (call $write (i32.const 1) (i32.const 24) (i32.const 1) (i32.const 12)))))
    (drop (call $finalize))))
