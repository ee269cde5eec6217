#include "compiler/module/step_list.h"

#include <algorithm>
#include <span>
#include <utility>

#include "module/module_info_check.h"

namespace vta::compiler {

uint32_t StepList::addTensor(std::string name, const Tensor& shape, uint32_t space) {
  TensorInfo& tensor = tensors_.emplace_back();
  tensor.name = std::move(name);
  tensor.dtype = shape.dtype;
  tensor.shape = shape.shape;
  tensor.space = space;
  tensor.size_bytes = static_cast<uint64_t>(shape.elementCount()) * dtypeBytes(shape.dtype);
  const auto next_step = static_cast<int64_t>(steps_.size());
  lifetimes_.push_back({tensor.size_bytes, next_step, next_step});
  return static_cast<uint32_t>(tensors_.size() - 1);
}

uint32_t StepList::addActivation(std::string name, const Tensor& shape, uint32_t space) {
  return addTensor(std::move(name), shape, space);
}

uint32_t StepList::addPart(std::string name, const Tensor& shape, uint32_t whole,
                           uint64_t offset_bytes) {
  const uint32_t index = addTensor(std::move(name), shape, tensors_[whole].space);
  tensors_[index].part_of = static_cast<int32_t>(whole);
  tensors_[index].offset_bytes = offset_bytes;
  return index;
}

uint32_t StepList::addConstant(std::string name, const Tensor& value, uint32_t space) {
  const uint32_t index = addTensor(std::move(name), value, space);
  tensors_[index].offset_bytes = pool_.add(value.data);
  return index;
}

void StepList::use(uint32_t tensor, int64_t step) {
  if (tensors_[tensor].part_of >= 0) tensor = static_cast<uint32_t>(tensors_[tensor].part_of);
  lifetimes_[tensor].last_step = std::max(lifetimes_[tensor].last_step, step);
}

int64_t StepList::functionIndex(const std::string& symbol) const {
  return std::ranges::find(functions_, symbol) - functions_.begin();
}

uint32_t StepList::addFunction(const std::string& symbol) {
  const int64_t index = functionIndex(symbol);
  if (index == std::ssize(functions_)) functions_.push_back(symbol);
  return static_cast<uint32_t>(index);
}

uint32_t StepList::addProgram(ProgramInfo program) {
  programs_.push_back(std::move(program));
  return static_cast<uint32_t>(programs_.size() - 1);
}

void StepList::useAllOf(const StepInfo& step, int64_t number) {
  for (const uint32_t tensor : step.arguments) use(tensor, number);
  if (step.executor == kCpuExecutor) return;
  for (const int32_t tensor : programs_[step.entry].buffers) {
    if (tensor >= 0) use(static_cast<uint32_t>(tensor), number);
  }
}

void StepList::addStep(StepInfo step, LayerInfo layer) {
  useAllOf(step, static_cast<int64_t>(steps_.size()));
  step.layer = static_cast<uint32_t>(layers_.size());
  layers_.push_back(std::move(layer));
  steps_.push_back(std::move(step));
}

void StepList::keep(uint32_t tensor) { kept_.push_back(tensor); }

void StepList::insertArguments(const std::string& symbol, const std::vector<uint32_t>& tensors) {
  const int64_t wanted = functionIndex(symbol);
  for (StepInfo& step : steps_) {
    const int64_t function =
        step.executor == kCpuExecutor ? int64_t{step.entry} : int64_t{step.reference};
    if (function != wanted) continue;
    step.arguments.insert(step.arguments.end() - step.num_results, tensors.begin(), tensors.end());
  }
}

void StepList::addConvolution(const std::string& symbol, const ConvolutionInfo& convolution) {
  const int64_t wanted = functionIndex(symbol);
  for (const StepInfo& step : steps_) {
    if (step.executor != kCpuExecutor || int64_t{step.entry} != wanted) continue;
    layers_[step.layer].convolutions.push_back(convolution);
  }
}

void StepList::addParts(const std::string& symbol, std::vector<LayerPartInfo> parts) {
  const int64_t wanted = functionIndex(symbol);
  LayerInfo* only = nullptr;
  for (const StepInfo& step : steps_) {
    if (step.executor != kCpuExecutor || int64_t{step.entry} != wanted) continue;
    if (only != nullptr) return;
    only = &layers_[step.layer];
  }
  if (only != nullptr) only->parts = std::move(parts);
}

uint64_t StepList::place(uint32_t space, SpaceInfo::Contents contents, uint64_t alignment_bytes) {
  std::vector<uint32_t> indices;
  std::vector<BufferLifetime> lifetimes;
  for (uint32_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].space != space || tensors_[i].part_of >= 0) continue;
    indices.push_back(i);
    lifetimes.push_back(lifetimes_[i]);
    if (contents == SpaceInfo::Contents::kState) {
      lifetimes.back() = {tensors_[i].size_bytes, 0, static_cast<int64_t>(steps_.size())};
    }
  }
  const MemoryPlan plan = planMemory(lifetimes, alignment_bytes);
  for (size_t i = 0; i < indices.size(); ++i) {
    tensors_[indices[i]].offset_bytes = plan.offsets_bytes[i];
  }
  return plan.peak_bytes;
}

