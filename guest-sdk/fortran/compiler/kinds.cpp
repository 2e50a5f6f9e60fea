// Which kind of real numbers flang chooses for a precision and a range: never REAL(3), the 16 bits of bfloat16, as LLVM can't
// compute with them for WebAssembly. REAL(4) has all that is asked for where flang would take 3: up to 2 digits, exponents to 37.
// Its own modules name the kind, so it stays there for them.
//
// The linker puts this before flang's choice (--wrap); the runtime's own is told by FLANG_RUNTIME_NO_REAL_3.

#include "flang/Evaluate/target.h"

using Fortran::evaluate::TargetCharacteristics;

// TargetCharacteristics::SelectedRealKind, as the linker knows it: `host/toolchain/src/build/flang.rs` has the same name.
#define SELECTED_REAL_KIND "_ZNK7Fortran8evaluate21TargetCharacteristics16SelectedRealKindElll"

int original(const TargetCharacteristics *, std::int64_t precision, std::int64_t range,
             std::int64_t radix) asm("__real_" SELECTED_REAL_KIND);
int withoutBfloat(const TargetCharacteristics *, std::int64_t precision, std::int64_t range,
                  std::int64_t radix) asm("__wrap_" SELECTED_REAL_KIND);

int withoutBfloat(const TargetCharacteristics *target, std::int64_t precision, std::int64_t range, std::int64_t radix) {
  const int kind = original(target, precision, range, radix);
  return kind == 3 ? 4 : kind;
}
