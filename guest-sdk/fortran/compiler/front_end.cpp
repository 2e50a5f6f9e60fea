// Flang for wasm32 and wasm64: flang's own front end and FIR passes, linked with a description of the targets that flang lacks
// (wasm_target.cpp) and with what its code must be changed in before WebAssembly can run it (bind_c.cpp, adapt.cpp,
// allocations.cpp, closures.cpp).
//
// How large flang's semantics takes pointers for is put right in pointers.cpp.
//
// It takes the arguments of `flang -fc1`. With -emit-llvm-bc it writes LLVM bitcode, unoptimised: clang compiles that
// with the flags that C guests are compiled with. Every other action is flang's own.

#include "adapt.h"
#include "allocations.h"
#include "bind_c.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Frontend/CompilerInvocation.h"
#include "flang/Frontend/FrontendActions.h"
#include "flang/Frontend/TextDiagnosticBuffer.h"
#include "flang/FrontendTool/Utils.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace Fortran::frontend;

namespace {

/// Flang lowers the extent of an assumed-size array to a 64-bit constant whatever the width of an index is. Here it is
/// made the constant that the operation stands for, of the right type, before flang comes to it.
void lowerAssumedSizeExtents(mlir::ModuleOp module) {
  module.walk([](fir::AssumedSizeExtentOp extent) {
    mlir::OpBuilder builder(extent);
    auto minusOne = builder.getIntegerAttr(extent.getType(), -1);
    auto constant = mlir::arith::ConstantOp::create(builder, extent.getLoc(), minusOne);
    extent.replaceAllUsesWith(constant.getResult());
    extent.erase();
  });
}

/// Where an element of a descriptor's array is asked for by its number, as C_F_POINTER does of its SHAPE, flang multiplies an
/// index by a stride of 64 bits. Elements that are asked for by their subscripts get the width that they need.
void countElementsFromOne(mlir::ModuleOp module) {
  module.walk([](fir::CoordinateOp element) {
    auto box = mlir::dyn_cast<fir::BaseBoxType>(element.getRef().getType());
    auto array = box ? mlir::dyn_cast<fir::SequenceType>(fir::unwrapRefType(box.getEleTy())) : fir::SequenceType();
    if (!array || array.getDimension() != element.getCoor().size())
      return;
    mlir::OpBuilder builder(element);
    mlir::Location place = element.getLoc();
    mlir::Value one = mlir::arith::ConstantIndexOp::create(builder, place, 1);
    llvm::SmallVector<mlir::Value> subscripts;
    for (mlir::Value number : element.getCoor()) {
      mlir::Value index = fir::ConvertOp::create(builder, place, builder.getIndexType(), number);
      subscripts.push_back(mlir::arith::AddIOp::create(builder, place, index, one));
    }
    auto found = fir::ArrayCoorOp::create(builder, place, element.getType(), element.getRef(), mlir::Value(), mlir::Value(),
                                          subscripts, mlir::ValueRange());
    element.replaceAllUsesWith(found.getResult());
    element.erase();
  });
}

/// Compiles to bitcode for WebAssembly.
class EmitWasmBitcode : public CodeGenAction {
public:
  EmitWasmBitcode() : CodeGenAction(BackendActionTy::Backend_EmitBC) {}

private:
  void executeAction() override {
    CompilerInstance &instance = getInstance();
    lowerAssumedSizeExtents(*mlirModule);
    countElementsFromOne(*mlirModule);
    rankine::adaptBindC(*mlirModule);
    rankine::noteAllocations(*mlirModule);
    generateLLVMIR();
    if (!llvmModule || instance.getDiagnostics().hasErrorOccurred())
      return;
    llvmModule->setTargetTriple(instance.getTargetMachine().getTargetTriple());
    llvmModule->setDataLayout(instance.getTargetMachine().createDataLayout());
    if (!rankine::adapt(*llvmModule)) {
      auto &diagnostics = instance.getDiagnostics();
      diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "cannot be compiled for WebAssembly"));
      return;
    }
    auto out = instance.createDefaultOutputFile(/*binary=*/true, getCurrentFileOrBufferName(), "bc");
    if (out)
      llvm::WriteBitcodeToFile(*llvmModule, *out);
  }
};

/// The options that go to LLVM and to MLIR, which flang parses only on its own path.
void parseBackEndOptions(const char *owner, const std::vector<std::string> &words) {
  if (words.empty())
    return;
  std::vector<const char *> arguments{owner};
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  llvm::cl::ParseCommandLineOptions(arguments.size(), arguments.data());
}

/// Intrinsic modules are taken from the folders of -fintrinsic-modules-path first, as those beside the compiler are for 32-bit
/// addresses.
void preferNamedModules(CompilerInvocation &invocation) {
  auto &folders = invocation.getFortranOpts().intrinsicModuleDirectories;
  const auto &named = invocation.getPreprocessorOpts().searchDirectoriesFromIntrModPath;
  folders.insert(folders.begin(), named.begin(), named.end());
}

bool emitBitcode(CompilerInstance &instance) {
  parseBackEndOptions("-mllvm", instance.getFrontendOpts().llvmArgs);
  if (!instance.getFrontendOpts().mlirArgs.empty()) {
    mlir::registerMLIRContextCLOptions();
    mlir::registerPassManagerCLOptions();
    mlir::registerAsmPrinterCLOptions();
    parseBackEndOptions("-mmlir", instance.getFrontendOpts().mlirArgs);
  }
  EmitWasmBitcode action;
  return instance.executeAction(action) && !instance.getDiagnostics().hasErrorOccurred();
}

} // namespace

int main(int argc, const char **argv) {
  auto instance = std::make_unique<CompilerInstance>();
  instance->createDiagnostics();
  auto *buffer = new TextDiagnosticBuffer;
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), options, buffer);
  llvm::ArrayRef<const char *> arguments(argv + 1, argv + argc);
  bool understood = CompilerInvocation::createFromArgs(instance->getInvocation(), arguments, diagnostics, argv[0]);
  LLVMInitializeWebAssemblyTargetInfo();
  LLVMInitializeWebAssemblyTarget();
  LLVMInitializeWebAssemblyTargetMC();
  LLVMInitializeWebAssemblyAsmPrinter();
  buffer->flushDiagnostics(instance->getDiagnostics());
  if (!understood)
    return 1;
  preferNamedModules(instance->getInvocation());
  bool bitcode = instance->getFrontendOpts().programAction == EmitLLVMBitcode;
  bool done = bitcode ? emitBitcode(*instance) : executeCompilerInvocation(instance.get());
  instance->clearOutputFiles(/*eraseFiles=*/!done);
  return done ? 0 : 1;
}
