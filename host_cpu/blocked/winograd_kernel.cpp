// Convolution with fewer multiplications: inputs of a strip of tiles are transformed into a scratch
// buffer, then for each group of tiles and piece of the output's channels there is a product of
// matrices at each position, whose results are transformed back.
#include <algorithm>

#include "host_cpu/blocked/emit.h"
#include "host_cpu/blocked/winograd_transforms.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

constexpr int64_t kAlignmentBytes = 64;

/// Where a tile of the image lies.
struct TilePlace {
  Value batch, row, column;  // of its first output pixel
};

class WinogradEmitter {
 public:
  WinogradEmitter(const ConvSpec& spec, const ConvSchedule& schedule, const CpuTraits& traits,
                  ValueRange buffers)
      : spec_(spec),
        schedule_(schedule),
        traits_(traits),
        shape_(spec, schedule),
        transform_(winogradTransform(schedule.winograd)),
        lanes_(std::clamp<int64_t>(traits.vector_bytes / 4, 4, kBlock)),
        in_(buffers[0]),
        weight_(buffers[1]),
        bias_(buffers[2]),
        residual_(spec.has_residual ? buffers[3] : Value()),
        transformed_(buffers.drop_back().back()),
        out_(buffers.back()) {}

  void emit(Builder& b) {
    if (shape_.strips == 1) return emitStrip(b, index(b, 0));
    loop(b, shape_.strips, [&](Builder& b, Value strip) {
      emitStrip(b, tileStart(b, strip, shape_.strip_tiles, shape_.tiles));
    });
  }

 private:
  void emitStrip(Builder& b, Value first_tile) {
    parallel(b, {shape_.strip_tiles}, [&](Builder& b, ValueRange v) {
      emitInputs(b, v[0], placeOf(b, add(b, first_tile, v[0])));
    });
    const bool is_groups_outer = schedule_.rows_outer != 0;
    const int64_t outer = is_groups_outer ? shape_.groups : shape_.out_tiles;
    const int64_t inner = is_groups_outer ? shape_.out_tiles : shape_.groups;
    parallel(b, {outer, inner}, [&](Builder& b, ValueRange v) {
      Value group =
          tileStart(b, v[is_groups_outer ? 0 : 1], shape_.group_tiles, shape_.strip_tiles);
      emitGroup(b, first_tile, group, v[is_groups_outer ? 1 : 0]);
    });
  }

  TilePlace placeOf(Builder& b, Value tile) {
    Value columns = index(b, shape_.tile_columns), rows = index(b, shape_.tile_rows);
    Value line = b.create<arith::DivUIOp>(tile, columns);
    Value row = line, batch = index(b, 0);
    if (spec_.out.batch > 1) {
      row = b.create<arith::RemUIOp>(line, rows);
      batch = b.create<arith::DivUIOp>(line, rows);
    }
    return {batch, linear(b, row, shape_.extent, 0),
            linear(b, b.create<arith::RemUIOp>(tile, columns), shape_.extent, 0)};
  }

  // ---- inputs ----

  void emitInputs(Builder& b, Value tile, const TilePlace& place) {
    Value row = linear(b, place.row, 1, spec_.in.halo[0] - spec_.pads[0]);
    Value column = linear(b, place.column, 1, spec_.in.halo[1] - spec_.pads[1]);
    loop(b, spec_.in.blocks(), [&](Builder& b, Value block) {
      Value to = add(b, linear(b, block, shape_.strip_tiles, 0), tile);
      const auto inside = [&](Builder& b) {
        emitInput(b, to, [&](Builder& b, int64_t y, int64_t x, Value lane) {
          return load(b, in_,
                      {place.batch, block, linear(b, row, 1, y), linear(b, column, 1, x), lane});
        });
      };
      const auto beyond = [&](Builder& b) {
        Value patch = patchOf(b, {place.batch, block, row, column});
        emitInput(b, to, [&](Builder& b, int64_t y, int64_t x, Value lane) {
          return load(b, patch, {index(b, y), index(b, x), lane});
        });
      };
      const auto type = cast<MemRefType>(in_.getType());
      ifInside(b, row, column, shape_.points, type.getDimSize(2), type.getDimSize(3),
               {(shape_.tile_rows - 1) * shape_.extent + spec_.in.halo[0] - spec_.pads[0],
                (shape_.tile_columns - 1) * shape_.extent + spec_.in.halo[1] - spec_.pads[1]},
               inside, beyond);
    });
  }

