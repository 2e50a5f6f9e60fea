// What must be changed in flang's code before WebAssembly can run it.
#pragma once

#include "llvm/IR/Module.h"

namespace rankine {

/// Makes all the changes; says what is wrong on standard error and returns false where one cannot be made.
bool adapt(llvm::Module &module);

/// Internal procedures that are passed as arguments (closures.cpp).
void adaptClosures(llvm::Module &module);

/// OpenMP's directives (openmp.cpp).
void adaptOpenMP(llvm::Module &module);

} // namespace rankine
