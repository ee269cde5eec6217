#include "compiler/tile/tile_lowering.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "compiler/kernel/emit/emitter.h"
#include "compiler/kernel/primitives/slot_cache.h"
#include "compiler/tile/box_transfer.h"
#include "compiler/tile/copy_elision.h"
#include "compiler/tile/stored_elements.h"
#include "compiler/tile/tile_placement.h"
#include "compiler/tile/tile_work.h"
#include "isa/program/verify/verifier.h"
#include "isa/spec/lookup_table.h"

namespace vta::tile {
namespace {

using kernel::AccOperation;
using kernel::Emitter;
using kernel::Nest;
using kernel::SlotCache;
using kernel::Transfer;

constexpr size_t kMaxInstructions = size_t{1} << 22;

uint32_t u32(int64_t value) { return static_cast<uint32_t>(value); }

class Lowering {
 public:
  Lowering(const TileProgram& program, const HwConfig& hw, const TilePlacement& placement)
      : program_(program),
        placement_(placement),
        emit_(hw, program.name, false),
        clears_ahead_(hw.params().concurrent_compute && !hw.params().compat_0_0_2),
        bases_(program.tiles.size()),
        ahead_(program.tiles.size()),
        is_changed_(program.tiles.size()),
        values_(program.loops.size()) {
    for (const std::vector<uint32_t>& slots : placement.slots) {
      caches_.emplace_back(0, 1, u32(static_cast<int64_t>(slots.size())));
      is_defined_.emplace_back(slots.size());
    }
    findChangedTiles(program.body);
    TileWork work = countWork(program);
    clears_by_alu_ =
        clears_ahead_ && (work.alu + work.cleared) * hw.params().alu_passes <= work.gemm;
    clears_left_ = std::move(work.clears);
  }

  Result<Program> run() {
    for (const TensorDecl& tensor : program_.tensors) {
      const BufferKind kind = tensor.memory == MemoryType::kOut ? BufferKind::kOutput
                              : tensor.contents.empty()         ? BufferKind::kInput
                                                                : BufferKind::kConstant;
      emit_.declareBuffer(tensor.name, kind, tensor.memory, elemsOf(tensor.shape));
      stored_.emplace_back(tensor);
    }
    VTA_RETURN_IF_ERROR(emitBody(program_.body, program_.body.size()));
    for (size_t i = 0; i < program_.tensors.size(); ++i) {
      if (program_.tensors[i].memory == MemoryType::kOut) {
        VTA_RETURN_IF_ERROR(stored_[i].checkComplete());
      }
    }
    return emit_.finish();
  }

 private:
  // Loaded tiles that something else writes, too: what is in their slots is not what was loaded.
  void findChangedTiles(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopOp>(&statement.op)) findChangedTiles(loop->body);
      if (const auto* alu = std::get_if<AluOp>(&statement.op)) is_changed_[alu->dst.tile] = true;
      if (const auto* dot = std::get_if<DotOp>(&statement.op)) is_changed_[dot->acc.tile] = true;
    }
  }

  // Behind statement `last_product`, tiles of the next iteration are cleared.
  Status emitBody(const std::vector<Statement>& statements, size_t last_product) {
    for (size_t i = 0; i < statements.size(); ++i) {
      VTA_RETURN_IF_ERROR(
          std::visit([this](const auto& op) -> Status { return emit(op); }, statements[i].op));
      if (i == last_product) clearAhead(statements);
    }
    if (emit_.beginComputeTask() <= kMaxInstructions) return {};
    return {StatusCode::kResourceExhausted,
            fmt::format("more than {} instructions; use larger tiles", kMaxInstructions)};
  }

  Status emit(const LoopOp& loop) {
    const size_t last_product = clears_ahead_ ? lastProduct(loop.body) : loop.body.size();
    for (int64_t i = 0; i < loop.count; ++i) {
      values_[loop.variable] = i * loop.step;
      const Status done = emitBody(loop.body, last_product);
      if (!done.ok()) {
        return done.withContext(
            fmt::format("{} = {}", program_.loops[loop.variable], values_[loop.variable]));
      }
    }
    return {};
  }

  Shape placeOf(const std::vector<Affine>& begin) const {
    Shape place;
    for (const Affine& index : begin) place.push_back(index.at(values_));
    return place;
  }

  // Names the contents of a slot: the place that it was loaded from, or nothing else.
  int64_t keyOf(uint32_t tile, const TensorDecl& tensor, const Shape& begin) {
    if (is_changed_[tile]) return --unique_key_;
    int64_t key = 0;
    for (size_t axis = 0; axis < begin.size(); ++axis) {
      const int64_t extent = program_.tiles[tile].shape[axis];
      key = key * (tensor.shape[axis] + 2 * extent) + begin[axis] + extent;
    }
    return key;
  }

  // Moves the tile to its next slot, or to that with these contents.
  SlotCache::Slot acquire(uint32_t tile, int64_t key) {
    const SlotCache::Slot slot = caches_[tile].acquire(key);
    bases_[tile] = placement_.slots[tile][slot.base];
    return slot;
  }

  Status emit(const LoadOp& load) {
    const TensorDecl& tensor = program_.tensors[load.tensor];
    const Shape begin = placeOf(load.begin);
    const Shape& shape = program_.tiles[load.tile].shape;
    if (acquire(load.tile, keyOf(load.tile, tensor, begin)).hit) return {};
    VTA_ASSIGN_OR_RETURN(const std::vector<Transfer> transfers,
                         loadBox(tensor, load.tensor, begin, shape, bases_[load.tile]));
    for (const Transfer& transfer : transfers) emit_.transfer(transfer);
    return {};
  }

