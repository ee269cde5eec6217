#include "driver/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "driver/runtime/action_plan.h"
#include "driver/runtime/launch.h"
#include "driver/runtime/launch_queue.h"
#include "driver/runtime/session_memory.h"
#include "driver/runtime/verify.h"

namespace vta::driver {
namespace {

/// What a session does, one after the other.
struct Action {
  PlannedAction plan;
  std::unique_ptr<PreparedLaunch> launch;  // null: a host step
  std::vector<uint32_t> to_device;         // tensors to copy before the launch
  std::vector<uint32_t> to_host;           // and behind it
};

class SessionImpl final : public Session {
 public:
  SessionImpl(std::shared_ptr<const LoadedModule> module, Device* device,
              const SessionOptions& options)
      : module_(std::move(module)),
        info_(module_->info()),
        device_(device),
        options_(options),
        share_(options.share ? options.share
                             : std::make_shared<SessionShare>(options.num_threads)) {}

  Status prepare();
  Result<RunResult> run(const TensorMap& inputs) override;
  const LoadedModule& module() const override { return *module_; }

 private:
  Status checkDevice() const;
  void findSharedTensors();
  std::vector<uint32_t> overlapping(uint32_t tensor) const;
  Status prepareLaunch(Action& action);
  Status checkLaunches() const;
  Status checkInputs(const TensorMap& inputs) const;
  void copyInputs(const TensorMap& inputs);
  TensorMap copyOutputs() const;
  void runHostStep(const StepInfo& step, std::byte* result_override);
  Status runActions(RunResult& result);
  Status runLaunch(const Action& action, StepProfile& profile);
  Result<LaunchResult> useDevice(const Action& action);
  Status verifyStep(const StepInfo& step);

