#include "compiler/module/step_list.h"

#include <algorithm>
#include <utility>

#include "isa/module/module_info_check.h"

namespace vta::compiler {

uint32_t StepList::addTensor(std::string name, const Tensor& shape, Storage storage) {
  TensorInfo& tensor = tensors_.emplace_back();
  tensor.name = std::move(name);
  tensor.dtype = shape.dtype;
  tensor.shape = shape.shape;
  tensor.storage = storage;
  tensor.size_bytes = static_cast<uint64_t>(shape.elementCount()) * dtypeBytes(shape.dtype);
  const auto next_step = static_cast<int64_t>(steps_.size());
  lifetimes_.push_back({tensor.size_bytes, next_step, next_step});
  return static_cast<uint32_t>(tensors_.size() - 1);
}

uint32_t StepList::addActivation(std::string name, const Tensor& shape, Storage storage) {
  return addTensor(std::move(name), shape, storage);
}

uint32_t StepList::addConstant(std::string name, const Tensor& value, Storage storage) {
  const uint32_t index = addTensor(std::move(name), value, storage);
  tensors_[index].offset_bytes = pool_.add(value.data);
  return index;
}

void StepList::use(uint32_t tensor, int64_t step) {
  lifetimes_[tensor].last_step = std::max(lifetimes_[tensor].last_step, step);
}

void StepList::addStep(StepInfo step, LayerInfo layer) {
  const auto number = static_cast<int64_t>(steps_.size());
  for (const uint32_t tensor : step.arguments) use(tensor, number);
  for (const int32_t tensor : step.buffers) {
    if (tensor >= 0) use(static_cast<uint32_t>(tensor), number);
  }
  step.layer = static_cast<uint32_t>(layers_.size());
  layers_.push_back(std::move(layer));
  steps_.push_back(std::move(step));
}

void StepList::keep(uint32_t tensor) { kept_.push_back(tensor); }

void StepList::insertArguments(const std::string& symbol, const std::vector<uint32_t>& tensors) {
  for (StepInfo& step : steps_) {
    if (step.symbol != symbol) continue;
    step.arguments.insert(step.arguments.end() - step.num_results, tensors.begin(), tensors.end());
  }
}

uint64_t StepList::place(Storage storage, uint64_t alignment_bytes) {
  std::vector<uint32_t> indices;
  std::vector<BufferLifetime> lifetimes;
  for (uint32_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].storage != storage) continue;
    indices.push_back(i);
    lifetimes.push_back(lifetimes_[i]);
  }
  const MemoryPlan plan = planMemory(lifetimes, alignment_bytes);
  for (size_t i = 0; i < indices.size(); ++i) {
    tensors_[indices[i]].offset_bytes = plan.offsets_bytes[i];
  }
  return plan.peak_bytes;
}

std::vector<std::byte> StepList::finish(uint64_t device_alignment_bytes, ModuleInfo& info) {
  for (const uint32_t tensor : kept_) use(tensor, static_cast<int64_t>(steps_.size()));
  info.host_arena_bytes = place(Storage::kHost, kModuleAlignmentBytes);
  info.device_arena_bytes = place(Storage::kDevice, device_alignment_bytes);
  info.tensors = std::move(tensors_);
  info.steps = std::move(steps_);
  info.layers = std::move(layers_);
  return pool_.take();
}

}  // namespace vta::compiler
