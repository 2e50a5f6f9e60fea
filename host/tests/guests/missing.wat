;; Imports what nobody has.
(module
  (import "mpi" "MPI_Teleport" (func (param i32) (result i32)))
  (import "mpi" "MPI_Init" (func (param i32 i32) (result i32)))
  (import "env" "dgemm_" (func))
  (memory (export "memory") 1)
  (func (export "_start")))
