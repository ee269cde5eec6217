// KernelLowering: walks the tiles of one kernel and emits its program.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/emit/emitter.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/primitives/slot_cache.h"

namespace vta::kernel {

constexpr int32_t kMinInt8 = -128;

/// Indexes and sizes are int64_t while tiles are planned; in instructions they are unsigned.
constexpr uint32_t u32(int64_t value) { return static_cast<uint32_t>(value); }

class KernelLowering {
 public:
  /// `plan` must be makePlan's for the other arguments.
  KernelLowering(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                 const KernelPlan& plan);

  Program run();

 private:
  // A box of an int8 activation tensor: channel blocks x rows x columns, all inside it.
  struct Box {
    uint32_t buffer = 0;
    int64_t n = 0;
    int64_t tensor_blocks = 1, tensor_height = 1, tensor_width = 1;
    int64_t block = 0, blocks = 1;
    int64_t y = 0, rows = 1, row_step = 1;
    int64_t x = 0, cols = 1;
    int64_t elems() const { return blocks * rows * cols; }
  };
  // A reduction step's input region as it lies in a scratchpad.
  struct Source {
    uint32_t base = 0;
    Region region;
    bool padded = false;  // padding is present in the scratchpad; else only valid rows and columns
    int64_t rows() const { return padded ? region.rows.size : region.rows.validSize(); }
    int64_t cols() const { return padded ? region.cols.size : region.cols.validSize(); }
    int64_t blockElems() const { return rows() * cols(); }
    int64_t offset(int64_t row, int64_t col) const;
  };

  // A tile on its way: where its accumulators are, and what of its epilogue was emitted.
  struct Job {
    Tile tile;
    uint32_t slot = 0;  // of the output tiles in ACC
    uint32_t acc = 0;
    uint32_t elems = 0;  // accumulators from `acc` on
    uint32_t pool_input = 0;
    bool backwards = false;      // its reduction's steps, from the last to the first
    bool reads_padding = false;  // some reduction step had its padding in the scratchpad
    bool has_bias = false;       // the tile began with what the first step adds
    size_t next_unit = 0;        // the first of units_ that is still to come
  };
  // One piece of a tile's epilogue: at most one ALU instruction, or a transfer.
  struct Unit {
    enum class Kind : uint8_t {
      kPool,
      kLoadResidual,
      kResidualStep,
      kStep,
      kUseResidual,
      kDefine,
      kStore
    };
    Kind kind = Kind::kStore;
    const EpilogueStep* step = nullptr;
  };

  // Accumulators that ALU steps work on, side by side: pixels of some of a tile's channel blocks.
  struct Part {
    uint32_t acc = 0;
    uint32_t block = 0;  // the first, counted from the tile's first
    uint32_t blocks = 1;
    uint32_t pixels = 1;
    uint32_t elems() const { return blocks * pixels; }
  };

  // Accumulators that a tile's GEMMs write: every row_step-th row and col_step-th column of its
  // outputs from (row, col) on.
  struct Grid {
    uint32_t acc = 0;
    int64_t row = 0, row_step = 1, rows = 1;
    int64_t col = 0, col_step = 1, cols = 1;
    int64_t row_pitch = 1, block_pitch = 1;
  };
  // What a tile's reduction computes.
  struct Area {
    Tile tile;  // its rectangle of accumulators, in place of the outputs
    std::array<Grid, PoolAxis::kMaxClasses * PoolAxis::kMaxClasses> grids;
    size_t num_grids = 0;
  };

  // lowering.cpp: structure of the program.
  void declareBuffers();
  Job makeJob(int64_t number) const;
  Step stepOf(const Job& job, int64_t number) const;
  void lowerInOrder();
  void lowerGemmPipelined();
  void lowerPipelined();
  void finishPipelined(Job& job);
  void begin(Job& job);
  void clear(Job& job);
  void loadConstants();
  void store(const Job& job);
  void storePlace(const Job& job, int64_t block, int64_t place);
  int64_t tileCount() const;
  bool isMax() const {
    return desc_.kind == KernelKind::kMaxPool && plan_.method == Method::kAluPool;
  }

