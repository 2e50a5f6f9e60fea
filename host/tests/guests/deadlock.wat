;; Both ranks of a pair receive first.
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $comm_rank (param i32 i32) (result i32)))
  (import "mpi" "MPI_Recv" (func $recv (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $exchange
    (drop (call $recv (i32.const 64) (i32.const 4) (i32.const 0x207) (i32.sub (i32.const 1) (i32.load (i32.const 64)))
      (i32.const 7) (i32.const 0x101) (i32.const 0))))
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (drop (call $comm_rank (i32.const 0x101) (i32.const 64)))
    (call $exchange)
    (drop (call $finalize))))
