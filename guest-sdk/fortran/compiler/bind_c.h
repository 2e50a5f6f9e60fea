// CHARACTER arguments of BIND(C) procedures (bind_c.cpp).
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace rankine {

/// Leaves out the lengths that C does not know of, in procedures and in calls of them.
void adaptBindC(mlir::ModuleOp module);

} // namespace rankine
