#include "host_cpu/blocked/integers/word_weights.h"

#include <numeric>

#include "compiler/dialects/graph/element_type.h"
#include "host_cpu/blocked/integers.h"
#include "mlir/IR/Matchers.h"

namespace vta::codegen::blocked {

using namespace mlir;

Tensor weightsOf(Value constant) {
  Attribute attribute;
  matchPattern(constant, m_Constant(&attribute));
  Tensor weight = *graph::tensorOf(cast<ElementsAttr>(attribute));
  if (weight.shape.size() == 4) return weight;
  const int64_t inputs = weight.shape[0], outputs = weight.shape[1];
  Tensor turned = Tensor::zeros(DType::kI8, {outputs, inputs, 1, 1});
  for (int64_t i = 0; i < inputs; ++i) {
    for (int64_t o = 0; o < outputs; ++o) {
      turned.as<int8_t>()[o * inputs + i] = weight.as<int8_t>()[i * outputs + o];
    }
  }
  return turned;
}

Tensor packWords(const ConvSpec& spec, const ConvSchedule& schedule, const Tensor& weight) {
  const int64_t lanes = schedule.out_blocks * kBlock, steps = spec.blockSteps();
  const int64_t positions = spec.positionsPerStep(), width = spec.kernel[1];
  const int64_t inputs = spec.depthwise ? 1 : spec.in.channels;
  const int64_t in_lanes = spec.depthwise ? 1 : spec.in.block;
  Tensor packed = Tensor::zeros(DType::kI32, {spec.weightElements()});
  int8_t* to = packed.as<int8_t>().data();
  const int8_t* from = weight.as<int8_t>().data();
  for (int64_t o = 0; o < spec.out.channels; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      const int64_t block = o / lanes * spec.summedBlocks() + i / in_lanes;
      const int64_t step = i % in_lanes / kWordBytes;
      for (int64_t y = 0; y < spec.kernel[0]; ++y) {
        for (int64_t x = 0; x < width; ++x) {
          const int64_t window = (block * spec.kernel[0] + y) * spec.rowSteps() + x / positions;
          const int64_t word = (window * steps + step) * lanes + o % lanes;
          const int64_t byte = spec.depthwise ? x % positions : i % kWordBytes;
          to[word * kWordBytes + byte] = *from++;
        }
      }
    }
  }
  return packed;
}

Tensor packConstants(const IntegerTree& tree, const Layout& out,
                     const std::optional<SumStart>& start) {
  const auto slots = static_cast<int64_t>(1 + tree.constants.size());
  Tensor packed = Tensor::zeros(DType::kI32, {out.blocks() * slots * kBlock});
  const auto to = packed.as<int32_t>();
  for (int64_t c = 0; c < out.channels; ++c) {
    const auto channel = static_cast<size_t>(c);
    int32_t* first = &to[(c / kBlock * slots) * kBlock + c % kBlock];
    for (int64_t slot = 1; slot < slots; ++slot) {
      first[slot * kBlock] = tree.constants[static_cast<size_t>(slot - 1)][channel];
    }
    if (!start) continue;
    const size_t each = start->weight->as<int8_t>().size() / static_cast<size_t>(out.channels);
    const auto weights = start->weight->as<int8_t>().subspan(channel * each, each);
    const int64_t sum = std::accumulate(weights.begin(), weights.end(), int64_t{0});
    // Sums are those of the network in their lower 32 bits, whatever is added first.
    *first = static_cast<int32_t>(tree.bias[channel] - start->offset * sum);
  }
  return packed;
}

}  // namespace vta::codegen::blocked
