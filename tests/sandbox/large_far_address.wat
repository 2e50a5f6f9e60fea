;; A program whose memory may have more than 4 GiB, and has less: what it reads behind the end is a trap.
;; ranks: 1
;; exit: nonzero
;; stderr: outside the guest's memory
;; stderr-not: panicked
(module
  (memory (export "memory") i64 2 200000)
  (func $far (param i64) (result i64) (i64.load offset=8 (local.get 0)))
  (func (export "_start") (drop (call $far (i64.const 0x100000000)))))
