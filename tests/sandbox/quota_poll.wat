;; More subscriptions than a poll may have, six million pieces of one write, a copy of nearly all memory: what WASI
;; makes of them stays near what the rank may have, and what is refused is an error number.
;; ranks: 1
;; run: --memory-limit 64M
;; peak: limits + 96
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 800)
  (data (i32.const 52000000) "\08\75\19\03\03\00\00\00OK\n")
  (func (export "_start")
    ;; Clocks that have run out, 48 bytes each; their events take 32.
    (drop (call $poll (i32.const 0) (i32.const 25165824) (i32.const 65536) (i32.const 52100000)))
    ;; All but those are invalid.
    (if (i32.ne (call $poll (i32.const 0) (i32.const 25165824) (i32.const 65537) (i32.const 52100000)) (i32.const 28))
      (then (unreachable)))
    (if (i32.ne (call $poll (i32.const 0) (i32.const 25165824) (i32.const -1) (i32.const 52100000)) (i32.const 28))
      (then (unreachable)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 6000000) (i32.const 52100000)))
    (drop (call $random (i32.const 0) (i32.const 50000000)))
    (drop (call $write (i32.const 1) (i32.const 52000000) (i32.const 1) (i32.const 52100000)))))
