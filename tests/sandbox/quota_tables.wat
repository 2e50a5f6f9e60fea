;; Many large tables: they count as memory does.
;; ranks: 1
;; run: --memory-limit 64M
;; exit: 1
;; stderr: the memory limit refused a growth to 78125 KiB
;; peak: 250
(module
  (memory (export "memory") 1)
  (table $t0 10000000 funcref) (table $t1 10000000 funcref) (table $t2 10000000 funcref) (table $t3 10000000 funcref)
  (table $t4 10000000 funcref) (table $t5 10000000 funcref) (table $t6 10000000 funcref) (table $t7 10000000 funcref)
  (func (export "_start")
    (table.fill $t0 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t1 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t2 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t3 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t4 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t5 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t6 (i32.const 0) (ref.null func) (i32.const 10000000))
    (table.fill $t7 (i32.const 0) (ref.null func) (i32.const 10000000))))
