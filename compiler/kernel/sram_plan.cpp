#include "compiler/kernel/sram_plan.h"

#include <algorithm>
#include <array>

#include "compiler/kernel/loop_nest.h"
#include "compiler/kernel/transfer.h"

namespace vta::kernel {
namespace {

constexpr int64_t kMaxSlots = 64;           // keeps slot look-ups short
constexpr int64_t kMaxSramElems = 1 << 16;  // sram_base has 16 bits
constexpr uint32_t kPadElems = 2;           // one that holds the padding value, one beside it
constexpr int64_t kAccBanks = 4;            // by low address bits, with concurrent compute

class Planner {
 public:
  Planner(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw, KernelPlan& plan,
          PlanFailure& failure)
      : desc_(desc), g_(plan.geometry), s_(schedule), hw_(hw), plan_(plan), failure_(failure) {}

  bool run() {
    plan_ = {};
    plan_.geometry = plan_.outputs = desc_.geometry;
    choosePooling();
    if (!checkSizes()) return false;
    chooseMethod();
    plan_.tiling = makeTiling(plan_.outputs, s_);
    if (plan_.pool && !sizePooling()) return false;
    plan_.pipelined =
        hw_.params().concurrent_compute && !hw_.params().compat_0_0_2 && s_.virtual_threads > 1;
    chooseReset();
    const Tiling& t = plan_.tiling;
    if (t.pixels() > kMaxIterations) {
      return fail("loop iterations (tile_height x tile_width)", t.pixels(), kMaxIterations);
    }
    return planAcc() && planWgt() && planInp() && checkTokens();
  }

 private:
  bool fail(const char* resource, int64_t need, int64_t limit) {
    failure_ = {resource, need, limit};
    return false;
  }

  bool inRange(const char* name, int64_t value, int64_t lo, int64_t hi) {
    if (value >= lo && value <= hi) return true;
    return fail(name, value, value < lo ? lo : hi);
  }

  bool checkSizes() {
    const int64_t group_out = g_.outBlocksPerGroup();
    if (!inRange("tile_height", s_.tile_height, 1, plan_.outputs.out_height) ||
        !inRange("tile_width", s_.tile_width, 1, plan_.outputs.out_width) ||
        !inRange("tile_out_blocks", s_.tile_out_blocks, 1, g_.out_channel_blocks) ||
        !inRange("tile_in_blocks", s_.tile_in_blocks, 1, g_.inBlocksPerGroup()) ||
        !inRange("tile_kernel_height", s_.tile_kernel_height, 0, desc_.geometry.kernel_height) ||
        !inRange("tile_kernel_width", s_.tile_kernel_width, 0, desc_.geometry.kernel_width) ||
        !inRange("virtual_threads", s_.virtual_threads, 1, kMaxSlots)) {
      return false;
    }
    if (s_.tile_out_blocks > group_out && s_.tile_out_blocks % group_out != 0) {
      return fail("tile_out_blocks modulo a group's blocks", s_.tile_out_blocks % group_out, 0);
    }
    if (!hasInt8Operands(desc_)) return true;
    if (s_.int8_through_gemm && hw_.blockIn() != hw_.blockOut()) {
      return fail("int8_through_gemm: block_in equal to block_out", hw_.blockIn(), hw_.blockOut());
    }
    if (!s_.int8_through_gemm && hw_.params().compat_0_0_2) {
      return fail("int8_through_gemm (no ACC_8BIT on 0.0.2 hardware)", 0, 1);
    }
    return true;
  }

