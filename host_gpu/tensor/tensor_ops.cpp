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

void TensorOps::publishCopies() {
  b_.create<LLVM::InlineAsmOp>(TypeRange(), ValueRange(), "fence.proxy.async.shared::cta;",
                               "~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
                               LLVM::AsmDialectAttr(), ArrayAttr());
}

Value TensorOps::describeRows(Value pointer) {
  // Bits of a matrix descriptor: the address from bit 0 on and the distance of eight rows from bit
  // 32 on, both in units of 16 bytes, and the places of chunks from bit 62 on.
  constexpr int64_t kAddressMask = 0x3ffff, kUnitBits = 4, kRowsBit = 32, kPlacesBit = 62;
  constexpr int64_t kPlacesOf64Bytes = 2;
  constexpr uint64_t kFixed = uint64_t{kGroupAlignmentBytes >> kUnitBits} << kRowsBit |
                              uint64_t{1} << 16 | uint64_t{kPlacesOf64Bytes} << kPlacesBit;
  // Ops of LLVM's dialect, because others of 64 bits become pairs of words.
  const Type type = b_.getI64Type();
  const auto number = [&](uint64_t value) -> Value {
    return b_.create<LLVM::ConstantOp>(type, b_.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  Value address = b_.create<LLVM::PtrToIntOp>(type, pointer);
  address = b_.create<LLVM::AndOp>(address, number(kAddressMask));
  address = b_.create<LLVM::LShrOp>(address, number(kUnitBits));
  return b_.create<LLVM::OrOp>(address, number(kFixed));
}

SmallVector<Value> TensorOps::multiplyGroup(ArrayRef<std::pair<Value, Value>> rows,
                                            ArrayRef<Value> sums) {
  const bool is_int8 = element_ == GemmElement::kInt8;
  std::string results, outputs, inputs;
  for (size_t i = 0; i < sums.size(); ++i) {
    results += fmt::format("{}${}", i > 0 ? ", " : "", i);
    outputs += is_int8 ? "=r," : "=f,";
    inputs += fmt::format("{},", i);  // in the register of the result
  }
  // One text, so that nothing else touches the registers of sums that are being added to.
  std::string text = "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.fence.sync.aligned; ";
  SmallVector<Value> operands(sums);
  for (const auto& [left, right] : rows) {
    const size_t number = sums.size() + operands.size();
    text += fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.{} {{{}}}, ${}, ${}, p{}; ",
                        2 * sums.size(), is_int8 ? 32 : 16, is_int8 ? "s32.s8.s8" : "f32.f16.f16",
                        results, number, number + 1, is_int8 ? "" : ", 1, 1, 0, 0");
    operands.append({left, right});
    inputs += "l,l,";
  }
  text += "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }";
  const auto type = LLVM::LLVMStructType::getLiteral(
      b_.getContext(), SmallVector<Type>(sums.size(), sums.front().getType()));
  const Value made =
      b_.create<LLVM::InlineAsmOp>(type, operands, text, outputs + inputs + "~{memory}",
                                   /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr())
          .getResult(0);
  SmallVector<Value> added;
  for (size_t i = 0; i < sums.size(); ++i) {
    added.push_back(b_.create<LLVM::ExtractValueOp>(made, static_cast<int64_t>(i)));
  }
  return added;
}

}  // namespace vta::codegen
