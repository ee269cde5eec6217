#include "compiler/module/join_buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "compiler/launch/launches.h"
#include "compiler/module/constant_pool.h"

namespace vta::compiler {
namespace {

using Contents = SpaceInfo::Contents;

/// Equal for constants that are one tensor: memory, place in the section, type and shape.
using ConstantKey = std::tuple<uint32_t, uint64_t, DType, std::vector<int64_t>>;

class BucketJoiner {
 public:
  explicit BucketJoiner(BuiltModule whole) : whole_(std::move(whole)) {
    const std::vector<std::byte> constants = std::move(whole_.contents.constants);
    for (uint32_t i = 0; i < whole_.info.tensors.size(); ++i) {
      TensorInfo& tensor = whole_.info.tensors[i];
      if (!whole_.info.isConstant(tensor)) continue;
      tensor.offset_bytes = placeConstant(tensor, constants);
      known_.try_emplace(keyOf(tensor), i);
    }
  }

  Status add(BuiltModule bucket);
  BuiltModule take() {
    whole_.contents.constants = pool_.take();
    return std::move(whole_);
  }

 private:
  uint64_t placeConstant(const TensorInfo& tensor, std::span<const std::byte> section) {
    return pool_.add(section.subspan(tensor.offset_bytes, tensor.size_bytes));
  }
  static ConstantKey keyOf(const TensorInfo& tensor) {
    return {tensor.space, tensor.offset_bytes, tensor.dtype, tensor.shape};
  }

  Status addExecutors(const ModuleInfo& bucket);
  Status addSpaces(const ModuleInfo& bucket);
  Status addTensors(const BuiltModule& bucket);
  Result<uint32_t> tensorFor(TensorInfo tensor, Contents contents, const BuiltModule& bucket);
  void addPrograms(const BuiltModule& bucket);
  uint32_t entryOf(uint32_t executor, uint32_t entry) const;
  void addNetwork(ModuleInfo bucket);
  uint32_t numbered(uint32_t tensor) const { return tensors_[tensor]; }
  int32_t numbered(int32_t tensor) const {
    return tensor < 0 ? tensor : static_cast<int32_t>(tensors_[static_cast<size_t>(tensor)]);
  }