  // A contraction's own pooling; and maximum pooling whose inputs the GEMM core puts where they are
  // wanted, which makes it the pooling of a contraction with the identity.
  void choosePooling() {
    Pool pool;
    const Geometry& g = desc_.geometry;
    if (!desc_.pool.empty()) {
      pool = desc_.pool[0];
    } else {
      if (desc_.kind != KernelKind::kMaxPool || !s_.int8_through_gemm || !desc_.residual.empty() ||
          !g.storesAll() || s_.tile_kernel_height != 0 || s_.tile_kernel_width != 0 ||
          g.dilation_y != 1 || g.dilation_x != 1) {
        return;
      }
      pool = {g.out_height, g.out_width, g.kernel_height, g.kernel_width,
              g.stride_y,   g.stride_x,  g.pad_top,       g.pad_left};
    }
    const int64_t in_height = desc_.pool.empty() ? g.in_height : g.out_height;
    const int64_t in_width = desc_.pool.empty() ? g.in_width : g.out_width;
    auto rows =
        makePoolAxis(in_height, pool.out_height, pool.kernel_height, pool.stride_y, pool.pad_top);
    auto cols =
        makePoolAxis(in_width, pool.out_width, pool.kernel_width, pool.stride_x, pool.pad_left);
    if ((!rows || !cols) && desc_.pool.empty() && desc_.epilogue.empty() && pool.stride_y == 1 &&
        pool.stride_x == 1) {
      rows = makeSlidingAxis(in_height, pool.out_height, pool.kernel_height, pool.pad_top);
      cols = makeSlidingAxis(in_width, pool.out_width, pool.kernel_width, pool.pad_left);
    }
    if (!rows || !cols) return;
    plan_.pool = PoolPlan{*rows, *cols};
    if (desc_.pool.empty()) {
      plan_.pool->pads_with_zero = g.pad_kind == PadKind::kZero;
      Geometry& identity = plan_.geometry;
      identity.out_height = g.in_height;
      identity.out_width = g.in_width;
      identity.kernel_height = identity.kernel_width = identity.stride_y = identity.stride_x = 1;
      identity.pad_top = identity.pad_left = identity.pad_bottom = identity.pad_right = 0;
      identity.pad_kind = PadKind::kZero;
    }
    plan_.outputs = plan_.geometry;
    plan_.outputs.out_height = pool.out_height;
    plan_.outputs.out_width = pool.out_width;
  }

  bool sizePooling() {
    Tiling& t = plan_.tiling;
    const PoolTileSize size = largestPoolTile(*plan_.pool, plan_.outputs, t);
    tile_elems_ = size.elems;
    t.area_height = size.height;
    t.area_width = size.width;
    const bool inner = s_.order == Schedule::Order::kWeightsInner && t.outTiles() > 1;
    plan_.pool->carries_all_blocks = inner;
    plan_.pool->carry_blocks = inner ? g_.out_channel_blocks : t.outBlocks();
    if (size.elems <= kMaxIterations) return true;
    return fail("loop iterations (accumulators of a tile)", size.elems, kMaxIterations);
  }

  // Rows that a tile leaves to the one below.
  int64_t carriedElems() const {
    if (!plan_.pool || plan_.tiling.tiles_y == 1) return 0;
    return plan_.pool->rows.sharedClasses() * plan_.pool->carry_blocks * plan_.tiling.width;
  }

  // Accumulators of the largest tile.
  int64_t tileElems() const {
    return plan_.pool ? tile_elems_ : plan_.tiling.outBlocks() * plan_.tiling.pixels();
  }

  void chooseMethod() {
    switch (desc_.kind) {
      case KernelKind::kContraction:
        plan_.method = Method::kGemm;
        break;
      case KernelKind::kSumPool:
        plan_.method = s_.int8_through_gemm ? Method::kGemm : Method::kAluPool;
        plan_.identity_weights = s_.int8_through_gemm;
        break;
      case KernelKind::kMaxPool:
        plan_.method = plan_.pool ? Method::kGemm : Method::kAluPool;
        plan_.identity_weights = plan_.pool.has_value();
        break;
      case KernelKind::kElementwise:
        plan_.method = Method::kElementwise;
        break;
    }
    if (desc_.residual.empty() || !desc_.residual[0].steps.empty() || !s_.int8_through_gemm) return;
    for (const EpilogueStep& step : desc_.epilogue) {
      if (step.source == EpilogueStep::Source::kResidual) {
        plan_.residual_by_gemm = step.opcode == AluOpcode::kAdd;
      }
    }
  }

  // With engines that work side by side, clearing goes to the one with less to do.
  void chooseReset() {
    if (!plan_.pipelined || plan_.method != Method::kGemm) return;
    const auto gemm =
        static_cast<double>(g_.inBlocksPerGroup() * g_.kernel_height * g_.kernel_width);
    auto alu = static_cast<double>(desc_.epilogue.size());
    for (const Residual& residual : desc_.residual) {
      alu += static_cast<double>(residual.steps.size());
    }
    // For each accumulator.
    if (plan_.pool) {
      alu = (alu + plan_.pool->aluPerOutput()) / static_cast<double>(plan_.pool->cellsPerOutput());
    }
    plan_.reset_by_alu = alu + 1 <= gemm;
  }

