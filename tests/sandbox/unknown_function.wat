;; A function that no engine has is refused at load, by name, and not in the middle of a run.
;; ranks: 1 2
;; exit: 1
;; stderr: MPI_Fly
(module
  (import "mpi" "MPI_Fly" (func (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")))
