#include "tests/compiler/tile/random_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace vta::tile::testing {
namespace {

using kernel::testing::pick;

class RandomTiles {
 public:
  RandomTiles(Rng& rng, const HwConfig& hw) : rng_(rng), k_("random", hw) {}

  Result<TileProgram> run() {
    switch (pick(rng_, 0, 2)) {
      case 0:
        matmul();
        break;
      case 1:
        convolution();
        break;
      default:
        elementwise();
    }
    return k_.finish();
  }

 private:
  int64_t some(int64_t least, int64_t most) { return pick(rng_, least, most); }
  bool maybe() { return pick(rng_, 0, 1) == 1; }
  const HwParams& params() const { return k_.hw().params(); }
  MemoryType residualMemory() {
    return maybe() || params().compat_0_0_2 ? MemoryType::kAcc : MemoryType::kAcc8;
  }
  std::string name() { return fmt::format("i{}", inputs_++); }

  // Rows of x times rows of w, tile by tile.
  void matmul() {
    const int64_t bm = some(1, 4), bn = some(1, 4), bk = some(1, 4);
    const int64_t m_all = bm * some(1, 3), n_all = bn * some(1, 3), k_all = bk * some(1, 4);
    const Tensor x = k_.input("x", MemoryType::kInp, {m_all, k_all});
    const Tensor w = k_.input("w", MemoryType::kWgt, {n_all, k_all});
    const Tensor y = k_.output("y", {m_all, n_all});
    const Range rows{"m", m_all, bm, some(1, 3)};
    const Range columns{"n", n_all, bn, some(1, 3)};
    const int64_t stages = some(1, 3);
    const auto tile = [&](const Affine& m, const Affine& n) {
      Tile acc = k_.zeros({bm, bn});
      k_.loop({"k", k_all, bk, stages}, [&](const Affine& at) {
        k_.dot(acc, k_.load(x, {m, at}, {bm, bk}), k_.load(w, {n, at}, {bn, bk}));
      });
      finishTile(acc, {m_all, n_all}, {m, n}, 1);
      k_.store(y, {m, n}, acc);
    };
    if (maybe()) {
      k_.loop(rows,
              [&](const Affine& m) { k_.loop(columns, [&](const Affine& n) { tile(m, n); }); });
    } else {
      k_.loop(columns,
              [&](const Affine& n) { k_.loop(rows, [&](const Affine& m) { tile(m, n); }); });
    }
  }

  // Windows with stride 1 or 2 over an image whose border is 0: tap by tap.
  void convolution() {
    const int64_t taps = some(1, 3), stride = some(1, 2);
    const int64_t bc = some(1, 2), bn = some(1, 3), bh = some(1, 3);
    const int64_t channels = bc * some(1, 3), outs = bn * some(1, 3);
    const int64_t height = bh * some(1, 3), width = some(1, 6);
    const int64_t pad = taps / 2;
    const int64_t in_height = (height - 1) * stride + 1, in_width = (width - 1) * stride + 1;
    const Tensor x = k_.input("x", MemoryType::kInp, {channels, in_height, in_width});
    const Tensor w = k_.input("w", MemoryType::kWgt, {outs, channels, taps, taps});
    const Tensor y = k_.output("y", {outs, height, width});
    const int64_t stages = some(1, 2);
    k_.loop({"n", outs, bn, some(1, 2)}, [&](const Affine& n) {
      k_.loop({"h", height, bh, some(1, 2)}, [&](const Affine& h) {
        Tile acc = k_.zeros({bn, bh, width});
        k_.loop({"c", channels, bc, stages}, [&](const Affine& c) {
          const Tile image = k_.load(x, {c, h * stride - pad, -pad},
                                     {bc, (bh - 1) * stride + taps, (width - 1) * stride + taps});
          const Tile filter = k_.load(w, {n, c, 0, 0}, {bn, bc, taps, taps});
          for (int64_t ky = 0; ky < taps; ++ky) {
            for (int64_t kx = 0; kx < taps; ++kx) {
              const Tile tap = filter.slice(2, ky, 1).squeeze(2).slice(2, kx, 1).squeeze(2);
              k_.dot(acc, image.slice(1, ky, bh, stride).slice(2, kx, width, stride), tap,
                     "chw,nc->nhw");
            }
          }
        });
        finishTile(acc, {outs, height, width}, {n, h, 0}, 0);
        k_.store(y, {n, h, 0}, acc);
      });
    });
  }

