// Accuracy of a sweep's networks, measured as vta-run --compare-float does.
#pragma once

#include <string>
#include <vector>

#include "explore/sweep/accuracy/accuracy.h"
#include "explore/sweep/evaluate/evaluator.h"
#include "explore/sweep/evaluate/model_library.h"

namespace vta::tools {

/// Networks run on the CPU: in float, and in the integers that the accelerator computes.
class NetworkMeter final : public sweep::AccuracyMeter {
 public:
  /// `library` must outlive the meter.
  explicit NetworkMeter(sweep::ModelLibrary& library) : library_(library) {}

  /// Loads every sample. Errors, beside those of the samples: a network without classes, a sample
  /// without a label, a label that is no class.
  Status check(const sweep::ModelEntry& entry) override;
  Result<sweep::Accuracy> measure(const sweep::ModelEntry& entry, const HwConfig& hw) override;

 private:
  sweep::ModelLibrary& library_;
};

/// Lines about networks whose accuracy is unknown or was measured; empty where all points of the
/// sweep quantise alike and nobody asked for it.
std::string accuracyText(const sweep::SweepConfig& sweep,
                         const std::vector<sweep::PointResult>& points);

}  // namespace vta::tools
