// Where generated code finds the fields of VtaHostContext (module/host_abi.h).
#pragma once

#include <cstddef>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "module/host_abi.h"

namespace vta::codegen {

/// In their order. The first two have 32 bits, the others are pointers.
enum class HostField {
  kAbiVersion,
  kNumThreads,
  kParallelFor,
  kPool,
  kFail,
  kCall,
  kMark,
  kCallOperator,
};
inline constexpr int kHostPointers = 6;
static_assert(sizeof(VtaHostContext) == 8 + kHostPointers * sizeof(void*));
static_assert(offsetof(VtaHostContext, call_operator) == 8 + (kHostPointers - 1) * sizeof(void*));

/// The pointer that `field` of the context has, as ops of the LLVM dialect.
inline mlir::Value loadHostField(mlir::ImplicitLocOpBuilder& b, mlir::Value context,
                                 HostField field) {
  const auto pointer = mlir::LLVM::LLVMPointerType::get(b.getContext());
  llvm::SmallVector<mlir::Type> fields = {b.getI32Type(), b.getI32Type()};
  fields.append(static_cast<size_t>(field) - 1, pointer);  // as far as the field
  const auto type = mlir::LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  const mlir::Value place = b.create<mlir::LLVM::GEPOp>(
      pointer, type, context, llvm::ArrayRef<mlir::LLVM::GEPArg>{0, static_cast<int32_t>(field)});
  return b.create<mlir::LLVM::LoadOp>(pointer, place);
}

}  // namespace vta::codegen
