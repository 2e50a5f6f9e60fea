;; Sleeps for half a second.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24) (i64.const 500000000))
    (if (call $poll (i32.const 0) (i32.const 128) (i32.const 1) (i32.const 256)) (then unreachable))))
