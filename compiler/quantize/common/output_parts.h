// What a network's output was joined from.
#pragma once

#include <span>
#include <vector>

#include "mlir/IR/Value.h"

namespace vta::compiler {

/// The parts of an output. A detector joins coordinates of hundreds with probabilities of some
/// thousandths: in an error of the whole output, probabilities that are lost would not show.
struct OutputParts {
  int count = 1;
  std::vector<int> part_of;  // of each element in row-major order; empty where there is one part
};

/// What `output` was joined from by concatenations, and moved by reshapes and transposes behind
/// them.
OutputParts partsOf(mlir::Value output);

/// Noise over signal, in mean squares: the mean over all parts, of which each counts the same.
double noiseOverSignal(std::span<const float> exact, std::span<const float> values,
                       const OutputParts& parts);

}  // namespace vta::compiler
