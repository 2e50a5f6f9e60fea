// How large pointers are for flang's semantics, which computes the offsets of components for the tables that the runtime
// works by: 8 bytes for one of a procedure, whatever the target, without a way to say otherwise. On wasm32 they have 4.
//
// So the linker puts a function of ours before the one in which flang makes what it checks a file with (--wrap), and the
// private members are reached as the language allows: an explicit instantiation may name them.

#include "flang/Evaluate/target.h"
#include "flang/Frontend/CompilerInvocation.h"
#include "flang/Semantics/semantics.h"
#include "llvm/Target/TargetMachine.h"

using Fortran::evaluate::TargetCharacteristics;
using Fortran::frontend::CompilerInvocation;
using Fortran::parser::AllCookedSources;
using Fortran::semantics::SemanticsContext;

namespace {

using Member = std::size_t TargetCharacteristics::*;

template <int Which> struct Name {
  friend Member memberOf(Name);
};
template <int Which, Member Reached> struct Reach {
  friend Member memberOf(Name<Which>) { return Reached; }
};
template struct Reach<0, &TargetCharacteristics::procedurePointerByteSize_>;
template struct Reach<1, &TargetCharacteristics::procedurePointerAlignment_>;

} // namespace

// CompilerInvocation::getSemanticsCtx, as the linker knows it: `host/toolchain/src/build/flang.rs` has the same name.
#define GET_SEMANTICS                                                                                                  \
  "_ZN7Fortran8frontend18CompilerInvocation15getSemanticsCtxERNS_6parser16AllCookedSourcesERKN4llvm13TargetMachineE"

std::unique_ptr<SemanticsContext> original(CompilerInvocation *, AllCookedSources &,
                                           const llvm::TargetMachine &) asm("__real_" GET_SEMANTICS);
std::unique_ptr<SemanticsContext> withPointers(CompilerInvocation *, AllCookedSources &,
                                               const llvm::TargetMachine &) asm("__wrap_" GET_SEMANTICS);

std::unique_ptr<SemanticsContext> withPointers(CompilerInvocation *invocation, AllCookedSources &sources,
                                               const llvm::TargetMachine &machine) {
  auto context = original(invocation, sources, machine);
  const std::size_t pointerSize = machine.getTargetTriple().isArch64Bit() ? 8 : 4;
  TargetCharacteristics &target = context->targetCharacteristics();
  target.*memberOf(Name<0>()) = pointerSize;
  target.*memberOf(Name<1>()) = pointerSize;
  return context;
}
