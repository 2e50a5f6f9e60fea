;; Writes its second argument to the file in its first folder that the first one names; with a third argument, it makes a link there that
;; leads to the second. Exits with the error if it can't.
(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_symlink" (func $path_symlink (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
  (memory (export "memory") 1)
  (func $length (param $text i32) (result i32) (local $end i32)
    (local.set $end (local.get $text))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (i32.load8_u (local.get $end))))
        (local.set $end (i32.add (local.get $end) (i32.const 1)))
        (br $next)))
    (i32.sub (local.get $end) (local.get $text)))
  (func (export "_start") (local $name i32) (local $text i32) (local $error i32)
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $get (i32.const 64) (i32.const 1024)))
    (local.set $name (i32.load (i32.const 68)))
    (local.set $text (i32.load (i32.const 72)))
    (if (i32.eq (i32.load (i32.const 0)) (i32.const 4))
      (then
        (call $proc_exit
          (call $path_symlink (local.get $text) (call $length (local.get $text)) (i32.const 3) (local.get $name)
            (call $length (local.get $name))))))
    ;; O_CREAT, O_TRUNC; the right to write.
    (local.set $error
      (call $path_open (i32.const 3) (i32.const 0) (local.get $name) (call $length (local.get $name)) (i32.const 9)
        (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 8)))
    (if (local.get $error) (then (call $proc_exit (local.get $error))))
    (i32.store (i32.const 16) (local.get $text))
    (i32.store (i32.const 20) (call $length (local.get $text)))
    (call $proc_exit (call $fd_write (i32.load (i32.const 8)) (i32.const 16) (i32.const 1) (i32.const 24)))))
