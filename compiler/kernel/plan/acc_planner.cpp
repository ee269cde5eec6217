#include "compiler/kernel/plan/acc_planner.h"

#include <algorithm>
#include <array>

#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/primitives/loop_nest.h"

namespace vta::kernel {

AccPlanner::AccPlanner(const PlanContext& context)
    : context_(context),
      plan_(context.plan),
      sram_(context.plan.sram),
      unit_(context.desc.hasPair() ? 2 : 1),
      limit_(context.room.acc),
      tile_(aligned(context.plan.tile_elems)),
      pool_(plan_.method == Method::kAluPool ? aligned(context.regionElems()) : 0),
      residual_(plan_.residual_by_gemm ? 0 : aligned(context.residualElems())),
      carry_(aligned(carriedElems())),
      params_per_step_(context.desc.num_params > 0 ? unit_ * plan_.tiling.outBlocks() : 0) {}

int64_t AccPlanner::aligned(int64_t elems) const { return (elems + unit_ - 1) / unit_ * unit_; }

bool AccPlanner::run() {
  const bool by_gemm = plan_.method == Method::kGemm;
  const int64_t pool_slots = poolSlots();
  if (plan_.method == Method::kAluPool) plan_.pipelined = pool_slots == 2;
  const int64_t others = pool_ * pool_slots + residual_ + carry_;
  int64_t acc_slots = accSlots(limit_ - others);
  if (tile_ * acc_slots + others + params_per_step_ > limit_ && by_gemm) {
    // One tile after the other in the same place; loads still go ahead.
    acc_slots = 1;
    plan_.pipelined = plan_.reset_by_alu = false;
  }
  const int64_t fixed = tile_ * acc_slots + others;
  if (fixed + params_per_step_ > limit_) {
    if (residual_ > 0 && placeResidualInPieces()) return true;
    return context_.fail("ACC buffer elements", fixed + params_per_step_, limit_);
  }
  chooseParams(limit_ - fixed);
  const bool two_tiles = plan_.pipelined && by_gemm && acc_slots == 2;
  if (two_tiles && carry_ == 0 && storeDelaysGemm() && tryThreeTiles()) return true;
  if (two_tiles) {
    placeBetweenTiles();
  } else {
    placeInARow(acc_slots, pool_slots);
  }
  return true;
}

int64_t AccPlanner::carriedElems() const {
  if (!plan_.pool || plan_.tiling.tiles_y == 1) return 0;
  return plan_.pool->rows.sharedClasses() * plan_.pool->carry_blocks * plan_.tiling.width;
}

// Input regions of ALU pooling: two where the next one can be loaded while the ALU works.
int64_t AccPlanner::poolSlots() const {
  if (plan_.method != Method::kAluPool) return 0;
  if (!plan_.pipelined || plan_.tiling.steps() > 1) return 1;
  const int64_t tiles = context_.schedule.virtual_threads + (context_.desc.residual ? 1 : 0);
  return tile_ * tiles + params_per_step_ + 2 * pool_ <= limit_ ? 2 : 1;
}

// Output tiles in ACC. Tokens leave in program order, so the store of a pipelined elementwise tile
// starts only when the next tile is there. A third slot lets the tile after that start regardless.
int64_t AccPlanner::accSlots(int64_t free) const {
  const int64_t threads = context_.schedule.virtual_threads;
  const int64_t params = context_.desc.num_params * plan_.geometry.out_channel_blocks;
  const bool useful = plan_.pipelined && plan_.method == Method::kElementwise;
  return useful && (threads + 1) * tile_ + params <= free ? threads + 1 : threads;
}

// As many parameters at once as fit into `free` elements.
void AccPlanner::chooseParams(int64_t free) {
  const int64_t num_params = context_.desc.num_params;
  const int64_t all = aligned(num_params * plan_.geometry.out_channel_blocks);
  const int64_t per_tile = aligned(num_params * plan_.tiling.outBlocks());
  sram_.param_mode = all <= free        ? ParamMode::kResident
                     : per_tile <= free ? ParamMode::kPerTile
                                        : ParamMode::kPerStep;
  const std::array<int64_t, 3> elems = {all, per_tile, params_per_step_};
  sram_.param = makeSlots(0, elems[static_cast<size_t>(sram_.param_mode)], all > 0 ? 1 : 0);
}

// Whether the ALU steps of a tile and its store take longer than the GEMMs of the next one, so that
// with two tiles the GEMM core would wait for the store.
bool AccPlanner::storeDelaysGemm() const {
  const Geometry& g = plan_.geometry;
  const int64_t in_blocks = plan_.identity_weights ? 1 : g.inBlocksPerGroup();
  const auto gemm = static_cast<double>(in_blocks * g.weightElems());
  const double store = context_.hw.elemBytes(MemoryType::kOut) / context_.busBytesPerCycle();
  return gemm < kThirdTileMargin * (context_.epilogueOperations() + 1 + store);
}

// Elements to leave free before `base` so that equal offsets in the residual tile and in output
// tiles lie in different banks; 0 where that is impossible.
int64_t AccPlanner::bankGap(int64_t base, int64_t acc_slots) const {
  if (!context_.hw.params().concurrent_compute) return 0;
  const int64_t banks = context_.hw.params().acc_banks;
  for (int64_t gap = 0; gap < banks; ++gap) {
    bool differs = true;
    for (int64_t slot = 0; slot < acc_slots; ++slot) {
      differs = differs && (base + gap - slot * tile_) % banks != 0;
    }
    if (differs) return gap;
  }
  return 0;
}

AccPlanner::BankPadding AccPlanner::bankPadding() const {
  if (residual_ == 0) return {};
  const int64_t banks = context_.hw.params().acc_banks;
  return {.before = (tile_ + sram_.param.elems) % banks == 0 ? 1 : 0,
          .behind = tile_ % banks == 0 ? 1 : 0};
}

// One tile leaves no room for a whole residual tile, so the residual comes in pieces: one is loaded
// while another is combined with the tile. The two lie on both sides of tile and parameters,
// because to the hardware an instruction with two operands takes everything between them.
bool AccPlanner::placeResidualInPieces() {
  if (plan_.method != Method::kGemm || context_.desc.residual_per_image) return false;
  // Pieces are gone after the first use.
  if (context_.desc.residualUses() > 1) return false;
  if (tile_ + params_per_step_ + 2 * kSmallestResidualPiece > limit_) return false;
  chooseParams(limit_ - tile_ - 2 * kSmallestResidualPiece);
  const int64_t params = sram_.param.elems;
  const int64_t piece = std::min((limit_ - tile_ - params) / 2 / unit_ * unit_, tile_);
  sram_.residual_in_pieces = true;
  sram_.residual = makeSlots(0, piece, 2);
  sram_.residual.gap = static_cast<uint32_t>(params + tile_);
  sram_.param.base = static_cast<uint32_t>(piece);
  sram_.acc = makeSlots(piece + params, tile_, 1);
  sram_.pool_input = sram_.carry = makeSlots(0, 0, 0);
  return true;
}

// Three tiles with all parameters, else with those of a channel tile where that seldom changes.
bool AccPlanner::tryThreeTiles() {
  const SlotRange param = sram_.param;
  const ParamMode mode = sram_.param_mode;
  if (mode == ParamMode::kResident && placeThreeTiles()) return true;
  const bool seldom =
      context_.schedule.order == Schedule::Order::kWeightsOuter || plan_.tiling.outTiles() == 1;
  if (seldom && context_.desc.num_params > 0) {
    sram_.param_mode = ParamMode::kPerTile;
    sram_.param = makeSlots(0, aligned(context_.desc.num_params * plan_.tiling.outBlocks()), 1);
    if (placeThreeTiles()) return true;
  }
  sram_.param = param;
  sram_.param_mode = mode;
  return false;
}

// As placeBetweenTiles, with three tiles. There are two copies of parameters and residual, so that
// no tile lies between another one and what the ALU combines with it.
bool AccPlanner::placeThreeTiles() {
  const int64_t params = sram_.param.elems;
  const BankPadding pad = bankPadding();
  const int64_t gap = aligned(params + pad.before + residual_ + pad.behind);
  if (3 * tile_ + 2 * gap > limit_) return false;
  sram_.acc = makeSlots(0, tile_, 3);
  sram_.acc.gap = static_cast<uint32_t>(gap);
  sram_.param = makeSlots(tile_, params, params > 0 ? 2 : 0);
  sram_.param.gap = static_cast<uint32_t>(gap - params + tile_);
  sram_.residual = makeSlots(tile_ + params + pad.before, residual_, residual_ > 0 ? 2 : 0);
  sram_.residual.gap = static_cast<uint32_t>(gap - residual_ + tile_);
  sram_.pool_input = makeSlots(sram_.acc.end(), 0, 0);
  return true;
}

// What the ALU combines with a tile lies between the two tiles. To the hardware, an instruction
// with two operands takes everything between them, and the other tile must stay free for the GEMM
// core. The elements of the residual are in other banks than those of the tiles, if there is room.
void AccPlanner::placeBetweenTiles() {
  sram_.param.base = static_cast<uint32_t>(tile_);
  sram_.acc = makeSlots(0, tile_, 2);
  const int64_t params = sram_.param.elems;
  if (carry_ > 0) {
    sram_.carry = makeSlots(tile_ + params, carry_, 1);
    sram_.acc.gap = static_cast<uint32_t>(params + carry_);
    sram_.pool_input = sram_.residual = makeSlots(sram_.acc.end(), 0, 0);
    return;
  }
  BankPadding pad = bankPadding();
  if (2 * tile_ + residual_ + params + pad.before + pad.behind > limit_) pad = {};
  sram_.residual = makeSlots(tile_ + params + pad.before, residual_, residual_ > 0 ? 1 : 0);
  sram_.acc.gap = static_cast<uint32_t>(params + pad.before + residual_ + pad.behind);
  sram_.pool_input = makeSlots(sram_.acc.end(), 0, 0);
}

// Tiles, inputs of ALU pooling, residual, carried rows and parameters one behind the other.
void AccPlanner::placeInARow(int64_t acc_slots, int64_t pool_slots) {
  sram_.acc = makeSlots(0, tile_, acc_slots);
  sram_.pool_input = makeSlots(sram_.acc.end(), pool_, pool_slots);
  if (pool_slots == 2 && acc_slots == 2) {
    // Each tile is beside its input and outside of the other's: see placeBetweenTiles.
    sram_.pool_input = makeSlots(0, pool_, pool_slots);
    sram_.pool_input.gap = static_cast<uint32_t>(2 * tile_);
    sram_.acc = makeSlots(pool_, tile_, acc_slots);
  }
  const int64_t used =
      tile_ * acc_slots + pool_ * pool_slots + residual_ + carry_ + sram_.param.elems;
  int64_t gap = residual_ > 0 ? aligned(bankGap(sram_.pool_input.end(), acc_slots)) : 0;
  if (used + gap > limit_) gap = 0;
  sram_.residual = makeSlots(sram_.pool_input.end() + gap, residual_, residual_ > 0 ? 1 : 0);
  sram_.carry = makeSlots(sram_.residual.end(), carry_, carry_ > 0 ? 1 : 0);
  sram_.param.base = static_cast<uint32_t>(aligned(sram_.carry.end()));
}

}  // namespace vta::kernel