  using LoadPixel = llvm::function_ref<Value(Builder&, int64_t, int64_t, Value)>;

  /// Transforms the pixels of one tile and block.
  void emitInput(Builder& b, Value to, LoadPixel load_pixel) {
    forLanes(b, [&](Builder& b, Value lane) {
      Square pixels(shape_.points);
      for (int64_t y = 0; y < shape_.points; ++y) {
        for (int64_t x = 0; x < shape_.points; ++x) {
          pixels[y].push_back(load_pixel(b, y, x, lane));
        }
      }
      const Square result = transformInput(b, traits_, transform_, pixels);
      for (int64_t i = 0; i < shape_.positions; ++i) {
        storeBlock(b, result[i / shape_.points][i % shape_.points], transformed_,
                   {index(b, i), to, lane});
      }
    });
  }

  /// The pixels of a tile that reaches beyond the buffer, where there are zeros. `at`: batch,
  /// block, row and column.
  Value patchOf(Builder& b, ArrayRef<Value> at) {
    Value patch = allocate(b, {shape_.points, shape_.points, kBlock});
    Value zero = splat(b, 0);
    const auto type = cast<MemRefType>(in_.getType());
    const auto limit = [&](Value first, int64_t extent) -> Value {
      Value left = b.create<arith::SubIOp>(index(b, extent), first);
      return b.create<arith::MinSIOp>(left, index(b, shape_.points));
    };
    Value rows = limit(at[2], type.getDimSize(2)), columns = limit(at[3], type.getDimSize(3));
    loop(b, shape_.points, [&](Builder& b, Value y) {
      loop(b, shape_.points, [&](Builder& b, Value x) {
        storeBlock(b, zero, patch, {y, x, index(b, 0)});
      });
    });
    forPixels(b, rows, columns, [&](Builder& b, Value y, Value x) {
      Value value =
          loadBlock(b, in_, {at[0], at[1], add(b, at[2], y), add(b, at[3], x), index(b, 0)});
      storeBlock(b, value, patch, {y, x, index(b, 0)});
    });
    return patch;
  }

  // ---- products ----

  void emitGroup(Builder& b, Value first_tile, Value group, Value out_tile) {
    Value products = allocate(b, {shape_.positions, shape_.product_vectors, kBlock});
    loop(b, shape_.positions, [&](Builder& b, Value position) {
      if (schedule_.rows == 1) {
        return emitProduct(b, products, group, out_tile, position, index(b, 0));
      }
      loop(b, schedule_.rows, [&](Builder& b, Value row) {
        emitProduct(b, products, group, out_tile, position, linear(b, row, schedule_.columns, 0));
      });
    });
    loop(b, shape_.group_tiles, [&](Builder& b, Value tile) {
      const TilePlace place = placeOf(b, add(b, first_tile, add(b, group, tile)));
      loop(b, schedule_.out_blocks, [&](Builder& b, Value j) {
        Value block = add(b, linear(b, out_tile, schedule_.out_blocks, 0), j);
        Value from = add(b, linear(b, tile, schedule_.out_blocks, 0), j);
        emitOutputs(b, products, from, place, block);
      });
    });
  }

  /// The products at one position of the tiles that stand in registers; `tile`: the first, in the
  /// group.
  void emitProduct(Builder& b, Value products, Value group, Value out_tile, Value position,
                   Value tile) {
    const int64_t columns = schedule_.columns, out_blocks = schedule_.out_blocks;
    SmallVector<Value> sums(columns * out_blocks, splat(b, 0));
    Value first = add(b, group, tile);
    sums = loop(b, index(b, 0), index(b, spec_.in.blocks()), sums,
                [&](Builder& b, Value block, ValueRange sums) {
                  Value from = add(b, linear(b, block, shape_.strip_tiles, 0), first);
                  return sumBlock(b, {out_tile, position, block}, from, sums);
                });
    for (int64_t p = 0; p < columns; ++p) {
      for (int64_t j = 0; j < out_blocks; ++j) {
        Value to = linear(b, tile, out_blocks, p * out_blocks + j);
        storeBlock(b, sums[p * out_blocks + j], products, {position, to, index(b, 0)});
      }
    }
  }

