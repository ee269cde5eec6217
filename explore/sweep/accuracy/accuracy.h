// Accuracy: what quantisation costs a network on given samples, and how it is measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "explore/sweep/space/sweep_config.h"
#include "isa/config/hw_config.h"

namespace vta::sweep {

/// Counts over the samples of a classifier.
struct Accuracy {
  int64_t samples = 0;
  int64_t agreed = 0;         // samples with the float model's class
  int64_t labelled = 0;       // samples whose class is known: all or none
  int64_t correct = 0;        // of these, with the integers
  int64_t float_correct = 0;  // of these, in float

  double agreementPercent() const { return percentOf(agreed, samples); }
  /// Only where there are labels.
  double top1Percent() const { return percentOf(correct, labelled); }
  double floatTop1Percent() const { return percentOf(float_correct, labelled); }

 private:
  static double percentOf(int64_t part, int64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// One line of JSON.
std::string encodeAccuracy(const Accuracy& accuracy);
/// Errors: kInvalidArgument for texts that encodeAccuracy did not write.
Result<Accuracy> decodeAccuracy(std::string_view text);

/// The contents of all files that `data` names, as text. Errors: a file or folder that cannot be
/// read.
Result<std::string> hashOfData(const AccuracyData& data);

/// Runs a network's integers and its float original. All entries have samples.
class AccuracyMeter {
 public:
  virtual ~AccuracyMeter() = default;

  /// Whether the samples and labels of `entry` fit its network. Errors begin with their place.
  virtual Status check(const ModelEntry& entry) = 0;

  /// The accuracy of the integers that accelerators like `hw` compute. In a process of its own.
  /// Errors: those of the compiler and of the runs.
  virtual Result<Accuracy> measure(const ModelEntry& entry, const HwConfig& hw) = 0;
};

}  // namespace vta::sweep
