#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "module/module_info_check.h"

namespace vta {
namespace {

Status bucketProblem(const std::string& what) {
  return invalidArgument("module metadata: " + what);
}

/// Whether `smaller` has no extent beyond those of `larger`.
bool fitsInto(const TensorInfo& smaller, const TensorInfo& larger) {
  if (smaller.dtype != larger.dtype || smaller.shape.size() != larger.shape.size()) return false;
  for (size_t d = 0; d < smaller.shape.size(); ++d) {
    if (smaller.shape[d] > larger.shape[d]) return false;
  }
  return true;
}

/// The same ports in the same order, none of them larger.
Status comparePorts(const ModuleInfo& info, const std::vector<PortInfo>& before,
                    const std::vector<PortInfo>& ports, const std::string& what) {
  if (before.size() != ports.size()) {
    return bucketProblem(fmt::format("{} has {} of {}", what, ports.size(), before.size()));
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    const bool is_same = ports[i].name == before[i].name &&
                         ports[i].index_extent == before[i].index_extent &&
                         ports[i].isCounted() == before[i].isCounted() &&
                         ports[i].count_axis == before[i].count_axis;
    if (!is_same || !fitsInto(info.tensors[ports[i].tensor], info.tensors[before[i].tensor])) {
      return bucketProblem(fmt::format("{}: '{}' does not fit into '{}' of the bucket before it",
                                       what, ports[i].name, before[i].name));
    }
  }
  return {};
}

bool isSmaller(const ModuleInfo& info, const std::vector<PortInfo>& before,
               const std::vector<PortInfo>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (info.tensors[inputs[i].tensor].shape != info.tensors[before[i].tensor].shape) return true;
  }
  return false;
}

bool keepsTheSame(const ContextInfo& first, const ContextInfo& context) {
  const auto is_same = [](const CacheInfo& a, const CacheInfo& b) {
    return a.tensor == b.tensor && a.axis == b.axis;
  };
  return first.isKept() == context.isKept() && first.length == context.length &&
         std::ranges::equal(first.caches, context.caches, is_same);
}

/// Each run would have to know where another bucket's has left it.
Status checkUnwritten(const ModuleInfo& info, const std::vector<StepInfo>& steps) {
  for (const StepInfo& step : steps) {
    const size_t results = std::min<size_t>(step.num_results, step.arguments.size());
    for (size_t i = step.arguments.size() - results; i < step.arguments.size(); ++i) {
      const TensorInfo& tensor = info.tensors[step.arguments[i]];
      if (info.spaceOf(tensor).contents != SpaceInfo::Contents::kState) continue;
      return bucketProblem(
          fmt::format("a step of a module with buckets writes '{}', which is state", tensor.name));
    }
  }
  return {};
}

}  // namespace

Status checkBuckets(const ModuleInfo& info) {
  if (info.buckets.empty()) return {};
  VTA_RETURN_IF_ERROR(checkUnwritten(info, info.steps));
  const std::vector<PortInfo>* inputs = &info.inputs;
  const std::vector<PortInfo>* outputs = &info.outputs;
  for (size_t i = 0; i < info.buckets.size(); ++i) {
    const BucketInfo& bucket = info.buckets[i];
    const std::string what = fmt::format("bucket {}", i);
    VTA_RETURN_IF_ERROR(comparePorts(info, *inputs, bucket.inputs, what + ", inputs"));
    VTA_RETURN_IF_ERROR(comparePorts(info, *outputs, bucket.outputs, what + ", outputs"));
    if (!isSmaller(info, *inputs, bucket.inputs)) {
      return bucketProblem(what + " is not smaller than the one before it");
    }
    if (!keepsTheSame(info.context, bucket.context)) {
      return bucketProblem(what + " keeps something else of a text");
    }
    VTA_RETURN_IF_ERROR(checkUnwritten(info, bucket.steps));
    inputs = &bucket.inputs;
    outputs = &bucket.outputs;
  }
  return {};
}

}  // namespace vta
