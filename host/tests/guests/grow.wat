;; Grows its memory by 16 MiB; traps if it doesn't get them.
(module
  (memory (export "memory") 1)
  (func (export "_start")
    (if (i32.eq (memory.grow (i32.const 256)) (i32.const -1)) (then unreachable))))
