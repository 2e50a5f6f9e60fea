;; Each rank makes a datatype and does not free it.
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Type_contiguous" (func $contiguous (param i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    ;; MPI_PACKED
    (drop (call $contiguous (i32.const 3) (i32.const 0x207) (i32.const 64)))
    (drop (call $finalize))))
