// What OpenMP's directives become in LLVM: calls of its runtime, which flang makes as for the 64-bit machine that it runs on.
//
// Such calls don't fit their functions, and MLIR checks what it has translated before anybody could put it right. So the
// linker puts a function of ours before the translation (--wrap), which checks afterwards.

#include "adapt.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rankine {
namespace {

/// All calls of a function of that name.
SmallVector<CallBase *> callsOf(Module &module, StringRef name) {
  SmallVector<CallBase *> calls;
  if (Function *function = module.getFunction(name))
    for (User *user : function->users())
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == function)
        calls.push_back(call);
  return calls;
}

/// What a task depends on is described by addresses and sizes, which are stored with 64 bits, too.
void adaptDependences(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      auto *member = store ? dyn_cast<GetElementPtrInst>(store->getPointerOperand()) : nullptr;
      auto *type = member ? dyn_cast<StructType>(member->getSourceElementType()) : nullptr;
      if (!type || !type->hasName() || !type->getName().starts_with("struct.kmp_dep_info"))
        continue;
      Value *value = store->getValueOperand();
      Type *wanted = member->getResultElementType();
      if (value->getType() == wanted || !value->getType()->isIntegerTy())
        continue;
      IRBuilder<> builder(store);
      builder.CreateStore(builder.CreateTrunc(value, wanted), member);
      store->eraseFromParent();
    }
}

} // namespace

/// Makes an operand an integer of that type, if it is another one.
static void convert(Instruction &user, unsigned operand, Type *wanted) {
  Value *given = user.getOperand(operand);
  if (wanted != given->getType() && wanted->isIntegerTy() && given->getType()->isIntegerTy())
    user.setOperand(operand, IRBuilder<>(&user).CreateSExtOrTrunc(given, wanted));
}

/// Sizes are declared with the width of the target's addresses, and passed and computed with 64 bits.
static void adaptSizes(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        FunctionType *type = call->getFunctionType();
        for (unsigned index = 0; index < type->getNumParams() && index < call->arg_size(); ++index)
          convert(*call, index, type->getParamType(index));
      } else if (auto *computation = dyn_cast<BinaryOperator>(&instruction)) {
        convert(*computation, 0, computation->getType());
        convert(*computation, 1, computation->getType());
      }
    }
}

namespace {

/// A function with the type by which the runtime calls a task: the result means nothing, but has to be there.
Function *makeTaskEntry(Function &body) {
  LLVMContext &context = body.getContext();
  Type *i32 = Type::getInt32Ty(context), *pointer = PointerType::get(context, 0);
  auto *entry = Function::Create(FunctionType::get(i32, {i32, pointer}, false), Function::InternalLinkage,
                                 body.getName() + ".task", *body.getParent());
  entry->setAttributes(entry->getAttributes().addFnAttributes(
      context, AttrBuilder(context, body.getAttributes().getFnAttrs())));
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> arguments;
  for (unsigned index = 0; index < body.arg_size(); ++index)
    arguments.push_back(entry->getArg(index));
  builder.CreateCall(&body, arguments);
  builder.CreateRet(builder.getInt32(0));
  return entry;
}

void adaptTasks(Module &module) {
  constexpr unsigned entryArgument = 5;
  MapVector<Function *, Function *> entries;
  for (CallBase *call : callsOf(module, "__kmpc_omp_task_alloc")) {
    auto *body = dyn_cast<Function>(call->getArgOperand(entryArgument)->stripPointerCasts());
    if (!body || !body->getReturnType()->isVoidTy() || body->arg_size() > 2)
      continue;
    Function *&entry = entries[body];
    if (!entry)
      entry = makeTaskEntry(*body);
    call->setArgOperand(entryArgument, entry);
  }
}

/// The lock of a critical section belongs to its name, in all files of a program. LLVM gives every object its own, since
/// WebAssembly has no common symbols.
void adaptCriticalSections(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().starts_with(".gomp_critical_user_") && variable.hasLocalLinkage())
      variable.setLinkage(GlobalValue::WeakAnyLinkage);
}

} // namespace

void adaptOpenMP(Module &module) {
  adaptTasks(module);
  adaptDependences(module);
  adaptCriticalSections(module);
}

} // namespace rankine

// mlir::translateModuleToLLVMIR, as the linker knows it: `host/toolchain/src/build/flang.rs` has the same name.
#define TRANSLATE "_ZN4mlir23translateModuleToLLVMIREPNS_9OperationERN4llvm11LLVMContextENS2_9StringRefEb"

std::unique_ptr<Module> original(mlir::Operation *, LLVMContext &, StringRef, bool) asm("__real_" TRANSLATE);
std::unique_ptr<Module> withSizes(mlir::Operation *, LLVMContext &, StringRef, bool) asm("__wrap_" TRANSLATE);

std::unique_ptr<Module> withSizes(mlir::Operation *operation, LLVMContext &context, StringRef name, bool isTrusted) {
  auto module = original(operation, context, name, /*disableVerification=*/true);
  if (!module)
    return nullptr;
  rankine::adaptSizes(*module);
  if (!isTrusted && verifyModule(*module, &errs()))
    return nullptr;
  return module;
}
