;; Rank 1 aborts with 42 while rank 0 computes for ever.
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $comm_rank (param i32 i32) (result i32)))
  (import "mpi" "MPI_Abort" (func $abort (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (drop (call $comm_rank (i32.const 0x101) (i32.const 64)))
    (if (i32.load (i32.const 64)) (then (drop (call $abort (i32.const 0x101) (i32.const 42)))))
    (loop $forever (br $forever))))
