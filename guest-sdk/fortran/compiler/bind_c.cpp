// CHARACTER arguments of BIND(C) procedures.
//
// C takes an address. Flang passes the length after the other arguments, as for Fortran's own procedures, which native
// code ignores and WebAssembly does not: caller and callee must agree on the number of arguments. (A CHARACTER whose
// length is not 1 is passed to C by descriptor, so the length that is left out here is always 1.)

#include "bind_c.h"

#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace rankine {
namespace {

bool isBindC(fir::FortranProcedureFlagsEnumAttr flags) {
  return flags && bitEnumContainsAny(flags.getValue(), fir::FortranProcedureFlagsEnum::bind_c);
}

Type withoutLength(Type type) {
  auto character = dyn_cast<fir::BoxCharType>(type);
  return character ? fir::ReferenceType::get(character.getEleTy()) : type;
}

FunctionType withoutLengths(FunctionType type) {
  SmallVector<Type> inputs;
  for (Type input : type.getInputs())
    inputs.push_back(withoutLength(input));
  return FunctionType::get(type.getContext(), inputs, type.getResults());
}

/// The address in a CHARACTER argument.
Value addressOf(OpBuilder &builder, Location location, Value character) {
  Type address = withoutLength(character.getType());
  Type length = builder.getIndexType();
  return fir::UnboxCharOp::create(builder, location, address, length, character).getResult(0);
}

/// A procedure that C calls: inside, the argument has its length again.
void adaptProcedure(func::FuncOp procedure) {
  FunctionType type = procedure.getFunctionType();
  procedure.setFunctionType(withoutLengths(type));
  if (procedure.isExternal())
    return;
  Block &entry = procedure.front();
  OpBuilder builder(&entry, entry.begin());
  for (BlockArgument argument : entry.getArguments()) {
    Type was = argument.getType();
    if (was == withoutLength(was))
      continue;
    argument.setType(withoutLength(was));
    Value one = arith::ConstantIndexOp::create(builder, procedure.getLoc(), 1);
    auto character = fir::EmboxCharOp::create(builder, procedure.getLoc(), was, argument, one);
    argument.replaceAllUsesExcept(character.getResult(), character);
  }
}

/// A call of C, by name or through a pointer.
void adaptCall(fir::CallOp call) {
  OpBuilder builder(call);
  bool indirect = !call.getCallee();
  for (OpOperand &operand : call->getOpOperands()) {
    Value value = operand.get();
    if (indirect && operand.getOperandNumber() == 0) {
      auto type = cast<FunctionType>(value.getType());
      if (withoutLengths(type) != type)
        operand.set(fir::ConvertOp::create(builder, call.getLoc(), withoutLengths(type), value));
    } else if (isa<fir::BoxCharType>(value.getType())) {
      operand.set(addressOf(builder, call.getLoc(), value));
    }
  }
}

} // namespace

void adaptBindC(ModuleOp module) {
  SmallVector<func::FuncOp> procedures;
  SmallVector<fir::CallOp> calls;
  module.walk([&](Operation *operation) {
    if (auto procedure = dyn_cast<func::FuncOp>(operation)) {
      auto flags = procedure->getAttrOfType<fir::FortranProcedureFlagsEnumAttr>(fir::getFortranProcedureFlagsAttrName());
      if (isBindC(flags) && withoutLengths(procedure.getFunctionType()) != procedure.getFunctionType())
        procedures.push_back(procedure);
    } else if (auto call = dyn_cast<fir::CallOp>(operation)) {
      if (isBindC(call.getProcedureAttrsAttr()))
        calls.push_back(call);
    }
  });
  llvm::StringSet<llvm::MallocAllocator> changed;
  for (func::FuncOp procedure : procedures) {
    adaptProcedure(procedure);
    changed.insert(procedure.getSymName());
  }
  for (fir::CallOp call : calls)
    adaptCall(call);
  module.walk([&](fir::AddrOfOp address) {
    auto type = dyn_cast<FunctionType>(address.getType());
    if (!type || !changed.contains(address.getSymbol().getRootReference().getValue()))
      return;
    OpBuilder builder(address);
    auto exact = fir::AddrOfOp::create(builder, address.getLoc(), withoutLengths(type), address.getSymbol());
    auto asBefore = fir::ConvertOp::create(builder, address.getLoc(), type, exact);
    address.replaceAllUsesWith(asBefore.getResult());
    address.erase();
  });
}

} // namespace rankine
