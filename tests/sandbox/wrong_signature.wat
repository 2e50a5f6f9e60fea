;; An import of MPI's with another signature than the interface gives it is refused at load, by name.
;; ranks: 1
;; exit: 1
;; stderr: MPI_Send
(module
  (import "mpi" "MPI_Send" (func (param i64 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")))
