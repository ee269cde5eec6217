#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "api/runtime/handles.h"
#include "driver/gpu/gpu_registry.h"
#include "module/analysis/text_rows.h"
#include "module/module_info.h"

namespace {

using vta::Status;
using vta::StatusCode;
using vta::Tensor;
using vta::TensorInfo;
using vta::api::checkIdle;
using vta::api::guarded;

vta::driver::SessionOptions optionsOf(const vta_session_options* given) {
  const vta_session_options options = vta::api::knownOptions(given, vta_session_options_init);
  vta::driver::SessionOptions session;
  session.per_layer = options.per_layer != 0;
  session.verify = options.verify != 0;
  session.num_threads = options.num_threads;
  if (options.timeout_ms > 0) session.timeout = std::chrono::milliseconds(options.timeout_ms);
  return session;
}

/// Opens a GPU if the module has an executor for one, or if it is named: then it has to be there.
Status openGpuOf(vta_session& session, const vta_session_options* given) {
  const vta_session_options options = vta::api::knownOptions(given, vta_session_options_init);
  const std::string_view choice = options.gpu == nullptr ? "" : options.gpu;
  const bool uses_gpu = session.module->info().findExecutorOfKind(vta::kGpuKind).has_value();
  if (!uses_gpu && choice.empty()) return {};
  VTA_ASSIGN_OR_RETURN(session.gpu, vta::driver::openGpu(choice));
  return {};
}

vta::driver::DeviceMap devicesOf(const vta_session& session, vta::driver::Device* device) {
  const vta::ModuleInfo& info = session.module->info();
  vta::driver::DeviceMap devices = vta::driver::oneDeviceFor(info, device);
  for (const vta::ExecutorInfo& executor : info.executors) {
    if (executor.kind == vta::kGpuKind) devices[executor.name] = session.gpu.get();
  }
  return devices;
}

const TensorInfo& tensorOf(const vta_session& session, const vta::PortInfo& port) {
  return session.module->info().tensors[port.tensor];
}

Status checkInputs(const vta_session& session) {
  for (const vta::PortInfo& port : session.module->info().inputs) {
    if (session.inputs.contains(port.name)) continue;
    return vta::invalidArgument(fmt::format(
        "input '{}' was not set; call vta_session_set_input before the run", port.name));
  }
  return {};
}

Status runOnce(vta_session& session) {
  session.result.reset();
  std::unique_lock<std::mutex> turn;
  if (session.device) turn = std::unique_lock(session.device->mutex);
  VTA_ASSIGN_OR_RETURN(vta::driver::RunResult result, session.session->run(session.inputs));
  session.result = std::move(result);
  return {};
}

/// The shape of so many bytes of the only input. Of a run's words, which lie along dimension 1,
/// they may be the first ones alone.
std::vector<int64_t> shapeOfWords(const vta::ModuleInfo& module, const TensorInfo& info,
                                  size_t size_bytes) {
  std::vector<int64_t> shape = info.shape;
  const int64_t most = vta::mostWordsOfRun(module);
  if (most == 1 || shape.size() < 2 || shape[1] != most) return shape;
  const uint64_t word_bytes = info.size_bytes / static_cast<uint64_t>(most);
  const uint64_t words = size_bytes / word_bytes;
  const bool is_part = size_bytes < info.size_bytes && words > 0 && size_bytes % word_bytes == 0;
  if (is_part) shape[1] = static_cast<int64_t>(words);
  return shape;
}

Status setInput(vta_session& session, size_t index, const void* data, size_t size_bytes) {
  const auto& inputs = session.module->info().inputs;
  if (index >= inputs.size()) {
    return vta::invalidArgument(
        fmt::format("input {} does not exist: the module has {}", index, inputs.size()));
  }
  const TensorInfo& info = tensorOf(session, inputs[index]);
  const std::vector<int64_t> shape = shapeOfWords(session.module->info(), info, size_bytes);
  const bool fits = size_bytes == info.size_bytes || shape != info.shape;
  if (!fits || data == nullptr) {
    return vta::invalidArgument(fmt::format(
        "input '{}' is {} and has {} bytes, not {}", inputs[index].name,
        vta::describe(info.dtype, info.shape), info.size_bytes, data == nullptr ? 0 : size_bytes));
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  session.inputs[inputs[index].name] = {info.dtype, shape, {bytes, bytes + size_bytes}};
  return {};
}

/// A row of the profile: a layer, if they are known, or a launch or step of the run.
const vta::driver::StepProfile& rowOf(const vta::driver::RunResult& result, size_t index) {
  return result.layers.empty() ? result.profile[index] : result.layers[index].alone;
}

/// The module's layers from that of step `first` to that of step `last`, both of `network`: where
/// they begin and how many there are. Those of a bucket have the same names; if one has not, all.
std::pair<size_t, size_t> layersOf(const vta::ModuleInfo& module, const vta::ModuleInfo& network,
                                   const vta::StepInfo& first, const vta::StepInfo& last) {
  const bool is_whole = &module == &network;
  size_t numbers[] = {first.layer, last.layer};
  for (size_t& number : numbers) {
    if (is_whole) continue;
    const std::string& name = network.layers[number].name;
    const auto found = std::ranges::find(module.layers, name, &vta::LayerInfo::name);
    if (found == module.layers.end()) return {0, module.layers.size()};
    number = static_cast<size_t>(found - module.layers.begin());
  }
  const auto [least, most] = std::minmax(numbers[0], numbers[1]);
  return {least, most - least + 1};
}

/// An output of the last run.
vta::Result<const Tensor*> outputOf(const vta_session* session, size_t index) {
  VTA_RETURN_IF_ERROR(checkIdle(session));
  if (!session->result) return vta::invalidArgument("there are no outputs before a run");
  const auto& outputs = session->module->info().outputs;
  if (index >= outputs.size()) {
    return vta::invalidArgument(
        fmt::format("output {} does not exist: the module has {}", index, outputs.size()));
  }
  return &session->result->outputs.at(outputs[index].name);
}

}  // namespace

Status vta::api::checkIdle(const vta_session* session) {
  if (session == nullptr) return invalidArgument("the session is NULL");
  if (!session->running.valid()) return {};
  return invalidArgument("a run is in the background; call vta_session_wait first");
}

extern "C" {

void vta_session_options_init(vta_session_options* options) {
  *options = {sizeof(vta_session_options), 0, 0, 0, 0, nullptr};
}

vta_status vta_session_create(vta_module* module, vta_device* device,
                              const vta_session_options* options, vta_session** session) {
  return guarded([&]() -> Status {
    if (module == nullptr || session == nullptr) {
      return vta::invalidArgument("vta_session_create needs a module and a place for the session");
    }
    auto created = std::make_unique<vta_session>();
    created->module = module->module;
    VTA_RETURN_IF_ERROR(openGpuOf(*created, options));
    vta::driver::Device* used = nullptr;
    std::unique_lock<std::mutex> turn;
    if (device != nullptr) {
      created->device = device->shared;
      used = created->device->device.get();
      turn = std::unique_lock(created->device->mutex);
    }
    VTA_ASSIGN_OR_RETURN(created->session,
                         vta::driver::Session::create(created->module, devicesOf(*created, used),
                                                      optionsOf(options)));
    *session = created.release();
    return {};
  });
}

void vta_session_release(vta_session* session) {
  if (session == nullptr) return;
  if (session->running.valid()) session->running.wait();
  // Releasing gives memory back to the device.
  const std::shared_ptr<vta::api::SharedDevice> device = session->device;
  std::unique_lock<std::mutex> turn;
  if (device) turn = std::unique_lock(device->mutex);
  delete session;
}

vta_status vta_session_set_input(vta_session* session, size_t index, const void* data,
                                 size_t size_bytes) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    return setInput(*session, index, data, size_bytes);
  });
}

