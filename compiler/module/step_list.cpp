#include "compiler/module/step_list.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "module/gpu/gpu_ranges.h"

namespace vta::compiler {

using Contents = SpaceInfo::Contents;

StepList::StepList() { vta::addExecutor(info_, cpuExecutor(), hostMemory()); }

uint32_t StepList::addExecutor(const ExecutorInfo& executor, const MemoryTraits& memory) {
  if (const auto known = info_.findExecutor(executor.name)) return *known;
  return vta::addExecutor(info_, executor, memory);
}

void StepList::addFeatures(uint32_t executor, const std::vector<std::string>& features) {
  std::vector<std::string>& known = info_.executors[executor].features;
  for (const std::string& feature : features) {
    if (std::ranges::find(known, feature) == known.end()) known.push_back(feature);
  }
}

uint32_t StepList::spaceOf(uint32_t executor, Contents contents) const {
  return *info_.findSpace(executor, contents);  // addExecutor has made it
}

uint32_t StepList::activationsOf(uint32_t executor) const {
  return spaceOf(executor, Contents::kActivations);
}
uint32_t StepList::constantsOf(uint32_t executor) const {
  return spaceOf(executor, Contents::kConstants);
}
uint32_t StepList::stateOf(uint32_t executor) const { return spaceOf(executor, Contents::kState); }

uint32_t StepList::addTensor(std::string name, const Tensor& shape, uint32_t space) {
  TensorInfo& tensor = info_.tensors.emplace_back();
  tensor.name = std::move(name);
  tensor.dtype = shape.dtype;
  tensor.shape = shape.shape;
  tensor.space = space;
  tensor.size_bytes = static_cast<uint64_t>(shape.elementCount()) * dtypeBytes(shape.dtype);
  const auto next_step = static_cast<int64_t>(info_.steps.size());
  lifetimes_.push_back({tensor.size_bytes, next_step, next_step});
  return static_cast<uint32_t>(info_.tensors.size() - 1);
}

uint32_t StepList::addActivation(std::string name, const Tensor& shape, uint32_t space) {
  return addTensor(std::move(name), shape, space);
}

uint32_t StepList::addPart(std::string name, const Tensor& shape, uint32_t whole,
                           uint64_t offset_bytes) {
  const uint32_t index = addTensor(std::move(name), shape, info_.tensors[whole].space);
  info_.tensors[index].part_of = static_cast<int32_t>(whole);
  info_.tensors[index].offset_bytes = offset_bytes;
  return index;
}

uint32_t StepList::addConstant(std::string name, const Tensor& value, uint32_t space) {
  const uint32_t index = addTensor(std::move(name), value, space);
  info_.tensors[index].offset_bytes = pool_.add(value.data);
  return index;
}

void StepList::use(uint32_t tensor, int64_t step) {
  if (info_.tensors[tensor].part_of >= 0) {
    tensor = static_cast<uint32_t>(info_.tensors[tensor].part_of);
  }
  lifetimes_[tensor].last_step = std::max(lifetimes_[tensor].last_step, step);
}

int64_t StepList::functionIndex(const std::string& symbol) const {
  return std::ranges::find(info_.functions, symbol) - info_.functions.begin();
}

uint32_t StepList::addFunction(const std::string& symbol) {
  const int64_t index = functionIndex(symbol);
  if (index == std::ssize(info_.functions)) info_.functions.push_back(symbol);
  return static_cast<uint32_t>(index);
}

uint32_t StepList::addProgram(ProgramInfo program) {
  info_.programs.push_back(std::move(program));
  return static_cast<uint32_t>(info_.programs.size() - 1);
}

void StepList::useAllOf(const StepInfo& step, int64_t number) {
  for (const uint32_t tensor : step.arguments) use(tensor, number);
  if (info_.callsFunction(step)) return;
  for (const int32_t tensor : info_.programs[step.entry].buffers) {
    if (tensor >= 0) use(static_cast<uint32_t>(tensor), number);
  }
}

void StepList::addStep(StepInfo step, LayerInfo layer, const std::string& symbol) {
  useAllOf(step, static_cast<int64_t>(info_.steps.size()));
  const bool names_itself = symbol.empty() && info_.callsFunction(step);
  symbols_.push_back(names_itself ? info_.functions[step.entry] : symbol);
  step.layer = static_cast<uint32_t>(info_.layers.size());
  info_.layers.push_back(std::move(layer));
  info_.steps.push_back(std::move(step));
}

void StepList::keep(uint32_t tensor) { kept_.push_back(tensor); }

void StepList::insertArguments(const std::string& symbol, const std::vector<uint32_t>& tensors) {
  const int64_t wanted = functionIndex(symbol);
  for (StepInfo& step : info_.steps) {
    const int64_t function =
        info_.callsFunction(step) ? int64_t{step.entry} : int64_t{step.reference};
    if (function != wanted) continue;
    step.arguments.insert(step.arguments.end() - step.num_results, tensors.begin(), tensors.end());
  }
}

void StepList::setCode(const std::string& symbol, const std::vector<CodeVariant>& variants,
                       const std::vector<uint32_t>& constants) {
  for (size_t i = 0; i < info_.steps.size(); ++i) {
    const StepInfo& step = info_.steps[i];
    if (symbols_[i] != symbol || info_.callsFunction(step)) continue;
    ProgramInfo& program = info_.programs[step.entry];
    program.variants = variants;
    program.buffers.insert(program.buffers.end() - step.num_results, constants.begin(),
                           constants.end());
  }
}

void StepList::addConvolution(uint32_t executor, const std::string& symbol,
                              const ConvolutionInfo& convolution) {
  for (size_t i = 0; i < info_.steps.size(); ++i) {
    if (!computes(i, executor, symbol)) continue;
    info_.layers[info_.steps[i].layer].convolutions.push_back(convolution);
  }
}

void StepList::addParts(uint32_t executor, const std::string& symbol,
                        std::vector<LayerPartInfo> parts) {
  LayerInfo* only = nullptr;
  for (size_t i = 0; i < info_.steps.size(); ++i) {
    if (!computes(i, executor, symbol)) continue;
    if (only != nullptr) return;
    only = &info_.layers[info_.steps[i].layer];
  }
  if (only != nullptr) only->parts = std::move(parts);
}

/// Places the tensors of an arena; its size.
uint64_t StepList::place(uint32_t space) {
  const bool is_state = info_.spaces[space].contents == Contents::kState;
  std::vector<uint32_t> indices;
  std::vector<BufferLifetime> lifetimes;
  for (uint32_t i = 0; i < info_.tensors.size(); ++i) {
    if (info_.tensors[i].space != space || info_.tensors[i].part_of >= 0) continue;
    indices.push_back(i);
    lifetimes.push_back(lifetimes_[i]);
    if (is_state) {
      const auto steps = static_cast<int64_t>(info_.steps.size());
      lifetimes.back() = {info_.tensors[i].size_bytes, 0, steps};
    }
  }
  const uint64_t alignment_bytes = info_.spaces[space].alignment_bytes;
  MemoryPlan plan = planMemory(lifetimes, alignment_bytes);
  // A GPU may have it in several buffers.
  if (plan.peak_bytes > kGpuBufferBytes && alignment_bytes >= kGpuAlignmentBytes) {
    plan = planMemory(lifetimes, alignment_bytes, kGpuRangeBytes);
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    info_.tensors[indices[i]].offset_bytes = plan.offsets_bytes[i];
  }
  return plan.peak_bytes;
}

bool StepList::sharesBytes(uint32_t a, uint32_t b) const {
  const std::vector<TensorInfo>& tensors = info_.tensors;
  const auto wholeOf = [&](uint32_t tensor) {
    const int32_t whole = tensors[tensor].part_of;
    return whole < 0 ? tensor : static_cast<uint32_t>(whole);
  };
  if (wholeOf(a) != wholeOf(b)) return false;
  const auto beginOf = [&](uint32_t tensor) {
    return tensors[tensor].part_of < 0 ? 0 : tensors[tensor].offset_bytes;
  };
  return beginOf(a) < beginOf(b) + tensors[b].size_bytes &&
         beginOf(b) < beginOf(a) + tensors[a].size_bytes;
}

/// It may still run when the steps of other executors behind it do.
bool StepList::isLaunch(const StepInfo& step) const {
  return info_.executorOf(step).traits.runs_in_background;
}

/// The last launch of `executor` in front of `host_step` whose results that reads, -1: none.
int64_t StepList::lastLaunchReadBy(int64_t host_step, uint32_t executor) const {
  const StepInfo& reader = info_.steps[host_step];
  const auto operands =
      std::span(reader.arguments).first(reader.arguments.size() - reader.num_results);
  for (int64_t number = host_step - 1; number >= 0; --number) {
    const StepInfo& step = info_.steps[number];
    if (step.executor != executor) continue;
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
/// first of them that waits for its results, or for those of a later launch of its executor.
void StepList::keepWhileLaunchesRun() {
  const auto count = static_cast<int64_t>(info_.steps.size());
  for (uint32_t executor = 0; executor < info_.executors.size(); ++executor) {
    if (!info_.executors[executor].traits.runs_in_background) continue;
    int64_t next_host = count;
    std::vector<std::pair<int64_t, int64_t>> waits;  // last step read, host step; latest first
    for (int64_t number = count - 1; number >= 0; --number) {
      const StepInfo& step = info_.steps[number];
      if (!isLaunch(step)) {
        next_host = number;
        waits.emplace_back(lastLaunchReadBy(number, executor), number);
      }
      if (step.executor != executor) continue;
      int64_t waiting = count;  // the first host step that waits for this one
      for (const auto& [read, host_step] : waits) {
        if (read >= number) waiting = host_step;
      }
      if (next_host < waiting) useAllOf(step, waiting - 1);
    }
  }
}

std::vector<std::byte> StepList::finish(ModuleInfo& info) {
  for (const uint32_t tensor : kept_) use(tensor, static_cast<int64_t>(info_.steps.size()));
  keepWhileLaunchesRun();
  for (uint32_t i = 0; i < info_.spaces.size(); ++i) {
    if (info_.spaces[i].contents != Contents::kConstants) info_.spaces[i].size_bytes = place(i);
  }
  for (TensorInfo& tensor : info_.tensors) {
    if (tensor.part_of >= 0) tensor.offset_bytes += info_.tensors[tensor.part_of].offset_bytes;
  }
  info.executors = std::move(info_.executors);
  info.spaces = std::move(info_.spaces);
  info.tensors = std::move(info_.tensors);
  info.functions = std::move(info_.functions);
  info.programs = std::move(info_.programs);
  info.steps = std::move(info_.steps);
  info.layers = std::move(info_.layers);
  return pool_.take();
}

}  // namespace vta::compiler
