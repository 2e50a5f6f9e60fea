;; A program with 64-bit addresses whose memory grows by more than 4 GiB: there is not so much, and it is told so.
;; ranks: 1
;; exit: 0
;; stdout: OK
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 1)
  (data (i64.const 1024) "OK\n")
  (func $refused (param i64) (if (i64.ne (local.get 0) (i64.const -1)) (then (unreachable))))
  (func (export "_start")
    (call $refused (memory.grow (i64.const 65536)))
    (call $refused (memory.grow (i64.const 0x100000000)))
    (call $refused (memory.grow (i64.const -1)))
    (if (i64.ne (memory.grow (i64.const 1)) (i64.const 1)) (then (unreachable)))
    (if (i64.ne (memory.size) (i64.const 2)) (then (unreachable)))
    (i32.store (i64.const 8) (i32.const 1024))
    (i32.store (i64.const 12) (i32.const 3))
    (if (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)) (then (unreachable)))))
