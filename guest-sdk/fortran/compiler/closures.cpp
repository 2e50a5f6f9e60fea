// Internal procedures that are passed as arguments or pointed to.
//
// Such a procedure needs, beside its code, the frame of its host. Native code writes a trampoline on the stack for that,
// which WebAssembly cannot execute. Instead each such procedure gets a fixed number of thunks, functions that call it
// with the frame in a slot of their own. Slots are taken and given back as frames come and go, and threads that pass the
// same frame share one.

#include "adapt.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace rankine {
namespace {

/// How many frames of a procedure's host may be live at once while the procedure is passed around. A recursion that is
/// deeper ends with a message of rankine_closure_take, in the SDK's library.
constexpr unsigned slots = 256;

/// The slots of one internal procedure: `[slots x { ptr frame, i32 users }]`, and its thunks.
struct Pool {
  GlobalVariable *frames;
  GlobalVariable *thunks;
  GlobalVariable *name;
};

/// The position of the parameter that takes the frame.
unsigned frameParameter(Function &procedure) {
  for (Argument &argument : procedure.args())
    if (argument.hasAttribute(Attribute::Nest))
      return argument.getArgNo();
  return procedure.arg_size() - 1;
}

/// A function with the procedure's other parameters that takes the frame from slot `slot`.
Function *makeThunk(Function &procedure, unsigned frame, GlobalVariable *frames, unsigned slot) {
  SmallVector<Type *> parameters;
  for (Argument &argument : procedure.args())
    if (argument.getArgNo() != frame)
      parameters.push_back(argument.getType());
  auto *type = FunctionType::get(procedure.getReturnType(), parameters, false);
  auto *thunk = Function::Create(type, Function::InternalLinkage, procedure.getName() + ".thunk", *procedure.getParent());
  IRBuilder<> builder(BasicBlock::Create(procedure.getContext(), "", thunk));
  Value *place = builder.CreateInBoundsGEP(frames->getValueType(), frames,
                                           {builder.getInt32(0), builder.getInt32(slot), builder.getInt32(0)});
  SmallVector<Value *> arguments;
  auto own = thunk->arg_begin();
  for (Argument &argument : procedure.args()) {
    if (argument.getArgNo() == frame) {
      arguments.push_back(builder.CreateLoad(builder.getPtrTy(), place));
      continue;
    }
    // byval and sret go with the parameter they belong to.
    AttributeSet attributes = procedure.getAttributes().getParamAttrs(argument.getArgNo());
    AttrBuilder ownAttributes(procedure.getContext(), attributes);
    own->addAttrs(ownAttributes);
    arguments.push_back(&*own++);
  }
  CallInst *call = builder.CreateCall(&procedure, arguments);
  call->setAttributes(procedure.getAttributes());
  if (procedure.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return thunk;
}

Pool makePool(Function &procedure) {
  Module &module = *procedure.getParent();
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0);
  auto *table = ArrayType::get(pointer, slots);
  auto *type = ArrayType::get(StructType::get(context, {pointer, Type::getInt32Ty(context)}), slots);
  auto variable = [&](Constant *value, bool constant, const Twine &suffix) {
    return new GlobalVariable(module, value->getType(), constant, GlobalValue::InternalLinkage, value,
                              procedure.getName() + suffix);
  };
  Pool pool;
  pool.frames = variable(Constant::getNullValue(type), false, ".frames");
  pool.name = variable(ConstantDataArray::getString(context, procedure.getName()), true, ".name");
  unsigned frame = frameParameter(procedure);
  SmallVector<Constant *> thunks;
  for (unsigned slot = 0; slot < slots; ++slot)
    thunks.push_back(makeThunk(procedure, frame, pool.frames, slot));
  pool.thunks = variable(ConstantArray::get(table, thunks), true, ".thunks");
  return pool;
}

/// A variable of a host for the slot that it has taken: -1 before.
Value *makeTaken(Function &host) {
  IRBuilder<> builder(&host.getEntryBlock(), host.getEntryBlock().begin());
  Value *taken = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "rankine.slot");
  builder.SetInsertPoint(&*host.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder.CreateStore(builder.getInt32(-1), taken);
  return taken;
}

/// Takes a slot where the frame is bound, unless the host has one: what is stored as the trampoline is the address of a
/// thunk.
void bind(IntrinsicInst &bound, const Pool &pool, Value *taken) {
  IRBuilder<> builder(&bound);
  Type *pointer = builder.getPtrTy(), *i32 = builder.getInt32Ty();
  FunctionCallee take =
      bound.getModule()->getOrInsertFunction("rankine_closure_take", i32, pointer, pointer, i32, pointer, pointer);
  Value *slot = builder.CreateCall(
      take, {pool.frames, bound.getArgOperand(2), builder.getInt32(slots), taken, pool.name});
  Value *place =
      builder.CreateInBoundsGEP(pool.thunks->getValueType(), pool.thunks, {builder.getInt32(0), slot});
  builder.CreateStore(builder.CreateLoad(pointer, place), bound.getArgOperand(0));
}

/// Gives back, wherever the host returns, the slot that it took.
void releaseAtReturn(Function &host, const Pool &pool, Value *taken) {
  for (BasicBlock &block : host)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      IRBuilder<> builder(end);
      Type *pointer = builder.getPtrTy(), *i32 = builder.getInt32Ty();
      FunctionCallee give =
          host.getParent()->getOrInsertFunction("rankine_closure_give", builder.getVoidTy(), pointer, i32);
      builder.CreateCall(give, {pool.frames, builder.CreateLoad(i32, taken)});
    }
}

} // namespace

void adaptClosures(Module &module) {
  SmallVector<IntrinsicInst *> bound, adjusted;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
          if (intrinsic->getIntrinsicID() == Intrinsic::init_trampoline)
            bound.push_back(intrinsic);
          else if (intrinsic->getIntrinsicID() == Intrinsic::adjust_trampoline)
            adjusted.push_back(intrinsic);
        }
  MapVector<Function *, Pool> pools;
  MapVector<std::pair<Function *, Function *>, Value *> takers;
  for (IntrinsicInst *intrinsic : bound) {
    auto *procedure = cast<Function>(intrinsic->getArgOperand(1)->stripPointerCasts());
    if (!pools.contains(procedure))
      pools[procedure] = makePool(*procedure);
    Value *&taken = takers[{intrinsic->getFunction(), procedure}];
    if (!taken)
      taken = makeTaken(*intrinsic->getFunction());
    bind(*intrinsic, pools[procedure], taken);
    intrinsic->eraseFromParent();
  }
  for (auto [hosted, taken] : takers)
    releaseAtReturn(*hosted.first, pools[hosted.second], taken);
  for (IntrinsicInst *intrinsic : adjusted) {
    IRBuilder<> builder(intrinsic);
    intrinsic->replaceAllUsesWith(builder.CreateLoad(builder.getPtrTy(), intrinsic->getArgOperand(0)));
    intrinsic->eraseFromParent();
  }
  // The register that `nest` means on other processors does not exist: the frame is an ordinary argument.
  for (Function &function : module) {
    for (Argument &argument : function.args())
      argument.removeAttr(Attribute::Nest);
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *call = dyn_cast<CallBase>(&instruction))
          for (unsigned index = 0; index < call->arg_size(); ++index)
            call->removeParamAttr(index, Attribute::Nest);
  }
}

} // namespace rankine