  // reduction.cpp: tiles by GEMM or by ALU pooling.
  void gemmStep(Job& job, const Step& step);
  void loadPoolInput(const Job& job, const Step& step);
  void poolStep(const Job& job, const Step& step);
  Source loadRegion(const Tile& tile, const Step& step, const Region& region, bool pad_by_load);
  uint32_t loadWeights(const Tile& tile, const Step& step);
  void gemmBorder(const Tile& tile, const Step& step, const Source& source, uint32_t weights,
                  const Grid& grid);
  void gemmTaps(const Tile& tile, const Step& step, const Source& source, uint32_t weights,
                const TapRun& ky, const TapRun& kx, const Grid& grid);
  void gemmPadding(const Tile& tile, const Step& step, uint32_t weights, const TapRun& ky,
                   const TapRun& kx, const Rect& rect, const Grid& grid);
  void poolTaps(const Tile& tile, const Source& source, const TapRun& ky, const TapRun& kx,
                uint32_t acc);
  void poolPadding(const Tile& tile, const TapRun& ky, const TapRun& kx, const Rect& rect,
                   uint32_t acc);

  // pooling.cpp: maximum pooling of a tile's accumulators in place.
  Area areaOf(const Job& job) const;
  void poolAccumulators(const Job& job);
  void poolRows(const Job& job, const PoolTile& cells);
  void poolColumns(const Job& job, const PoolTile& cells);
  void carryRows(const Job& job, const PoolTile& cells);
  void padWithZero(const Job& job);
  void slideWindows(const Job& job, const PoolTile& cells);
  void storeRows(const Job& job);
  uint32_t carriedRow(const Tile& tile, int64_t row_class) const;

  // epilogue.cpp: ALU steps and int8 operands.
  void planUnits();
  bool isWritten(const Job& job) const;
  void emitUnits(Job& job, size_t max_units);
  void emitUnit(const Job& job, const Unit& unit);
  void applyStep(const EpilogueStep& step, const Job& job, const Part& part);
  bool canBeginWithBias(const Job& job) const;
  void beginWithBias(Job& job);
  void useResidual(const EpilogueStep& step, const Job& job);
  void useResidualInPieces(const EpilogueStep& step, const Job& job);
  void combine(const EpilogueStep& step, const Part& part, uint32_t residual);
  static Part wholeTilePart(const Tile& tile, uint32_t acc) {
    return {acc, 0, u32(tile.outBlocks()), u32(tile.pixels())};
  }
  uint32_t residualOf(const Job& job) const {
    return plan_.sram.copyFor(plan_.sram.residual, job.acc);
  }
  void aluImmediate(AluOpcode opcode, int32_t imm, const Nest& nest, uint32_t begin, uint32_t end);
  uint32_t loadParam(const Job& job, int32_t param);
  void loadInt8(const Box& box, uint32_t acc, bool accumulate);
  template <typename Visit>
  void forEachPiece(const Box& box, int64_t room, const Visit& visit);
  void loadInt8ByGemm(const Box& box, uint32_t acc, bool accumulate);
  Box outputBox(const Tile& tile, uint32_t buffer) const;
  Transfer boxTransfer(const Box& box, MemoryType type, uint32_t sram_base) const;

  const KernelDesc& desc_;
  const Geometry& g_;
  const Schedule& schedule_;
  const HwConfig& hw_;
  const KernelPlan& plan_;
  Emitter emit_;

  uint32_t input_buffer_ = 0, weight_buffer_ = 0, param_buffer_ = 0, residual_buffer_ = 0,
           output_buffer_ = 0, identity_buffer_ = 0;
  SlotCache inp_, wgt_, staging_;
  std::array<SlotCache, 2> params_;      // one slot in each copy
  std::vector<uint32_t> defined_elems_;  // of each output slot: elements that hold a value
  std::vector<Unit> units_;              // of every tile's epilogue, in order
  int64_t staged_number_ = 0;
  bool constants_loaded_ = false;
};

/// The nest of an element-wise operation on the pixels `rect` of all blocks of a tile in ACC.
Nest rectNest(const Tile& tile, const Rect& rect, uint32_t acc);

}  // namespace vta::kernel