  // Elements to leave free before `base` so that equal offsets in the residual tile and in output
  // tiles lie in different banks; 0 where that is impossible.
  int64_t bankGap(int64_t base, int64_t tile, int64_t acc_slots) const {
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

  int64_t regionElems() const {
    const Tiling& t = plan_.tiling;
    return t.inBlocks() * t.regionRows(g_) * t.regionCols(g_);
  }

  int64_t depth(MemoryType type) const {
    return std::min<int64_t>(hw_.depthElems(type), kMaxSramElems);
  }

  // A unit may finish the filling or freeing of every slot before the next unit takes a token.
  bool checkTokens() {
    const SramPlan& sram = plan_.sram;
    const int64_t need =
        std::max(sram.inp.count + sram.wgt.count + sram.staging.count, sram.acc.count);
    const int64_t limit = hw_.params().token_queue_depth;
    return need <= limit || fail("token queue depth", need, limit);
  }

  // Slots of one scratchpad, so that their tokens fit the queues.
  int64_t maxSlots() const {
    const int64_t others = s_.virtual_threads;  // staging
    const int64_t half = (hw_.params().token_queue_depth - others) / 2;
    return std::max<int64_t>(s_.virtual_threads, std::min(kMaxSlots, half));
  }

  static SlotRange slots(int64_t base, int64_t elems, int64_t count) {
    return {static_cast<uint32_t>(base), static_cast<uint32_t>(elems),
            static_cast<uint32_t>(count)};
  }

  // Input regions of ALU pooling: two where the next one can be loaded while the ALU works.
  int64_t poolSlots(int64_t tile, int64_t pool, int64_t limit) {
    if (plan_.method != Method::kAluPool) return 0;
    if (!plan_.pipelined) return 1;
    const int64_t others = tile * (s_.virtual_threads + (desc_.residual.empty() ? 0 : 1)) +
                           (desc_.num_params > 0 ? plan_.tiling.outBlocks() : 0);
    plan_.pipelined = plan_.tiling.steps() == 1 && others + 2 * pool <= limit;
    return plan_.pipelined ? 2 : 1;
  }

  // Output tiles in ACC. Tokens leave in program order, so a pipelined element-wise tile's store
  // starts only when the next tile is there; a third slot lets the tile after that start
  // regardless.
  int64_t accSlots(int64_t tile, int64_t free) const {
    const int64_t params = desc_.num_params * g_.out_channel_blocks;
    const int64_t wanted = s_.virtual_threads + 1;
    const bool useful = plan_.pipelined && plan_.method == Method::kElementwise;
    return useful && wanted * tile + params <= free ? wanted : s_.virtual_threads;
  }

  bool planAcc() {
    SramPlan& sram = plan_.sram;
    const Tiling& t = plan_.tiling;
    const int64_t limit = depth(MemoryType::kAcc);
    const int64_t tile = tileElems();
    const int64_t pool = plan_.method == Method::kAluPool ? regionElems() : 0;
    const int64_t pool_slots = poolSlots(tile, pool, limit);
    const bool has_residual = !desc_.residual.empty() && !plan_.residual_by_gemm;
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
    if (fixed + per_step > limit) return fail("ACC buffer elements", fixed + per_step, limit);
    planParams(limit - fixed, per_step);
    if (storeDelaysGemm() && acc_slots == 2 && carry == 0 && placeThreeTiles(tile, residual, limit))
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

  // Whether a tile's ALU steps and its store take longer than the GEMMs of the next one, so that
  // with two tiles the GEMM core would wait for the store.
  bool storeDelaysGemm() const {
    if (!plan_.pipelined || plan_.method != Method::kGemm) return false;
    const double bus_bytes = hw_.params().axi_data_width_bits / 8.0;
    const int64_t taps = plan_.identity_weights ? 1 : g_.inBlocksPerGroup();
    const auto gemm = static_cast<double>(taps * g_.kernel_height * g_.kernel_width);
    const double store = hw_.elemBytes(MemoryType::kOut) / bus_bytes;
    constexpr double kMargin = 1.25;
    double alu = static_cast<double>(desc_.epilogue.size());
    for (const Residual& residual : desc_.residual) {
      alu += static_cast<double>(residual.steps.size());
    }
    return gemm < kMargin * (alu + 1 + store);
  }

  // Elements around the residual between two tiles that put it into other banks than theirs.
  struct BankPadding {
    int64_t before = 0;
    int64_t behind = 0;
  };
  BankPadding bankPadding(int64_t tile, int64_t residual) const {
    if (residual == 0) return {};
    return {(tile + plan_.sram.param.elems) % kAccBanks == 0 ? 1 : 0,
            tile % kAccBanks == 0 ? 1 : 0};
  }

  // As placeBetweenTiles, with three tiles: parameters and residual twice, so that no tile lies
  // between another one and what the ALU combines with it.
  bool placeThreeTiles(int64_t tile, int64_t residual, int64_t limit) {
    SramPlan& sram = plan_.sram;
    const int64_t params = sram.param.elems;
    if (params > 0 && sram.param_mode != ParamMode::kResident) return false;
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

  // As many parameters at once as fit into `free` elements.
  void planParams(int64_t free, int64_t per_step) {
    SramPlan& sram = plan_.sram;
    const int64_t all = desc_.num_params * g_.out_channel_blocks;
    const int64_t per_tile = desc_.num_params * plan_.tiling.outBlocks();
    sram.param_mode = all <= free        ? ParamMode::kResident
                      : per_tile <= free ? ParamMode::kPerTile
                                         : ParamMode::kPerStep;
    const std::array<int64_t, 3> elems = {all, per_tile, per_step};
    sram.param = slots(0, elems[static_cast<int>(sram.param_mode)], all > 0 ? 1 : 0);
  }

  // What the ALU combines with a tile lies between the two tiles: to the hardware, an instruction
  // with two operands takes everything between them, and the other tile must stay free for the GEMM
  // core. The residual's elements are in other banks than those of the tiles, if there is room.
  void placeBetweenTiles(int64_t tile, int64_t residual, int64_t carry, int64_t limit) {
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

  // Slots for contents that are used again `need` contents later; fewer when there is no room.
  int64_t slotCount(int64_t need, int64_t ahead, int64_t elems, int64_t limit) const {
    for (const int64_t count : {need + ahead, std::max<int64_t>(need, s_.virtual_threads)}) {
      if (count <= maxSlots() && count * elems <= limit) return count;
    }
    return s_.virtual_threads;
  }

  // Slots for contents that are used once. Slots come free in program order, behind the ALU steps
  // of the tile before: short reduction steps need more than two to have the next load there in
  // time. At most half a scratchpad, so that neighbouring layers have room.
  int64_t streamSlots(int64_t elems, int64_t limit) const {
    const Tiling& t = plan_.tiling;
    const int64_t gemm = tileElems() * t.group_in_blocks * t.kernel_height * t.kernel_width;
    constexpr int64_t kShortStep = 1024;  // GEMM cycles
    constexpr int64_t kSlots = 4;
    if (!plan_.pipelined || s_.virtual_threads != 2 || gemm > kShortStep) return s_.virtual_threads;
    return std::clamp<int64_t>(limit / 2 / elems, 2, std::min(kSlots, maxSlots()));
  }

  bool planWgt() {
    SramPlan& sram = plan_.sram;
    const Tiling& t = plan_.tiling;
    sram.has_identity = s_.int8_through_gemm && hasInt8Operands(desc_);
    const int64_t limit = depth(MemoryType::kWgt) - (sram.has_identity ? 1 : 0);
    const bool has_weights = plan_.method == Method::kGemm && !plan_.identity_weights;
    if (has_weights) {
      const int64_t elems = t.outBlocks() * t.group_in_blocks * t.kernel_height * t.kernel_width;
      const int64_t pixel_tiles = g_.batch_blocks * t.pixelTiles();
      const int64_t ahead = s_.virtual_threads - 1;
      int64_t count = streamSlots(elems, limit);
      const int64_t all = t.steps() * t.outTiles();
      if (pixel_tiles > 1 && all <= maxSlots() && all * elems <= limit) {
        count = all;
      } else if (pixel_tiles > 1 && s_.order == Schedule::Order::kWeightsOuter) {
        count = slotCount(t.steps(), ahead, elems, limit);
      }
      if (count * elems > limit) return fail("WGT buffer elements", count * elems, limit);
      sram.wgt = slots(0, elems, count);
    } else if (limit < 0) {
      return fail("WGT buffer elements", 1, 0);
    }
    sram.identity_base = sram.wgt.end();
    return true;
  }

  // Whether some step of some tile may need taps that a LOAD's padding cannot serve.
  bool mayNeedPadElement() const {
    if (desc_.kind != KernelKind::kContraction || g_.pad_kind != PadKind::kMin) return false;
    const Tiling& t = plan_.tiling;
    const int64_t below = (g_.out_height - 1) * g_.stride_y +
                          (g_.kernel_height - 1) * g_.dilation_y - g_.pad_top - (g_.in_height - 1);
    const int64_t right = (g_.out_width - 1) * g_.stride_x + (g_.kernel_width - 1) * g_.dilation_x -
                          g_.pad_left - (g_.in_width - 1);
    if (g_.pad_top <= 0 && g_.pad_left <= 0 && below <= 0 && right <= 0) return false;
    if (t.steps_ky > 1 || t.steps_kx > 1) return true;
    const int64_t reach_y = (g_.kernel_height - 1) * g_.dilation_y;
    const int64_t reach_x = (g_.kernel_width - 1) * g_.dilation_x;
    constexpr int64_t kMax = Transfer::kMaxPad;
    return std::max(g_.pad_top, below) > std::min(kMax, reach_y) ||
           std::max(g_.pad_left, right) > std::min(kMax, reach_x);
  }

  bool planInp() {
    SramPlan& sram = plan_.sram;
    const Tiling& t = plan_.tiling;
    sram.has_pad = mayNeedPadElement();
    const int64_t staged = stagedElems();
    const int64_t min_staging = staged > 0 ? s_.virtual_threads : 0;
    const int64_t depth_elems = depth(MemoryType::kInp);
    const int64_t limit = depth_elems - min_staging - (sram.has_pad ? kPadElems : 0);
    if (plan_.method == Method::kGemm) {
      const int64_t elems = regionElems();
      const bool reused =
          t.tiles_out_per_group > 1 &&
          (s_.order == Schedule::Order::kWeightsInner || g_.batch_blocks * t.pixelTiles() == 1);
      // Leave the staging area room for whole tiles where inputs need not stay.
      const int64_t count = reused ? slotCount(t.steps(), s_.virtual_threads - 1, elems, limit)
                                   : streamSlots(elems, limit);
      if (count * elems > limit) {
        return fail("INP buffer elements", count * elems + depth_elems - limit, depth_elems);
      }
      sram.inp = slots(0, elems, count);
    } else if (limit < 0) {
      return fail("INP buffer elements", depth_elems - limit, depth_elems);
    }
    sram.pad_base = sram.inp.end();
    const int64_t staging_base = sram.pad_base + (sram.has_pad ? kPadElems : 0);
    if (staged > 0) {
      const int64_t fit = (depth_elems - staging_base) / s_.virtual_threads;
      const int64_t elems = std::min({staged, fit, static_cast<int64_t>(kMaxIterations)});
      sram.staging = slots(staging_base, elems, s_.virtual_threads);
    }
    return true;
  }

  // The largest int8 operand that goes through INP to ACC at once.
  int64_t stagedElems() const {
    if (!s_.int8_through_gemm) return 0;
    const Tiling& t = plan_.tiling;
    const int64_t tile = t.outBlocks() * t.pixels();
    int64_t elems = desc_.residual.empty() ? 0 : tile;
    if (plan_.method == Method::kAluPool) elems = std::max(elems, regionElems());
    if (plan_.method == Method::kElementwise) elems = tile;
    return elems;
  }

  const KernelDesc& desc_;
  const Geometry& g_;
  const Schedule& s_;
  const HwConfig& hw_;
  KernelPlan& plan_;
  PlanFailure& failure_;
  int64_t tile_elems_ = 0;  // accumulators of the largest tile that pools
};

}  // namespace

void placeFromTop(SramPlan& plan, const HwConfig& hw) {
  const auto mirror = [](SlotRange& range, uint32_t depth) {
    range.base = depth - range.end();
    range.from_top = true;
  };
  const auto depthOf = [&](MemoryType type) {
    return static_cast<uint32_t>(std::min<int64_t>(hw.depthElems(type), kMaxSramElems));
  };
  const uint32_t inp = depthOf(MemoryType::kInp);
  mirror(plan.inp, inp);
  mirror(plan.staging, inp);
  if (plan.has_pad) plan.pad_base = inp - plan.pad_base - kPadElems;
  const uint32_t wgt = depthOf(MemoryType::kWgt);
  mirror(plan.wgt, wgt);
  if (plan.has_identity) plan.identity_base = wgt - plan.identity_base - 1;
  const uint32_t acc = depthOf(MemoryType::kAcc);
  for (SlotRange* range : {&plan.acc, &plan.pool_input, &plan.residual, &plan.carry, &plan.param}) {
    mirror(*range, acc);
  }
  plan.from_top = true;
}

bool hasInt8Operands(const KernelDesc& desc) {
  return desc.kind != KernelKind::kContraction || !desc.residual.empty();
}

bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              KernelPlan& plan, PlanFailure& failure) {
  return Planner(desc, schedule, hw, plan, failure).run();
}

}  // namespace vta::kernel
