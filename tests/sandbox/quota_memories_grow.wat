;; Memories that grow one after another get what is left of the limit, and what their own types forbid costs nothing.
;; ranks: 1
;; run: --memory-limit 64M
;; exit: 0
;; stdout: OK
;; peak: limits + 96
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1 2)
  (memory $m1 0) (memory $m2 0) (memory $m3 0)
  (data (i32.const 1024) "OK\n")
  (func $assert (param i32) (if (i32.eqz (local.get 0)) (then (unreachable))))
  (func (export "_start") (local $i i32)
    (loop $again
      (call $assert (i32.eq (memory.grow 0 (i32.const 100)) (i32.const -1)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 1000))))
    (call $assert (i32.eq (memory.grow $m1 (i32.const 400)) (i32.const 0)))
    (call $assert (i32.eq (memory.grow $m2 (i32.const 400)) (i32.const 0)))
    (call $assert (i32.eq (memory.grow $m3 (i32.const 400)) (i32.const -1)))
    (call $assert (i32.eq (memory.grow $m1 (i32.const 400)) (i32.const -1)))
    (call $assert (i32.eq (memory.grow $m3 (i32.const 200)) (i32.const 0)))
    (call $assert (i32.eq (memory.grow $m3 (i32.const 24)) (i32.const -1)))
    (call $assert (i32.eq (memory.grow 0 (i32.const 1)) (i32.const 1)))
    (memory.fill $m1 (i32.const 0) (i32.const 1) (i32.const 26214400))
    (memory.fill $m2 (i32.const 0) (i32.const 1) (i32.const 26214400))
    (memory.fill $m3 (i32.const 0) (i32.const 1) (i32.const 13107200))
    (i32.store (i32.const 8) (i32.const 1024))
    (i32.store (i32.const 12) (i32.const 3))
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))))
