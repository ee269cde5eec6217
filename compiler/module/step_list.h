// StepList: the tensors, steps and constants of a module while its IR is walked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "compiler/module/constant_pool.h"
#include "compiler/module/memory_plan.h"
#include "module/executor_kinds.h"
#include "module/module_info.h"

namespace vta::compiler {

/// Collects tensors with their lifetimes and places them at the end. What it has to know of an
/// executor are its traits.
class StepList {
 public:
  /// The first executor, kCpuExecutor, is there.
  StepList();

  /// Adds an executor with its memories; its number. One of a name that is known already is that.
  uint32_t addExecutor(const ExecutorInfo& executor, const MemoryTraits& memory);

  /// Lets `executor` need `features`, each once.
  void addFeatures(uint32_t executor, const std::vector<std::string>& features);

  /// The entries of `executor` are programs, whose tensors lie in memories of its own.
  bool runsPrograms(uint32_t executor) const {
    return info_.executors[executor].traits.entries == EntryTable::kPrograms;
  }

  /// The memory of `executor` for such contents.
  uint32_t activationsOf(uint32_t executor) const;
  uint32_t constantsOf(uint32_t executor) const;
  uint32_t stateOf(uint32_t executor) const;
  uint32_t executorOf(uint32_t tensor) const {
    return info_.spaceOf(info_.tensors[tensor]).executor;
  }

  /// An activation that is written by the step added next, or before the first step. `shape` gives
  /// type and extents. In a memory for state: a tensor that keeps its bytes from one run to the
  /// next, zeros at first.
  uint32_t addActivation(std::string name, const Tensor& shape, uint32_t space);

  /// The part of activation `whole` that begins `offset_bytes` into it. `whole` is no part itself,
  /// and lives as long as any of its parts.
  uint32_t addPart(std::string name, const Tensor& shape, uint32_t whole, uint64_t offset_bytes);

  /// A constant with its data.
  uint32_t addConstant(std::string name, const Tensor& value, uint32_t space);

  /// The number of host function `symbol`.
  uint32_t addFunction(const std::string& symbol);

  /// The number of `program`, whose buffers stay live until its step has run.
  uint32_t addProgram(ProgramInfo program);
  uint32_t stepCount() const { return static_cast<uint32_t>(info_.steps.size()); }
  uint32_t tensorCount() const { return static_cast<uint32_t>(info_.tensors.size()); }

  /// Appends a step with its layer; its arguments stay live until it has run. `symbol` is the
  /// function that it computes; empty: that of its entry, or none.
  void addStep(StepInfo step, LayerInfo layer, const std::string& symbol = "");

  /// Keeps a tensor alive to the end: it is an output.
  void keep(uint32_t tensor);

  /// Puts `tensors` between the operands and the results of every step that calls host function
  /// `symbol`, or that has it as its reference.
  void insertArguments(const std::string& symbol, const std::vector<uint32_t>& tensors);

  /// Gives its code to the program of every step that computes `symbol` by one, and puts
  /// `constants` between the buffers of its operands and of its results.
  void setCode(const std::string& symbol, const std::vector<CodeVariant>& variants,
               const std::vector<uint32_t>& constants);

  /// Adds `convolution` to the layer of every step of `executor` that computes `symbol`.
  void addConvolution(uint32_t executor, const std::string& symbol,
                      const ConvolutionInfo& convolution);

  /// Gives `parts` to the layer of the step of `executor` that computes `symbol`. Of several steps
  /// none gets them: they compute layers of other names.
  void addParts(uint32_t executor, const std::string& symbol, std::vector<LayerPartInfo> parts);

  /// Plans the arenas and moves everything into `info`; returns the constants section.
  std::vector<std::byte> finish(ModuleInfo& info);

 private:
  /// The number of host function `symbol`; that of the next new one if it has none.
  int64_t functionIndex(const std::string& symbol) const;
  uint32_t spaceOf(uint32_t executor, SpaceInfo::Contents contents) const;
  uint32_t addTensor(std::string name, const Tensor& shape, uint32_t space);
  void use(uint32_t tensor, int64_t step);
  void useAllOf(const StepInfo& step, int64_t number);
  bool isLaunch(const StepInfo& step) const;
  bool computes(size_t step, uint32_t executor, const std::string& symbol) const {
    return info_.steps[step].executor == executor && symbols_[step] == symbol;
  }
  void keepWhileLaunchesRun();
  int64_t lastLaunchReadBy(int64_t host_step, uint32_t executor) const;
  bool sharesBytes(uint32_t a, uint32_t b) const;
  uint64_t place(uint32_t space);

  ConstantPool pool_;
  ModuleInfo info_;
  std::vector<BufferLifetime> lifetimes_;  // by tensor
  std::vector<std::string> symbols_;       // by step
  std::vector<uint32_t> kept_;
};

}  // namespace vta::compiler