  // Operations without products; maxima of neighbouring rows or columns; stores of parts.
  void elementwise() {
    const int64_t ba = some(1, 3), bb = 2 * some(1, 3);
    const int64_t a_all = ba * some(1, 4), b_all = bb * some(1, 3), c_all = some(1, 4);
    const Tensor x = k_.input("x", residualMemory(), {a_all, b_all, c_all});
    const bool pools = maybe();
    const int64_t divisor = pools ? 2 : 1;
    const Tensor y = k_.output("y", {a_all, b_all / divisor, c_all});
    k_.loop({"a", a_all, ba, some(1, 3)}, [&](const Affine& a) {
      k_.loop({"b", b_all / divisor, bb / divisor, some(1, 3)}, [&](const Affine& b) {
        Tile tile = k_.load(x, {a, b * divisor, 0}, {ba, bb, c_all});
        if (pools) {
          tile = k_.maximum(tile.slice(1, 0, bb / 2, 2), tile.slice(1, 1, bb / 2, 2));
        } else {
          tile += some(-100, 100);
        }
        finishTile(tile, {a_all, b_all / divisor, c_all}, {a, b, 0}, 0);
        storeInParts(y, {a, b, 0}, tile);
      });
    });
  }

  void storeInParts(Tensor y, const std::vector<Affine>& begin, const Tile& tile) {
    if (maybe()) return k_.store(y, begin, tile);
    const size_t axis = static_cast<size_t>(some(0, static_cast<int64_t>(begin.size()) - 1));
    const int64_t extent = tile.shape()[axis];
    const int64_t first = some(1, extent);
    k_.store(y, begin, tile.slice(axis, 0, first));
    if (first == extent) return;
    std::vector<Affine> rest = begin;
    rest[axis] += first;
    k_.store(y, rest, tile.slice(axis, first, extent - first));
  }

  // Up to four operations on a tile that goes to `begin` of an output of `whole`.
  void finishTile(Tile& tile, const Shape& whole, const std::vector<Affine>& begin,
                  size_t channel_axis) {
    for (int64_t steps = some(0, 4); steps > 0 && k_.ok(); --steps) {
      switch (some(0, 8)) {
        case 0:
          tile = tile + some(-30000, 30000);
          break;
        case 1:
          tile = tile >> some(0, 12);
          break;
        case 2:
          tile = k_.clip(tile, some(-128, 0), some(0, 127));
          break;
        case 3:
          tile += perChannel(tile, whole, begin, channel_axis);
          break;
        case 4:
          tile = residual(tile, whole, begin) + tile;
          break;
        case 5:
          tile = k_.maximum(tile, tile >> 1);
          break;
        case 6:
          scale(tile, whole, begin, channel_axis);
          break;
        case 7:
          if (params().ext_lut) tile = k_.lookUp(tile, table());
          break;
        default:
          tile = k_.minimum(tile, some(-300, 300));
      }
    }
  }

  void scale(Tile& tile, const Shape& whole, const std::vector<Affine>& begin, size_t axis) {
    if (params().ext_qmul && !params().compat_0_0_2) {
      tile = k_.qmul(tile, perChannel(tile, whole, begin, axis), some(0, 20));
    } else if (!params().compat_0_0_2) {
      tile *= some(-50, 50);
    }
    if (params().ext_prelu && !params().compat_0_0_2) {
      tile =
          k_.combined(AluOpcode::kPrelu, tile, perChannel(tile, whole, begin, axis), some(0, 10));
    }
  }

  // One element for each channel, which is repeated along the other axes.
  Tile perChannel(const Tile& tile, const Shape& whole, const std::vector<Affine>& begin,
                  size_t axis) {
    const Tensor vector = k_.input(name(), MemoryType::kAcc, {whole[axis]});
    Tile values = k_.load(vector, {begin[axis]}, {tile.shape()[axis]});
    for (size_t behind = axis + 1; behind < whole.size(); ++behind) {
      values = values.expand(values.shape().size());
    }
    return values;
  }

  const std::vector<int8_t>& table() {
    while (table_.size() < 256) table_.push_back(static_cast<int8_t>(some(-128, 127)));
    return table_;
  }

  Tile residual(const Tile& tile, const Shape& whole, const std::vector<Affine>& begin) {
    return k_.load(k_.input(name(), residualMemory(), whole), begin, tile.shape());
  }

  Rng& rng_;
  TileBuilder k_;
  int inputs_ = 0;
  std::vector<int8_t> table_;
};

}  // namespace

Result<TileProgram> randomTiles(Rng& rng, const HwConfig& hw) { return RandomTiles(rng, hw).run(); }

std::vector<std::vector<uint8_t>> randomBuffers(Rng& rng, const TileProgram& program,
                                                const HwConfig& hw) {
  std::vector<std::vector<uint8_t>> buffers;
  for (const TensorDecl& tensor : program.tensors) {
    std::vector<uint8_t> bytes(static_cast<size_t>(elemsOf(tensor.shape)) *
                               hw.elemBytes(tensor.memory));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(pick(rng, 0, 255));
    if (!tensor.contents.empty()) bytes = tensor.contents;
    buffers.push_back(std::move(bytes));
  }
  return buffers;
}

}  // namespace vta::tile::testing
