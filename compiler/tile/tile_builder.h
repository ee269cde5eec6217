// TileBuilder: writes a tile program in C++ as one writes it down.
//
//   TileBuilder k("matmul", hw);
//   const Tensor x = k.input("x", MemoryType::kInp, {m_blocks, k_blocks});
//   const Tensor w = k.input("w", MemoryType::kWgt, {n_blocks, k_blocks});
//   const Tensor y = k.output("y", {m_blocks, n_blocks});
//   k.loop({"n", n_blocks, 4, 2}, [&](const Affine& n) {
//     Tile acc = k.zeros({m_blocks, 4});
//     k.loop({"k", k_blocks, 8, 2}, [&](const Affine& kk) {
//       k.dot(acc, k.load(x, {0, kk}, {m_blocks, 8}), k.load(w, {n, kk}, {4, 8}));
//     });
//     k.store(y, {0, n}, k.clip(acc >> 8, -128, 127));
//   });
//   const Result<TileProgram> program = k.finish();
//
// The first mistake is kept: what follows it does nothing, and finish() reports it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/tile/program/tile_program.h"
#include "isa/config/hw_config.h"

namespace vta::tile {

class TileBuilder;

/// A tensor of a builder's program.
struct Tensor {
  uint32_t number = 0;
};

/// A view of a tile. Operators make new tiles; those with = change the tile itself.
class Tile {
 public:
  Tile() = default;
  Tile(TileBuilder* builder, View view) : builder_(builder), view_(std::move(view)) {}

  const View& view() const { return view_; }
  TileBuilder* builder() const { return builder_; }
  const Shape& shape() const { return view_.shape; }

  /// `extent` elements along `axis` from `begin` on, every `step`th.
  Tile slice(size_t axis, int64_t begin, int64_t extent, int64_t step = 1) const;
  /// Without an axis of one element.
  Tile squeeze(size_t axis) const;
  /// With a further axis of one element in front of `axis`.
  Tile expand(size_t axis) const;

  Tile& operator+=(const Tile& other);
  Tile& operator+=(int64_t imm);
  Tile& operator*=(const Tile& other);
  Tile& operator*=(int64_t imm);
  Tile& operator>>=(int64_t bits);

 private:
  TileBuilder* builder_ = nullptr;
  View view_;
};

/// A loop of a builder: `variable` = 0, step, 2 step, ... below `extent`, which step divides.
struct Range {
  std::string name;
  int64_t extent = 1;
  int64_t step = 1;
  int64_t stages = 1;
};

class TileBuilder {
 public:
  /// A program for `hw`: operations that it does not have are errors.
  TileBuilder(std::string name, const HwConfig& hw);

  /// A tensor that is loaded: of kInp, kWgt, kAcc, or kAcc8, whose values are int8 in DRAM and
  /// int32 in tiles. Shapes are in elements.
  Tensor input(std::string name, MemoryType memory, Shape shape);
  /// A tensor that is stored, of OUT. Every element has to be stored once.
  Tensor output(std::string name, Shape shape);

  /// Calls body(variable) once, for all iterations.
  template <typename Body>
  void loop(const Range& range, const Body& body) {
    const Affine variable = beginLoop(range);
    body(variable);
    endLoop();
  }
  Affine beginLoop(const Range& range);
  void endLoop();

  /// The box of `shape` elements from `begin` on. What lies beside the tensor is 0: at most 15
  /// elements at each side of its two last axes.
  Tile load(Tensor tensor, const std::vector<Affine>& begin, const Shape& shape);
  Tile zeros(const Shape& shape);
  /// A copy with values of its own.
  Tile copy(const Tile& tile);
  /// acc += inp x wgt. "mk,nk->mn" multiplies rows of `inp` with rows of `wgt`. Axes with the same
  /// letter belong together; letters that are not in the result are summed.
  void dot(Tile& acc, const Tile& inp, const Tile& wgt, std::string_view axes = "mk,nk->mn");

  Tile maximum(const Tile& a, const Tile& b);
  Tile maximum(const Tile& a, int64_t imm);
  Tile minimum(const Tile& a, const Tile& b);
  Tile minimum(const Tile& a, int64_t imm);
  /// Between two bounds: one operation with extension `clip`, else two.
  Tile clip(const Tile& a, int64_t low, int64_t high);
  /// a * multiplier / 2^shift, rounded and saturated (extension `qmul`).
  Tile qmul(const Tile& a, const Tile& multiplier, int64_t shift);

  /// What `results` has for the low 8 bits of each value: for -128 first, for 127 last (extension
  /// `lut`). A kernel has one table.
  Tile lookUp(const Tile& a, const std::vector<int8_t>& results);

  /// a = op(a, b); `b` is as large as `a`, or has one element along some axes. `imm` is the shift
  /// of operations that have one.
  void apply(AluOpcode opcode, Tile& a, const Tile& b, int64_t imm = 0);
  /// a = op(a, imm)
  void applyImmediate(AluOpcode opcode, Tile& a, int64_t imm);

  /// op(a, b) as a new tile, as large as the larger of both.
  Tile combined(AluOpcode opcode, const Tile& a, const Tile& b, int64_t imm = 0);
  Tile combinedImmediate(AluOpcode opcode, const Tile& a, int64_t imm);

  void store(Tensor tensor, const std::vector<Affine>& begin, const Tile& tile);

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  const TileProgram& program() const { return program_; }
  const HwConfig& hw() const { return hw_; }

  /// The program, or the first mistake.
  Result<TileProgram> finish();

 private:
  friend class Tile;

  void fail(const std::string& message);
  Tensor addTensor(TensorDecl tensor);
  Tile addTile(MemoryType scratchpad, const Shape& shape);
  void append(Statement statement) { blocks_.back().push_back(std::move(statement)); }
  bool checkTile(const Tile& tile, MemoryType scratchpad, std::string_view use);
  bool checkTensor(Tensor tensor, size_t begin_axes, const Shape& shape);
  void addTable(const std::vector<int8_t>& results);
  bool checkOperation(AluOpcode opcode, bool has_src);
  bool checkImmediate(AluOpcode opcode, int64_t imm);
  bool checkDot(const DotOp& dot, std::string_view axes);
  HwConfig hw_;
  TileProgram program_;
  Status status_;
  std::vector<std::vector<Statement>> blocks_;  // those that are open, the outermost first
  std::vector<LoopOp> open_;
  std::vector<int8_t> table_;  // empty: none yet
};

inline Tile operator+(const Tile& a, const Tile& b) {
  return a.builder() == nullptr ? Tile() : a.builder()->combined(AluOpcode::kAdd, a, b);
}
inline Tile operator+(const Tile& a, int64_t imm) {
  return a.builder() == nullptr ? Tile() : a.builder()->combinedImmediate(AluOpcode::kAdd, a, imm);
}
inline Tile operator*(const Tile& a, const Tile& b) {
  return a.builder() == nullptr ? Tile() : a.builder()->combined(AluOpcode::kMul, a, b);
}
inline Tile operator*(const Tile& a, int64_t imm) {
  return a.builder() == nullptr ? Tile() : a.builder()->combinedImmediate(AluOpcode::kMul, a, imm);
}
/// To the right with the sign, rounding down.
inline Tile operator>>(const Tile& a, int64_t bits) {
  return a.builder() == nullptr ? Tile() : a.builder()->combinedImmediate(AluOpcode::kShr, a, bits);
}
inline Tile operator<<(const Tile& a, int64_t bits) { return a >> -bits; }

}  // namespace vta::tile
