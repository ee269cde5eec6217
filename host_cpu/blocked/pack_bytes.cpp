// Plain int8 tensors to words of stored bytes, and back.
#include "host_cpu/blocked/integers.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

Value wordConstant(Builder& b, int64_t value) {
  return b.create<arith::ConstantOp>(b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

/// Where a channel of a pixel lies in a plain tensor.
SmallVector<Value> plainIndices(bool rows, Value batch, Value channel, Value row, Value column) {
  if (rows) return {column, channel};
  return {batch, channel, row, column};
}

/// The indices of a word in a buffer.
SmallVector<Value> wordIndices(Builder& b, const Layout& layout, Value batch, Value block,
                               Value row, Value column, Value word) {
  return {batch, block, linear(b, row, 1, layout.halo[0]), linear(b, column, 1, layout.halo[1]),
          word};
}

/// The stored byte of one channel, in bits 0 to 7; zero past the last channel.
Value storedByte(Builder& b, const Layout& layout, bool rows, Value plain, ValueRange pixel,
                 Value channel) {
  const bool ragged = layout.channels % layout.block != 0;
  Value last = index(b, layout.channels - 1), inside;
  if (ragged) {
    inside = b.create<arith::CmpIOp>(arith::CmpIPredicate::ule, channel, last);
    channel = b.create<arith::MinSIOp>(channel, last);
  }
  Value value =
      b.create<memref::LoadOp>(plain, plainIndices(rows, pixel[0], channel, pixel[1], pixel[2]));
  Value byte = b.create<arith::XOrIOp>(b.create<arith::ExtUIOp>(b.getI32Type(), value),
                                       wordConstant(b, kByteOffset));
  return ragged ? b.create<arith::SelectOp>(inside, byte, wordConstant(b, 0)).getResult() : byte;
}

}  // namespace

void emitPackBytes(Builder& b, const Layout& layout, bool rows, ValueRange buffers) {
  parallel(b, {layout.batch, layout.blocks(), layout.height}, [&](Builder& b, ValueRange v) {
    loop(b, layout.words(), [&](Builder& b, Value word) {
      Value first = add(b, linear(b, v[1], layout.block, 0), linear(b, word, kWordBytes, 0));
      loop(b, layout.width, [&](Builder& b, Value column) {
        Value packed = wordConstant(b, 0);
        for (int64_t i = 0; i < kWordBytes; ++i) {
          Value byte =
              storedByte(b, layout, rows, buffers[0], {v[0], v[2], column}, linear(b, first, 1, i));
          byte = b.create<arith::ShLIOp>(byte, wordConstant(b, 8 * i));
          packed = b.create<arith::OrIOp>(packed, byte);
        }
        b.create<memref::StoreOp>(packed, buffers[1],
                                  wordIndices(b, layout, v[0], v[1], v[2], column, word));
      });
    });
  });
}

void emitUnpackBytes(Builder& b, const Layout& layout, bool rows, ValueRange buffers) {
  parallel(b, {layout.batch, layout.channels, layout.height}, [&](Builder& b, ValueRange v) {
    Value block = b.create<arith::DivUIOp>(v[1], index(b, layout.block));
    Value lane = b.create<arith::RemUIOp>(v[1], index(b, layout.block));
    Value word = b.create<arith::DivUIOp>(lane, index(b, kWordBytes));
    Value byte = b.create<arith::RemUIOp>(lane, index(b, kWordBytes));
    Value shift = b.create<arith::IndexCastOp>(b.getI32Type(), linear(b, byte, 8, 0));
    loop(b, layout.width, [&](Builder& b, Value column) {
      Value packed = b.create<memref::LoadOp>(
          buffers[0], wordIndices(b, layout, v[0], block, v[2], column, word));
      Value stored = b.create<arith::ShRUIOp>(packed, shift);
      Value value = b.create<arith::XOrIOp>(stored, wordConstant(b, kByteOffset));
      b.create<memref::StoreOp>(b.create<arith::TruncIOp>(b.getI8Type(), value), buffers[1],
                                plainIndices(rows, v[0], v[1], v[2], column));
    });
  });
}

}  // namespace vta::codegen::blocked