  /// The channels of one input block; `at`: the weights' first indices.
  SmallVector<Value> sumBlock(Builder& b, ArrayRef<Value> at, Value from, ValueRange sums) {
    const int64_t steps = kBlock / schedule_.unrolled_channels;
    const auto body = [&](Builder& b, Value step, ValueRange sums) {
      SmallVector<Value> result(sums);
      for (int64_t u = 0; u < schedule_.unrolled_channels; ++u) {
        Value channel = linear(b, step, schedule_.unrolled_channels, u);
        result = addChannel(b, at, channel, from, result);
      }
      return result;
    };
    if (steps == 1) return body(b, index(b, 0), sums);
    return loop(b, index(b, 0), index(b, steps), sums, body);
  }

  SmallVector<Value> addChannel(Builder& b, ArrayRef<Value> at, Value channel, Value from,
                                ValueRange sums) {
    SmallVector<Value> weights, result(sums);
    for (int64_t j = 0; j < schedule_.out_blocks; ++j) {
      weights.push_back(
          loadBlock(b, weight_, {at[0], at[1], at[2], channel, index(b, j * kBlock)}));
    }
    for (int64_t p = 0; p < schedule_.columns; ++p) {
      Value input =
          b.create<memref::LoadOp>(transformed_, ValueRange{at[1], linear(b, from, 1, p), channel});
      Value broadcast = b.create<vector::BroadcastOp>(blockType(b), input);
      for (int64_t j = 0; j < schedule_.out_blocks; ++j) {
        Value& sum = result[p * schedule_.out_blocks + j];
        sum = multiplyAdd(b, traits_, broadcast, weights[j], sum);
      }
    }
    return result;
  }

  // ---- outputs ----

  void emitOutputs(Builder& b, Value products, Value from, const TilePlace& place, Value block) {
    const auto inside = [&](Builder& b) {
      forLanes(b, [&](Builder& b, Value lane) {
        const Square pixels = outputsOf(b, products, from, block, lane);
        for (int64_t i = 0; i < shape_.extent * shape_.extent; ++i) {
          const int64_t y = i / shape_.extent, x = i % shape_.extent;
          finish(b, pixels[y][x], {place.batch, block}, linear(b, place.row, 1, y),
                 linear(b, place.column, 1, x), lane);
        }
      });
    };
    const auto beyond = [&](Builder& b) { finishPart(b, products, from, place, block); };
    ifInside(b, place.row, place.column, shape_.extent, spec_.out.height, spec_.out.width,
             {(shape_.tile_rows - 1) * shape_.extent, (shape_.tile_columns - 1) * shape_.extent},
             inside, beyond);
  }

  /// The outputs of a tile that reaches beyond the image.
  void finishPart(Builder& b, Value products, Value from, const TilePlace& place, Value block) {
    Value patch = allocate(b, {shape_.extent, shape_.extent, kBlock});
    forLanes(b, [&](Builder& b, Value lane) {
      const Square pixels = outputsOf(b, products, from, block, lane);
      for (int64_t i = 0; i < shape_.extent * shape_.extent; ++i) {
        const int64_t y = i / shape_.extent, x = i % shape_.extent;
        storeBlock(b, pixels[y][x], patch, {index(b, y), index(b, x), lane});
      }
    });
    const auto limit = [&](Value first, int64_t extent) -> Value {
      Value left = b.create<arith::SubIOp>(index(b, extent), first);
      return b.create<arith::MinSIOp>(left, index(b, shape_.extent));
    };
    Value rows = limit(place.row, spec_.out.height), columns = limit(place.column, spec_.out.width);
    forPixels(b, rows, columns, [&](Builder& b, Value y, Value x) {
      finish(b, loadBlock(b, patch, {y, x, index(b, 0)}), {place.batch, block},
             add(b, place.row, y), add(b, place.column, x), index(b, 0));
    });
  }

