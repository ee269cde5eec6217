#include "driver/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <variant>

#include "driver/runtime/launch.h"
#include "driver/runtime/session_memory.h"
#include "driver/runtime/thread_pool.h"
#include "driver/runtime/verify.h"

namespace vta::driver {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What a session does in order: a host step by number, or a launch.
using Action = std::variant<uint32_t, std::unique_ptr<PreparedLaunch>>;

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

  /// The first step at or after `first` that is not the VTA's: launches end there.
  uint32_t endOfVtaSteps(uint32_t first) const;
  Status checkInputs(const TensorMap& inputs) const;
  void copyInputs(const TensorMap& inputs);
  TensorMap copyOutputs() const;
  void runHostStep(const StepInfo& step, std::byte* result_override);
  Result<LaunchResult> runLaunch(PreparedLaunch& launch, RunResult& result);
  Result<LaunchResult> useDevice(PreparedLaunch& launch);
  Status verifyStep(const StepInfo& step);

  std::shared_ptr<const LoadedModule> module_;
  const ModuleInfo& info_;
  Device* device_;
  SessionOptions options_;
  std::shared_ptr<SessionShare> share_;
  std::unique_ptr<SessionMemory> memory_;
  std::vector<Action> actions_;
  std::vector<bool> host_writes_;  // by tensor: written by a host step or an input
  std::vector<bool> host_reads_;   // by tensor: read by a host step, a reference or an output
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

uint32_t SessionImpl::endOfVtaSteps(uint32_t first) const {
  const auto rest = std::span(info_.steps).subspan(first);
  const auto end = std::ranges::find(rest, StepInfo::Kind::kHost, &StepInfo::kind);
  return first + static_cast<uint32_t>(end - rest.begin());
}

Status SessionImpl::prepare() {
  VTA_RETURN_IF_ERROR(checkDevice());
  if (options_.trace && device_ != nullptr) VTA_RETURN_IF_ERROR(device_->setTracing(true));
  VTA_ASSIGN_OR_RETURN(memory_, SessionMemory::create(*module_, module_->hw() ? device_ : nullptr));
  findSharedTensors();
  const bool single = options_.per_layer || options_.verify;
  for (uint32_t first = 0; first < info_.steps.size();) {
    if (info_.steps[first].kind == StepInfo::Kind::kHost) {
      actions_.emplace_back(first++);
      continue;
    }
    const uint32_t end = endOfVtaSteps(first);
    if (options_.verify) {
      VTA_RETURN_IF_ERROR(PreparedLaunch::check(*module_, first, end - first));
    }
    const uint32_t step_count = single ? 1 : end - first;
    for (; first < end; first += step_count) {
      VTA_ASSIGN_OR_RETURN(auto launch,
                           PreparedLaunch::create(*module_, *memory_, *device_, first, step_count));
      actions_.emplace_back(std::move(launch));
    }
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

Result<LaunchResult> SessionImpl::runLaunch(PreparedLaunch& launch, RunResult& result) {
  auto launched = useDevice(launch);
  if (!launched.ok()) return launched;
  const StepInfo& step = info_.steps[launch.firstStep()];
  if (options_.verify && !step.symbol.empty()) {
    VTA_RETURN_IF_ERROR(verifyStep(step));
    ++result.verified_steps;
  }
  return launched;
}

Result<LaunchResult> SessionImpl::useDevice(PreparedLaunch& launch) {
  // To the end, so that the host can go on with the results while the device is another session's.
  const std::lock_guard lock(share_->device);
  for (const uint32_t tensor : launch.inputTensors()) {
    if (host_writes_[tensor]) VTA_RETURN_IF_ERROR(memory_->toDevice(tensor));
  }
  auto launched = launch.run(options_.timeout);
  if (!launched.ok()) return launched;
  for (const uint32_t tensor : launch.outputTensors()) {
    if (host_reads_[tensor]) VTA_RETURN_IF_ERROR(memory_->toHost(tensor));
  }
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

Result<RunResult> SessionImpl::run(const TensorMap& inputs) {
  VTA_RETURN_IF_ERROR(checkInputs(inputs));
  RunResult result;
  const Clock::time_point start = Clock::now();
  copyInputs(inputs);
  for (const Action& action : actions_) {
    const Clock::time_point step_start = Clock::now();
    StepProfile& profile = result.profile.emplace_back();
    if (const uint32_t* host_step = std::get_if<uint32_t>(&action)) {
      profile.first_step = *host_step;
      runHostStep(info_.steps[*host_step], nullptr);
    } else {
      PreparedLaunch& launch = *std::get<std::unique_ptr<PreparedLaunch>>(action);
      profile.first_step = launch.firstStep();
      profile.step_count = launch.stepCount();
      VTA_ASSIGN_OR_RETURN(LaunchResult launched, runLaunch(launch, result));
      profile.counters = launched.counters;
      profile.trace = std::move(launched.trace);
      profile.program = &launch.program();
    }
    profile.seconds = secondsSince(step_start);
  }
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
