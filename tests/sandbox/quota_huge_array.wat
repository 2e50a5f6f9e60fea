;; One array of two gigabytes.
;; ranks: 1
;; run: --memory-limit 64M
;; exit: 134
;; peak: limits + 96
(module
  (type $bytes (array (mut i8)))
  (memory (export "memory") 16)
  (func (export "_start")
    (drop (array.new $bytes (i32.const 7) (i32.const 0x7fffff00)))))
