;; Tables and memories that grow share the limit.
;; ranks: 1
;; run: --memory-limit 64M
;; exit: 0
;; stdout: OK
;; peak: limits + 96
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (table $t0 0 externref) (table $t1 0 funcref) (table $t2 0 3000000 externref)
  (data (i32.const 1024) "OK\n")
  (func $assert (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  (func (export "_start") (local $i i32)
    (loop $again
      (call $assert (i32.eq (table.grow $t2 (ref.null extern) (i32.const 3000001)) (i32.const -1)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 1000))))
    (call $assert (i32.eq (table.grow $t0 (ref.null extern) (i32.const 4000000)) (i32.const 0)))
    (call $assert (i32.eq (table.grow $t1 (ref.null func) (i32.const 4000000)) (i32.const 0)))
    (call $assert (i32.eq (table.grow $t2 (ref.null extern) (i32.const 1000000)) (i32.const -1)))
    (call $assert (i32.eq (memory.grow (i32.const 100)) (i32.const -1)))
    (call $assert (i32.eq (memory.grow (i32.const 10)) (i32.const 1)))
    (i32.store (i32.const 8) (i32.const 1024))
    (i32.store (i32.const 12) (i32.const 3))
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