vta_status vta_session_run(vta_session* session) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    VTA_RETURN_IF_ERROR(checkInputs(*session));
    return runOnce(*session);
  });
}

vta_status vta_session_start(vta_session* session) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    VTA_RETURN_IF_ERROR(checkInputs(*session));
    session->running = std::async(std::launch::async, [session] { return runOnce(*session); });
    return {};
  });
}

vta_status vta_session_wait(vta_session* session, uint64_t timeout_ms) {
  return guarded([&]() -> Status {
    if (session == nullptr || !session->running.valid()) {
      return vta::invalidArgument("no run is in the background; call vta_session_start first");
    }
    // Longer than anybody waits, and short enough for the clock.
    constexpr uint64_t kLongestMs = uint64_t{1000} * 60 * 60 * 24 * 365;
    const std::chrono::milliseconds timeout(std::min(timeout_ms, kLongestMs));
    if (session->running.wait_for(timeout) != std::future_status::ready) {
      return {StatusCode::kDeadlineExceeded,
              fmt::format("the run has not ended after {} ms; wait again", timeout.count())};
    }
    return session->running.get();
  });
}

vta_status vta_session_output(const vta_session* session, size_t index, const void** data,
                              size_t* size_bytes) {
  return guarded([&]() -> Status {
    VTA_ASSIGN_OR_RETURN(const Tensor* found, outputOf(session, index));
    // An output without elements has an address, too.
    static constexpr std::byte kNothing{};
    *data = found->data.empty() ? &kNothing : found->data.data();
    if (size_bytes != nullptr) *size_bytes = found->data.size();
    return {};
  });
}

