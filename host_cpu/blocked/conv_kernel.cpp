// Direct convolution: a tile of output pixels and channels stays in registers while the loops run
// over input channels and the window.
#include "host_cpu/blocked/emit.h"
#include "host_cpu/blocked/integers.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

struct TilePosition {
  Value batch, out_tile, row, column;  // of the tile's first pixel
};

/// Input blocks that are added to the sums in one go.
struct Pass {
  Value first_block;
  bool is_first = true;  // sums begin with the bias, not with what the last pass left
  bool is_last = true;   // results are finished
};

class ConvEmitter {
 public:
  ConvEmitter(const ConvSpec& spec, const ConvSchedule& schedule, const CpuTraits& traits,
              ValueRange buffers)
      : spec_(spec),
        tile_(schedule),
        traits_(traits),
        in_(buffers[0]),
        weight_(buffers[1]),
        bias_(buffers[2]),
        residual_(spec.has_residual ? buffers[3] : Value()),
        out_(buffers.back()) {}

  void emit(Builder& b) {
    const int64_t row_tiles = (spec_.out.height + tile_.rows - 1) / tile_.rows;
    const int64_t rows = row_tiles / tile_.row_tiles;
    const int64_t out_tiles = spec_.out.blocks() / tile_.out_blocks;
    const bool is_rows_outer = tile_.rows_outer != 0;
    const int64_t outer = is_rows_outer ? rows : out_tiles;
    const int64_t inner = is_rows_outer ? out_tiles : rows;
    parallel(b, {spec_.out.batch, outer, inner}, [&](Builder& b, ValueRange variables) {
      Value out_tile = variables[is_rows_outer ? 2 : 1];
      emitPasses(b, {variables[0], out_tile, variables[is_rows_outer ? 1 : 2], Value()});
    });
  }

 private:
  int64_t pixels() const { return tile_.rows * tile_.columns; }

  /// `at.row` counts iterations of the parallel loop. The first and the last pass are other code
  /// than those between them.
  void emitPasses(Builder& b, const TilePosition& at) {
    const int64_t passes = spec_.summedBlocks() / tile_.in_blocks;
    if (passes == 1) return emitRows(b, at, {index(b, 0)});
    emitRows(b, at, {index(b, 0), true, false});
    if (passes > 2) {
      loop(b, passes - 2, [&](Builder& b, Value pass) {
        emitRows(b, at, {linear(b, pass, tile_.in_blocks, tile_.in_blocks), false, false});
      });
    }
    emitRows(b, at, {index(b, (passes - 1) * tile_.in_blocks), false, true});
  }

  void emitRows(Builder& b, const TilePosition& at, const Pass& pass) {
    const int64_t column_tiles = (spec_.out.width + tile_.columns - 1) / tile_.columns;
    const auto emit_row = [&](Builder& b, Value row_tile) {
      Value row = tileStart(b, row_tile, tile_.rows, spec_.out.height);
      loop(b, column_tiles, [&](Builder& b, Value column_tile) {
        Value column = tileStart(b, column_tile, tile_.columns, spec_.out.width);
        emitTile(b, {at.batch, at.out_tile, row, column}, pass);
      });
    };
    if (tile_.row_tiles == 1) return emit_row(b, at.row);
    loop(b, tile_.row_tiles, [&](Builder& b, Value i) {
      emit_row(b, add(b, linear(b, at.row, tile_.row_tiles, 0), i));
    });
  }

  void emitTile(Builder& b, const TilePosition& at, const Pass& pass) {
    SmallVector<Value> sums(pixels() * tile_.out_blocks);
    for (int64_t j = 0; j < tile_.out_blocks; ++j) {
      Value bias;
      if (pass.is_first) bias = channelNumbers(b, at, j, 0);
      for (int64_t p = 0; p < pixels(); ++p) {
        sums[p * tile_.out_blocks + j] =
            bias ? bias : loadBlock(b, out_, pixelOf(b, at, p, j, spec_.out));
      }
    }
    sums = spec_.depthwise ? sumDepthwise(b, at, sums) : sumChannels(b, at, pass, sums);
    for (int64_t p = 0; p < pixels(); ++p) {
      for (int64_t j = 0; j < tile_.out_blocks; ++j) {
        Value sum = sums[p * tile_.out_blocks + j];
        if (pass.is_last) {
          finish(b, at, p, j, sum);
        } else {
          storeBlock(b, sum, out_, pixelOf(b, at, p, j, spec_.out));
        }
      }
    }
  }

