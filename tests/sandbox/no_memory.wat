;; A module that calls MPI without having a memory: refused.
;; ranks: 1
;; exit: nonzero
;; stderr: memory
;; stderr-not: panicked
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (func (export "_start") (drop (call $init (i32.const 0) (i32.const 0)))))
