;; Sends to a rank that does not exist.
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Send" (func $send (param i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $shout
    (drop (call $send (i32.const 64) (i32.const 4) (i32.const 0x207) (i32.const 99) (i32.const 7) (i32.const 0x101))))
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (call $shout)))