  using WindowBody = llvm::function_ref<SmallVector<Value>(Builder&, Value, Value, ValueRange)>;

  SmallVector<Value> overWindow(Builder& b, ValueRange sums, WindowBody body) {
    const bool unrolls_rows = tile_.unrolled_window > 2,
               unrolls_columns = tile_.unrolled_window > 1;
    return repeat(b, spec_.kernel[0], unrolls_rows, sums, [&](Builder& b, Value ky, ValueRange s) {
      return repeat(b, spec_.rowSteps(), unrolls_columns, s,
                    [&](Builder& b, Value kx, ValueRange s) { return body(b, ky, kx, s); });
    });
  }

  /// A loop, or its iterations one after the other.
  SmallVector<Value> repeat(
      Builder& b, int64_t count, bool is_unrolled, ValueRange sums,
      llvm::function_ref<SmallVector<Value>(Builder&, Value, ValueRange)> body) {
    if (!is_unrolled) return loop(b, index(b, 0), index(b, count), sums, body);
    SmallVector<Value> result(sums);
    for (int64_t i = 0; i < count; ++i) result = body(b, index(b, i), result);
    return result;
  }

  SmallVector<Value> sumChannels(Builder& b, const TilePosition& at, const Pass& pass,
                                 ValueRange sums) {
    const int64_t steps = spec_.blockSteps() / tile_.unrolled_channels;
    return repeat(b, tile_.in_blocks, false, sums, [&](Builder& b, Value i, ValueRange sums) {
      Value block = add(b, pass.first_block, i);
      return overWindow(b, sums, [&](Builder& b, Value ky, Value kx, ValueRange sums) {
        Value row = inputIndex(b, at.row, ky, 0), column = inputIndex(b, at.column, kx, 1);
        return repeat(b, steps, steps == 1, sums, [&](Builder& b, Value step, ValueRange sums) {
          SmallVector<Value> result(sums);
          for (int64_t u = 0; u < tile_.unrolled_channels; ++u) {
            Value channel = linear(b, step, tile_.unrolled_channels, u);
            result = rankOneUpdate(b, at, {block, ky, kx, channel}, row, column, result);
          }
          return result;
        });
      });
    });
  }

  /// sums[p][j] += input[p] * weight[j] for one input channel, or word of them, and one window
  /// position.
  SmallVector<Value> rankOneUpdate(Builder& b, const TilePosition& at, ArrayRef<Value> position,
                                   Value row, Value column, ValueRange sums) {
    SmallVector<Value> weights, result(sums);
    for (int64_t j = 0; j < tile_.out_blocks; ++j) {
      weights.push_back(loadBlock(
          b, weight_,
          {at.out_tile, position[0], position[1], position[2], position[3], index(b, j * kBlock)}));
    }
    for (int64_t p = 0; p < pixels(); ++p) {
      Value y = linear(b, row, 1, p / tile_.columns * spec_.strides[0]);
      Value x = linear(b, column, 1, p % tile_.columns * spec_.strides[1]);
      Value input =
          b.create<memref::LoadOp>(in_, ValueRange{at.batch, position[0], y, x, position[3]});
      Value broadcast =
          b.create<vector::BroadcastOp>(VectorType::get({kBlock}, input.getType()), input);
      for (int64_t j = 0; j < tile_.out_blocks; ++j) {
        Value& sum = result[p * tile_.out_blocks + j];
        sum = multiplyAdd(b, broadcast, weights[j], sum);
      }
    }
    return result;
  }

  Value multiplyAdd(Builder& b, Value x, Value weight, Value sum) {
    return spec_.isInteger() ? addByteProducts(b, traits_, x, weight, sum)
                             : blocked::multiplyAdd(b, traits_, x, weight, sum);
  }

