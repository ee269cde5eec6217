// The kernels of TVM's tutorials for VTA as tile programs, and as kernels of the compiler.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/tile/tile_builder.h"

namespace vta::tile::testing {

/// y = a + b on `blocks` elements of int32 values, of which the low bytes are stored.
inline Result<TileProgram> vectorAddition(const HwConfig& hw, int64_t blocks, int64_t step) {
  TileBuilder k("vector_addition", hw);
  const Tensor a = k.input("a", MemoryType::kAcc, {blocks});
  const Tensor b = k.input("b", MemoryType::kAcc, {blocks});
  const Tensor y = k.output("y", {blocks});
  k.loop({"i", blocks, step, 2}, [&](const Affine& i) {
    k.store(y, {i}, k.load(a, {i}, {step}) + k.load(b, {i}, {step}));
  });
  return k.finish();
}

/// Sizes in elements, and what a tile has of them.
struct MatrixSizes {
  int64_t m = 1, n = 16, k = 16;
  int64_t tile_n = 4;
  bool requantises = false;  // >> 8 and clip to 0..127
};

/// y = x w^T
inline Result<TileProgram> matrixProduct(const HwConfig& hw, const MatrixSizes& s) {
  TileBuilder k("matrix_product", hw);
  const Tensor x = k.input("x", MemoryType::kInp, {s.m, s.k});
  const Tensor w = k.input("w", MemoryType::kWgt, {s.n, s.k});
  const Tensor y = k.output("y", {s.m, s.n});
  const Tile rows = k.load(x, {0, 0}, {s.m, s.k});
  k.loop({"n", s.n, s.tile_n, 2}, [&](const Affine& n) {
    Tile acc = k.zeros({s.m, s.tile_n});
    k.dot(acc, rows, k.load(w, {n, 0}, {s.tile_n, s.k}));
    if (s.requantises) acc = k.clip(acc >> 8, 0, 127);
    k.store(y, {0, n}, acc);
  });
  return k.finish();
}

/// The same in tiles of `tile_m` rows, which are loaded once: the scores of an attention head.
inline Result<TileProgram> scores(const HwConfig& hw, const MatrixSizes& s, int64_t tile_m) {
  TileBuilder k("scores", hw);
  const Tensor x = k.input("x", MemoryType::kInp, {s.m, s.k});
  const Tensor w = k.input("w", MemoryType::kWgt, {s.n, s.k});
  const Tensor y = k.output("y", {s.m, s.n});
  k.loop({"m", s.m, tile_m, 2}, [&](const Affine& m) {
    const Tile rows = k.load(x, {m, 0}, {tile_m, s.k});
    k.loop({"n", s.n, s.tile_n, 4}, [&](const Affine& n) {
      Tile acc = k.zeros({tile_m, s.tile_n});
      k.dot(acc, rows, k.load(w, {n, 0}, {s.tile_n, s.k}));
      k.store(y, {m, n}, k.clip(acc >> 8, 0, 127));
    });
  });
  return k.finish();
}

/// A 3x3 convolution of square images with padding 1, >> 8 and clip to 0..127. Channels in
/// elements.
struct ConvolutionSizes {
  int64_t size = 14;
  int64_t in_channels = 16, out_channels = 16;
  int64_t tile_in = 2, tile_out = 4;
};

/// Tap by tap, each for the outputs at which it reads the image: padding takes no time.
inline Result<TileProgram> convolution(const HwConfig& hw, const ConvolutionSizes& s) {
  TileBuilder k("convolution", hw);
  const Tensor x = k.input("x", MemoryType::kInp, {s.in_channels, s.size, s.size});
  const Tensor w = k.input("w", MemoryType::kWgt, {s.out_channels, s.in_channels, 3, 3});
  const Tensor y = k.output("y", {s.out_channels, s.size, s.size});
  k.loop({"n", s.out_channels, s.tile_out, 2}, [&](const Affine& n) {
    Tile acc = k.zeros({s.tile_out, s.size, s.size});
    k.loop({"c", s.in_channels, s.tile_in, 2}, [&](const Affine& c) {
      const Tile image = k.load(x, {c, 0, 0}, {s.tile_in, s.size, s.size});
      const Tile filter = k.load(w, {n, c, 0, 0}, {s.tile_out, s.tile_in, 3, 3});
      for (int64_t ky = 0; ky < 3; ++ky) {
        for (int64_t kx = 0; kx < 3; ++kx) {
          const int64_t rows = s.size - (ky == 1 ? 0 : 1), columns = s.size - (kx == 1 ? 0 : 1);
          Tile sums = acc.slice(1, ky == 0 ? 1 : 0, rows).slice(2, kx == 0 ? 1 : 0, columns);
          const Tile pixels =
              image.slice(1, ky == 2 ? 1 : 0, rows).slice(2, kx == 2 ? 1 : 0, columns);
          const Tile tap = filter.slice(2, ky, 1).squeeze(2).slice(2, kx, 1).squeeze(2);
          k.dot(sums, pixels, tap, "chw,nc->nhw");
        }
      }
    });
    k.store(y, {n, 0, 0}, k.clip(acc >> 8, 0, 127));
  });
  return k.finish();
}

/// What the compiler makes of the same: a contraction of images.
inline kernel::KernelDesc builtIn(int64_t size, int64_t taps, int64_t in_channels,
                                  int64_t out_channels, bool requantises) {
  kernel::KernelDesc desc;
  desc.name = "built_in";
  kernel::Geometry& g = desc.geometry;
  g.in_channel_blocks = in_channels;
  g.out_channel_blocks = out_channels;
  g.in_height = g.in_width = g.out_height = g.out_width = size;
  g.kernel_height = g.kernel_width = taps;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = taps / 2;
  if (requantises) {
    desc.epilogue.push_back({.opcode = AluOpcode::kShr, .imm = 8});
    desc.epilogue.push_back({.opcode = AluOpcode::kClip, .imm = byteRangeImmediate({0, 127})});
  }
  return desc;
}

}  // namespace vta::tile::testing
