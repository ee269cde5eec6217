#include "compiler/tile/tile_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "compiler/kernel/lower.h"
#include "compiler/tile/tile_rules.h"
#include "isa/spec/lookup_table.h"

namespace vta::tile {
namespace {

View wholeView(uint32_t tile, const Shape& shape) {
  return {.tile = tile, .offset = 0, .shape = shape, .strides = packedStrides(shape)};
}

// `view` as it is combined with a tile of `shape`: axes of one element are repeated, and missing
// axes in front are added. Nothing where that is not possible.
std::optional<View> broadcastTo(const View& view, const Shape& shape) {
  if (view.shape.size() > shape.size()) return std::nullopt;
  View result = view;
  const size_t missing = shape.size() - view.shape.size();
  result.shape.insert(result.shape.begin(), missing, 1);
  result.strides.insert(result.strides.begin(), missing, 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (result.shape[i] == shape[i]) continue;
    if (result.shape[i] != 1) return std::nullopt;
    result.shape[i] = shape[i];
    result.strides[i] = 0;
  }
  return result;
}

}  // namespace

TileBuilder::TileBuilder(std::string name, const HwConfig& hw) : hw_(hw), blocks_(1) {
  program_.name = std::move(name);
}

void TileBuilder::fail(const std::string& message) {
  if (ok()) status_ = invalidArgument(fmt::format("{}: {}", program_.name, message));
}

Tensor TileBuilder::addTensor(TensorDecl tensor) {
  if (!ok()) return {};
  if (const Status legal = checkTensorDecl(tensor, program_, hw_); !legal.ok()) {
    fail(legal.message());
    return {};
  }
  program_.tensors.push_back(std::move(tensor));
  return {static_cast<uint32_t>(program_.tensors.size() - 1)};
}

Tensor TileBuilder::input(std::string name, MemoryType memory, Shape shape) {
  if (memory == MemoryType::kOut) fail("an input cannot be of OUT, which is written only");
  return addTensor({std::move(name), memory, std::move(shape), {}});
}

Tensor TileBuilder::output(std::string name, Shape shape) {
  return addTensor({std::move(name), MemoryType::kOut, std::move(shape), {}});
}

Affine TileBuilder::beginLoop(const Range& range) {
  if (range.step < 1 || range.extent < 1) {
    fail(fmt::format("loop {} goes to {} in steps of {}; both have to be positive", range.name,
                     range.extent, range.step));
  } else if (range.extent % range.step != 0) {
    fail(fmt::format("loop {}: steps of {} do not divide {}; {}", range.name, range.step,
                     range.extent, dividingSteps(range.extent, range.step)));
  }
  if (range.stages < 1 || range.stages > kMaxStages) {
    fail(fmt::format("loop {} has {} stages; 1 to {} are possible", range.name, range.stages,
                     kMaxStages));
  }
  LoopOp loop;
  loop.variable = static_cast<uint32_t>(program_.loops.size());
  loop.step = std::max<int64_t>(1, range.step);
  loop.count = range.extent / loop.step;
  loop.stages = range.stages;
  program_.loops.push_back(range.name);
  open_.push_back(loop);
  blocks_.emplace_back();
  return Affine::variable(loop.variable);
}

void TileBuilder::endLoop() {
  if (open_.empty()) return fail("a loop ends that has not begun");
  LoopOp loop = std::move(open_.back());
  open_.pop_back();
  loop.body = std::move(blocks_.back());
  blocks_.pop_back();
  append({std::move(loop)});
}

Tile TileBuilder::addTile(MemoryType scratchpad, const Shape& shape) {
  const auto number = static_cast<uint32_t>(program_.tiles.size());
  const int64_t loop = open_.empty() ? kNoLoop : int64_t{open_.back().variable};
  program_.tiles.push_back({fmt::format("t{}", number), scratchpad, shape, loop});
  return {this, wholeView(number, shape)};
}

bool TileBuilder::checkTensor(Tensor tensor, size_t begin_axes, const Shape& shape) {
  if (!ok()) return false;
  if (tensor.number >= program_.tensors.size()) {
    fail("a tensor that this kernel does not have");
    return false;
  }
  const TensorDecl& decl = program_.tensors[tensor.number];
  if (begin_axes != decl.shape.size() || shape.size() != decl.shape.size()) {
    fail(fmt::format("'{}' has {} axes; the box has {} indices and the shape {}", decl.name,
                     decl.shape.size(), begin_axes, shapeText(shape)));
    return false;
  }
  if (std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 1; })) {
    fail(fmt::format("a box of '{}' has the shape {}; extents begin at 1", decl.name,
                     shapeText(shape)));
    return false;
  }
  return true;
}

Tile TileBuilder::load(Tensor tensor, const std::vector<Affine>& begin, const Shape& shape) {
  if (!checkTensor(tensor, begin.size(), shape)) return {};
  const TensorDecl& decl = program_.tensors[tensor.number];
  if (decl.memory == MemoryType::kOut) {
    fail(
        fmt::format("'{}' is stored and cannot be loaded: loads do not wait for stores; use two "
                    "kernels",
                    decl.name));
    return {};
  }
  const Tile tile = addTile(scratchpadOf(decl.memory), shape);
  append({LoadOp{tile.view().tile, tensor.number, begin}});
  return tile;
}

