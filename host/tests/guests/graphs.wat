;; Makes graphs of 200,000 edges, and keeps them, until one can't be made; exits with 40 then.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i32 i32) (result i32)))
  (import "mpi" "MPI_Graph_create" (func $create (param i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 16)
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (drop (call $set (i32.const 0x102) (i32.const 0x143)))
    ;; All edges lead to the one rank.
    (i32.store (i32.const 16) (i32.const 200000))
    (loop $next
      (br_if $next
        (i32.eqz
          (call $create (i32.const 0x102) (i32.const 1) (i32.const 16) (i32.const 64) (i32.const 0) (i32.const 24)))))
    (call $proc_exit (i32.const 40))))
