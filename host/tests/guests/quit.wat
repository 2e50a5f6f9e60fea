;; Rank 1 exits with 9 and without MPI_Finalize while rank 0 computes for ever.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $comm_rank (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (drop (call $comm_rank (i32.const 0x101) (i32.const 64)))
    (if (i32.load (i32.const 64)) (then (call $proc_exit (i32.const 9))))
    (loop $forever (br $forever))))