Tile TileBuilder::zeros(const Shape& shape) {
  if (!ok()) return {};
  if (shape.size() > kMaxAxes || elemsOf(shape) < 1) {
    fail(fmt::format("a tile has the shape {}; up to {} axes with extents from 1 are possible",
                     shapeText(shape), kMaxAxes));
    return {};
  }
  Tile tile = addTile(MemoryType::kAcc, shape);
  append({ZeroOp{tile.view()}});
  return tile;
}

bool TileBuilder::checkTile(const Tile& tile, MemoryType scratchpad, std::string_view use) {
  if (!ok()) return false;
  if (tile.view().tile >= program_.tiles.size() || tile.shape().empty()) {
    fail(fmt::format("{}: a tile that this kernel does not have", use));
    return false;
  }
  const TileDecl& decl = program_.tiles[tile.view().tile];
  if (decl.scratchpad != scratchpad) {
    fail(fmt::format("{}: {} lies in {}, but has to lie in {}", use, decl.name,
                     memoryTypeName(decl.scratchpad), memoryTypeName(scratchpad)));
    return false;
  }
  const bool is_open = decl.loop == kNoLoop ||
                       std::any_of(open_.begin(), open_.end(),
                                   [&](const LoopOp& loop) { return loop.variable == decl.loop; });
  if (!is_open) {
    fail(
        fmt::format("{}: {} was made in loop {}, which has ended; make it in front of the loop "
                    "and change it there with +=",
                    use, decl.name, program_.loops[decl.loop]));
  }
  return is_open;
}

Tile TileBuilder::copy(const Tile& tile) {
  if (!checkTile(tile, MemoryType::kAcc, "copy")) return {};
  Tile result = addTile(MemoryType::kAcc, tile.shape());
  append({CopyOp{result.view(), tile.view()}});
  return result;
}

bool TileBuilder::checkDot(const DotOp& dot, std::string_view axes) {
  if (const Status legal = checkDotAxes(dot, axes); !legal.ok()) fail(legal.message());
  return ok();
}

void TileBuilder::dot(Tile& acc, const Tile& inp, const Tile& wgt, std::string_view axes) {
  if (!checkTile(acc, MemoryType::kAcc, "dot, the sum") ||
      !checkTile(inp, MemoryType::kInp, "dot, the first factor") ||
      !checkTile(wgt, MemoryType::kWgt, "dot, the second factor")) {
    return;
  }
  DotOp dot{.acc = acc.view(), .inp = inp.view(), .wgt = wgt.view()};
  const size_t comma = axes.find(',');
  const size_t arrow = axes.find("->");
  if (comma == std::string_view::npos || arrow == std::string_view::npos || comma > arrow) {
    return fail(fmt::format("dot: the axes \"{}\" are not like \"mk,nk->mn\"", axes));
  }
  dot.inp_axes = axes.substr(0, comma);
  dot.wgt_axes = axes.substr(comma + 1, arrow - comma - 1);
  dot.acc_axes = axes.substr(arrow + 2);
  if (checkDot(dot, axes)) append({std::move(dot)});
}

bool TileBuilder::checkOperation(AluOpcode opcode, bool has_src) {
  if (const Status legal = checkAluOperation(opcode, has_src, hw_); !legal.ok()) {
    fail(legal.message());
  }
  return ok();
}

bool TileBuilder::checkImmediate(AluOpcode opcode, int64_t imm) {
  if (const Status legal = checkAluImmediate(opcode, imm, hw_); !legal.ok()) fail(legal.message());
  return ok();
}

void TileBuilder::apply(AluOpcode opcode, Tile& a, const Tile& b, int64_t imm) {
  const std::string_view name = aluOpcodeName(opcode);
  if (!checkTile(a, MemoryType::kAcc, name) || !checkTile(b, MemoryType::kAcc, name) ||
      !checkOperation(opcode, true) || !checkImmediate(opcode, imm)) {
    return;
  }
  const std::optional<View> src = broadcastTo(b.view(), a.shape());
  if (!src) {
    return fail(fmt::format("{}: a tile of {} cannot be combined with one of {}", name,
                            shapeText(a.shape()), shapeText(b.shape())));
  }
  AluOp alu{opcode, a.view(), src, static_cast<int32_t>(imm)};
  if (const Status legal = checkOverlap(alu); !legal.ok()) return fail(legal.message());
  append({std::move(alu)});
}

void TileBuilder::applyImmediate(AluOpcode opcode, Tile& a, int64_t imm) {
  if (!checkTile(a, MemoryType::kAcc, aluOpcodeName(opcode)) || !checkOperation(opcode, false) ||
      !checkImmediate(opcode, imm)) {
    return;
  }
  append({AluOp{opcode, a.view(), std::nullopt, static_cast<int32_t>(imm)}});
}