bool StepList::sharesBytes(uint32_t a, uint32_t b) const {
  const auto wholeOf = [&](uint32_t tensor) {
    const int32_t whole = tensors_[tensor].part_of;
    return whole < 0 ? tensor : static_cast<uint32_t>(whole);
  };
  if (wholeOf(a) != wholeOf(b)) return false;
  const auto beginOf = [&](uint32_t tensor) {
    return tensors_[tensor].part_of < 0 ? 0 : tensors_[tensor].offset_bytes;
  };
  return beginOf(a) < beginOf(b) + tensors_[b].size_bytes &&
         beginOf(b) < beginOf(a) + tensors_[a].size_bytes;
}

/// The last VTA step in front of `host_step` whose results that reads, -1: none.
int64_t StepList::lastLaunchReadBy(int64_t host_step) const {
  const StepInfo& reader = steps_[host_step];
  const auto operands =
      std::span(reader.arguments).first(reader.arguments.size() - reader.num_results);
  for (int64_t number = host_step - 1; number >= 0; --number) {
    const StepInfo& step = steps_[number];
    if (step.executor == kCpuExecutor) continue;
    const bool is_read =
        std::ranges::any_of(std::span(step.arguments).last(step.num_results), [&](uint32_t result) {
          return std::ranges::any_of(
              operands, [&](uint32_t operand) { return sharesBytes(operand, result); });
        });
    if (is_read) return number;
  }
  return -1;
}

/// A launch may still run when the host steps behind it do: what it uses keeps its place up to the
/// first of them that waits for its results, or for those of a later launch.
void StepList::keepWhileLaunchesRun() {
  const auto count = static_cast<int64_t>(steps_.size());
  int64_t next_host = count;
  std::vector<std::pair<int64_t, int64_t>> waits;  // last step read, host step; latest first
  for (int64_t number = count - 1; number >= 0; --number) {
    if (steps_[number].executor == kCpuExecutor) {
      next_host = number;
      waits.emplace_back(lastLaunchReadBy(number), number);
      continue;
    }
    int64_t waiting = count;  // the first host step that waits for this one
    for (const auto& [read, host_step] : waits) {
      if (read >= number) waiting = host_step;
    }
    if (next_host < waiting) useAllOf(steps_[number], waiting - 1);
  }
}

bool StepList::usesDevice() const {
  return std::ranges::any_of(tensors_,
                             [](const TensorInfo& t) { return t.space >= kDeviceSpace; }) ||
         std::ranges::any_of(steps_, [](const StepInfo& s) { return s.executor != kCpuExecutor; });
}

std::vector<std::byte> StepList::finish(uint64_t device_alignment_bytes, ModuleInfo& info) {
  for (const uint32_t tensor : kept_) use(tensor, static_cast<int64_t>(steps_.size()));
  keepWhileLaunchesRun();
  info.spaces = standardSpaces(usesDevice());
  for (uint32_t i = 0; i < info.spaces.size(); ++i) {
    SpaceInfo& space = info.spaces[i];
    if (space.contents == SpaceInfo::Contents::kConstants) continue;
    const bool is_host = space.executor == kCpuExecutor;
    space.size_bytes =
        place(i, space.contents, is_host ? kModuleAlignmentBytes : device_alignment_bytes);
  }
  for (TensorInfo& tensor : tensors_) {
    if (tensor.part_of >= 0) tensor.offset_bytes += tensors_[tensor.part_of].offset_bytes;
  }
  info.tensors = std::move(tensors_);
  info.functions = std::move(functions_);
  info.programs = std::move(programs_);
  info.steps = std::move(steps_);
  info.layers = std::move(layers_);
  return pool_.take();
}

}  // namespace vta::compiler
