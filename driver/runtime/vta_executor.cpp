// Launches of programs on a VTA.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "driver/loaded_code.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/module_programs.h"

namespace vta::driver {
namespace {

class LaunchAction final : public PreparedAction {
 public:
  LaunchAction(const ExecutorContext& context, LoadedCode code, uint32_t num_instructions)
      : context_(context), code_(std::move(code)), num_instructions_(num_instructions) {}

  Status run(StepProfile& profile) override {
    const Clock::time_point start = Clock::now();
    VTA_ASSIGN_OR_RETURN(LaunchResult launched, useDevice());
    profile.is_launch = true;
    profile.counters = launched.counters;
    profile.trace = std::move(launched.trace);
    profile.program = program_ ? &*program_ : nullptr;
    profile.seconds = secondsSince(start);
    return {};
  }

  double progress() const override {
    if (!is_on_device_) return 0;
    return std::min(1.0, context_.device->executedInstructions() / num_instructions_);
  }

  void keepProgram(Program program) { program_ = std::move(program); }
  std::vector<uint32_t>& toDevice() { return to_device_; }
  std::vector<uint32_t>& toHost() { return to_host_; }

 private:
  Result<LaunchResult> useDevice() {
    // To the end, so that the host can go on with the results while the device is another
    // session's.
    const std::lock_guard lock(context_.share.mutexOf(context_.device));
    for (const uint32_t tensor : to_device_) {
      VTA_RETURN_IF_ERROR(context_.memory.toDevice(tensor));
    }
    is_on_device_ = true;
    auto launched = code_.execute(context_.options.timeout);
    is_on_device_ = false;
    if (!launched.ok()) return launched;
    for (const uint32_t tensor : to_host_) VTA_RETURN_IF_ERROR(context_.memory.toHost(tensor));
    return launched;
  }

  ExecutorContext context_;
  LoadedCode code_;
  double num_instructions_;
  std::atomic<bool> is_on_device_ = false;
  std::optional<Program> program_;   // for those who look into profiles
  std::vector<uint32_t> to_device_;  // tensors to copy before the launch
  std::vector<uint32_t> to_host_;    // and behind it
};

/// The tensors that hold some of the same bytes as `tensor`, itself among them.
std::vector<uint32_t> overlapping(const ModuleInfo& info, uint32_t tensor) {
  std::vector<uint32_t> found;
  const auto wholeOf = [&](uint32_t index) {
    const int32_t whole = info.tensors[index].part_of;
    return whole < 0 ? index : static_cast<uint32_t>(whole);
  };
  const TensorInfo& self = info.tensors[tensor];
  for (uint32_t other = 0; other < info.tensors.size(); ++other) {
    const TensorInfo& place = info.tensors[other];
    if (wholeOf(other) == wholeOf(tensor) &&
        place.offset_bytes < self.offset_bytes + self.size_bytes &&
        self.offset_bytes < place.offset_bytes + place.size_bytes) {
      found.push_back(other);
    }
  }
  return found;
}

/// Activations and state that a program reads before it writes them, and those that it writes.
struct ProgramTensors {
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
};

ProgramTensors tensorsOf(const ModuleInfo& info, const EncodedProgram& program,
                         const std::vector<int32_t>& buffers) {
  ProgramTensors tensors;
  const auto contains = [](const std::vector<uint32_t>& list, uint32_t tensor) {
    return std::ranges::find(list, tensor) != list.end();
  };
  // Buffers are in the order of the steps that use them.
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i] < 0 || info.isConstant(info.tensors[buffers[i]])) continue;
    const auto tensor = static_cast<uint32_t>(buffers[i]);
    const bool is_written = contains(tensors.outputs, tensor);
    if (program.buffers[i].kind == BufferKind::kOutput) {
      if (!is_written) tensors.outputs.push_back(tensor);
    } else if (!is_written && !contains(tensors.inputs, tensor)) {
      tensors.inputs.push_back(tensor);
    }
  }
  return tensors;
}

class VtaExecutor final : public Executor {
 public:
  explicit VtaExecutor(const ExecutorContext& context)
      : context_(context), info_(context.module.info()) {}

  Result<std::unique_ptr<PreparedAction>> prepare(const ActionInfo& action) override {
    auto prepared = prepareLaunch(action);
    if (prepared.ok()) return prepared;
    return prepared.status().withContext(fmt::format("layer '{}'", layerOf(info_, action)));
  }

 private:
  Result<std::unique_ptr<PreparedAction>> prepareLaunch(const ActionInfo& action) {
    VTA_ASSIGN_OR_RETURN(const EncodedProgram program, viewLaunch(context_.module, action));
    const std::vector<int32_t>& buffers = info_.programs[action.entry].buffers;
    std::vector<uint64_t> addresses;
    for (const int32_t tensor : buffers) {
      addresses.push_back(tensor < 0 ? 0 : context_.memory.deviceAddress(tensor));
    }
    VTA_ASSIGN_OR_RETURN(LoadedCode code, LoadedCode::load(*context_.device, program, addresses));
    auto launch =
        std::make_unique<LaunchAction>(context_, std::move(code), program.instruction_count);
    if (context_.options.trace || context_.options.per_layer || context_.options.verify) {
      VTA_ASSIGN_OR_RETURN(Program decoded, decodeLaunch(context_.module, action));
      launch->keepProgram(std::move(decoded));
    }
    findCopies(tensorsOf(info_, program, buffers), *launch);
    return std::unique_ptr<PreparedAction>(std::move(launch));
  }

  void findCopies(const ProgramTensors& tensors, LaunchAction& launch) const {
    // Of a tensor with parts, only those go to the device that the host has written: its copy of
    // the others may be old.
    for (const uint32_t input : tensors.inputs) {
      for (const uint32_t part : overlapping(info_, input)) {
        if (context_.host.writes[part]) launch.toDevice().push_back(part);
      }
    }
    for (const uint32_t output : tensors.outputs) {
      const auto is_read = [this](uint32_t part) { return bool{context_.host.reads[part]}; };
      if (std::ranges::any_of(overlapping(info_, output), is_read)) {
        launch.toHost().push_back(output);
      }
    }
  }

  ExecutorContext context_;
  const ModuleInfo& info_;
};

}  // namespace

std::unique_ptr<Executor> createVtaExecutor(const ExecutorContext& context) {
  return std::make_unique<VtaExecutor>(context);
}

}  // namespace vta::driver
