#include "host_gpu/tensor/tensor_ops.h"

#include <fmt/format.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen {

using namespace mlir;

namespace {

constexpr unsigned kGlobalSpace = 1;

}  // namespace

Value TensorOps::pointerTo(Value buffer) {
  const auto type = cast<MemRefType>(buffer.getType());
  const auto pointer = LLVM::LLVMPointerType::get(b_.getContext(), type.getMemorySpaceAsInt());
  Value made = b_.create<UnrealizedConversionCastOp>(pointer, buffer).getResult(0);
  if (type.getMemorySpaceAsInt() != 0) return made;
  return b_.create<LLVM::AddrSpaceCastOp>(LLVM::LLVMPointerType::get(b_.getContext(), kGlobalSpace),
                                          made);
}

Value TensorOps::advance(Value pointer, Value bytes) {
  Value distance = b_.createOrFold<arith::IndexCastUIOp>(b_.getI32Type(), bytes);
  return b_.create<LLVM::GEPOp>(pointer.getType(), b_.getI8Type(), pointer,
                                ArrayRef<LLVM::GEPArg>{distance});
}

void TensorOps::startCopy(Value to, Value from, int64_t bytes, Value inside) {
  const auto number = [&](int64_t value) {
    return b_.create<arith::ConstantIntOp>(value, 32).getResult();
  };
  Value read = number(bytes);
  if (inside) read = b_.create<arith::SelectOp>(inside, read, number(0));
  // Whole chunks need no place in the first cache: other invocations read other ones.
  const std::string name = fmt::format("llvm.nvvm.cp.async.{}.shared.global.{}.s",
                                       bytes == kTensorChunkBytes ? "cg" : "ca", bytes);
  b_.create<LLVM::CallIntrinsicOp>(TypeRange(), name, ValueRange{to, from, read});
}

void TensorOps::closeCopies() { b_.create<NVVM::CpAsyncCommitGroupOp>(); }

void TensorOps::waitForCopies(int64_t groups) {
  b_.create<NVVM::CpAsyncWaitGroupOp>(static_cast<uint32_t>(groups));
}

TensorOps::Registers TensorOps::fieldsOf(Value registers) {
  Registers fields;
  for (int64_t i = 0; i < 4; ++i) {
    fields[static_cast<size_t>(i)] = b_.create<LLVM::ExtractValueOp>(registers, i);
  }
  return fields;
}

TensorOps::Registers TensorOps::loadMatrices(Value pointer, bool is_transposed) {
  const auto type =
      LLVM::LLVMStructType::getLiteral(b_.getContext(), SmallVector<Type>(4, b_.getI32Type()));
  return fieldsOf(b_.create<NVVM::LdMatrixOp>(
      type, pointer, 4U, is_transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row));
}

TensorOps::Registers TensorOps::multiplyAdd(const Registers& left, Value right_low,
                                            Value right_high, const Registers& sums) {
  const bool is_int8 = element_ == GemmElement::kInt8;
  SmallVector<Value> lefts(left.begin(), left.end()), rights = {right_low, right_high};
  if (!is_int8) {
    const auto halves = VectorType::get({2}, b_.getF16Type());
    for (SmallVector<Value>* values : {&lefts, &rights}) {
      for (Value& value : *values) value = b_.create<LLVM::BitcastOp>(halves, value);
    }
  }
  const auto type = LLVM::LLVMStructType::getLiteral(b_.getContext(),
                                                     SmallVector<Type>(4, sums.front().getType()));
  const auto element = is_int8 ? NVVM::MMATypes::s8 : NVVM::MMATypes::f16;
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (is_int8) overflow = NVVM::MMAIntOverflow::wrapped;  // sums are exact, as elsewhere
  return fieldsOf(b_.create<NVVM::MmaOp>(
      type, lefts, rights, ValueRange(ArrayRef<Value>(sums)),
      ArrayRef<int64_t>{kMmaRows, kMmaColumns, is_int8 ? 32 : 16}, std::nullopt, overflow,
      std::array{element, element}, std::array{NVVM::MMALayout::row, NVVM::MMALayout::col}));
}

}  // namespace vta::codegen
