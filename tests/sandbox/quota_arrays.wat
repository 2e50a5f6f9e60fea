;; Arrays of references to arrays, and one as large as there can be: their heap is refused as memory is.
;; ranks: 1 2
;; run: --memory-limit 64M
;; exit: 134
;; stderr: the memory limit refused a growth
;; peak: 300
(module
  (type $leaf (array (mut i8)))
  (type $tree (array (mut (ref null $leaf))))
  (memory (export "memory") 16)
  (global $tree (mut (ref null $tree)) (ref.null $tree))
  (func (export "_start") (local $i i32)
    (global.set $tree (array.new_default $tree (i32.const 4096)))
    (loop $more
      (array.set $tree (global.get $tree) (local.get $i) (array.new $leaf (i32.const 7) (i32.const 16384)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 4096))))
    (drop (array.new $leaf (i32.const 7) (i32.const 0x7fffff00)))))
