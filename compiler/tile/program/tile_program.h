// TileProgram: a kernel as loops around loads, products, ALU operations and stores of tiles.
//
// A tile is a box of elements in one scratchpad. Memory is reached by loads and stores alone. Where
// a tile lies, how many copies of it there are, micro-ops and tokens are decided when the program
// is lowered (tile_lowering.h). What a tile program computes does not depend on that: its
// statements take effect one after the other (tile_reference.h).
//
// Indices and shapes count elements of the hardware, which are blocks of values (docs/isa.md): an
// element of INP has BATCH x BLOCK_IN, one of WGT BLOCK_OUT x BLOCK_IN, one of ACC BATCH x
// BLOCK_OUT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/tile/program/affine.h"
#include "isa/spec/alu_operations.h"
#include "isa/spec/memories.h"

namespace vta::tile {

using Shape = std::vector<int64_t>;

/// Elements of a box.
int64_t elemsOf(const Shape& shape);
/// Distances of neighbours along each axis of a box that lies packed, the last axis innermost.
Shape packedStrides(const Shape& shape);
/// "16x4"
std::string shapeText(const Shape& shape);

/// A tensor in DRAM: a box of elements of `memory`, packed. Tensors of OUT are written, all others
/// are read.
struct TensorDecl {
  std::string name;
  MemoryType memory = MemoryType::kInp;
  Shape shape{};
  /// Of a constant, which the kernel brings along: its bytes. Empty otherwise.
  std::vector<uint8_t> contents{};
};

/// Where no loop encloses a tile.
inline constexpr int64_t kNoLoop = -1;

/// A tile lives as long as one iteration of its loop.
struct TileDecl {
  std::string name;                          // "t3"
  MemoryType scratchpad = MemoryType::kAcc;  // kInp, kWgt or kAcc
  Shape shape;
  int64_t loop = kNoLoop;  // the innermost loop around it
};

/// A part of a tile, or the tile with its axes arranged anew: element (i, j, ...) is the tile's
/// element offset + i * strides[0] + j * strides[1] + ...
struct View {
  uint32_t tile = 0;
  int64_t offset = 0;
  Shape shape{};
  Shape strides{};

  /// One behind the last element.
  int64_t end() const;
  /// Whether it is the elements from `offset` on, in their order.
  bool isPacked() const;
};

/// tile = tensor[begin], as large as the tile. Elements beside the tensor are 0.
struct LoadOp {
  uint32_t tile = 0;
  uint32_t tensor = 0;
  std::vector<Affine> begin;
};

/// dst = 0
struct ZeroOp {
  View dst;
};

/// dst = src
struct CopyOp {
  View dst;
  View src;
};

/// dst = op(dst, src), or with an immediate where there is no src. TABLE takes the elements of
/// `dst` as the words of the hardware's table, which LUT looks values up in
/// (isa/spec/lookup_table.h).
struct AluOp {
  AluOpcode opcode = AluOpcode::kAdd;
  View dst;
  std::optional<View> src;
  int32_t imm = 0;
};

/// acc += sum of inp x wgt. Axes have letters, as in Einstein's sum convention: "mk,nk->mn" adds
/// over k. Each letter has one length.
struct DotOp {
  View acc, inp, wgt;
  std::string acc_axes{}, inp_axes{}, wgt_axes{};
};

/// tensor[begin] = src, whose axes are those of the tensor.
struct StoreOp {
  uint32_t tensor = 0;
  std::vector<Affine> begin;
  View src;
};

struct Statement;

/// for variable = 0, step, ... : body, `count` times. Tiles of the body have `stages` slots each,
/// which iterations use in turn: while one iteration computes, the next ones can be loaded and the
/// last ones be stored.
struct LoopOp {
  uint32_t variable = 0;  // its number among TileProgram::loops
  int64_t count = 1;
  int64_t step = 1;
  int64_t stages = 1;
  std::vector<Statement> body;
};

struct Statement {
  std::variant<LoadOp, ZeroOp, CopyOp, AluOp, DotOp, StoreOp, LoopOp> op;
};

struct TileProgram {
  std::string name;
  std::vector<TensorDecl> tensors;
  std::vector<TileDecl> tiles;
  std::vector<std::string> loops;  // names of their variables
  std::vector<Statement> body;
};

/// Calls visit(position) for each position in a box of `shape`, the last axis innermost.
template <typename Visit>
void forEachPosition(const Shape& shape, const Visit& visit) {
  Shape position(shape.size(), 0);
  for (int64_t left = elemsOf(shape); left > 0; --left) {
    visit(position);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis]) break;
      position[axis] = 0;
    }
  }
}

/// The largest number of axes of tensors, tiles and products.
inline constexpr size_t kMaxAxes = 6;

/// One loop of a product: its length and its distances in the three operands; 0 where an operand
/// does not have its axis.
struct DotAxis {
  char letter = 0;
  int64_t count = 1;
  int64_t acc = 0, inp = 0, wgt = 0;
  bool is_sum = false;  // the result does not have it
};

/// The loops of a product: axes of the result first.
std::vector<DotAxis> dotAxes(const DotOp& dot);

}  // namespace vta::tile
