;; Sleeps for an hour, in a function with a name.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $rest
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24) (i64.const 3600000000000))
    (if (call $poll (i32.const 0) (i32.const 128) (i32.const 1) (i32.const 256)) (then unreachable)))
  (func (export "_start") (call $rest)))
