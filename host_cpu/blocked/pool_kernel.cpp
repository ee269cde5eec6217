// Pooling, vectorised over the channels of a block.
#include <limits>

#include "host_cpu/blocked/emit.h"
#include "host_cpu/blocked/integers.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

struct Range {
  Value begin, end;  // window offsets
};

/// The part of the window of output `position` that lies in [-before, extent + after).
Range windowRange(Builder& b, const PoolSpec& spec, int d, Value position, int64_t before,
                  int64_t after) {
  const int64_t extent = d == 0 ? spec.in.height : spec.in.width;
  Value first = linear(b, position, spec.strides[d], -spec.pads[d]);  // image coordinate
  Value begin = b.create<arith::SubIOp>(index(b, -before), first);
  Value end = b.create<arith::SubIOp>(index(b, extent + after), first);
  return {b.create<arith::MaxSIOp>(begin, index(b, 0)),
          b.create<arith::MinSIOp>(end, index(b, spec.kernel[d]))};
}

Value countElements(Builder& b, const PoolSpec& spec, Value row, Value column) {
  Range rows = windowRange(b, spec, 0, row, spec.counted_pads[0], spec.counted_pads[2]);
  Range columns = windowRange(b, spec, 1, column, spec.counted_pads[1], spec.counted_pads[3]);
  Value count = b.create<arith::MulIOp>(b.create<arith::SubIOp>(rows.end, rows.begin),
                                        b.create<arith::SubIOp>(columns.end, columns.begin));
  Value integer = b.create<arith::IndexCastOp>(b.getI32Type(), count);
  Value real = b.create<arith::SIToFPOp>(b.getF32Type(), integer);
  return b.create<vector::BroadcastOp>(blockType(b), real);
}

/// What the maximum or the sum of nothing is.
Value initialValue(Builder& b, const PoolSpec& spec) {
  if (!spec.in.is_integer) {
    return splat(b, spec.average ? 0.0 : -std::numeric_limits<double>::infinity());
  }
  auto type = VectorType::get({kBlock}, b.getI8Type());
  return b.create<arith::ConstantOp>(b.getZeroAttr(type));
}

/// `value` with one more pixel of the window.
Value takePixel(Builder& b, const PoolSpec& spec, Value value, Value buffer, ValueRange indices) {
  // Stored bytes are unsigned, in the order of the int8 that they stand for.
  if (spec.in.is_integer) {
    return b.create<arith::MaxUIOp>(value, loadBytes(b, buffer, indices));
  }
  Value input = loadBlock(b, buffer, indices);
  if (spec.average) return b.create<arith::AddFOp>(value, input);
  return b.create<arith::MaximumFOp>(value, input);
}

void emitPixel(Builder& b, const PoolSpec& spec, ValueRange buffers, Value batch, Value block,
               Value row, Value column) {
  Range rows = windowRange(b, spec, 0, row, 0, 0), columns = windowRange(b, spec, 1, column, 0, 0);
  Value zero = index(b, 0);
  Value initial = initialValue(b, spec);
  auto overColumns = [&](Builder& b, Value ky, ValueRange carried) {
    Value y = add(b, linear(b, row, spec.strides[0], spec.in.halo[0] - spec.pads[0]), ky);
    return loop(b, columns.begin, columns.end, carried, [&](Builder& b, Value kx, ValueRange v) {
      Value x = add(b, linear(b, column, spec.strides[1], spec.in.halo[1] - spec.pads[1]), kx);
      return SmallVector<Value>{takePixel(b, spec, v[0], buffers[0], {batch, block, y, x, zero})};
    });
  };
  Value result = loop(b, rows.begin, rows.end, initial, overColumns)[0];
  if (spec.average) {
    result = b.create<arith::DivFOp>(result, countElements(b, spec, row, column));
  }
  auto* store = spec.out.is_integer ? storeBytes : storeBlock;
  store(b, result, buffers[1],
        {batch, block, linear(b, row, 1, spec.out.halo[0]), linear(b, column, 1, spec.out.halo[1]),
         zero});
}

}  // namespace

void emitPool(Builder& b, const PoolSpec& spec, ValueRange buffers) {
  parallel(b, {spec.out.batch, spec.out.blocks(), spec.out.height}, [&](Builder& b, ValueRange v) {
    loop(b, spec.out.width,
         [&](Builder& b, Value column) { emitPixel(b, spec, buffers, v[0], v[1], v[2], column); });
  });
}

}  // namespace vta::codegen::blocked
