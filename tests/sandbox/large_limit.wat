;; A program whose memory may have more than 4 GiB has no more than it is let have.
;; ranks: 1
;; run: --memory-limit 4100M
;; exit: 0
;; stdout: OK
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") i64 1 200000)
  (data (i64.const 1024) "OK\n")
  (func $same (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then (unreachable))))
  (func (export "_start")
    (call $same (memory.grow (i64.const 65536)) (i64.const 1))
    (call $same (memory.grow (i64.const 128)) (i64.const -1))
    (i32.store (i64.const 8) (i32.const 1024))
    (i32.store (i64.const 12) (i32.const 3))
    (if (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)) (then (unreachable)))))
