;; Ten million null requests: neither their copies nor their statuses fit into what the rank may have.
;; ranks: 1
;; run: --memory-limit 64M
;; exit: nonzero
;; stderr: MPI_ERR_NO_MEM
;; stderr: the 64 MiB that this rank may have
;; peak: limits + 96
(module
  (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
  (import "mpi" "MPI_Waitsome" (func $some (param i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 640)
  (func (export "_start") (local $p i32)
    (drop (call $init (i32.const 0) (i32.const 0)))
    (local.set $p (i32.const 16))
    (loop $l
      (i32.store (local.get $p) (i32.const 0x180))
      (local.set $p (i32.add (local.get $p) (i32.const 4)))
      (br_if $l (i32.lt_u (local.get $p) (i32.const 40000016))))
    (drop (call $some (i32.const 10000000) (i32.const 16) (i32.const 8) (i32.const 16) (i32.const 0)))))
