#include "compiler/tile/tile_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "compiler/tile/tile_rules.h"
#include "isa/spec/lookup_table.h"

namespace vta::tile {
namespace {

constexpr int64_t kMaxTileElems = int64_t{1} << 16;      // sram_base has 16 bits
constexpr int64_t kMaxIndex = int64_t{1} << 32;          // dram_base has 32 bits
constexpr int64_t kMaxRunStatements = int64_t{1} << 24;  // that run, with loops

// Whether no two positions of `view` are one element.
bool isInjective(const View& view) {
  std::vector<std::pair<int64_t, int64_t>> axes;  // distance and extent
  for (size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] > 1) axes.emplace_back(view.strides[i], view.shape[i]);
  }
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return false;
    reach += (extent - 1) * stride;
  }
  return true;
}

bool isBox(const Shape& shape, int64_t most_elems) {
  if (shape.empty() || shape.size() > kMaxAxes) return false;
  for (const int64_t extent : shape) {
    if (extent < 1 || extent > most_elems) return false;
    most_elems /= extent;
  }
  return true;
}

class TileChecker {
 public:
  TileChecker(const TileProgram& program, const HwConfig& hw)
      : program_(program),
        hw_(hw),
        is_open_(program.loops.size()),
        was_open_(program.loops.size()),
        last_value_(program.loops.size()),
        is_made_(program.tiles.size()) {}

  Status run() {
    VTA_RETURN_IF_ERROR(checkTensors());
    for (size_t i = 0; i < program_.tiles.size(); ++i) {
      const TileDecl& tile = program_.tiles[i];
      const bool is_scratchpad = tile.scratchpad == MemoryType::kInp ||
                                 tile.scratchpad == MemoryType::kWgt ||
                                 tile.scratchpad == MemoryType::kAcc;
      if (!is_scratchpad) return mistake("tile {} is not of INP, WGT or ACC", i);
      if (!isBox(tile.shape, kMaxTileElems)) {
        return mistake("tile {} has the shape {}; up to {} axes and {} elements are possible", i,
                       shapeText(tile.shape), kMaxAxes, kMaxTileElems);
      }
    }
    return checkBody(program_.body, 1);
  }

 private:
  template <typename... Args>
  static Status mistake(fmt::format_string<Args...> format, Args&&... args) {
    return invalidArgument(fmt::format(format, std::forward<Args>(args)...));
  }

  Status checkTensors() const {
    TileProgram before;
    bool has_output = false;
    for (const TensorDecl& tensor : program_.tensors) {
      VTA_RETURN_IF_ERROR(checkTensorDecl(tensor, before, hw_));
      const bool is_output = tensor.memory == MemoryType::kOut;
      has_output = has_output || is_output;
      const auto bytes =
          static_cast<uint64_t>(elemsOf(tensor.shape)) * hw_.elemBytes(tensor.memory);
      if (!tensor.contents.empty() && (is_output || tensor.contents.size() != bytes)) {
        return mistake("the constant '{}' has {} bytes; {} elements of {} have {}", tensor.name,
                       tensor.contents.size(), shapeText(tensor.shape),
                       memoryTypeName(tensor.memory), bytes);
      }
      before.tensors.push_back({tensor.name, tensor.memory, tensor.shape, {}});
    }
    return has_output ? Status() : mistake("no tensor is an output");
  }

  // `runs`: how often the statements run.
  Status checkBody(const std::vector<Statement>& statements, int64_t runs) {
    for (size_t i = 0; i < statements.size(); ++i) {
      statements_ += runs;
      if (statements_ > kMaxRunStatements) {
        return mistake("more than {} statements run; use larger tiles", kMaxRunStatements);
      }
      const auto check_one = [&](const auto& op) -> Status { return check(op, runs); };
      const Status status = std::visit(check_one, statements[i].op);
      if (!status.ok()) return status.withContext(fmt::format("statement {}", i));
    }
    return {};
  }