  Status emit(const ZeroOp& zero) {
    std::optional<uint32_t>& ahead = ahead_[zero.dst.tile];
    if (ahead) {
      bases_[zero.dst.tile] = *ahead;
      ahead.reset();
    } else {
      clearNext(zero.dst);
    }
    return {};
  }

  // Instructions issue in order, but the engines work side by side. So the next iteration's tiles
  // are cleared in front of the operations on this one's: its products then run beside them.
  void clearAhead(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      const auto* zero = std::get_if<ZeroOp>(&statement.op);
      if (zero == nullptr) continue;
      const uint32_t tile = zero->dst.tile;
      if (placement_.slots[tile].size() < 2 || clears_left_[tile] == 0) continue;
      const uint32_t base = bases_[tile];
      clearNext(zero->dst);
      ahead_[tile] = std::exchange(bases_[tile], base);
    }
  }

  // Clears the next slot of a tile: by the engine that has less to do. The ALU reads its operand,
  // so a slot has to hold something by then.
  void clearNext(const View& tile) {
    const SlotCache::Slot slot = acquire(tile.tile, --unique_key_);
    --clears_left_[tile.tile];
    if (clears_by_alu_ && is_defined_[tile.tile][slot.base]) {
      emitAlu({AluOpcode::kMul, tile, std::nullopt, 0});
    } else {
      clear(tile);
    }
    is_defined_[tile.tile][slot.base] = true;
  }

  Status emit(const CopyOp& copy) {
    acquire(copy.dst.tile, --unique_key_);
    clear(copy.dst);
    return emit(AluOp{AluOpcode::kAdd, copy.dst, copy.src, 0});
  }

  Status emit(const AluOp& alu) {
    emitAlu(alu);
    return {};
  }

  void emitAlu(const AluOp& alu) {
    const View& src = alu.src ? *alu.src : alu.dst;
    Nest nest;
    nest.base.dst_idx = firstOf(alu.dst);
    nest.base.src_idx = firstOf(src);
    for (size_t axis = 0; axis < alu.dst.shape.size(); ++axis) {
      const int64_t dst_stride = alu.dst.strides[axis];
      nest.push(
          {u32(alu.dst.shape[axis]), u32(dst_stride), u32(src.strides[axis]), 0, dst_stride != 0});
    }
    AccOperation operation{.opcode = alu.opcode, .use_imm = !alu.src, .imm = alu.imm};
    // The hardware counts a word's number from where the element lies.
    if (writesTable(alu.opcode)) operation.imm = tableImmediate(0, firstOf(alu.dst));
    const std::array<SramAccess, 2> accesses = {
        {accessOf(Sram::kAcc, src, false), accessOf(Sram::kAcc, alu.dst, true)}};
    emit_.alu(operation, nest, accesses);
  }

  Status emit(const DotOp& dot) {
    Nest nest;
    nest.base = {firstOf(dot.acc), firstOf(dot.inp), firstOf(dot.wgt)};
    for (const DotAxis& axis : dotAxes(dot)) {
      nest.push({u32(axis.count), u32(axis.acc), u32(axis.inp), u32(axis.wgt), !axis.is_sum});
    }
    const std::array<SramAccess, 3> accesses = {{accessOf(Sram::kInp, dot.inp, false),
                                                 accessOf(Sram::kWgt, dot.wgt, false),
                                                 accessOf(Sram::kAcc, dot.acc, true)}};
    emit_.gemm(nest, accesses);
    return {};
  }

  Status emit(const StoreOp& store) {
    const TensorDecl& tensor = program_.tensors[store.tensor];
    const Shape begin = placeOf(store.begin);
    VTA_RETURN_IF_ERROR(stored_[store.tensor].add(begin, store.src.shape));
    const SramAccess access = accessOf(Sram::kAcc, store.src, false);
    for (const Transfer& transfer :
         storeBox(tensor, store.tensor, begin, store.src, bases_[store.src.tile])) {
      emit_.storePart(transfer, access.begin, access.end);
    }
    return {};
  }

  void clear(const View& view) {
    const SramAccess access = accessOf(Sram::kAcc, view, true);
    emit_.resetAcc(access.begin, access.end);
  }

  uint32_t firstOf(const View& view) const { return bases_[view.tile] + u32(view.offset); }
  SramAccess accessOf(Sram sram, const View& view, bool writes) const {
    return {sram, firstOf(view), bases_[view.tile] + u32(view.end()), writes};
  }

  const TileProgram& program_;
  const TilePlacement& placement_;
  Emitter emit_;
  bool clears_ahead_;
  bool clears_by_alu_ = false;
  std::vector<int64_t> clears_left_;            // by tile
  std::vector<SlotCache> caches_;               // by tile: which slot holds what
  std::vector<std::vector<bool>> is_defined_;   // by tile and slot: whether it holds anything
  std::vector<uint32_t> bases_;                 // by tile: its slot in this iteration
  std::vector<std::optional<uint32_t>> ahead_;  // by tile: the slot that is cleared already
  std::vector<bool> is_changed_;                // by tile
  std::vector<int64_t> values_;                 // by loop: its variable
  std::vector<StoredElements> stored_;          // by tensor
  int64_t unique_key_ = -1;                     // SlotCache's own key of an empty slot
};

}  // namespace

Result<Program> lowerTiles(TileProgram program, const HwConfig& hw) {
  elideCopies(program);
  VTA_ASSIGN_OR_RETURN(const TilePlacement placement, placeTiles(program, hw));
  Result<Program> lowered = Lowering(program, hw, placement).run();
  if (!lowered.ok()) return lowered.status().withContext(program.name);
  VTA_RETURN_IF_ERROR(
      verifyProgramStatus(*lowered, hw, {.uninitialised_reads = true}).withContext(program.name));
  return lowered;
}

}  // namespace vta::tile
