// The changes that flang's LLVM code needs: how it calls its runtime, where the program starts, COMMON blocks.

#include "adapt.h"
#include "allocations.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rankine {
namespace {

// ---------------------------------------------------------------------------------------------- calls of the runtime

/// The type of a function of the runtime, as a letter per WebAssembly value: i, l, f, d for i32, i64, f32, f64.
struct Signature {
  std::string parameters;
  std::string result;
};

/// What `rankine sdk build` found in the runtime's archive: lines `name parameters result`, with - for nothing.
StringMap<Signature> readSignatures() {
  SmallString<128> path(sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&readSignatures)));
  sys::path::remove_filename(path);
  sys::path::append(path, "..", "lib", "runtime.signatures");
  StringMap<Signature> signatures;
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return signatures; // the compiler compiles a part of its own runtime before there is a list
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    SmallVector<StringRef> words;
    line.split(words, ' ');
    if (words.size() == 3)
      signatures[words[0]] = {words[1] == "-" ? "" : words[1].str(), words[2] == "-" ? "" : words[2].str()};
  }
  return signatures;
}

/// The letters of a parameter's type; empty for one that is not passed as a scalar.
std::string letters(Type *type) {
  if (type->isPointerTy())
    return "i";
  if (type->isFloatTy())
    return "f";
  if (type->isDoubleTy())
    return "d";
  if (type->isFP128Ty() || type->isIntegerTy(128))
    return "ll";
  if (auto *integer = dyn_cast<IntegerType>(type); integer && integer->getBitWidth() <= 64)
    return integer->getBitWidth() <= 32 ? "i" : "l";
  return "";
}

Signature signatureOf(FunctionType *type) {
  Signature signature;
  Type *result = type->getReturnType();
  if (result->isFP128Ty() || result->isIntegerTy(128))
    signature.parameters = "i"; // the place of the result
  else if (!result->isVoidTy())
    signature.result = letters(result);
  for (Type *parameter : type->params())
    signature.parameters += letters(parameter);
  return signature;
}

/// Converts a value to the type that a letter stands for, or leaves it; null where that is no widening or narrowing.
Value *converted(IRBuilder<> &builder, Value *value, char letter) {
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  std::string have = letters(value->getType());
  if (have == std::string(1, letter))
    return value;
  if (have == "i" && letter == 'l')
    return value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, i64) : builder.CreateSExt(value, i64);
  if (have == "l" && letter == 'i')
    return builder.CreateTrunc(value, i32);
  return nullptr;
}

/// Flang calls its runtime with the `long` and `size_t` of the 64-bit machine that it runs on itself. A declaration that
/// differs from the definition of the runtime for 32 bits becomes a function that converts and calls it.
bool adaptCall(Function &declared, const Signature &wanted) {
  Signature have = signatureOf(declared.getFunctionType());
  if (have.parameters == wanted.parameters && have.result == wanted.result)
    return true;
  auto complain = [&] {
    errs() << "rankine fc: flang calls " << declared.getName() << " as (" << have.parameters << ") -> " << have.result
           << ", but its runtime has (" << wanted.parameters << ") -> " << wanted.result
           << ": compiler and runtime are of different versions, or this version of flang is not known to Rankine; "
              "`rankine sdk build fortran --force` builds both from one source\n";
    return false;
  };
  if (have.parameters.size() != wanted.parameters.size() || declared.arg_size() != have.parameters.size() ||
      have.result.size() != wanted.result.size())
    return complain();
  LLVMContext &context = declared.getContext();
  auto typeOf = [&](char letter, Type *same, char now) -> Type * {
    return letter == now ? same : letter == 'l' ? Type::getInt64Ty(context) : Type::getInt32Ty(context);
  };
  SmallVector<Type *> parameters;
  for (auto [index, argument] : enumerate(declared.args()))
    parameters.push_back(typeOf(wanted.parameters[index], argument.getType(), have.parameters[index]));
  Type *result = declared.getReturnType();
  if (!have.result.empty())
    result = typeOf(wanted.result[0], result, have.result[0]);

  std::string name = declared.getName().str();
  declared.setName(name + ".as_flang_calls_it");
  Module &module = *declared.getParent();
  auto *callee = Function::Create(FunctionType::get(result, parameters, false), Function::ExternalLinkage, name, module);
  declared.setLinkage(Function::InternalLinkage);
  declared.setSubprogram(nullptr);
  declared.removeFnAttr(Attribute::NoInline);
  declared.addFnAttr(Attribute::AlwaysInline);
  IRBuilder<> builder(BasicBlock::Create(context, "", &declared));
  SmallVector<Value *> arguments;
  for (auto [index, argument] : enumerate(declared.args())) {
    Value *value = converted(builder, &argument, wanted.parameters[index]);
    if (!value)
      return complain();
    arguments.push_back(value);
  }
  Value *answer = builder.CreateCall(callee, arguments);
  if (declared.getReturnType()->isVoidTy()) {
    builder.CreateRetVoid();
    return true;
  }
  if (declared.getReturnType() != result)
    answer = have.result == "l" ? builder.CreateSExt(answer, declared.getReturnType())
                                : builder.CreateTrunc(answer, declared.getReturnType());
  builder.CreateRet(answer);
  return true;
}

