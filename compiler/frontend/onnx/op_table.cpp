#include "compiler/frontend/onnx/op_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/frontend/onnx/domains.h"

namespace vta::compiler {
namespace {

using Part = std::span<const OpEntry>;

auto parts() {
  return std::array{
      convolutionOps(),  poolingOps(),   normalizationOps(), unaryOps(),       binaryOps(),
      shapeOps(),        movementOps(),  indexingOps(),      constantOps(),    reductionOps(),
      quantizationOps(), qlinearOps(),   resizeOps(),        selectionOps(),   gatherOps(),
      lossOps(),         einsumOps(),    signalOps(),        controlFlowOps(), recurrentOps(),
      samplingOps(),     attentionOps(), integerOps(),       sequenceOps(),    detectionOps(),
      uniqueOps(),       regionOps(),    blockOps(),         fourierOps(),     experimentalOps()};
}

std::vector<std::pair<std::string_view, Part>> makeOtherParts() {
  std::vector<std::pair<std::string_view, Part>> result;
  for (const Part part : {microsoftOps(), fusedOps(), transformerOps(), decoderOps()}) {
    result.emplace_back(kMicrosoft, part);
  }
  result.emplace_back(kMachineLearning, machineLearningOps());
  result.emplace_back(kNhwc, nhwcOps());
  for (const std::string_view domain : kQonnx) result.emplace_back(domain, qonnxOps());
  for (const std::string_view domain : kQuark) result.emplace_back(domain, quarkOps());
  return result;
}

/// The parts of other domains, each under every name that the domain has had.
const std::vector<std::pair<std::string_view, Part>>& otherParts() {
  static const auto parts = makeOtherParts();
  return parts;
}

void sortByName(std::vector<OpEntry>& ops) { std::ranges::stable_sort(ops, {}, &OpEntry::op_type); }

}  // namespace

const OpEntry* findOp(std::string_view domain, std::string_view op_type, int64_t opset) {
  if (!domain.empty() && domain != "ai.onnx") {
    for (const auto& [name, part] : otherParts()) {
      const auto found = std::ranges::find(part, op_type, &OpEntry::op_type);
      if (name == domain && found != part.end()) return &*found;
    }
    return nullptr;
  }
  for (auto part : parts()) {
    for (const OpEntry& entry : part) {
      bool covers = entry.since_opset <= opset && opset <= entry.until_opset;
      if (covers && entry.op_type == op_type) return &entry;
    }
  }
  return nullptr;
}

std::vector<OpEntry> allOps() {
  std::vector<OpEntry> ops;
  for (const auto part : parts()) ops.insert(ops.end(), part.begin(), part.end());
  sortByName(ops);
  return ops;
}

std::vector<DomainOps> otherDomains() {
  std::vector<DomainOps> domains;
  for (const auto& [name, part] : otherParts()) {
    if (domains.empty() || domains.back().domain != name) domains.push_back({name, {}});
    domains.back().ops.insert(domains.back().ops.end(), part.begin(), part.end());
  }
  for (DomainOps& domain : domains) sortByName(domain.ops);
  return domains;
}

}  // namespace vta::compiler