  std::shared_ptr<const LoadedModule> module_;
  const ModuleInfo& info_;
  Device* device_;
  SessionOptions options_;
  std::shared_ptr<SessionShare> share_;
  std::unique_ptr<SessionMemory> memory_;
  std::vector<Action> actions_;
  std::unique_ptr<LaunchQueue> queue_;  // null: no launch is in background
  std::vector<bool> host_writes_;       // by tensor: written by a host step or an input
  std::vector<bool> host_reads_;        // by tensor: read by a host step, a reference or an output
};

Status SessionImpl::checkDevice() const {
  if (!module_->hw()) return {};
  if (device_ == nullptr) return invalidArgument("the module needs a VTA device to run on");
  const HwConfig& device_hw = device_->info().hw;
  if (module_->hw()->isProgramCompatible(device_hw)) return {};
  return invalidArgument(
      fmt::format("the module was built for configuration '{}', the device {} has '{}'; compile "
                  "the model for that one\n  module: {}\n  device: {}",
                  module_->hw()->name(), device_->info().name, device_hw.name(),
                  module_->hw()->summary(), device_hw.summary()));
}

void SessionImpl::findSharedTensors() {
  host_writes_.assign(info_.tensors.size(), false);
  host_reads_.assign(info_.tensors.size(), false);
  for (const PortInfo& port : info_.inputs) host_writes_[port.tensor] = true;
  for (const PortInfo& port : info_.outputs) host_reads_[port.tensor] = true;
  for (const StepInfo& step : info_.steps) {
    const bool on_host = step.kind == StepInfo::Kind::kHost;
    if (!on_host && !options_.verify) continue;
    const size_t first_result = step.arguments.size() - step.num_results;
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const bool is_result = i >= first_result;
      if (is_result && on_host) host_writes_[step.arguments[i]] = true;
      // A reference's result is compared on the host.
      if (!is_result || !on_host) host_reads_[step.arguments[i]] = true;
    }
  }
}

/// The tensors that hold some of the same bytes as `tensor`, itself among them.
std::vector<uint32_t> SessionImpl::overlapping(uint32_t tensor) const {
  std::vector<uint32_t> found;
  const auto wholeOf = [&](uint32_t index) {
    const int32_t whole = info_.tensors[index].part_of;
    return whole < 0 ? index : static_cast<uint32_t>(whole);
  };
  const TensorInfo& self = info_.tensors[tensor];
  for (uint32_t other = 0; other < info_.tensors.size(); ++other) {
    const TensorInfo& info = info_.tensors[other];
    if (wholeOf(other) == wholeOf(tensor) &&
        info.offset_bytes < self.offset_bytes + self.size_bytes &&
        self.offset_bytes < info.offset_bytes + info.size_bytes) {
      found.push_back(other);
    }
  }
  return found;
}

Status SessionImpl::prepareLaunch(Action& action) {
  VTA_ASSIGN_OR_RETURN(action.launch,
                       PreparedLaunch::create(*module_, *memory_, *device_, action.plan.first_step,
                                              action.plan.step_count));
  // Of a tensor with parts, only those go to the device that the host has written: its copy of the
  // others may be old.
  for (const uint32_t input : action.launch->inputTensors()) {
    for (const uint32_t part : overlapping(input)) {
      if (host_writes_[part]) action.to_device.push_back(part);
    }
  }
  for (const uint32_t output : action.launch->outputTensors()) {
    const auto is_read = [this](uint32_t part) { return host_reads_[part]; };
    if (std::ranges::any_of(overlapping(output), is_read)) action.to_host.push_back(output);
  }
  return {};
}

/// Proves the programs legal that a run without verification would launch.
Status SessionImpl::checkLaunches() const {
  for (const PlannedAction& plan : planActions(info_, PlanMode::kOverlap)) {
    if (!plan.is_launch) continue;
    VTA_RETURN_IF_ERROR(PreparedLaunch::check(*module_, plan.first_step, plan.step_count));
  }
  return {};
}

Status SessionImpl::prepare() {
  VTA_RETURN_IF_ERROR(checkDevice());
  if (options_.trace && device_ != nullptr) VTA_RETURN_IF_ERROR(device_->setTracing(true));
  VTA_ASSIGN_OR_RETURN(memory_, SessionMemory::create(*module_, module_->hw() ? device_ : nullptr));
  findSharedTensors();
  if (options_.verify) VTA_RETURN_IF_ERROR(checkLaunches());
  PlanMode mode = options_.overlap ? PlanMode::kOverlap : PlanMode::kInOrder;
  if (options_.per_layer || options_.verify) mode = PlanMode::kOneByOne;
  for (const PlannedAction& plan : planActions(info_, mode)) {
    Action& action = actions_.emplace_back();
    action.plan = plan;
    if (plan.is_launch) VTA_RETURN_IF_ERROR(prepareLaunch(action));
    if (plan.in_background && !queue_) queue_ = std::make_unique<LaunchQueue>();
  }
  return {};
}

Status SessionImpl::checkInputs(const TensorMap& inputs) const {
  for (const auto& [name, tensor] : inputs) {
    const bool known = std::ranges::any_of(
        info_.inputs, [&name = name](const PortInfo& port) { return port.name == name; });
    if (!known) return invalidArgument(fmt::format("the model has no input '{}'", name));
  }
  for (const PortInfo& port : info_.inputs) {
    const TensorInfo& expected = info_.tensors[port.tensor];
    const auto given = inputs.find(port.name);
    if (given == inputs.end()) {
      return invalidArgument(fmt::format("input '{}' is missing", port.name));
    }
    const Tensor& tensor = given->second;
    if (tensor.dtype != expected.dtype || tensor.shape != expected.shape ||
        tensor.sizeBytes() != expected.size_bytes) {
      return invalidArgument(fmt::format("input '{}' is {}, the model wants {}", port.name,
                                         describe(tensor.dtype, tensor.shape),
                                         describe(expected.dtype, expected.shape)));
    }
  }
  return {};
}

void SessionImpl::copyInputs(const TensorMap& inputs) {
  for (const PortInfo& port : info_.inputs) {
    const Tensor& tensor = inputs.at(port.name);
    std::ranges::copy(tensor.data, memory_->hostPointer(port.tensor));
  }
}

TensorMap SessionImpl::copyOutputs() const {
  TensorMap outputs;
  for (const PortInfo& port : info_.outputs) {
    const TensorInfo& info = info_.tensors[port.tensor];
    const std::byte* data = memory_->hostPointer(port.tensor);
    outputs[port.name] = {info.dtype, info.shape, {data, data + info.size_bytes}};
  }
  return outputs;
}

void SessionImpl::runHostStep(const StepInfo& step, std::byte* result_override) {
  std::vector<void*> arguments;
  for (const uint32_t tensor : step.arguments) arguments.push_back(memory_->hostPointer(tensor));
  if (result_override != nullptr) arguments.back() = result_override;
  module_->function(step.symbol)(share_->threads->context(), arguments.data());
}

Status SessionImpl::runLaunch(const Action& action, StepProfile& profile) {
  const Clock::time_point start = Clock::now();
  VTA_ASSIGN_OR_RETURN(LaunchResult launched, useDevice(action));
  profile.counters = launched.counters;
  profile.trace = std::move(launched.trace);
  profile.program = &action.launch->program();
  profile.seconds = secondsSince(start);
  return {};
}

Result<LaunchResult> SessionImpl::useDevice(const Action& action) {
  // To the end, so that the host can go on with the results while the device is another session's.
  const std::lock_guard lock(share_->device);
  for (const uint32_t tensor : action.to_device) {
    VTA_RETURN_IF_ERROR(memory_->toDevice(tensor));
  }
  auto launched = action.launch->run(options_.timeout);
  if (!launched.ok()) return launched;
  for (const uint32_t tensor : action.to_host) VTA_RETURN_IF_ERROR(memory_->toHost(tensor));
  return launched;
}

Status SessionImpl::verifyStep(const StepInfo& step) {
  const uint32_t tensor = step.arguments.back();
  const uint64_t size_bytes = info_.tensors[tensor].size_bytes;
  const AlignedBytes expected(size_bytes);
  if (expected.data() == nullptr) {
    return {StatusCode::kResourceExhausted, "not enough memory to verify"};
  }
  runHostStep(step, expected.data());
  return compareWithReference(info_.tensors[tensor], {memory_->hostPointer(tensor), size_bytes},
                              {expected.data(), size_bytes})
      .withContext(fmt::format("layer '{}'", info_.layers[step.layer].name));
}

Status SessionImpl::runActions(RunResult& result) {
  for (size_t i = 0; i < actions_.size(); ++i) {
    const Action& action = actions_[i];
    StepProfile& profile = result.profile[i];
    profile.first_step = action.plan.first_step;
    profile.step_count = action.plan.step_count;
    if (action.plan.waits_for > 0) VTA_RETURN_IF_ERROR(queue_->wait(action.plan.waits_for));
    if (action.plan.in_background) {
      queue_->add([this, &action, &profile] { return runLaunch(action, profile); });
      continue;
    }
    const StepInfo& step = info_.steps[action.plan.first_step];
    if (action.launch) {
      VTA_RETURN_IF_ERROR(runLaunch(action, profile));
      if (!options_.verify || step.symbol.empty()) continue;
      const Clock::time_point start = Clock::now();
      VTA_RETURN_IF_ERROR(verifyStep(step));
      ++result.verified_steps;
      profile.seconds += secondsSince(start);
      continue;
    }
    const Clock::time_point start = Clock::now();
    runHostStep(step, nullptr);
    profile.seconds = secondsSince(start);
  }
  return {};
}

Result<RunResult> SessionImpl::run(const TensorMap& inputs) {
  VTA_RETURN_IF_ERROR(checkInputs(inputs));
  RunResult result;
  const Clock::time_point start = Clock::now();
  copyInputs(inputs);
  result.profile.resize(actions_.size());
  const Status ran = runActions(result);
  // Whatever happened: nothing runs any more when this returns.
  const Status ended = queue_ ? queue_->finish() : Status();
  VTA_RETURN_IF_ERROR(ran);
  VTA_RETURN_IF_ERROR(ended);
  result.outputs = copyOutputs();
  result.seconds = secondsSince(start);
  return result;
}

}  // namespace

SessionShare::SessionShare(int num_threads)
    : threads(std::make_unique<ThreadPool>(static_cast<unsigned>(std::max(0, num_threads)))) {}
SessionShare::~SessionShare() = default;

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const LoadedModule> module,
                                                 Device* device, const SessionOptions& options) {
  auto session = std::make_unique<SessionImpl>(std::move(module), device, options);
  VTA_RETURN_IF_ERROR(session->prepare());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace vta::driver
