#include "module/analysis/crossings.h"

#include <algorithm>
#include <span>

namespace vta {
namespace {

/// The bytes of a tensor: those of the whole that it is a part of.
struct Bytes {
  uint32_t whole = 0;
  uint64_t begin = 0, end = 0;
  bool meets(const Bytes& other) const {
    return whole == other.whole && begin < other.end && other.begin < end;
  }
};

Bytes bytesOf(const ModuleInfo& info, uint32_t tensor) {
  const TensorInfo& own = info.tensors[tensor];
  uint32_t whole = tensor;
  while (info.tensors[whole].part_of >= 0) {
    whole = static_cast<uint32_t>(info.tensors[whole].part_of);
  }
  return {whole, own.offset_bytes, own.offset_bytes + own.size_bytes};
}

class CrossingFinder {
 public:
  explicit CrossingFinder(const ModuleInfo& info) : info_(info), wanted_(info.tensors.size()) {
    for (uint32_t i = 0; i < info.tensors.size(); ++i) bytes_.push_back(bytesOf(info, i));
  }

  std::vector<Crossing> run() {
    const std::vector<bool> between = stepsBetween();
    std::vector<std::vector<Bytes>> written(info_.tensors.size());  // by the VTA, by whole tensor
    std::vector<bool> seen(info_.tensors.size());
    std::vector<Crossing> crossings;
    for (uint32_t i = 0; i < info_.steps.size(); ++i) {
      const StepInfo& step = info_.steps[i];
      if (!info_.isOnCpu(step)) {
        for (const uint32_t result : resultsOf(step)) {
          written[bytes_[result].whole].push_back(bytes_[result]);
        }
        continue;
      }
      if (!between[i]) continue;
      for (const uint32_t operand : operandsOf(step)) {
        if (seen[operand] || !meetsAny(bytes_[operand], written)) continue;
        seen[operand] = true;
        crossings.push_back({operand, i});
      }
    }
    return crossings;
  }

 private:
  static std::span<const uint32_t> operandsOf(const StepInfo& step) {
    return std::span(step.arguments).first(step.arguments.size() - step.num_results);
  }
  static std::span<const uint32_t> resultsOf(const StepInfo& step) {
    return std::span(step.arguments).last(step.num_results);
  }

  static bool meetsAny(const Bytes& bytes, const std::vector<std::vector<Bytes>>& by_whole) {
    return std::ranges::any_of(by_whole[bytes.whole],
                               [&](const Bytes& other) { return bytes.meets(other); });
  }

  /// By step: it is one of the CPU, and what it writes goes on to the VTA.
  std::vector<bool> stepsBetween() {
    std::vector<bool> between(info_.steps.size());
    for (size_t i = info_.steps.size(); i-- > 0;) {
      const StepInfo& step = info_.steps[i];
      const bool on_cpu = info_.isOnCpu(step);
      const bool leads_there =
          !on_cpu || std::ranges::any_of(resultsOf(step), [&](uint32_t result) {
            return meetsAny(bytes_[result], wanted_);
          });
      between[i] = on_cpu && leads_there;
      if (!leads_there) continue;
      for (const uint32_t operand : operandsOf(step)) {
        wanted_[bytes_[operand].whole].push_back(bytes_[operand]);
      }
    }
    return between;
  }

  const ModuleInfo& info_;
  std::vector<Bytes> bytes_;                // by tensor
  std::vector<std::vector<Bytes>> wanted_;  // on the VTA later, by whole tensor
};

}  // namespace

std::vector<Crossing> findCrossings(const ModuleInfo& info) { return CrossingFinder(info).run(); }

}  // namespace vta
