// Bytes in words, and their products.
#include "host_cpu/blocked/integers.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

VectorType bytesType(Builder& b, int64_t count) { return VectorType::get({count}, b.getI8Type()); }
VectorType blockOfWords(Builder& b) { return VectorType::get({kBlock}, b.getI32Type()); }

Value halves(Builder& b, Value words) {
  const int64_t count = 2 * cast<VectorType>(words.getType()).getNumElements();
  return b.create<vector::BitCastOp>(VectorType::get({count}, b.getI16Type()), words);
}

/// sum + product of two operands of one register. `name`: LLVM's intrinsic without the width.
Value intrinsic(Builder& b, StringRef name, Type type, ValueRange operands) {
  return b.create<LLVM::CallIntrinsicOp>(type, b.getStringAttr(name), operands).getResult(0);
}

Value addQuadsOfRegister(Builder& b, Value x, Value y, Value sum) {
  const int64_t bits = cast<VectorType>(sum.getType()).getNumElements() * 32;
  return intrinsic(b, ("llvm.x86.avx512.vpdpbusd." + Twine(bits)).str(), sum.getType(),
                   {sum, x, y});
}

Value addArmQuadsOfRegister(Builder& b, StringRef name, Value x, Value y, Value sum) {
  const auto bytes = bytesType(b, kWordBytes * cast<VectorType>(sum.getType()).getNumElements());
  Value left = b.create<vector::BitCastOp>(bytes, x), right = b.create<vector::BitCastOp>(bytes, y);
  return intrinsic(b, name, sum.getType(), {sum, left, right});
}

Value addSignedQuadsOfRegister(Builder& b, Value x, Value y, Value sum) {
  return addArmQuadsOfRegister(b, "llvm.aarch64.neon.sdot", x, y, sum);
}

Value addMixedQuadsOfRegister(Builder& b, Value x, Value y, Value sum) {
  return addArmQuadsOfRegister(b, "llvm.aarch64.neon.usdot", x, y, sum);
}

Value addPairsOfRegister(Builder& b, Value x, Value y, Value sum) {
  const int64_t lanes = cast<VectorType>(sum.getType()).getNumElements();
  const StringRef name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                         : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                      : "llvm.x86.sse2.pmadd.wd";
  return b.create<arith::AddIOp>(sum,
                                 intrinsic(b, name, sum.getType(), {halves(b, x), halves(b, y)}));
}

/// Applies `body` to each register of the operands.
Value byRegisters(Builder& b, const CpuTraits& traits, Value x, Value y, Value sum,
                  llvm::function_ref<Value(Builder&, Value, Value, Value)> body) {
  const int64_t lanes = traits.byte_product_bytes / 4;
  if (lanes >= kBlock) return body(b, x, y, sum);
  Value result = sum;
  for (int64_t first = 0; first < kBlock; first += lanes) {
    const auto part = [&](Value whole) -> Value {
      return b.create<vector::ExtractStridedSliceOp>(
          whole, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{1});
    };
    Value done = body(b, part(x), part(y), part(sum));
    result = b.create<vector::InsertStridedSliceOp>(done, result, ArrayRef<int64_t>{first},
                                                    ArrayRef<int64_t>{1});
  }
  return result;
}

/// The int8 that unsigned bytes stand for.
Value signedBytes(Builder& b, Value words) {
  return b.create<arith::XOrIOp>(words, integerSplat(b, words.getType(), 0x80808080));
}

/// Bytes 0 and 2 of each word in its halves, or 1 and 3.
struct Pairs {
  Value even, odd;
};

Pairs unsignedPairs(Builder& b, Value words) {
  Value mask = integerSplat(b, words.getType(), 0x00FF00FF);
  Value shifted = b.create<arith::ShRUIOp>(words, integerSplat(b, words.getType(), 8));
  return {b.create<arith::AndIOp>(words, mask), b.create<arith::AndIOp>(shifted, mask)};
}

