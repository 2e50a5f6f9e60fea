;; A program with 64-bit addresses that uses one above 4 GiB: it traps, and is not led to what lies 4 GiB below.
;; ranks: 1
;; exit: nonzero
;; stderr: before its start or above 4 GiB
;; stderr-not: panicked
(module
  (memory (export "memory") i64 2)
  (func $far (param i64) (result i64) (i64.load offset=8 (local.get 0)))
  (func (export "_start") (drop (call $far (i64.const 0x100000000)))))