  Status check(const LoopOp& loop, int64_t runs) {
    const uint32_t variable = loop.variable;
    if (variable >= program_.loops.size() || was_open_[variable]) {
      return mistake("a loop has the variable {}, which is another one's or none", variable);
    }
    if (loop.count < 1 || loop.step < 1 || loop.count > kMaxIndex || loop.step > kMaxIndex ||
        (loop.count - 1) > kMaxIndex / loop.step) {
      return mistake("loop {} runs {} times in steps of {}", program_.loops[variable], loop.count,
                     loop.step);
    }
    if (loop.stages < 1 || loop.stages > kMaxStages) {
      return mistake("loop {} has {} stages; 1 to {} are possible", program_.loops[variable],
                     loop.stages, kMaxStages);
    }
    if (open_.size() >= kMaxLoopDepth)
      return mistake("more than {} loops in each other", kMaxLoopDepth);
    if (loop.count > kMaxRunStatements / runs) {
      return mistake("more than {} statements run; use larger tiles", kMaxRunStatements);
    }
    was_open_[variable] = is_open_[variable] = true;
    last_value_[variable] = (loop.count - 1) * loop.step;
    open_.push_back(variable);
    const Status status = checkBody(loop.body, runs * loop.count);
    open_.pop_back();
    is_open_[variable] = false;
    return status.withContext("loop " + program_.loops[variable]);
  }

  // A statement makes the tile; nothing has made it before.
  Status make(uint32_t tile, MemoryType scratchpad) {
    if (tile >= program_.tiles.size()) return mistake("tile {} does not exist", tile);
    const TileDecl& decl = program_.tiles[tile];
    const int64_t loop = open_.empty() ? kNoLoop : int64_t{open_.back()};
    if (is_made_[tile]) return mistake("tile {} is made twice", tile);
    if (decl.loop != loop) return mistake("tile {} is not of the loop that makes it", tile);
    if (decl.scratchpad != scratchpad) {
      return mistake("tile {} is of {}, but {} is needed", tile, memoryTypeName(decl.scratchpad),
                     memoryTypeName(scratchpad));
    }
    is_made_[tile] = true;
    return {};
  }

  Status checkView(const View& view, MemoryType scratchpad, bool repeats = false) const {
    if (view.tile >= program_.tiles.size() || !is_made_[view.tile]) {
      return mistake("tile {} has not been made", view.tile);
    }
    const TileDecl& decl = program_.tiles[view.tile];
    if (decl.loop != kNoLoop && !is_open_[static_cast<size_t>(decl.loop)]) {
      return mistake("tile {} was made in a loop that has ended", view.tile);
    }
    if (decl.scratchpad != scratchpad) {
      return mistake("tile {} is of {}, but {} is needed", view.tile,
                     memoryTypeName(decl.scratchpad), memoryTypeName(scratchpad));
    }
    bool fits = view.shape.size() == view.strides.size() && view.offset >= 0 &&
                view.offset < kMaxTileElems && isBox(view.shape, kMaxTileElems);
    for (const int64_t stride : view.strides) {
      fits = fits && stride >= 0 && stride <= kMaxTileElems;
    }
    if (!fits || view.end() > elemsOf(decl.shape)) {
      return mistake("a part of tile {} leaves it", view.tile);
    }
    if (repeats || isInjective(view)) return {};
    return mistake("a part of tile {} has an element twice", view.tile);
  }

  Status checkWhole(const View& view) const {
    const bool is_whole =
        view.offset == 0 && view.isPacked() && view.shape == program_.tiles[view.tile].shape;
    return is_whole ? Status() : mistake("a part of tile {} is made, not all of it", view.tile);
  }

  Status checkPlace(uint32_t tensor, const std::vector<Affine>& begin, const Shape& shape) const {
    const TensorDecl& decl = program_.tensors[tensor];
    if (begin.size() != decl.shape.size() || shape.size() != decl.shape.size()) {
      return mistake("'{}' has {} axes; the box has {} indices and the shape {}", decl.name,
                     decl.shape.size(), begin.size(), shapeText(shape));
    }
    for (const Affine& index : begin) {
      bool fits = index.constant() >= -kMaxIndex && index.constant() <= kMaxIndex;
      for (const AffineTerm& term : index.terms()) {
        fits = fits && term.loop < is_open_.size() && is_open_[term.loop];
        fits = fits && term.factor >= -kMaxIndex && term.factor <= kMaxIndex;
        fits = fits &&
               last_value_[term.loop] <= kMaxIndex / std::max<int64_t>(1, std::abs(term.factor));
      }
      if (!fits)
        return mistake("an index of '{}' is too large, or of a loop that is not open", decl.name);
    }
    return {};
  }

  Status check(const LoadOp& load, int64_t /*runs*/) {
    if (load.tensor >= program_.tensors.size()) {
      return mistake("tensor {} does not exist", load.tensor);
    }
    const TensorDecl& tensor = program_.tensors[load.tensor];
    if (tensor.memory == MemoryType::kOut) {
      return mistake("'{}' is stored and cannot be loaded", tensor.name);
    }
    VTA_RETURN_IF_ERROR(make(load.tile, scratchpadOf(tensor.memory)));
    return checkPlace(load.tensor, load.begin, program_.tiles[load.tile].shape);
  }

