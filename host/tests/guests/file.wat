;; Opens "note" in its first folder and prints it; exits with the error if it can't.
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "note")
  (func (export "_start") (local $error i32)
    (local.set $error
      (call $path_open (i32.const 3) (i32.const 0) (i32.const 16) (i32.const 4) (i32.const 0) (i64.const 2) (i64.const 0)
        (i32.const 0) (i32.const 32)))
    (if (local.get $error) (then (call $proc_exit (local.get $error))))
    (i32.store (i32.const 0) (i32.const 64))
    (i32.store (i32.const 4) (i32.const 100))
    (drop (call $fd_read (i32.load (i32.const 32)) (i32.const 0) (i32.const 1) (i32.const 8)))
    (i32.store (i32.const 4) (i32.load (i32.const 8)))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))
