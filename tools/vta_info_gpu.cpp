#include "tools/vta_info_gpu.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "driver/device_registry.h"
#include "driver/gpu/counting_gpu.h"
#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/gpu_self_test.h"
#include "driver/runtime/session.h"
#include "module/executor_kinds.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

std::string limitsText(const driver::GpuDeviceInfo& info) {
  const driver::GpuLimits& limits = info.limits;
  return fmt::format("workgroups of {} invocations that share {}, subgroups of {}; runs {}{}{}",
                     limits.max_invocations, formatBytes(limits.shared_bytes), limits.subgroup_size,
                     gpuCodeFormName(info.form),
                     info.target.empty() ? "" : fmt::format(" for {}", info.target),
                     info.features.empty() ? "" : fmt::format(" with {}", info.features.names()));
}

nlohmann::ordered_json stepsJson(const driver::SelfTestReport& report) {
  nlohmann::ordered_json steps = nlohmann::json::array();
  for (const driver::SelfTestStep& step : report.steps) {
    steps.push_back({{"name", step.name},
                     {"outcome", driver::selfTestOutcomeName(step.outcome)},
                     {"detail", step.detail},
                     {"seconds", step.seconds}});
  }
  return steps;
}

}  // namespace

std::string gpuText() {
  const driver::GpuList list = driver::listGpus();
  std::string text = "GPUs (--host gpu:N):\n";
  for (size_t i = 0; i < list.gpus.size(); ++i) {
    const driver::GpuDeviceInfo& info = list.gpus[i].info;
    text += fmt::format("  {}: {} ({}, {}), {} memory, driver {}\n    {}\n", i, info.name,
                        info.interface, driver::gpuKindName(info.kind),
                        formatBytes(info.memory_bytes), info.driver, limitsText(info));
  }
  for (const std::string& problem : list.problems) text += fmt::format("  {}\n", problem);
  if (list.gpus.empty() && list.problems.empty()) text += "  this build drives none\n";
  return text;
}

nlohmann::ordered_json gpuJson() {
  nlohmann::ordered_json gpus = nlohmann::json::array();
  for (const driver::FoundGpu& gpu : driver::listGpus().gpus) {
    const driver::GpuDeviceInfo& info = gpu.info;
    const driver::GpuLimits& limits = info.limits;
    gpus.push_back({{"interface", info.interface},
                    {"name", info.name},
                    {"driver", info.driver},
                    {"kind", driver::gpuKindName(info.kind)},
                    {"memory_bytes", info.memory_bytes},
                    {"code", gpuCodeFormName(info.form)},
                    {"target", info.target},
                    {"features", info.features.names()},
                    {"max_buffer_bytes", limits.max_buffer_bytes},
                    {"max_range_bytes", limits.max_range_bytes},
                    {"shared_bytes", limits.shared_bytes},
                    {"max_invocations", limits.max_invocations},
                    {"max_workgroup_size", limits.max_workgroup_size},
                    {"max_workgroups", limits.max_workgroups},
                    {"max_bindings", limits.max_bindings},
                    {"subgroup_size", limits.subgroup_size},
                    {"records_times", info.records_times}});
  }
  return gpus;
}

GpuTests testGpus() {
  GpuTests tests;
  tests.json = nlohmann::json::array();
  const driver::GpuList list = driver::listGpus();
  for (const driver::FoundGpu& gpu : list.gpus) {
    tests.text += fmt::format("{} ({}):\n", gpu.info.name, gpu.interface->name);
    nlohmann::ordered_json entry = {{"interface", gpu.interface->name}, {"name", gpu.info.name}};
    const auto device = gpu.interface->open(gpu.number);
    if (device.ok()) {
      const driver::SelfTestReport report = driver::selfTestGpu(**device);
      tests.text += report.text();
      tests.passed = tests.passed && report.passed();
      entry["passed"] = report.passed();
      entry["steps"] = stepsJson(report);
    } else {
      tests.text += fmt::format("cannot be opened: {}\n", device.status().message());
      tests.passed = false;
      entry["passed"] = false;
      entry["error"] = device.status().message();
    }
    tests.json.push_back(std::move(entry));
  }
  for (const std::string& problem : list.problems) tests.text += problem + "\n";
  return tests;
}

Result<uint64_t> gpuBytesOfSession(const std::string& file) {
  VTA_ASSIGN_OR_RETURN(auto module, driver::LoadedModule::load(file));
  const ModuleInfo& info = module->info();
  driver::CountingGpu gpu;
  std::unique_ptr<driver::Device> vta;
  if (info.hw() != nullptr) {
    VTA_ASSIGN_OR_RETURN(vta, driver::createDevice("functional", *info.hw()));
  }
  driver::DeviceMap machines;
  for (const ExecutorInfo& executor : info.executors) {
    if (executor.kind == kGpuKind) machines[executor.name] = &gpu;
    if (executor.kind == kVtaKind) machines[executor.name] = vta.get();
  }
  driver::SessionOptions options;
  options.num_threads = 1;
  VTA_ASSIGN_OR_RETURN(const auto session,
                       driver::Session::create(std::move(module), machines, options));
  return gpu.usedBytes();
}

}  // namespace vta::tools
