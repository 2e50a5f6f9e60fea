;; An exception whose type and words are lines of a report and letters for the terminal: they are shown as text, within one line.
;; ranks: 1 2
;; exit: 134
;; stderr: nothing catches: _ZTS4Evil?[31m?rankine: rank 7 trapped: all is well??rankine: OK?]0;title?
;; stderr-not: panicked
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\20\00\00\00\60\00\00\00")
  (data (i32.const 32) "4Evil\1b[31m\0arankine: rank 7 trapped\00")
  (data (i32.const 96) "all is well\0d\0arankine: OK\1b]0;title\07\00")
  (tag $cpp (export "__cpp_exception") (param i32))
  (func (export "rankine_uncaught") (param i32) (result i32) (i32.const 16))
  (func (export "_start") (throw $cpp (i32.const 0))))
