// Direct convolution: a tile of output pixels and channels stays in registers while the loops run
// over input channels and the window.
#include <algorithm>
#include <cmath>

#include "compiler/codegen/cpu/blocked/emit.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

/// Registers that one block takes.
int64_t registersPerBlock(const CpuTraits& traits) {
  return std::max<int64_t>(kBlock * 4 / traits.vector_bytes, 1);
}

/// How many pixels' sums fit in the registers beside the weights and one broadcast input.
int64_t mostPixels(const CpuTraits& traits, int64_t out_blocks) {
  const int64_t block = registersPerBlock(traits);
  const int64_t free = static_cast<int64_t>(traits.vector_registers) - block * out_blocks - 1;
  return std::clamp<int64_t>(free / (block * out_blocks), 1, 28);
}

/// The extent of equal pieces that cover `extent`, none longer than `limit`.
int64_t balancedTile(int64_t extent, int64_t limit) {
  const int64_t pieces = (extent + limit - 1) / limit;
  return (extent + pieces - 1) / pieces;
}

/// Where a tile starts. The last one is moved back to end with the image: it computes some pixels a
/// second time instead of needing code of its own.
Value tileStart(Builder& b, Value tile, int64_t size, int64_t extent) {
  Value start = linear(b, tile, size, 0);
  if (extent % size == 0) return start;
  return b.create<arith::MinSIOp>(start, index(b, extent - size));
}

struct TilePosition {
  Value batch, out_tile, row, column;  // of the tile's first pixel
};

class ConvEmitter {
 public:
  ConvEmitter(const ConvSpec& spec, const ConvTile& tile, const CpuTraits& traits,
              ValueRange buffers)
      : spec_(spec),
        tile_(tile),
        traits_(traits),
        in_(buffers[0]),
        weight_(buffers[1]),
        bias_(buffers[2]),
        residual_(spec.has_residual ? buffers[3] : Value()),
        out_(buffers.back()) {}

  void emit(Builder& b) {
    const int64_t row_tiles = (spec_.out.height + tile_.rows - 1) / tile_.rows;
    const int64_t column_tiles = (spec_.out.width + tile_.columns - 1) / tile_.columns;
    const int64_t out_tiles = spec_.out.blocks() / tile_.out_blocks;
    parallel(b, {spec_.out.batch, out_tiles, row_tiles}, [&](Builder& b, ValueRange variables) {
      Value row = tileStart(b, variables[2], tile_.rows, spec_.out.height);
      loop(b, column_tiles, [&](Builder& b, Value column_tile) {
        Value column = tileStart(b, column_tile, tile_.columns, spec_.out.width);
        emitTile(b, {variables[0], variables[1], row, column});
      });
    });
  }

 private:
  int64_t pixels() const { return tile_.rows * tile_.columns; }

  void emitTile(Builder& b, const TilePosition& at) {
    SmallVector<Value> sums(pixels() * tile_.out_blocks);
    for (int64_t j = 0; j < tile_.out_blocks; ++j) {
      Value initial = loadBlock(b, bias_, {outBlock(b, at, j), index(b, 0)});
      for (int64_t p = 0; p < pixels(); ++p) sums[p * tile_.out_blocks + j] = initial;
    }
    sums = spec_.depthwise ? sumDepthwise(b, at, sums) : sumChannels(b, at, sums);
    for (int64_t p = 0; p < pixels(); ++p) {
      for (int64_t j = 0; j < tile_.out_blocks; ++j) {
        finish(b, at, p, j, sums[p * tile_.out_blocks + j]);
      }
    }
  }

  SmallVector<Value> overWindow(
      Builder& b, ValueRange sums,
      llvm::function_ref<SmallVector<Value>(Builder&, Value, Value, ValueRange)> body) {
    Value zero = index(b, 0);
    return loop(
        b, zero, index(b, spec_.kernel[0]), sums, [&](Builder& b, Value ky, ValueRange sums) {
          return loop(b, zero, index(b, spec_.kernel[1]), sums,
                      [&](Builder& b, Value kx, ValueRange sums) { return body(b, ky, kx, sums); });
        });
  }

  SmallVector<Value> sumChannels(Builder& b, const TilePosition& at, ValueRange sums) {
    Value zero = index(b, 0);
    auto overBlocks = [&](Builder& b, Value block, ValueRange sums) {
      return overWindow(b, sums, [&](Builder& b, Value ky, Value kx, ValueRange sums) {
        Value row = inputIndex(b, at.row, ky, 0), column = inputIndex(b, at.column, kx, 1);
        return loop(b, zero, index(b, spec_.in.block), sums,
                    [&](Builder& b, Value channel, ValueRange sums) {
                      return rankOneUpdate(b, at, {block, ky, kx, channel}, row, column, sums);
                    });
      });
    };
    return loop(b, zero, index(b, spec_.in.blocks()), sums, overBlocks);
  }