  SmallVector<Value> sumDepthwise(Builder& b, const TilePosition& at, ValueRange sums) {
    return overWindow(b, sums, [&](Builder& b, Value ky, Value kx, ValueRange sums) {
      Value row = inputIndex(b, at.row, ky, 0), column = inputIndex(b, at.column, kx, 1);
      Value weight = loadBlock(b, weight_, {at.out_tile, ky, kx, index(b, 0)});
      SmallVector<Value> result;
      for (int64_t p = 0; p < pixels(); ++p) {
        Value y = linear(b, row, 1, p / tile_.columns * spec_.strides[0]);
        Value x = linear(b, column, 1, p % tile_.columns * spec_.strides[1]);
        Value input = loadPixels(b, {at.batch, at.out_tile, y, x, index(b, 0)});
        result.push_back(multiplyAdd(b, input, weight, sums[p]));
      }
      return result;
    });
  }

  /// The channels of a pixel, one in each lane. Of integers, words with as many neighbours as are
  /// multiplied at once; those behind the window have weights of zero, but are in the buffer.
  Value loadPixels(Builder& b, ValueRange indices) {
    if (!spec_.isInteger()) return loadBlock(b, in_, indices);
    auto words = VectorType::get({kBlock}, b.getI32Type());
    if (spec_.positionsPerStep() == 1) {
      return b.create<arith::ExtUIOp>(words, loadBytes(b, in_, indices));
    }
    return transposePixels(b, b.create<vector::LoadOp>(words, in_, indices));
  }

  /// The input row or column, in the buffer with its halo, of an output position and a step over
  /// the window.
  Value inputIndex(Builder& b, Value out, Value window, int d) {
    Value first = linear(b, out, spec_.strides[d], spec_.in.halo[d] - spec_.pads[d]);
    const int64_t positions = d == 1 ? spec_.positionsPerStep() : 1;
    return add(b, first, linear(b, window, positions * spec_.dilations[d], 0));
  }

  Value outBlock(Builder& b, const TilePosition& at, int64_t j) {
    return linear(b, at.out_tile, tile_.out_blocks, j);
  }

  /// Where pixel `p` and block `j` of a tile lie in a buffer of the output's shape.
  SmallVector<Value> pixelOf(Builder& b, const TilePosition& at, int64_t p, int64_t j,
                             const Layout& layout) {
    return {at.batch, outBlock(b, at, j), linear(b, at.row, 1, p / tile_.columns + layout.halo[0]),
            linear(b, at.column, 1, p % tile_.columns + layout.halo[1]), index(b, 0)};
  }

  /// Numbers that the channels of block `j` of a tile have: the bias, and in integers the constants
  /// of the finish behind it.
  Value channelNumbers(Builder& b, const TilePosition& at, int64_t j, int64_t which) {
    SmallVector<Value> indices = {outBlock(b, at, j), index(b, 0)};
    if (spec_.isInteger()) indices.insert(indices.begin() + 1, index(b, which));
    return loadBlock(b, bias_, indices);
  }

  void finish(Builder& b, const TilePosition& at, int64_t p, int64_t j, Value value) {
    if (spec_.isInteger()) return finishInteger(b, at, p, j, value);
    if (residual_) {
      Value other = loadBlock(b, residual_, pixelOf(b, at, p, j, spec_.residual));
      value = b.create<arith::AddFOp>(value, other);
    }
    storeBlock(b, activate(b, spec_.activation, value), out_, pixelOf(b, at, p, j, spec_.out));
  }

  void finishInteger(Builder& b, const TilePosition& at, int64_t p, int64_t j, Value sum) {
    SmallVector<Value> images;
    if (residual_) {
      Value bytes = loadBytes(b, residual_, pixelOf(b, at, p, j, spec_.residual));
      images.push_back(widenBytes(b, bytes));
    }
    Value result = emitFinish(b, spec_.finish, sum, images, [&](int64_t constant) {
      return channelNumbers(b, at, j, 1 + constant);
    });
    storeBytes(b, narrowToBytes(b, result), out_, pixelOf(b, at, p, j, spec_.out));
  }

  const ConvSpec& spec_;
  const ConvSchedule& tile_;
  const CpuTraits& traits_;
  Value in_, weight_, bias_, residual_, out_;
};

}  // namespace

void emitConv(Builder& b, const ConvSpec& spec, const ConvSchedule& schedule,
              const CpuTraits& traits, ValueRange buffers) {
  ConvEmitter(spec, schedule, traits, buffers).emit(b);
}

}  // namespace vta::codegen::blocked