  /// The outputs of a tile and block with the bias.
  Square outputsOf(Builder& b, Value products, Value from, Value block, Value lane) {
    Square sums(shape_.points);
    for (int64_t i = 0; i < shape_.positions; ++i) {
      sums[i / shape_.points].push_back(load(b, products, {index(b, i), from, lane}));
    }
    Square pixels = transformOutput(b, traits_, transform_, sums);
    Value bias = load(b, bias_, {block, lane});
    for (auto& row : pixels) {
      for (Value& pixel : row) pixel = b.create<arith::AddFOp>(pixel, bias);
    }
    return pixels;
  }

  /// `image`: batch and block.
  void finish(Builder& b, Value value, ArrayRef<Value> image, Value row, Value column, Value lane) {
    const auto at = [&](const Layout& layout) {
      return SmallVector<Value>{image[0], image[1], linear(b, row, 1, layout.halo[0]),
                                linear(b, column, 1, layout.halo[1]), lane};
    };
    if (residual_) {
      auto other = b.create<vector::LoadOp>(cast<VectorType>(value.getType()), residual_,
                                            at(spec_.residual));
      value = b.create<arith::AddFOp>(value, other);
    }
    storeBlock(b, activate(b, spec_.activation, value), out_, at(spec_.out));
  }

  // ---- what they share ----

  Value load(Builder& b, Value buffer, ValueRange indices) {
    return b.create<vector::LoadOp>(VectorType::get({lanes_}, b.getF32Type()), buffer, indices);
  }

  Value allocate(Builder& b, ArrayRef<int64_t> shape) {
    return b.create<memref::AllocOp>(MemRefType::get(shape, b.getF32Type()),
                                     b.getI64IntegerAttr(kAlignmentBytes));
  }

  /// For the first lane of each register of a block: transforms need many registers.
  void forLanes(Builder& b, llvm::function_ref<void(Builder&, Value)> body) {
    if (lanes_ == kBlock) return body(b, index(b, 0));
    loop(b, kBlock / lanes_, [&](Builder& b, Value part) { body(b, linear(b, part, lanes_, 0)); });
  }

  void forPixels(Builder& b, Value rows, Value columns,
                 llvm::function_ref<void(Builder&, Value, Value)> body) {
    const auto over = [](Builder& b, Value count, llvm::function_ref<void(Builder&, Value)> body) {
      loop(b, index(b, 0), count, {}, [&](Builder& b, Value i, ValueRange) {
        body(b, i);
        return SmallVector<Value>();
      });
    };
    over(b, rows, [&](Builder& b, Value y) {
      over(b, columns, [&](Builder& b, Value x) { body(b, y, x); });
    });
  }

  using Emit = llvm::function_ref<void(Builder&)>;

  /// `inside` where a square of `extent` from (row, column) on lies in the image of this size, else
  /// `beyond`. `last`: the largest row and column.
  void ifInside(Builder& b, Value row, Value column, int64_t extent, int64_t height, int64_t width,
                std::array<int64_t, 2> last, Emit inside, Emit beyond) {
    Value is_inside;
    const auto require = [&](Value first, int64_t limit, int64_t largest) {
      if (largest + extent <= limit) return;
      Value fits =
          b.create<arith::CmpIOp>(arith::CmpIPredicate::sle, first, index(b, limit - extent));
      is_inside = is_inside ? b.create<arith::AndIOp>(is_inside, fits) : fits;
    };
    require(row, height, last[0]);
    require(column, width, last[1]);
    if (!is_inside) return inside(b);
    const auto branch = [](Emit emit) {
      return [emit](OpBuilder& inner, Location loc) {
        Builder nested(loc, inner);
        emit(nested);
        nested.create<scf::YieldOp>();
      };
    };
    b.create<scf::IfOp>(is_inside, branch(inside), branch(beyond));
  }

  const ConvSpec& spec_;
  const ConvSchedule& schedule_;
  const CpuTraits& traits_;
  const WinogradShape shape_;
  const WinogradTransform& transform_;
  const int64_t lanes_;  // of one register, or what takes its place
  Value in_, weight_, bias_, residual_, transformed_, out_;
};

}  // namespace

void emitWinograd(Builder& b, const ConvSpec& spec, const ConvSchedule& schedule,
                  const CpuTraits& traits, ValueRange buffers) {
  WinogradEmitter(spec, schedule, traits, buffers).emit(b);
}

}  // namespace vta::codegen::blocked
