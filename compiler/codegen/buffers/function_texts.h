// Texts that the code of a function passes on.
#pragma once

#include <string>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// Texts of a function as constants, each once, with a zero behind it.
class FunctionTexts {
 public:
  /// Constants are named after the function, whose name no other one has, with `suffix`.
  FunctionTexts(mlir::ModuleOp module, mlir::func::FuncOp function, std::string suffix)
      : module_(module), function_(function), suffix_(std::move(suffix)) {}

  /// The address of the text, in the function.
  mlir::Value address(mlir::StringAttr text) {
    mlir::Value& known = known_[text];
    if (known) return known;
    mlir::ImplicitLocOpBuilder b(function_.getLoc(), module_.getContext());
    b.setInsertionPointToStart(module_.getBody());
    const std::string bytes = text.str() + std::string(1, '\0');
    const auto type = mlir::LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    const std::string name = function_.getName().str() + suffix_ + std::to_string(known_.size());
    auto global = b.create<mlir::LLVM::GlobalOp>(
        type, /*isConstant=*/true, mlir::LLVM::Linkage::Internal, name, b.getStringAttr(bytes));
    b.setInsertionPointToStart(&function_.getBody().front());
    return known = b.create<mlir::LLVM::AddressOfOp>(global);
  }

 private:
  mlir::ModuleOp module_;
  mlir::func::FuncOp function_;
  std::string suffix_;
  llvm::DenseMap<mlir::Attribute, mlir::Value> known_;
};

}  // namespace vta::codegen
