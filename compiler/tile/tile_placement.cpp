#include "compiler/tile/tile_placement.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/tile/tile_rules.h"

namespace vta::tile {
namespace {

constexpr int64_t kMaxSramElems = 1 << 16;  // sram_base has 16 bits

// How many slots each tile has: the stages of its loop, none where no statement makes it.
class SlotCounts {
 public:
  explicit SlotCounts(const TileProgram& program) : counts_(program.tiles.size()) {
    visit(program.body, 1);
  }
  const std::vector<int64_t>& counts() const { return counts_; }

 private:
  void visit(const std::vector<Statement>& statements, int64_t stages) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopOp>(&statement.op)) {
        visit(loop->body, loop->stages);
      } else if (const auto* load = std::get_if<LoadOp>(&statement.op)) {
        counts_[load->tile] = stages;
      } else if (const auto* zero = std::get_if<ZeroOp>(&statement.op)) {
        counts_[zero->dst.tile] = stages;
      } else if (const auto* copy = std::get_if<CopyOp>(&statement.op)) {
        counts_[copy->dst.tile] = stages;
      }
    }
  }

  std::vector<int64_t> counts_;
};

std::string inBytes(int64_t elems, uint32_t elem_bytes) {
  return fmt::format("{} elements, {} bytes", elems, elems * elem_bytes);
}

class Placer {
 public:
  Placer(const TileProgram& program, const HwConfig& hw)
      : program_(program), hw_(hw), counts_(SlotCounts(program).counts()) {
    placement_.slots.resize(program.tiles.size());
  }

  Result<TilePlacement> run() {
    VTA_RETURN_IF_ERROR(checkTokens());
    for (const MemoryType memory : {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
      VTA_RETURN_IF_ERROR(place(memory));
    }
    return std::move(placement_);
  }

 private:
  Status place(MemoryType memory) {
    std::vector<uint32_t> tiles;
    for (uint32_t tile = 0; tile < program_.tiles.size(); ++tile) {
      if (program_.tiles[tile].scratchpad == memory && counts_[tile] > 0) tiles.push_back(tile);
    }
    if (needed(tiles) > room(memory)) return tooLarge(memory, tiles);
    next_ = 0;
    // The hardware takes the range between both operands of an ALU operation as one. So tiles with
    // one slot, which all iterations use, lie between the first and the second slots of the others:
    // no such range then goes through a slot of the next iteration.
    for (const uint32_t tile : tiles) {
      if (counts_[tile] > 1) addSlot(tile);
    }
    for (const uint32_t tile : tiles) {
      if (counts_[tile] == 1) addSlot(tile);
    }
    for (int64_t slot = 1; slot < kMaxStages; ++slot) {
      for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
        if (counts_[*tile] > slot) addSlot(*tile);
      }
    }
    return {};
  }

  void addSlot(uint32_t tile) {
    placement_.slots[tile].push_back(static_cast<uint32_t>(next_));
    next_ += elemsOf(program_.tiles[tile].shape);
  }

  // A unit may fill or free all slots before the next unit takes a token of them.
  Status checkTokens() const {
    int64_t operands = 0;
    int64_t sums = 0;
    for (uint32_t tile = 0; tile < counts_.size(); ++tile) {
      (program_.tiles[tile].scratchpad == MemoryType::kAcc ? sums : operands) += counts_[tile];
    }
    const int64_t depth = hw_.params().token_queue_depth;
    const int64_t most = std::max(operands, sums);
    if (most <= depth) return {};
    return {StatusCode::kResourceExhausted,
            fmt::format("{}: the tiles have {} slots in {}, and the token queues of {} have room "
                        "for {}: use fewer stages or fewer tiles",
                        program_.name, most, operands >= sums ? "INP and WGT" : "ACC", hw_.name(),
                        depth)};
  }

  int64_t needed(const std::vector<uint32_t>& tiles, bool one_slot = false) const {
    int64_t sum = 0;
    for (const uint32_t tile : tiles) {
      sum += elemsOf(program_.tiles[tile].shape) * (one_slot ? 1 : counts_[tile]);
    }
    return sum;
  }

  int64_t room(MemoryType memory) const {
    return std::min<int64_t>(hw_.depthElems(memory), kMaxSramElems);
  }

  Status tooLarge(MemoryType memory, const std::vector<uint32_t>& tiles) const {
    const uint32_t bytes = hw_.elemBytes(memory);
    std::string list;
    for (const uint32_t tile : tiles) {
      list += fmt::format("{}{} {} of {}", list.empty() ? "" : ", ", program_.tiles[tile].name,
                          counts_[tile] == 1 ? "1 slot" : fmt::format("{} slots", counts_[tile]),
                          shapeText(program_.tiles[tile].shape));
    }
    const int64_t least = needed(tiles, true);
    const std::string remedy =
        least <= room(memory)
            ? fmt::format("with one stage they need {}, which fits", inBytes(least, bytes))
            : fmt::format("even with one stage they need {}: make tiles smaller by a factor of {}",
                          inBytes(least, bytes), (least + room(memory) - 1) / room(memory));
    return {StatusCode::kResourceExhausted,
            fmt::format("{}: {} of {} has {}; the tiles need {} ({}); {}", program_.name,
                        memoryTypeName(memory), hw_.name(), inBytes(room(memory), bytes),
                        inBytes(needed(tiles), bytes), list, remedy)};
  }

  const TileProgram& program_;
  const HwConfig& hw_;
  std::vector<int64_t> counts_;
  TilePlacement placement_;
  int64_t next_ = 0;
};

}  // namespace

Result<TilePlacement> placeTiles(const TileProgram& program, const HwConfig& hw) {
  return Placer(program, hw).run();
}

}  // namespace vta::tile
