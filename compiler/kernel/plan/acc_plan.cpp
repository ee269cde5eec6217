// ACC: where output tiles lie, and beside them what the ALU combines with them.
#include <algorithm>
#include <array>

#include "compiler/kernel/plan/planner.h"

namespace vta::kernel {

bool Planner::planAcc() {
  SramPlan& sram = plan_.sram;
  const Tiling& t = plan_.tiling;
  const int64_t limit = depth(MemoryType::kAcc);
  const int64_t tile = tileElems();
  const int64_t pool = plan_.method == Method::kAluPool ? regionElems() : 0;
  const int64_t pool_slots = poolSlots(tile, pool, limit);
  const bool has_residual = desc_.residual.has_value() && !plan_.residual_by_gemm;
  const int64_t residual = has_residual ? tile : 0;
  const int64_t carry = carriedElems();
  const int64_t others = pool * pool_slots + residual + carry;
  const int64_t per_step = desc_.num_params > 0 ? t.outBlocks() : 0;
  int64_t acc_slots = accSlots(tile, limit - others);
  if (tile * acc_slots + others + per_step > limit && plan_.method == Method::kGemm) {
    // One tile after the other in the same place; loads still go ahead.
    acc_slots = 1;
    plan_.pipelined = plan_.reset_by_alu = false;
  }
  const int64_t fixed = tile * acc_slots + others;
  if (fixed + per_step > limit && has_residual && placeResidualInPieces(tile, limit)) return true;
  if (fixed + per_step > limit) return fail("ACC buffer elements", fixed + per_step, limit);
  planParams(limit - fixed, per_step);
  if (storeDelaysGemm() && acc_slots == 2 && carry == 0 && planThreeTiles(tile, residual, limit))
    return true;
  if (plan_.pipelined && plan_.method == Method::kGemm && acc_slots == 2) {
    placeBetweenTiles(tile, residual, carry, limit);
    return true;
  }
  sram.acc = slots(0, tile, acc_slots);
  sram.pool_input = slots(sram.acc.end(), pool, pool_slots);
  if (pool_slots == 2 && acc_slots == 2) {
    // Each tile beside its input, outside of the other's: see placeBetweenTiles.
    sram.pool_input = slots(0, pool, pool_slots);
    sram.pool_input.gap = static_cast<uint32_t>(2 * tile);
    sram.acc = slots(pool, tile, acc_slots);
  }
  int64_t gap = has_residual ? bankGap(sram.pool_input.end(), tile, acc_slots) : 0;
  if (fixed + sram.param.elems + gap > limit) gap = 0;
  sram.residual = slots(sram.pool_input.end() + gap, residual, residual > 0 ? 1 : 0);
  sram.carry = slots(sram.residual.end(), carry, carry > 0 ? 1 : 0);
  sram.param.base = sram.carry.end();
  return true;
}

// Rows that a tile leaves to the one below.
int64_t Planner::carriedElems() const {
  if (!plan_.pool || plan_.tiling.tiles_y == 1) return 0;
  return plan_.pool->rows.sharedClasses() * plan_.pool->carry_blocks * plan_.tiling.width;
}

// Elements to leave free before `base` so that equal offsets in the residual tile and in output
// tiles lie in different banks; 0 where that is impossible.
int64_t Planner::bankGap(int64_t base, int64_t tile, int64_t acc_slots) const {
  if (!hw_.params().concurrent_compute) return 0;
  for (int64_t gap = 0; gap < kAccBanks; ++gap) {
    bool differs = true;
    for (int64_t slot = 0; slot < acc_slots; ++slot) {
      differs = differs && (base + gap - slot * tile) % kAccBanks != 0;
    }
    if (differs) return gap;
  }
  return 0;
}

// Input regions of ALU pooling: two where the next one can be loaded while the ALU works.
int64_t Planner::poolSlots(int64_t tile, int64_t pool, int64_t limit) {
  if (plan_.method != Method::kAluPool) return 0;
  if (!plan_.pipelined) return 1;
  const int64_t others = tile * (s_.virtual_threads + (desc_.residual ? 1 : 0)) +
                         (desc_.num_params > 0 ? plan_.tiling.outBlocks() : 0);
  plan_.pipelined = plan_.tiling.steps() == 1 && others + 2 * pool <= limit;
  return plan_.pipelined ? 2 : 1;
}

// Output tiles in ACC. Tokens leave in program order, so a pipelined element-wise tile's store
// starts only when the next tile is there; a third slot lets the tile after that start
// regardless.
int64_t Planner::accSlots(int64_t tile, int64_t free) const {
  const int64_t params = desc_.num_params * g_.out_channel_blocks;
  const int64_t wanted = s_.virtual_threads + 1;
  const bool useful = plan_.pipelined && plan_.method == Method::kElementwise;
  return useful && wanted * tile + params <= free ? wanted : s_.virtual_threads;
}

// As many parameters at once as fit into `free` elements.
void Planner::planParams(int64_t free, int64_t per_step) {
  SramPlan& sram = plan_.sram;
  const int64_t all = desc_.num_params * g_.out_channel_blocks;
  const int64_t per_tile = desc_.num_params * plan_.tiling.outBlocks();
  sram.param_mode = all <= free        ? ParamMode::kResident
                    : per_tile <= free ? ParamMode::kPerTile
                                       : ParamMode::kPerStep;
  const std::array<int64_t, 3> elems = {all, per_tile, per_step};
  sram.param = slots(0, elems[static_cast<int>(sram.param_mode)], all > 0 ? 1 : 0);
}

// Three tiles with all parameters, else with those of a channel tile where that seldom changes.
bool Planner::planThreeTiles(int64_t tile, int64_t residual, int64_t limit) {
  SramPlan& sram = plan_.sram;
  const SlotRange param = sram.param;
  const ParamMode mode = sram.param_mode;
  if (mode == ParamMode::kResident && placeThreeTiles(tile, residual, limit)) return true;
  const bool seldom = s_.order == Schedule::Order::kWeightsOuter || plan_.tiling.outTiles() == 1;
  if (seldom && desc_.num_params > 0) {
    sram.param_mode = ParamMode::kPerTile;
    sram.param = slots(0, desc_.num_params * plan_.tiling.outBlocks(), 1);
    if (placeThreeTiles(tile, residual, limit)) return true;
  }
  sram.param = param;
  sram.param_mode = mode;
  return false;
}

// One tile that leaves no room for a whole residual tile: pieces of it, and while one is combined
// with the tile the next is loaded. They lie on both sides of tile and parameters, because to the
// hardware an instruction with two operands takes everything between them.
bool Planner::placeResidualInPieces(int64_t tile, int64_t limit) {
  SramPlan& sram = plan_.sram;
  const int64_t per_step = desc_.num_params > 0 ? plan_.tiling.outBlocks() : 0;
  constexpr int64_t kSmallest = 4;
  if (plan_.method != Method::kGemm || tile + per_step + 2 * kSmallest > limit) return false;
  planParams(limit - tile - 2 * kSmallest, per_step);
  const int64_t params = sram.param.elems;
  const int64_t piece = std::min((limit - tile - params) / 2, tile);
  sram.residual_in_pieces = true;
  sram.residual = slots(0, piece, 2);
  sram.residual.gap = static_cast<uint32_t>(params + tile);
  sram.param.base = static_cast<uint32_t>(piece);
  sram.acc = slots(piece + params, tile, 1);
  sram.pool_input = sram.carry = slots(0, 0, 0);
  return true;
}

// Whether a tile's ALU steps and its store take longer than the GEMMs of the next one, so that
// with two tiles the GEMM core would wait for the store.
bool Planner::storeDelaysGemm() const {
  if (!plan_.pipelined || plan_.method != Method::kGemm) return false;
  const double bus_bytes = hw_.params().axi_data_width_bits / 8.0;
  const int64_t taps = plan_.identity_weights ? 1 : g_.inBlocksPerGroup();
  const auto gemm = static_cast<double>(taps * g_.kernel_height * g_.kernel_width);
  const double store = hw_.elemBytes(MemoryType::kOut) / bus_bytes;
  constexpr double kMargin = 1.25;
  double alu = static_cast<double>(desc_.epilogue.size());
  if (desc_.residual) alu += static_cast<double>(desc_.residual->steps.size());
  return gemm < kMargin * (alu + 1 + store);
}

Planner::BankPadding Planner::bankPadding(int64_t tile, int64_t residual) const {
  if (residual == 0) return {};
  return {(tile + plan_.sram.param.elems) % kAccBanks == 0 ? 1 : 0, tile % kAccBanks == 0 ? 1 : 0};
}

// As placeBetweenTiles, with three tiles: parameters and residual twice, so that no tile lies
// between another one and what the ALU combines with it.
bool Planner::placeThreeTiles(int64_t tile, int64_t residual, int64_t limit) {
  SramPlan& sram = plan_.sram;
  const int64_t params = sram.param.elems;
  const BankPadding pad = bankPadding(tile, residual);
  const int64_t gap = params + pad.before + residual + pad.behind;
  if (3 * tile + 2 * gap > limit) return false;
  sram.acc = slots(0, tile, 3);
  sram.acc.gap = static_cast<uint32_t>(gap);
  sram.param = slots(tile, params, params > 0 ? 2 : 0);
  sram.param.gap = static_cast<uint32_t>(gap - params + tile);
  sram.residual = slots(tile + params + pad.before, residual, residual > 0 ? 2 : 0);
  sram.residual.gap = static_cast<uint32_t>(gap - residual + tile);
  sram.pool_input = slots(sram.acc.end(), 0, 0);
  return true;
}

// What the ALU combines with a tile lies between the two tiles: to the hardware, an instruction
// with two operands takes everything between them, and the other tile must stay free for the GEMM
// core. The residual's elements are in other banks than those of the tiles, if there is room.
void Planner::placeBetweenTiles(int64_t tile, int64_t residual, int64_t carry, int64_t limit) {
  SramPlan& sram = plan_.sram;
  if (carry > 0) {
    sram.param.base = static_cast<uint32_t>(tile);
    sram.carry = slots(tile + sram.param.elems, carry, 1);
    sram.acc = slots(0, tile, 2);
    sram.acc.gap = static_cast<uint32_t>(sram.param.elems + carry);
    sram.pool_input = sram.residual = slots(sram.acc.end(), 0, 0);
    return;
  }
  const int64_t params = sram.param.elems;
  BankPadding pad = bankPadding(tile, residual);
  if (2 * tile + residual + params + pad.before + pad.behind > limit) pad = {};
  sram.param.base = static_cast<uint32_t>(tile);
  sram.residual = slots(tile + params + pad.before, residual, residual > 0 ? 1 : 0);
  sram.acc = slots(0, tile, 2);
  sram.acc.gap = static_cast<uint32_t>(params + pad.before + residual + pad.behind);
  sram.pool_input = slots(sram.acc.end(), 0, 0);
}

}  // namespace vta::kernel
