#include "compiler/frontend/onnx/op_table.h"

#include <algorithm>
#include <array>

#include "compiler/frontend/onnx/domains.h"

namespace vta::compiler {
namespace {

auto parts() {
  return std::array{
      convolutionOps(),  poolingOps(),  normalizationOps(), unaryOps(),       binaryOps(),
      shapeOps(),        movementOps(), indexingOps(),      constantOps(),    reductionOps(),
      quantizationOps(), resizeOps(),   selectionOps(),     gatherOps(),      lossOps(),
      einsumOps(),       signalOps(),   controlFlowOps(),   recurrentOps(),   samplingOps(),
      attentionOps(),    integerOps(),  sequenceOps(),      detectionOps(),   uniqueOps(),
      regionOps(),       blockOps(),    fourierOps(),       experimentalOps()};
}

auto microsoftParts() {
  return std::array{microsoftOps(), fusedOps(), transformerOps(), decoderOps()};
}

auto machineLearningParts() { return std::array{machineLearningOps()}; }

template <typename Parts>
const OpEntry* findByName(const Parts& parts, std::string_view op_type) {
  for (const auto part : parts) {
    const auto found = std::ranges::find(part, op_type, &OpEntry::op_type);
    if (found != part.end()) return &*found;
  }
  return nullptr;
}

template <typename Parts>
std::vector<OpEntry> sorted(const Parts& parts) {
  std::vector<OpEntry> ops;
  for (const auto part : parts) ops.insert(ops.end(), part.begin(), part.end());
  std::ranges::stable_sort(ops, {}, &OpEntry::op_type);
  return ops;
}

}  // namespace

const OpEntry* findOp(std::string_view domain, std::string_view op_type, int64_t opset) {
  if (domain == kMicrosoft) return findByName(microsoftParts(), op_type);
  if (domain == kMachineLearning) return findByName(machineLearningParts(), op_type);
  if (!domain.empty() && domain != "ai.onnx") return nullptr;
  for (auto part : parts()) {
    for (const OpEntry& entry : part) {
      bool covers = entry.since_opset <= opset && opset <= entry.until_opset;
      if (covers && entry.op_type == op_type) return &entry;
    }
  }
  return nullptr;
}

std::vector<OpEntry> allOps() { return sorted(parts()); }

std::vector<OpEntry> allMicrosoftOps() { return sorted(microsoftParts()); }

std::vector<OpEntry> allMachineLearningOps() { return sorted(machineLearningParts()); }

}  // namespace vta::compiler
