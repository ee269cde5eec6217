// StepList: the tensors, steps and constants of a module while its IR is walked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "compiler/module/constant_pool.h"
#include "compiler/module/memory_plan.h"
#include "module/module_info.h"

namespace vta::compiler {

/// Collects tensors with their lifetimes and places them at the end. Spaces and executors are those
/// of standardSpaces and standardExecutors.
class StepList {
 public:
  /// An activation that is written by the step added next, or before the first step. `shape` gives
  /// type and extents. In kStateSpace or kDeviceStateSpace: a tensor that keeps its bytes from one
  /// run to the next, zeros at first.
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
  size_t programCount() const { return programs_.size(); }
  uint32_t stepCount() const { return static_cast<uint32_t>(steps_.size()); }
  uint32_t tensorCount() const { return static_cast<uint32_t>(tensors_.size()); }

  /// Appends a step with its layer; its arguments stay live until it has run.
  void addStep(StepInfo step, LayerInfo layer);

  /// Keeps a tensor alive to the end: it is an output.
  void keep(uint32_t tensor);

  /// Puts `tensors` between the operands and the results of every step that calls `symbol`, or that
  /// has it as its reference.
  void insertArguments(const std::string& symbol, const std::vector<uint32_t>& tensors);

  /// Adds `convolution` to the layer of every step of the CPU that calls `symbol`.
  void addConvolution(const std::string& symbol, const ConvolutionInfo& convolution);

  /// Gives `parts` to the layer of the step that calls `symbol`. Of several steps none gets them:
  /// they compute layers of other names.
  void addParts(const std::string& symbol, std::vector<LayerPartInfo> parts);

  /// Plans the arenas and moves everything into `info`; returns the constants section.
  /// `device_alignment_bytes` is a multiple of every element size of the accelerator.
  std::vector<std::byte> finish(uint64_t device_alignment_bytes, ModuleInfo& info);

 private:
  /// The number of host function `symbol`; that of the next new one if it has none.
  int64_t functionIndex(const std::string& symbol) const;
  uint32_t addTensor(std::string name, const Tensor& shape, uint32_t space);
  void use(uint32_t tensor, int64_t step);
  void useAllOf(const StepInfo& step, int64_t number);
  bool usesDevice() const;
  void keepWhileLaunchesRun();
  int64_t lastLaunchReadBy(int64_t host_step) const;
  bool sharesBytes(uint32_t a, uint32_t b) const;
  uint64_t place(uint32_t space, SpaceInfo::Contents contents, uint64_t alignment_bytes);

  ConstantPool pool_;
  std::vector<TensorInfo> tensors_;
  std::vector<BufferLifetime> lifetimes_;  // by tensor
  std::vector<std::string> functions_;
  std::vector<ProgramInfo> programs_;
  std::vector<StepInfo> steps_;
  std::vector<LayerInfo> layers_;
  std::vector<uint32_t> kept_;
};

}  // namespace vta::compiler
