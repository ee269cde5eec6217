// Which ONNX operators the frontend imports, and how.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// Imports `node` and sets its outputs. `unsupported` is for legal nodes that the graph dialect has
/// no form for; everything else means that the model is wrong.
using ImportFunction = Status (*)(Node& node);

/// The end of ranges of opsets. An operator's entry goes that far if no later version of it means
/// something else; what later versions add (types, attributes) its import looks at.
inline constexpr int64_t kLatest = 24;

struct OpEntry {
  std::string_view op_type;
  int64_t since_opset, until_opset;  // both included
  ImportFunction import;
};

/// The entry for an operator, or null. `opset` is that of the default domain; operators of others
/// have one entry for all versions.
const OpEntry* findOp(std::string_view domain, std::string_view op_type, int64_t opset);

/// Every entry of the default domain, in the order of the operators' names.
std::vector<OpEntry> allOps();

/// The operators of another domain, in the order of their names.
struct DomainOps {
  std::string_view domain;
  std::vector<OpEntry> ops;
};
/// All domains besides the default one that have operators.
std::vector<DomainOps> otherDomains();

// The parts of the table, one per file.
std::span<const OpEntry> convolutionOps();
std::span<const OpEntry> poolingOps();
std::span<const OpEntry> normalizationOps();
std::span<const OpEntry> unaryOps();
std::span<const OpEntry> binaryOps();
std::span<const OpEntry> shapeOps();
std::span<const OpEntry> movementOps();
std::span<const OpEntry> indexingOps();
std::span<const OpEntry> constantOps();
std::span<const OpEntry> reductionOps();
std::span<const OpEntry> quantizationOps();
std::span<const OpEntry> qlinearOps();
std::span<const OpEntry> resizeOps();
std::span<const OpEntry> selectionOps();
std::span<const OpEntry> gatherOps();
std::span<const OpEntry> lossOps();
std::span<const OpEntry> einsumOps();
std::span<const OpEntry> signalOps();
std::span<const OpEntry> fourierOps();
std::span<const OpEntry> controlFlowOps();
std::span<const OpEntry> sequenceOps();
std::span<const OpEntry> recurrentOps();
std::span<const OpEntry> samplingOps();
std::span<const OpEntry> attentionOps();
std::span<const OpEntry> integerOps();
std::span<const OpEntry> detectionOps();
std::span<const OpEntry> uniqueOps();
std::span<const OpEntry> regionOps();
std::span<const OpEntry> blockOps();
std::span<const OpEntry> experimentalOps();

// The parts for other domains; the first four are com.microsoft's.
std::span<const OpEntry> microsoftOps();
std::span<const OpEntry> fusedOps();
std::span<const OpEntry> transformerOps();
std::span<const OpEntry> decoderOps();
std::span<const OpEntry> machineLearningOps();
std::span<const OpEntry> nhwcOps();
std::span<const OpEntry> qonnxOps();
std::span<const OpEntry> quarkOps();

}  // namespace vta::compiler