vta_status vta_session_output_shape(const vta_session* session, size_t index, const int64_t** shape,
                                    size_t* rank) {
  return guarded([&]() -> Status {
    VTA_ASSIGN_OR_RETURN(const Tensor* found, outputOf(session, index));
    if (shape != nullptr) *shape = found->shape.data();
    if (rank != nullptr) *rank = found->shape.size();
    return {};
  });
}

vta_status vta_session_clear_state(vta_session* session) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    std::unique_lock<std::mutex> turn;
    if (session->device) turn = std::unique_lock(session->device->mutex);
    return session->session->clearState();
  });
}

size_t vta_session_profile_count(const vta_session* session) {
  if (!session->result || session->running.valid()) return 0;
  const vta::driver::RunResult& result = *session->result;
  return result.layers.empty() ? result.profile.size() : result.layers.size();
}

uint64_t vta_session_profile_cycles_in_run(const vta_session* session, size_t index) {
  if (index >= vta_session_profile_count(session)) return 0;
  const vta::driver::RunResult& result = *session->result;
  return result.layers.empty() ? result.profile[index].counters.cycles
                               : result.layers[index].cycles_in_run;
}

double vta_session_profile_copy_seconds(const vta_session* session, size_t index) {
  if (index >= vta_session_profile_count(session)) return 0;
  return rowOf(*session->result, index).copy_seconds;
}

vta_status vta_session_profile(const vta_session* session, size_t index, vta_profile_row* row) {
  return guarded([&]() -> Status {
    VTA_RETURN_IF_ERROR(checkIdle(session));
    const size_t count = vta_session_profile_count(session);
    if (index >= count) {
      return vta::invalidArgument(
          fmt::format("row {} does not exist: the profile has {}", index, count));
    }
    const vta::driver::StepProfile& step = rowOf(*session->result, index);
    const vta::ModuleInfo& network = *session->result->network;
    const auto& steps = network.steps;
    const vta::StepInfo& last_step = steps[step.first_step + step.step_count - 1];
    const auto [first_layer, layer_count] =
        layersOf(session->module->info(), network, steps[step.first_step], last_step);
    const vta::LaunchCounters& counters = step.counters;
    *row = {first_layer,
            layer_count,
            network.executorOf(steps[step.first_step]).kind == vta::kVtaKind,
            step.seconds,
            counters.cycles,
            counters.gemm_uops,
            counters.alu_uops,
            counters.fetch.read_bytes + counters.load.read_bytes + counters.compute.read_bytes,
            counters.store.write_bytes,
            counters.compute.busy_cycles};
    return {};
  });
}

double vta_session_seconds(const vta_session* session) {
  return session->result && !session->running.valid() ? session->result->seconds : 0;
}

uint64_t vta_session_cycles(const vta_session* session) {
  uint64_t cycles = 0;
  if (!session->result || session->running.valid()) return 0;
  for (const auto& step : session->result->profile) cycles += step.counters.cycles;
  return cycles;
}

double vta_session_clock_mhz(const vta_session* session) {
  return session->device ? session->device->device->info().hw.params().clockMhz() : 0;
}

}  // extern "C"
