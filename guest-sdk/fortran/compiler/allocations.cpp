// What ALLOCATE without STAT= takes from the C library.
//
// Flang cuts the sizes of blocks to the width of malloc's argument, and believes that it gets what it has asked for. So
// with 32 bits an array of 5 GB would be one of 705 MB. Each such call becomes one of ours (glue/no_memory.c), which takes the whole
// size and refuses what there can't be, with the variable's name.
//
// FIR knows the names and, where extents are constants, computes a size that is cut when it is folded. What it knows
// travels through the lowering in calls of a function that isn't there, each before what it speaks of.

#include "allocations.h"

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;

namespace rankine {
namespace {

/// How the function's name begins; a variable's follows, so that no text has to be kept.
constexpr StringRef nameBegins = "rankine.allocates.";

// ---------------------------------------------------------------------------------------------------------- in FIR

/// The number that a value always is, if it is made of constants as the extents of arrays are.
std::optional<int64_t> constantOf(mlir::Value value) {
  mlir::Operation *operation = value.getDefiningOp();
  if (!operation)
    return std::nullopt;
  if (auto constant = dyn_cast<mlir::arith::ConstantOp>(operation)) {
    auto number = dyn_cast<mlir::IntegerAttr>(constant.getValue());
    return number ? std::optional<int64_t>(number.getValue().getSExtValue()) : std::nullopt;
  }
  if (auto convert = dyn_cast<fir::ConvertOp>(operation))
    return constantOf(convert.getValue());
  // The larger of an extent and 0: a negative one is left to what computes it.
  if (auto select = dyn_cast<mlir::arith::SelectOp>(operation)) {
    auto extent = constantOf(select.getTrueValue());
    return extent && *extent > 0 ? extent : std::nullopt;
  }
  if (!llvm::isa<mlir::arith::AddIOp, mlir::arith::SubIOp>(operation))
    return std::nullopt;
  auto left = constantOf(operation->getOperand(0)), right = constantOf(operation->getOperand(1));
  int64_t result = 0;
  if (!left || !right)
    return std::nullopt;
  bool overflows = llvm::isa<mlir::arith::AddIOp>(operation) ? llvm::AddOverflow(*left, *right, result)
                                                             : llvm::SubOverflow(*left, *right, result);
  return overflows ? std::nullopt : std::optional<int64_t>(result);
}

/// The size of a block in bytes, if it is known and 32 bits don't hold it; 0 otherwise.
int64_t cutSize(fir::AllocMemOp allocation, const mlir::DataLayout &layout, const fir::KindMapping &kinds) {
  mlir::Type type = allocation.getInType();
  int64_t bytes = 1;
  bool overflows = false;
  auto times = [&](int64_t factor) { overflows |= factor < 0 || llvm::MulOverflow(bytes, factor, bytes); };
  if (auto array = dyn_cast<fir::SequenceType>(type)) {
    for (int64_t extent : array.getShape())
      if (extent != fir::SequenceType::getUnknownExtent())
        times(extent);
    type = array.getEleTy();
  }
  // Lengths of CHARACTER are not looked at.
  if (!allocation.getTypeparams().empty())
    return 0;
  for (mlir::Value operand : allocation.getShape()) {
    auto extent = constantOf(operand);
    if (!extent)
      return 0;
    times(*extent);
  }
  auto size = fir::getTypeSizeAndAlignment(allocation.getLoc(), type, layout, kinds);
  if (!size)
    return 0;
  times(llvm::alignTo(size->first, size->second));
  return overflows ? INT64_MAX : bytes > UINT32_MAX ? bytes : 0;
}

// --------------------------------------------------------------------------------------------------------- in LLVM

/// The size of a block in 64 bits, whether or not flang cut it to 32 for malloc: at least a byte, which tells it from a
/// program's own call of malloc.
llvm::Value *wholeSize(llvm::CallInst &allocation) {
  llvm::Value *size = allocation.getArgOperand(0);
  auto *cut = dyn_cast<llvm::TruncInst>(size);
  auto *atLeastOne = dyn_cast<llvm::SelectInst>(cut ? cut->getOperand(0) : size);
  auto *one = atLeastOne ? dyn_cast<llvm::ConstantInt>(atLeastOne->getFalseValue()) : nullptr;
  return one && one->isOne() && atLeastOne->getType()->isIntegerTy(64) ? atLeastOne : nullptr;
}

/// Whether an instruction calls this function.
bool calls(llvm::Instruction &instruction, const llvm::Function *function) {
  auto *call = dyn_cast<llvm::CallInst>(&instruction);
  return call && function && call->getCalledOperand() == function && call->arg_size() == 1;
}

/// What FIR has said of the next block.
llvm::CallInst *note(llvm::Instruction &instruction) {
  auto *call = dyn_cast<llvm::CallInst>(&instruction);
  llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(nameBegins) ? call : nullptr;
}

/// Has the function of ours take what malloc would.
void replace(llvm::CallInst &malloc, llvm::CallInst *said) {
  auto *known = said ? dyn_cast<llvm::ConstantInt>(said->getArgOperand(0)) : nullptr;
  llvm::Value *size = known && !known->isZero() ? known : wholeSize(malloc);
  if (!size)
    return;
  llvm::Module &module = *malloc.getModule();
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(pointer, {i64, pointer}, false);
  auto *ours = cast<llvm::Function>(module.getOrInsertFunction("rankine_fortran_memory", type).getCallee());
  ours->addRetAttr(llvm::Attribute::NoAlias);
  ours->addRetAttr(llvm::Attribute::NonNull);
  StringRef name = said ? said->getCalledFunction()->getName().substr(nameBegins.size()) : "";
  llvm::IRBuilder<> builder(&malloc);
  llvm::CallInst *replacement = builder.CreateCall(ours, {size, builder.CreateGlobalString(name, "rankine.variable")});
  malloc.replaceAllUsesWith(replacement);
  malloc.eraseFromParent();
}

} // namespace

void noteAllocations(mlir::ModuleOp module) {
  auto layout = fir::support::getOrSetMLIRDataLayout(module, /*allowDefaultLayout=*/true);
  if (!layout)
    return;
  fir::KindMapping kinds = fir::getKindMapping(module);
  module.walk([&](fir::AllocMemOp allocation) {
    auto unique = allocation.getUniqName();
    if (!unique || !unique->ends_with(".alloc"))
      return;
    // `_QMfieldsEdensity.alloc`, `_QFFstepEnew.alloc`: names of Fortran have no capitals here.
    std::string name = (nameBegins + unique->drop_back(6).rsplit('E').second).str();
    mlir::OpBuilder builder(allocation);
    mlir::Location location = allocation.getLoc();
    if (!module.lookupSymbol<mlir::func::FuncOp>(name)) {
      mlir::OpBuilder atStart(module.getBodyRegion());
      auto type = builder.getFunctionType({builder.getI64Type()}, {});
      mlir::func::FuncOp::create(atStart, location, name, type).setPrivate();
    }
    auto size = builder.getI64IntegerAttr(cutSize(allocation, *layout, kinds));
    mlir::Value argument = mlir::arith::ConstantOp::create(builder, location, size);
    mlir::SymbolRefAttr callee = mlir::SymbolRefAttr::get(builder.getContext(), name);
    fir::CallOp::create(builder, location, callee, llvm::ArrayRef<mlir::Type>(), mlir::ValueRange(argument));
  });
}

void adaptAllocations(llvm::Module &module) {
  llvm::Function *malloc = module.getFunction("malloc");
  llvm::SmallVector<llvm::Function *> notes;
  for (llvm::Function &function : module) {
    if (function.getName().starts_with(nameBegins))
      notes.push_back(&function);
    for (llvm::BasicBlock &block : function) {
      llvm::CallInst *said = nullptr;
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        if (llvm::CallInst *next = note(instruction))
          said = next;
        else if (calls(instruction, malloc))
          replace(cast<llvm::CallInst>(instruction), std::exchange(said, nullptr));
      }
    }
  }
  for (llvm::Function *function : notes) {
    for (llvm::User *user : llvm::make_early_inc_range(function->users()))
      cast<llvm::CallInst>(user)->eraseFromParent();
    function->eraseFromParent();
  }
}

} // namespace rankine