// A copy of the larger of both that has been changed. A copy that nobody else needs is left out
// later (copy_elision.h).
Tile TileBuilder::combined(AluOpcode opcode, const Tile& a, const Tile& b, int64_t imm) {
  const AluOperation* const operation = findAluOperation(opcode);
  const bool commutes = operation != nullptr && operation->operand != AluOperand::kTensor &&
                        opcode != AluOpcode::kShr;
  const bool swaps =
      commutes && !broadcastTo(b.view(), a.shape()) && broadcastTo(a.view(), b.shape()).has_value();
  Tile result = copy(swaps ? b : a);
  apply(opcode, result, swaps ? a : b, imm);
  return result;
}

Tile TileBuilder::combinedImmediate(AluOpcode opcode, const Tile& a, int64_t imm) {
  Tile result = copy(a);
  applyImmediate(opcode, result, imm);
  return result;
}

Tile TileBuilder::maximum(const Tile& a, const Tile& b) { return combined(AluOpcode::kMax, a, b); }
Tile TileBuilder::maximum(const Tile& a, int64_t imm) {
  return combinedImmediate(AluOpcode::kMax, a, imm);
}
Tile TileBuilder::minimum(const Tile& a, const Tile& b) { return combined(AluOpcode::kMin, a, b); }
Tile TileBuilder::minimum(const Tile& a, int64_t imm) {
  return combinedImmediate(AluOpcode::kMin, a, imm);
}

Tile TileBuilder::clip(const Tile& a, int64_t low, int64_t high) {
  if (low > high) fail(fmt::format("clip: {} is above {}", low, high));
  const AluOperation& clip = *findAluOperation(AluOpcode::kClip);
  if (hasAluOperation(hw_.params(), clip) && low >= INT8_MIN && high <= INT8_MAX) {
    const ByteRange range{static_cast<int>(low), static_cast<int>(high)};
    return combinedImmediate(AluOpcode::kClip, a, byteRangeImmediate(range));
  }
  Tile result = maximum(a, low);
  applyImmediate(AluOpcode::kMin, result, high);
  return result;
}

Tile TileBuilder::qmul(const Tile& a, const Tile& multiplier, int64_t shift) {
  return combined(AluOpcode::kQmul, a, multiplier, shift);
}

Tile TileBuilder::lookUp(const Tile& a, const std::vector<int8_t>& results) {
  if (!checkTile(a, MemoryType::kAcc, "table")) return {};
  const AluOperation& operation = *findAluOperation(AluOpcode::kLut);
  if (!hasAluOperation(hw_.params(), operation)) {
    fail(
        fmt::format("{} has no tables: add the extension `lut` to the configuration "
                    "(isa.extensions)",
                    hw_.name()));
  } else if (results.size() != kTableEntries) {
    fail(fmt::format("a table has {} results; {} are needed, for -128 to 127", results.size(),
                     kTableEntries));
  } else if (!table_.empty() && table_ != results) {
    fail("a kernel has one table; use two kernels for two");
  }
  if (!ok()) return {};
  if (table_.empty()) addTable(results);
  const Tile result = copy(a);
  append({AluOp{AluOpcode::kLut, result.view(), std::nullopt, 0}});
  return result;
}

// The table is filled once, in front of everything else.
void TileBuilder::addTable(const std::vector<int8_t>& results) {
  table_ = results;
  const std::vector<int32_t> words = kernel::tableWords(results, hw_);
  TensorDecl constant{"table", MemoryType::kAcc, {kTableWords}, {}};
  constant.contents.resize(words.size() * sizeof(int32_t));
  std::memcpy(constant.contents.data(), words.data(), constant.contents.size());
  const Tensor tensor = addTensor(std::move(constant));
  if (!ok()) return;
  const auto number = static_cast<uint32_t>(program_.tiles.size());
  const Shape shape = {kTableWords};
  program_.tiles.push_back({fmt::format("t{}", number), MemoryType::kAcc, shape, kNoLoop});
  const AluOp fill{AluOpcode::kTable, wholeView(number, shape), std::nullopt, 0};
  std::vector<Statement>& block = blocks_.front();
  block.insert(block.begin(), {{LoadOp{number, tensor.number, {0}}}, {fill}});
}

void TileBuilder::store(Tensor tensor, const std::vector<Affine>& begin, const Tile& tile) {
  if (!checkTile(tile, MemoryType::kAcc, "store") ||
      !checkTensor(tensor, begin.size(), tile.shape())) {
    return;
  }
  const TensorDecl& decl = program_.tensors[tensor.number];
  if (decl.memory != MemoryType::kOut) {
    return fail(fmt::format("'{}' is an input and cannot be stored", decl.name));
  }
  append({StoreOp{tensor.number, begin, tile.view()}});
}

Result<TileProgram> TileBuilder::finish() {
  if (!open_.empty())
    fail(fmt::format("loop {} has not ended", program_.loops[open_.back().variable]));
  if (!ok()) return status_;
  program_.body = std::move(blocks_.front());
  return std::move(program_);
}

}  // namespace vta::tile
