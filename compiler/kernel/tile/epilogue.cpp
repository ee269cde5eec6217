#include "compiler/kernel/tile/epilogue.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace vta::kernel {
namespace {

// Whether each of `outputs` rows (or columns) from `begin` on has a tap inside the input.
bool allReachInput(int64_t begin, int64_t outputs, int64_t in, int64_t taps, int64_t stride,
                   int64_t dilation, int64_t pad) {
  for (int64_t output = begin; output < begin + outputs; ++output) {
    int64_t place = output * stride - pad;
    int64_t tap = 0;
    while (tap < taps && (place < 0 || place >= in)) {
      ++tap;
      place += dilation;
    }
    if (tap == taps) return false;
  }
  return true;
}

}  // namespace

Epilogue::Epilogue(KernelContext& context, Int8Loader& int8, AluSteps& steps)
    : context_(context), int8_(int8), steps_(steps), store_(context) {
  planActions();
}

bool Epilogue::startsWithLoad() const {
  return actions_.front().kind == Action::Kind::kLoadResidual;
}

bool Epilogue::hasOwnTile() const {
  return context_.desc.residual.has_value() && !context_.plan.residual_by_gemm;
}

// Where engines work side by side, the load of the residual goes first, so that the ALU need not
// wait for it.
void Epilogue::planActions() {
  using Kind = Action::Kind;
  const KernelPlan& plan = context_.plan;
  const KernelDesc& desc = context_.desc;
  if (plan.pool) actions_.push_back({Kind::kPool, nullptr});
  if (hasOwnTile() && plan.pipelined) actions_.push_back({Kind::kLoadResidual, nullptr});
  bool has_residual = false;
  for (const EpilogueStep& step : desc.epilogue) {
    if (step.source == EpilogueStep::Source::kResidual) {
      if (!std::exchange(has_residual, true)) planResidual();
      actions_.push_back({Kind::kUseResidual, &step});
    } else {
      actions_.push_back({Kind::kStep, &step});
    }
  }
  if (context_.hw.params().compat_0_0_2 && desc.epilogue.empty()) {
    actions_.push_back({Kind::kDefine, nullptr});
  }
  actions_.push_back({Kind::kStore, nullptr});
}

// What the residual goes through before a step uses it for the first time.
void Epilogue::planResidual() {
  using Kind = Action::Kind;
  if (!hasOwnTile() || context_.plan.sram.residual_in_pieces) return;
  if (!context_.plan.pipelined) actions_.push_back({Kind::kLoadResidual, nullptr});
  for (const EpilogueStep& own : context_.desc.residual->steps) {
    actions_.push_back({Kind::kResidualStep, &own});
  }
}

void Epilogue::emitNext(TileJob& job, size_t most) {
  const size_t end = std::min(actions_.size(), job.next_action + most);
  while (job.next_action < end) emit(job, actions_[job.next_action++]);
}

void Epilogue::emit(const TileJob& job, const Action& action) {
  switch (action.kind) {
    case Action::Kind::kPool:
      PoolInPlace(context_).emitTile(job);
      break;
    case Action::Kind::kLoadResidual:
      int8_.load(residualBox(job), residualOf(job));
      break;
    case Action::Kind::kResidualStep:
      steps_.apply(*action.step, job, residualPart(job));
      break;
    case Action::Kind::kStep:
      if (job.has_bias && action.step == &context_.desc.epilogue.front()) break;
      steps_.apply(*action.step, job, wholeTilePart(job.tile, job.acc));
      break;
    case Action::Kind::kUseResidual:
      useResidual(*action.step, job);
      break;
    case Action::Kind::kDefine:
      if (!isWritten(job)) define(job);
      break;
    case Action::Kind::kStore:
      store_.emitTile(job);
      break;
  }
}

// 0.0.2 hardware stores what GEMM or ALU wrote last, never what a reset wrote. Adding 0 makes the
// ALU write the tile.
void Epilogue::define(const TileJob& job) {
  const Tile& tile = job.tile;
  const Nest all = rectNest(tile, {{0, tile.height}, {0, tile.width}}, job.acc);
  context_.emit.aluImmediate(AluOpcode::kAdd, 0, all, job.acc, job.acc + u32(tile.elems()));
}

// Whether GEMM or ALU has written every accumulator of a tile after its reset.
bool Epilogue::isWritten(const TileJob& job) const {
  switch (context_.plan.method) {
    case Method::kElementwise:
      return true;
    case Method::kAluPool:
      return context_.startsWithMinimum();
    case Method::kGemm:
      break;
  }
  if (job.reads_padding) return true;
  const Geometry& g = context_.plan.geometry;
  const Tile area = areaOf(context_.plan, job).tile;
  return allReachInput(area.y, area.height, g.in_height, g.kernel_height, g.stride_y, g.dilation_y,
                       g.pad_top) &&
         allReachInput(area.x, area.width, g.in_width, g.kernel_width, g.stride_x, g.dilation_x,
                       g.pad_left);
}

ActivationBox Epilogue::residualBox(const TileJob& job) const {
  ActivationBox box = outputBox(context_.plan, job.tile, context_.buffers.residual);
  if (!context_.desc.residual_per_image) return box;
  box.tensor_height = box.tensor_width = box.rows = box.cols = 1;
  box.y = box.x = 0;
  return box;
}

TilePart Epilogue::residualPart(const TileJob& job) const {
  TilePart part = wholeTilePart(job.tile, residualOf(job));
  if (context_.desc.residual_per_image) part.pixels = 1;
  return part;
}

uint32_t Epilogue::residualOf(const TileJob& job) const {
  return context_.plan.sram.copyFor(context_.plan.sram.residual, job.acc);
}

// An epilogue step with the residual, which has gone through its own steps.
void Epilogue::useResidual(const EpilogueStep& step, const TileJob& job) {
  if (context_.plan.residual_by_gemm) {
    int8_.accumulate(residualBox(job), job.acc);
  } else if (context_.plan.sram.residual_in_pieces) {
    useResidualInPieces(step, job);
  } else {
    steps_.combine(step, wholeTilePart(job.tile, job.acc), residualOf(job),
                   context_.desc.residual_per_image);
  }
}

// The same where the residual comes piece by piece. Each piece is loaded while the one before it is
// combined with its part of the tile.
void Epilogue::useResidualInPieces(const EpilogueStep& step, const TileJob& job) {
  const SlotRange& slots = context_.plan.sram.residual;
  struct Piece {
    TilePart part;
    uint32_t slot = 0;
  };
  const auto finish = [&](const Piece& piece) {
    TilePart own = piece.part;
    own.acc = piece.slot;
    for (const EpilogueStep& residual_step : context_.desc.residual->steps) {
      steps_.apply(residual_step, job, own);
    }
    steps_.combine(step, piece.part, piece.slot);
  };
  std::optional<Piece> last;
  uint32_t number = 0;
  forEachPiece(residualBox(job), slots.elems, [&](const ActivationBox& box, uint32_t offset) {
    const TilePart part = {job.acc + offset, u32(box.block - job.tile.out_block), u32(box.blocks),
                           u32(box.rows * box.cols)};
    const Piece piece{part, slots.slotBase(number++ % slots.count)};
    int8_.load(box, piece.slot);
    if (last) finish(*last);
    last = piece;
  });
  finish(*last);
}

}  // namespace vta::kernel
