// What ALLOCATE without STAT= takes from the C library (allocations.cpp).
#pragma once

#include "llvm/IR/Module.h"
#include "mlir/IR/BuiltinOps.h"

namespace rankine {

/// Notes what is known of each block, before flang lowers it.
void noteAllocations(mlir::ModuleOp module);

/// Has ours take the place of the C library's function, and takes the notes away.
void adaptAllocations(llvm::Module &module);

} // namespace rankine
