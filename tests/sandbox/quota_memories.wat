;; Many memories that are large from the start: the limit is for all of them together, so the job does not begin.
;; ranks: 1 2
;; run: --memory-limit 64M
;; exit: 1
;; stderr: the memory limit refused a growth to 65536 KiB
;; peak: 250
(module
  (memory (export "memory") 1 1)
  (memory $m0 1024) (memory $m1 1024) (memory $m2 1024) (memory $m3 1024) (memory $m4 1024) (memory $m5 1024)
  (memory $m6 1024) (memory $m7 1024)
  (func (export "_start")
    (memory.fill $m0 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m1 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m2 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m3 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m4 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m5 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m6 (i32.const 0) (i32.const 1) (i32.const 67108864))
    (memory.fill $m7 (i32.const 0) (i32.const 1) (i32.const 67108864))))