  Status check(const ZeroOp& zero, int64_t /*runs*/) {
    VTA_RETURN_IF_ERROR(make(zero.dst.tile, MemoryType::kAcc));
    return checkWhole(zero.dst);
  }

  Status check(const CopyOp& copy, int64_t /*runs*/) {
    VTA_RETURN_IF_ERROR(checkView(copy.src, MemoryType::kAcc));
    VTA_RETURN_IF_ERROR(make(copy.dst.tile, MemoryType::kAcc));
    VTA_RETURN_IF_ERROR(checkWhole(copy.dst));
    if (copy.src.shape == copy.dst.shape) return {};
    return mistake("a tile of {} is copied to one of {}", shapeText(copy.src.shape),
                   shapeText(copy.dst.shape));
  }

  Status check(const AluOp& alu, int64_t /*runs*/) {
    VTA_RETURN_IF_ERROR(checkView(alu.dst, MemoryType::kAcc));
    if (writesTable(alu.opcode) || readsTable(alu.opcode)) return checkTable(alu);
    VTA_RETURN_IF_ERROR(checkAluOperation(alu.opcode, alu.src.has_value(), hw_));
    const AluOperation& operation = *findAluOperation(alu.opcode);
    // The bounds of a clip are two bytes.
    if (operation.immediate != AluImmediate::kByteRange) {
      VTA_RETURN_IF_ERROR(checkAluImmediate(alu.opcode, alu.imm, hw_));
    } else if (const ByteRange range = byteRangeOf(alu.imm);
               range.low > range.high || byteRangeImmediate(range) != alu.imm) {
      return mistake("{} has the bounds {} and {}", operation.name, range.low, range.high);
    }
    if (!alu.src) return {};
    VTA_RETURN_IF_ERROR(checkView(*alu.src, MemoryType::kAcc, true));
    if (alu.src->shape != alu.dst.shape) {
      return mistake("a tile of {} is combined with one of {}", shapeText(alu.dst.shape),
                     shapeText(alu.src->shape));
    }
    return checkOverlap(alu);
  }

  Status checkTable(const AluOp& alu) {
    if (!hasAluOperation(hw_.params(), *findAluOperation(AluOpcode::kLut))) {
      return mistake(
          "{} has no tables: add the extension `lut` to the configuration "
          "(isa.extensions)",
          hw_.name());
    }
    if (alu.src || alu.imm != 0) return mistake("a table takes no second operand");
    if (readsTable(alu.opcode)) {
      return has_table_ ? Status() : mistake("a table is used that has not been filled");
    }
    VTA_RETURN_IF_ERROR(checkWhole(alu.dst));
    if (has_table_ || !open_.empty() || elemsOf(alu.dst.shape) != kTableWords) {
      return mistake("the table is filled once, outside of loops, by {} elements", kTableWords);
    }
    has_table_ = true;
    return {};
  }

  Status check(const DotOp& dot, int64_t /*runs*/) {
    VTA_RETURN_IF_ERROR(checkView(dot.acc, MemoryType::kAcc));
    VTA_RETURN_IF_ERROR(checkView(dot.inp, MemoryType::kInp));
    VTA_RETURN_IF_ERROR(checkView(dot.wgt, MemoryType::kWgt));
    return checkDotAxes(dot, fmt::format("{},{}->{}", dot.inp_axes, dot.wgt_axes, dot.acc_axes));
  }

  Status check(const StoreOp& store, int64_t /*runs*/) {
    if (store.tensor >= program_.tensors.size() ||
        program_.tensors[store.tensor].memory != MemoryType::kOut) {
      return mistake("tensor {} is not an output", store.tensor);
    }
    VTA_RETURN_IF_ERROR(checkView(store.src, MemoryType::kAcc));
    return checkPlace(store.tensor, store.begin, store.src.shape);
  }

  const TileProgram& program_;
  const HwConfig& hw_;
  std::vector<bool> is_open_, was_open_;  // by loop
  std::vector<int64_t> last_value_;       // by loop: of its variable
  std::vector<bool> is_made_;             // by tile
  std::vector<uint32_t> open_;            // loops, the outermost first
  int64_t statements_ = 0;
  bool has_table_ = false;
};

}  // namespace

Status checkTiles(const TileProgram& program, const HwConfig& hw) {
  return TileChecker(program, hw).run().withContext(program.name);
}

}  // namespace vta::tile