bool adaptCalls(Module &module) {
  StringMap<Signature> signatures = readSignatures();
  SmallVector<Function *> declarations;
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.isVarArg())
      declarations.push_back(&function);
  for (Function *function : declarations)
    if (auto found = signatures.find(function->getName()); found != signatures.end())
      if (!adaptCall(*function, found->second))
        return false;
  return true;
}

/// `lround` and `lrint` with a 64-bit result are `llround` and `llrint` where `long` has 32 bits.
void adaptRounding(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    Intrinsic::ID id = function.getIntrinsicID();
    if ((id != Intrinsic::lround && id != Intrinsic::lrint) || !function.getReturnType()->isIntegerTy(64))
      continue;
    id = id == Intrinsic::lround ? Intrinsic::llround : Intrinsic::llrint;
    Type *types[] = {function.getReturnType(), function.getArg(0)->getType()};
    function.replaceAllUsesWith(Intrinsic::getOrInsertDeclaration(&module, id, types));
    function.eraseFromParent();
  }
}

/// WebAssembly has one rounding mode: to choose another is for a function that says so (glue/rounding.c), where the code
/// generator would crash.
void adaptRoundingMode(Module &module) {
  Function *choose = module.getFunction("llvm.set.rounding");
  if (!choose)
    return;
  FunctionCallee ours = module.getOrInsertFunction("rankine_fortran_set_rounding", choose->getFunctionType());
  choose->replaceAllUsesWith(ours.getCallee());
  choose->eraseFromParent();
}

// -------------------------------------------------------------------------------------------------- start and COMMON

/// Flang's main takes the environment as a third argument, which WASI's start-up code does not pass, and numbers as wide as
/// the program's integers.
void adaptMain(Module &module) {
  Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || main->arg_size() != 3)
    return;
  main->setName("rankine_fortran_main");
  main->setLinkage(Function::InternalLinkage);
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context), *pointer = PointerType::get(context, 0);
  auto *start = Function::Create(FunctionType::get(i32, {i32, pointer}, false), Function::ExternalLinkage,
                                 "__main_argc_argv", module);
  FunctionCallee environment = module.getOrInsertFunction("__wasilibc_get_environ", FunctionType::get(pointer, false));
  IRBuilder<> builder(BasicBlock::Create(context, "", start));
  Value *variables = builder.CreateCall(environment);
  Value *count = builder.CreateSExt(start->getArg(0), main->getArg(0)->getType());
  Value *status = builder.CreateCall(main, {count, start->getArg(1), variables});
  builder.CreateRet(builder.CreateTrunc(status, i32));
}

/// WebAssembly has no common symbols. A COMMON block becomes weak, so that one of its definitions is taken; where they
/// differ in size, `rankine fc` adds the largest when it links.
void adaptCommonBlocks(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (variable.hasCommonLinkage())
      variable.setLinkage(GlobalValue::WeakAnyLinkage);
}

} // namespace

bool adapt(Module &module) {
  adaptMain(module);
  adaptCommonBlocks(module);
  const bool isNarrow = module.getTargetTriple().isArch32Bit();
  if (isNarrow)
    adaptRounding(module);
  adaptRoundingMode(module);
  adaptClosures(module);
  adaptOpenMP(module);
  adaptAllocations(module);
  return !isNarrow || adaptCalls(module);
}

} // namespace rankine
