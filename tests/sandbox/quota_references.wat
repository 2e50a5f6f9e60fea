;; Objects of the guest's own references: their heap counts as memory does, and a guest that wants more of it traps.
;; ranks: 1
;; run: --memory-limit 64M
;; exit: 134
;; stderr: the memory limit refused a growth
;; peak: limits + 96
(module
  (type $block (array (mut i64)))
  (type $chain (struct (field (ref $block)) (field (ref null $chain))))
  (memory (export "memory") 768)
  (global $all (mut (ref null $chain)) (ref.null $chain))
  ;; 48 MiB of memory, and 24 MiB of objects.
  (func (export "_start") (local $i i32)
    (memory.fill (i32.const 0) (i32.const 1) (i32.const 50331648))
    (loop $more
      (global.set $all (struct.new $chain (array.new $block (i64.const 1) (i32.const 131072)) (global.get $all)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 24))))))
