;; A program with 64-bit addresses that calls a function whose results have 8 bytes there and 4 for the engine mpi: refused by name at load.
;; ranks: 1
;; engines: mpi
;; exit: 1
;; stderr: MPI_Isend (request)
;; stderr: --engine local
(module
  (import "mpi" "MPI_Isend" (func (param i64 i32 i64 i32 i32 i64 i64) (result i32)))
  (memory (export "memory") i64 1)
  (func (export "_start")))
