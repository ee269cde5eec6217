#include "compiler/kernel/chain/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/integer_math.h"
#include "compiler/kernel/chain/chain_lowering.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/instruction/handover.h"

namespace vta::kernel {
namespace {

Status exhausted(const Chain& chain, const std::string& why) {
  return Status(StatusCode::kResourceExhausted,
                fmt::format("the chain of '{}' and '{}' does not fit: {}", chain.producer.name,
                            chain.consumer.name, why));
}

// The producer's part of the scratchpads. That of ACC is even, for pairs of elements.
SramRoom producerRoom(const SramRoom& whole, const ChainShares& shares) {
  return {whole.inp * shares.inp / kShareParts, whole.wgt * shares.wgt / kShareParts,
          whole.acc * shares.acc / kShareParts & ~int64_t{1}};
}

// Whether the consumer takes the image as one row, as tiledGeometry says.
bool isOneRow(const Chain& chain, const KernelPlan& consumer) {
  return consumer.geometry.in_height != chain.consumer.geometry.in_height;
}

// A producer's tile is what a step of the consumer reads.
Schedule producerSchedule(const Chain& chain, const ChainSchedule& schedule,
                          const KernelPlan& consumer, int64_t parts) {
  const Geometry& g = chain.producer.geometry;
  Schedule own;
  const int64_t width = isOneRow(chain, consumer) ? g.out_height * g.out_width : g.out_width;
  own.tile_height = std::min(consumer.tiling.regionRows(consumer.geometry), g.out_height);
  // One row of a pointwise kernel stands for the whole image.
  if (own.tile_height == 1 && !isOneRow(chain, consumer))
    own.tile_height = std::min<int64_t>(2, g.out_height);
  // So many pixels have columns of a region that begins with the last part of a pixel.
  const int64_t cols = consumer.tiling.regionCols(consumer.geometry);
  own.tile_width = std::min(ceilDiv(cols - 1, parts) + 1, width);
  own.tile_out_blocks = consumer.tiling.inBlocks();
  own.tile_in_blocks = schedule.producer_in_blocks;
  own.virtual_threads = 2;
  return own;
}

Status checkShares(const ChainShares& shares) {
  for (const int share : {shares.inp, shares.wgt, shares.acc}) {
    if (share >= 1 && share < kShareParts) continue;
    return invalidArgument(fmt::format("a share of a scratchpad is {} eighths; legal: 1 to {}",
                                       share, kShareParts - 1));
  }
  return {};
}

// What both kernels ask of the schedule, besides that each of them fits its part.
Status checkPlans(const Chain& chain, const KernelPlan& producer, const KernelPlan& consumer,
                  const HwConfig& hw) {
  // Weights of a step are loaded while the step before it is computed.
  if (consumer.sram.wgt.count < 2) {
    return exhausted(chain, "WGT has no room for the weights of two steps");
  }
  // A unit may fill or free every slot before the next unit takes a token.
  int64_t need = producer.sram.acc.count;
  for (const SramPlan* plan : {&producer.sram, &consumer.sram}) {
    need += plan->inp.count + plan->wgt.count + plan->staging.count;
  }
  const int64_t limit = hw.params().token_queue_depth;
  if (need <= limit) return {};
  return exhausted(chain, fmt::format("token queue depth is {}, the limit {}", need, limit));
}

Status refuse(const Chain& chain, const char* why) {
  return invalidArgument(fmt::format("kernels '{}' and '{}' are no chain: {}", chain.producer.name,
                                     chain.consumer.name, why));
}

}  // namespace

std::string ChainSchedule::toString() const {
  return fmt::format("{} first-ci={} shares={}/{}/{}", consumer.toString(), producer_in_blocks,
                     shares.inp, shares.wgt, shares.acc);
}

Status checkChain(const Chain& chain, const HwConfig& hw) {
  const KernelDesc& first = chain.producer;
  const KernelDesc& second = chain.consumer;
  VTA_RETURN_IF_ERROR(validateKernelDesc(first, hw));
  VTA_RETURN_IF_ERROR(validateKernelDesc(second, hw));
  const Geometry& from = first.geometry;
  const Geometry& to = second.geometry;
  if (!hw.params().ext_handover) return refuse(chain, "the hardware has no extension handover");
  const bool contracts =
      first.kind == KernelKind::kContraction && second.kind == KernelKind::kContraction;
  if (!contracts) return refuse(chain, "both have to be contractions");
  if (first.pool || first.residual || !from.storesAll()) {
    return refuse(chain, "the first stores other elements than it computes, or has a residual");
  }
  if (from.batch_blocks != to.batch_blocks || from.out_channel_blocks != to.in_channel_blocks ||
      from.out_height != to.in_height || from.out_width * handoverParts(hw) != to.in_width) {
    return refuse(chain, "the output of the first is not the input of the second");
  }
  if (from.groups > 1 && from.outBlocksPerGroup() != 1) {
    return refuse(chain, "the first has groups of several blocks");
  }
  if (to.groups > 1 && to.inBlocksPerGroup() != 1) {
    return refuse(chain, "the second has groups of several blocks");
  }
  if (to.kernel_height == 1 && to.stride_y > 1) {
    return refuse(chain, "the second does not read every row");
  }
  if (first.hasLookup() || second.hasLookup()) return refuse(chain, "they look up tables");
  if (from.out_height == 1) return refuse(chain, "the image has one row");
  return {};
}

std::string withoutProducerPrefix(std::string_view buffer) {
  const std::string_view prefix = kProducerPrefix;
  return std::string(buffer.starts_with(prefix) ? buffer.substr(prefix.size()) : buffer);
}

Result<Program> lowerChain(const Chain& chain, const ChainSchedule& schedule, const HwConfig& hw,
                           const Placement& placement) {
  VTA_RETURN_IF_ERROR(checkChain(chain, hw));
  VTA_RETURN_IF_ERROR(checkShares(schedule.shares));
  const SramRoom whole = wholeSram(hw);
  const SramRoom first = producerRoom(whole, schedule.shares);
  const SramRoom second = {whole.inp - first.inp, whole.wgt - first.wgt, whole.acc - first.acc};
  VTA_ASSIGN_OR_RETURN(KernelPlan consumer,
                       planKernel(chain.consumer, schedule.consumer, hw, second));
  if (consumer.tiling.steps_ky * consumer.tiling.steps_kx > 1) {
    return exhausted(chain, "a step has to have all taps of the kernel");
  }
  if (isOneRow(chain, consumer) && !isPointwise(chain.producer)) {
    return exhausted(
        chain, "tiles of one row are pixels of the whole image, and the producer is not pointwise");
  }
  const Schedule producer_schedule = producerSchedule(chain, schedule, consumer, handoverParts(hw));
  VTA_ASSIGN_OR_RETURN(KernelPlan producer,
                       planKernel(chain.producer, producer_schedule, hw, first));
  VTA_RETURN_IF_ERROR(checkPlans(chain, producer, consumer, hw));
  producer.begins_with_bias = consumer.begins_with_bias = false;
  producer.alternates = consumer.alternates = false;
  placeBehind(consumer.sram, first);
  if (placement.from_top) {
    placeFromTop(producer.sram, hw);
    placeFromTop(consumer.sram, hw);
  }
  return ChainLowering(chain, schedule, producer_schedule, hw, producer, consumer).run();
}

}  // namespace vta::kernel
