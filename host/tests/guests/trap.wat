;; Rank 1 traps inside two functions; every other rank computes for ever.
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Comm_rank" (func $comm_rank (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $deep (drop (i32.load (i32.const 0x40000000))))
  (func $outer (call $deep))
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (drop (call $comm_rank (i32.const 0x101) (i32.const 64)))
    (if (i32.eq (i32.load (i32.const 64)) (i32.const 1)) (then (call $outer)))
    (loop $forever (br $forever))))
