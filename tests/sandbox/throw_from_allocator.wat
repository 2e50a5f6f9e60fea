;; An exception that leaves the program's own allocator, which MPI_Alloc_mem asks for memory. The program would catch it.
;; ranks: 1 2
;; exit: 134
;; stderr: an exception left a callback of MPI (MPI_Alloc_mem
;; stderr-not: deadlock
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Alloc_mem" (func $allocate (param i32 i32 i32) (result i32)))
  (import "mpi" "MPI_Finalize" (func $finalize (result i32)))
  (memory (export "memory") 1)
  (tag $nothing)
  (func (export "aligned_alloc") (param i32 i32) (result i32) (throw $nothing))
  (func (export "_start")
    (drop (call $init (i32.const 0) (i32.const 0)))
    (block $caught
      (try_table (catch_all $caught)
        (drop (call $allocate (i32.const 64) (i32.const 0x130) (i32.const 1024)))))
    (drop (call $finalize))))