  /// sums[p][j] += input[p] * weight[j] for one input channel and one window position.
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
      Value broadcast = b.create<vector::BroadcastOp>(blockType(b), input);
      for (int64_t j = 0; j < tile_.out_blocks; ++j) {
        Value& sum = result[p * tile_.out_blocks + j];
        sum = multiplyAdd(b, traits_, broadcast, weights[j], sum);
      }
    }
    return result;
  }

  SmallVector<Value> sumDepthwise(Builder& b, const TilePosition& at, ValueRange sums) {
    return overWindow(b, sums, [&](Builder& b, Value ky, Value kx, ValueRange sums) {
      Value row = inputIndex(b, at.row, ky, 0), column = inputIndex(b, at.column, kx, 1);
      Value weight = loadBlock(b, weight_, {at.out_tile, ky, kx, index(b, 0)});
      SmallVector<Value> result;
      for (int64_t p = 0; p < pixels(); ++p) {
        Value y = linear(b, row, 1, p / tile_.columns * spec_.strides[0]);
        Value x = linear(b, column, 1, p % tile_.columns * spec_.strides[1]);
        Value input = loadBlock(b, in_, {at.batch, at.out_tile, y, x, index(b, 0)});
        result.push_back(multiplyAdd(b, traits_, input, weight, sums[p]));
      }
      return result;
    });
  }

  /// The input row or column, in the buffer with its halo, of an output position and window offset.
  Value inputIndex(Builder& b, Value out, Value window, int d) {
    Value first = linear(b, out, spec_.strides[d], spec_.in.halo[d] - spec_.pads[d]);
    return add(b, first, linear(b, window, spec_.dilations[d], 0));
  }

  Value outBlock(Builder& b, const TilePosition& at, int64_t j) {
    return linear(b, at.out_tile, tile_.out_blocks, j);
  }

  void finish(Builder& b, const TilePosition& at, int64_t p, int64_t j, Value value) {
    Value block = outBlock(b, at, j), zero = index(b, 0);
    auto indices = [&](const Layout& layout) {
      return SmallVector<Value>{at.batch, block,
                                linear(b, at.row, 1, p / tile_.columns + layout.halo[0]),
                                linear(b, at.column, 1, p % tile_.columns + layout.halo[1]), zero};
    };
    if (residual_) {
      Value other = loadBlock(b, residual_, indices(spec_.residual));
      value = b.create<arith::AddFOp>(value, other);
    }
    storeBlock(b, activate(b, spec_.activation, value), out_, indices(spec_.out));
  }

  const ConvSpec& spec_;
  const ConvTile& tile_;
  const CpuTraits& traits_;
  Value in_, weight_, bias_, residual_, out_;
};

}  // namespace

ConvTile chooseTile(const ConvSpec& spec, const CpuTraits& traits) {
  ConvTile best;
  double best_score = -1;
  for (int64_t out_blocks : {1, 2, 4, 8}) {
    if (spec.out.blocks() % out_blocks != 0 || (spec.depthwise && out_blocks > 1)) continue;
    if (out_blocks > 1 && registersPerBlock(traits) * out_blocks * 2 >= traits.vector_registers) {
      continue;
    }
    const int64_t limit = mostPixels(traits, out_blocks);
    ConvTile tile{out_blocks, 1, balancedTile(spec.out.width, limit)};
    for (int64_t rows = 1; rows <= spec.out.height; ++rows) {
      if (spec.out.height % rows == 0 && rows * tile.columns <= limit) tile.rows = rows;
    }
    // Two multiply-adds and two loads a cycle, and a sum can be added to every fourth cycle. Pixels
    // that two tiles compute count once.
    const double pixels = static_cast<double>(tile.rows * tile.columns);
    const double weights = static_cast<double>(out_blocks * registersPerBlock(traits));
    const double tiles = std::ceil(static_cast<double>(spec.out.width) / tile.columns);
    const double useful = static_cast<double>(spec.out.width) / (tiles * tile.columns);
    const double half_cycles = std::max({pixels * weights, pixels + weights, 8.0});
    const double loads = 0.05 * (pixels + weights);  // decides between equals
    const double score = pixels * weights * useful / (half_cycles + loads);
    if (score > best_score) {
      best = tile;
      best_score = score;
    }
  }
  return best;
}

void emitConv(Builder& b, const ConvSpec& spec, const CpuTraits& traits, ValueRange buffers) {
  const ConvTile tile = chooseTile(spec, traits);
  ConvEmitter(spec, tile, traits, buffers).emit(b);
}

}  // namespace vta::codegen::blocked
