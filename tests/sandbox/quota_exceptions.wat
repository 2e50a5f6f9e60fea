;; Exceptions that are kept are objects of the same heap.
;; ranks: 1
;; run: --memory-limit 32M
;; exit: 134
;; stderr: the memory limit refused a growth
;; peak: 250
(module
  (type $cell (struct (field exnref) (field (ref null $cell))))
  (tag $t (param i64 i64 i64 i64))
  (memory (export "memory") 16)
  (global $all (mut (ref null $cell)) (ref.null $cell))
  (func (export "_start") (local $i i32)
    (loop $more
      (global.set $all
        (struct.new $cell
          (block $caught (result exnref)
            (try_table (catch_all_ref $caught)
              (throw $t (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4)))
            unreachable)
          (global.get $all)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 4000000))))))
