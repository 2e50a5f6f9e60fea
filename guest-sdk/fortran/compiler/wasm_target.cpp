// How Fortran's types are passed and stored on wasm32 and wasm64: the rules of clang's C ABI for these targets, which flang's own
// library of targets lacks. This file takes the place of that library's object (lib/Optimizer/CodeGen/Target.cpp).

#include "flang/Optimizer/CodeGen/Target.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"

using namespace fir;

namespace {

class Wasm : public CodeGenSpecifics {
public:
  using CodeGenSpecifics::CodeGenSpecifics;
  using Attribute = CodeGenSpecifics::Attributes;

  mlir::Type complexMemoryType(mlir::Type element) const override { return pairOf(element); }

  // A complex number is a structure of two members for the ABI: passed and returned in memory.
  Marshalling complexArgumentType(mlir::Location, mlir::Type element) const override {
    return one(ReferenceType::get(pairOf(element)), byValue());
  }
  Marshalling complexReturnType(mlir::Location, mlir::Type element) const override {
    return one(ReferenceType::get(pairOf(element)), asResult());
  }

  mlir::Type boxcharMemoryType(mlir::Type element) const override {
    return mlir::TupleType::get(element.getContext(), {ReferenceType::get(element), lengthType(element)});
  }
  // The lengths of all CHARACTER arguments follow the other arguments.
  Marshalling boxcharArgumentType(mlir::Type element) const override {
    Attribute appended(/*alignment=*/0, /*byval=*/false, /*sret=*/false, /*append=*/true);
    return {{ReferenceType::get(element), Attribute{}}, {lengthType(element), appended}};
  }

  // A structure with a single scalar in it is passed as that scalar, any other one in memory.
  Marshalling structArgumentType(mlir::Location, RecordType type, const Marshalling &) const override {
    if (mlir::Type only = onlyScalar(type))
      return one(only, Attribute{});
    return one(ReferenceType::get(type), byValue());
  }
  Marshalling structReturnType(mlir::Location, RecordType type) const override {
    if (mlir::Type only = onlyScalar(type))
      return one(only, Attribute{});
    return one(ReferenceType::get(type), asResult());
  }

  Marshalling integerArgumentType(mlir::Location, mlir::IntegerType type) const override {
    auto extension = Attribute::IntegerExtension::None;
    if (type.getWidth() == 1 || (type.isUnsigned() && type.getWidth() < getCIntTypeWidth()))
      extension = Attribute::IntegerExtension::Zero;
    else if (type.getWidth() < getCIntTypeWidth())
      extension = Attribute::IntegerExtension::Sign;
    return one(type, Attribute(0, false, false, false, extension));
  }
  Marshalling integerReturnType(mlir::Location location, mlir::IntegerType type) const override {
    return integerArgumentType(location, type);
  }

  unsigned char getCIntTypeWidth() const override { return 32; }

private:
  static Marshalling one(mlir::Type type, Attribute attribute) { return {{type, attribute}}; }
  static Attribute byValue() { return Attribute(/*alignment=*/0, /*byval=*/true); }
  static Attribute asResult() { return Attribute(/*alignment=*/0, /*byval=*/false, /*sret=*/true); }
  static mlir::Type pairOf(mlir::Type element) {
    return mlir::TupleType::get(element.getContext(), {element, element});
  }
  /// `size_t`.
  mlir::Type lengthType(mlir::Type element) const {
    return mlir::IntegerType::get(element.getContext(), triple.isArch64Bit() ? 64 : 32);
  }

  /// The scalar that is all of a structure, through structures and arrays of one element; null if it holds more.
  static mlir::Type onlyScalar(mlir::Type type) {
    if (auto record = mlir::dyn_cast<RecordType>(type)) {
      auto members = record.getTypeList();
      return members.size() == 1 ? onlyScalar(members[0].second) : mlir::Type{};
    }
    if (auto array = mlir::dyn_cast<SequenceType>(type))
      return array.getShape().size() == 1 && array.getShape()[0] == 1 ? onlyScalar(array.getEleTy()) : mlir::Type{};
    bool scalar = mlir::isa<mlir::IntegerType, mlir::FloatType>(type);
    return scalar && type.getIntOrFloatBitWidth() <= 64 ? type : mlir::Type{};
  }
};

} // namespace

std::unique_ptr<CodeGenSpecifics> CodeGenSpecifics::get(mlir::MLIRContext *context, llvm::Triple &&triple,
                                                        KindMapping &&kinds, llvm::StringRef cpu,
                                                        mlir::LLVM::TargetFeaturesAttr features,
                                                        const mlir::DataLayout &layout, llvm::StringRef tune) {
  return std::make_unique<Wasm>(context, std::move(triple), std::move(kinds), cpu, features, layout, tune);
}

std::unique_ptr<CodeGenSpecifics> CodeGenSpecifics::get(mlir::MLIRContext *context, llvm::Triple &&triple,
                                                        KindMapping &&kinds, llvm::StringRef cpu,
                                                        mlir::LLVM::TargetFeaturesAttr features,
                                                        const mlir::DataLayout &layout) {
  return get(context, std::move(triple), std::move(kinds), cpu, features, layout, "");
}

/// The names of LLVM's attributes: `zeroext` tells the callee that the upper bits are clear.
llvm::StringRef fir::details::Attributes::getIntExtensionAttrName() const {
  return isZeroExt() ? "llvm.zeroext" : isSignExt() ? "llvm.signext" : llvm::StringRef{};
}
