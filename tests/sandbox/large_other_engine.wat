;; A program whose memory may have more than 4 GiB, which the engine mpi does not serve: refused by name at load.
;; ranks: 1
;; engines: mpi
;; exit: 1
;; stderr: -m64=large
;; stderr: --engine local
(module
  (import "mpi" "MPI_Isend" (func (param i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (memory (export "memory") i64 1 200000)
  (func (export "_start")))