Pairs signedPairs(Builder& b, Value words) {
  Value bytes = halves(b, words), eight = integerSplat(b, bytes.getType(), 8);
  Value even = b.create<arith::ShRSIOp>(b.create<arith::ShLIOp>(bytes, eight), eight);
  Value odd = b.create<arith::ShRSIOp>(bytes, eight);
  return {b.create<vector::BitCastOp>(words.getType(), even),
          b.create<vector::BitCastOp>(words.getType(), odd)};
}

Value addPairs(Builder& b, const CpuTraits& traits, Value x, Value y, Value sum) {
  const Pairs left = unsignedPairs(b, x), right = signedPairs(b, y);
  sum = byRegisters(b, traits, left.even, right.even, sum, addPairsOfRegister);
  return byRegisters(b, traits, left.odd, right.odd, sum, addPairsOfRegister);
}

Value addSingles(Builder& b, Value x, Value y, Value sum) {
  Value mask = integerSplat(b, x.getType(), 0xFF), top = integerSplat(b, x.getType(), 24);
  for (int64_t byte = 0; byte < kWordBytes; ++byte) {
    Value left = b.create<arith::ShRUIOp>(x, integerSplat(b, x.getType(), 8 * byte));
    left = b.create<arith::AndIOp>(left, mask);
    Value right = b.create<arith::ShLIOp>(y, integerSplat(b, y.getType(), 24 - 8 * byte));
    right = b.create<arith::ShRSIOp>(right, top);
    sum = b.create<arith::AddIOp>(sum, b.create<arith::MulIOp>(left, right));
  }
  return sum;
}

}  // namespace

Value integerSplat(Builder& b, Type type, int64_t value) {
  auto vector = cast<VectorType>(type);
  return b.create<arith::ConstantOp>(
      DenseElementsAttr::get(vector, b.getIntegerAttr(vector.getElementType(), value)));
}

Value loadBytes(Builder& b, Value buffer, ValueRange indices) {
  return b.create<vector::BitCastOp>(bytesType(b, kBlock), loadBlock(b, buffer, indices));
}

void storeBytes(Builder& b, Value bytes, Value buffer, ValueRange indices) {
  const auto words = VectorType::get({kBlock / kWordBytes}, b.getI32Type());
  storeBlock(b, b.create<vector::BitCastOp>(words, bytes), buffer, indices);
}

Value widenBytes(Builder& b, Value bytes) {
  Value wide = b.create<arith::ExtUIOp>(blockOfWords(b), bytes);
  return b.create<arith::SubIOp>(wide, integerSplat(b, wide.getType(), kByteOffset));
}

Value narrowToBytes(Builder& b, Value values) {
  Value bytes = b.create<arith::TruncIOp>(bytesType(b, kBlock), values);
  return b.create<arith::XOrIOp>(bytes, integerSplat(b, bytes.getType(), -kByteOffset));
}

Value addByteProducts(Builder& b, const CpuTraits& traits, Value x, Value y, Value sum) {
  switch (traits.byte_products) {
    case ByteProducts::kQuads:
      return byRegisters(b, traits, x, y, sum, addQuadsOfRegister);
    case ByteProducts::kSignedQuads:
      return byRegisters(b, traits, signedBytes(b, x), y, sum, addSignedQuadsOfRegister);
    case ByteProducts::kMixedQuads:
      return byRegisters(b, traits, x, y, sum, addMixedQuadsOfRegister);
    case ByteProducts::kPairs:
      return addPairs(b, traits, x, y, sum);
    case ByteProducts::kNone:
      break;
  }
  return addSingles(b, x, y, sum);
}

int64_t multipliedOffset(const CpuTraits& traits) {
  return traits.byte_products == ByteProducts::kSignedQuads ? 0 : kByteOffset;
}

Value transposePixels(Builder& b, Value words) {
  Value bytes = b.create<vector::BitCastOp>(bytesType(b, kBlock * kWordBytes), words);
  SmallVector<int64_t> order;
  for (int64_t channel = 0; channel < kBlock; ++channel) {
    for (int64_t pixel = 0; pixel < kWordBytes; ++pixel) order.push_back(pixel * kBlock + channel);
  }
  Value turned = b.create<vector::ShuffleOp>(bytes, bytes, order);
  return b.create<vector::BitCastOp>(blockOfWords(b), turned);
}

}  // namespace vta::codegen::blocked
