;; Thousands of arguments that are one long string: gigabytes, if they were read before they are found to be too long.
;; ranks: 1
;; run: --memory-limit 16M
;; exit: 3
;; peak: 250
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Info_create_env" (func $env (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 64)
  (func (export "_start") (local $k i32)
    (drop (call $init (i32.const 0) (i32.const 0)))
    (memory.fill (i32.const 1048576) (i32.const 65) (i32.const 1048570))
    (loop $l
      (i32.store (i32.add (i32.const 16) (i32.mul (local.get $k) (i32.const 4))) (i32.const 1048576))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $k) (i32.const 8000))))
    (if (call $env (i32.const 6000) (i32.const 16) (i32.const 8)) (then (unreachable)))
    (call $exit (i32.const 3))))