  BuiltModule whole_;
  ConstantPool pool_;
  std::map<ConstantKey, uint32_t> known_;
  // Of the bucket that is added, by its own numbers: those of the whole.
  std::vector<uint32_t> executors_, spaces_, tensors_;
  uint32_t first_function_ = 0, first_program_ = 0;
};

Status BucketJoiner::addExecutors(const ModuleInfo& bucket) {
  executors_.clear();
  for (const ExecutorInfo& executor : bucket.executors) {
    auto number = whole_.info.findExecutor(executor.name);
    if (!number) {
      number = static_cast<uint32_t>(whole_.info.executors.size());
      whole_.info.executors.push_back(executor);
    }
    ExecutorInfo& known = whole_.info.executors[*number];
    if (known.kind != executor.kind || known.traits != executor.traits) {
      return internalError(fmt::format("two executors '{}'", executor.name));
    }
    for (const std::string& feature : executor.features) {
      if (std::ranges::find(known.features, feature) == known.features.end()) {
        known.features.push_back(feature);
      }
    }
    executors_.push_back(*number);
  }
  return {};
}

/// Activations lie over those of the whole: one network runs at a time.
Status BucketJoiner::addSpaces(const ModuleInfo& bucket) {
  spaces_.clear();
  for (const SpaceInfo& space : bucket.spaces) {
    const uint32_t executor = executors_[space.executor];
    auto number = whole_.info.findSpace(executor, space.contents);
    if (!number) {
      number = static_cast<uint32_t>(whole_.info.spaces.size());
      whole_.info.spaces.push_back(space);
      whole_.info.spaces.back().executor = executor;
    }
    SpaceInfo& known = whole_.info.spaces[*number];
    if (space.contents == Contents::kState && space.size_bytes != known.size_bytes) {
      return internalError(fmt::format("state of {} and of {} bytes in the memory '{}'",
                                       space.size_bytes, known.size_bytes, space.name));
    }
    known.size_bytes = std::max(known.size_bytes, space.size_bytes);
    known.alignment_bytes = std::max(known.alignment_bytes, space.alignment_bytes);
    spaces_.push_back(*number);
  }
  return {};
}

/// `tensor` has the whole's numbers but for its part.
Result<uint32_t> BucketJoiner::tensorFor(TensorInfo tensor, Contents contents,
                                         const BuiltModule& bucket) {
  std::vector<TensorInfo>& tensors = whole_.info.tensors;
  const auto next = static_cast<uint32_t>(tensors.size());
  if (contents == Contents::kConstants) {
    tensor.offset_bytes = placeConstant(tensor, bucket.contents.constants);
    const auto [known, is_new] = known_.try_emplace(keyOf(tensor), next);
    if (!is_new) return known->second;
  }
  if (contents == Contents::kState) {
    const auto same = std::ranges::find_if(tensors, [&](const TensorInfo& other) {
      return other.space == tensor.space && other.name == tensor.name &&
             other.dtype == tensor.dtype && other.shape == tensor.shape &&
             other.offset_bytes == tensor.offset_bytes;
    });
    if (same != tensors.end()) return static_cast<uint32_t>(same - tensors.begin());
    return internalError(
        fmt::format("the state '{}' of a bucket is not the module's", tensor.name));
  }
  tensors.push_back(std::move(tensor));
  return next;
}

Status BucketJoiner::addTensors(const BuiltModule& bucket) {
  tensors_.clear();
  for (const TensorInfo& of_bucket : bucket.info.tensors) {
    TensorInfo tensor = of_bucket;
    tensor.space = spaces_[tensor.space];
    const Contents contents = bucket.info.spaceOf(of_bucket).contents;
    VTA_ASSIGN_OR_RETURN(const uint32_t number, tensorFor(std::move(tensor), contents, bucket));
    tensors_.push_back(number);
  }
  // A part may stand in front of its whole.
  for (size_t i = 0; i < tensors_.size(); ++i) {
    TensorInfo& tensor = whole_.info.tensors[tensors_[i]];
    tensor.part_of = numbered(bucket.info.tensors[i].part_of);
  }
  return {};
}

void BucketJoiner::addPrograms(const BuiltModule& bucket) {
  first_program_ = static_cast<uint32_t>(whole_.info.programs.size());
  const std::span<const std::byte> section = bucket.contents.programs;
  for (const ProgramInfo& of_bucket : bucket.info.programs) {
    ProgramInfo program = of_bucket;
    program.executor = executors_[program.executor];
    for (CodeVariant& variant : program.variants) {
      variant =
          appendCode(variant.target, section.subspan(variant.offset_bytes, variant.size_bytes),
                     whole_.contents.programs);
    }
    for (int32_t& tensor : program.buffers) tensor = numbered(tensor);
    whole_.info.programs.push_back(std::move(program));
  }
}

/// `executor` has the whole's number.
uint32_t BucketJoiner::entryOf(uint32_t executor, uint32_t entry) const {
  const ExecutorTraits& traits = whole_.info.executors[executor].traits;
  return entry + (traits.entries == EntryTable::kFunctions ? first_function_ : first_program_);
}

void BucketJoiner::addNetwork(ModuleInfo bucket) {
  for (std::vector<PortInfo>* ports : {&bucket.inputs, &bucket.outputs}) {
    for (PortInfo& port : *ports) {
      port.tensor = numbered(port.tensor);
      port.count = numbered(port.count);
    }
  }
  for (StepInfo& step : bucket.steps) {
    step.executor = executors_[step.executor];
    step.entry = entryOf(step.executor, step.entry);
    for (uint32_t& tensor : step.arguments) tensor = numbered(tensor);
    if (step.reference >= 0) step.reference += static_cast<int32_t>(first_function_);
  }
  for (ActionInfo& action : bucket.actions) {
    action.executor = executors_[action.executor];
    action.entry = entryOf(action.executor, action.entry);
    for (WaitInfo& wait : action.waits) wait.executor = executors_[wait.executor];
  }
  bucket.context.length = numbered(bucket.context.length);
  for (CacheInfo& cache : bucket.context.caches) {
    cache.tensor = numbered(cache.tensor);
    cache.rows = numbered(cache.rows);
  }
  whole_.info.buckets.push_back({std::move(bucket.inputs), std::move(bucket.outputs),
                                 std::move(bucket.layers), std::move(bucket.steps),
                                 std::move(bucket.actions), std::move(bucket.context)});
}

Status BucketJoiner::add(BuiltModule bucket) {
  VTA_RETURN_IF_ERROR(addExecutors(bucket.info));
  VTA_RETURN_IF_ERROR(addSpaces(bucket.info));
  VTA_RETURN_IF_ERROR(addTensors(bucket));
  addPrograms(bucket);
  std::vector<std::string>& functions = whole_.info.functions;
  first_function_ = static_cast<uint32_t>(functions.size());
  functions.insert(functions.end(), bucket.info.functions.begin(), bucket.info.functions.end());
  auto& objects = whole_.contents.host_objects;
  std::ranges::move(bucket.contents.host_objects, std::back_inserter(objects));
  addNetwork(std::move(bucket.info));
  return {};
}

}  // namespace

Result<BuiltModule> joinBuckets(std::vector<BuiltModule> modules) {
  if (modules.empty()) return internalError("no module to join");
  if (modules.size() == 1) return std::move(modules.front());
  BucketJoiner joiner(std::move(modules.front()));
  for (size_t i = 1; i < modules.size(); ++i) {
    VTA_RETURN_IF_ERROR(joiner.add(std::move(modules[i])));
  }
  return joiner.take();
}

}  // namespace vta::compiler
