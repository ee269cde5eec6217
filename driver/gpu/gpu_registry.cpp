#include "driver/gpu/gpu_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "driver/gpu/gpu_self_test.h"
#include "driver/gpu/try_interface.h"

namespace vta::driver {
namespace {

std::vector<GpuInterface>& interfaceRegistry() {
  static std::vector<GpuInterface> interfaces;
  return interfaces;
}

std::string inLowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::optional<size_t> numberIn(std::string_view text) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Result<std::vector<GpuDeviceInfo>> listed(const GpuInterface& interface) {
  VTA_RETURN_IF_ERROR(tryInterface(interface));
  return interface.list();
}

const FoundGpu* choose(const std::vector<FoundGpu>& gpus, std::string_view choice) {
  if (const auto number = numberIn(choice)) {
    return *number < gpus.size() ? &gpus[*number] : nullptr;
  }
  const auto by_interface = std::ranges::find_if(
      gpus, [&](const FoundGpu& gpu) { return gpu.interface->name == choice; });
  if (by_interface != gpus.end()) return &*by_interface;
  const auto by_name = std::ranges::find_if(gpus, [&](const FoundGpu& gpu) {
    return inLowerCase(gpu.info.name).find(inLowerCase(choice)) != std::string::npos;
  });
  return by_name == gpus.end() ? nullptr : &*by_name;
}

Status noGpu(std::string_view choice, const GpuList& list) {
  std::string message =
      choice.empty() || list.gpus.empty()
          ? "this machine has no GPU that this program can use; compile the model "
            "with another --partition to run it without one"
          : fmt::format("there is no GPU '{}'", choice);
  for (size_t i = 0; i < list.gpus.size(); ++i) {
    const FoundGpu& gpu = list.gpus[i];
    message += fmt::format("{} gpu:{} '{}' ({})", i == 0 ? "; this machine has" : ",", i,
                           gpu.info.name, gpu.interface->name);
  }
  for (const std::string& problem : list.problems) message += "\n  " + problem;
  return notFound(message);
}

}  // namespace

bool registerGpuInterface(const GpuInterface& interface) {
  std::vector<GpuInterface>& all = interfaceRegistry();
  if (std::ranges::find(all, interface.name, &GpuInterface::name) != all.end()) return true;
  all.insert(std::ranges::upper_bound(all, interface.order, {}, &GpuInterface::order), interface);
  return true;
}

std::span<const GpuInterface> gpuInterfaces() { return interfaceRegistry(); }

GpuList listGpus() {
  GpuList list;
  for (const GpuInterface& interface : gpuInterfaces()) {
    const auto infos = listed(interface);
    if (!infos.ok()) {
      list.problems.push_back(fmt::format("{}: {}", interface.name, infos.status().message()));
      continue;
    }
    if (infos->empty()) list.problems.push_back(fmt::format("{}: no GPU", interface.name));
    for (size_t i = 0; i < infos->size(); ++i) list.gpus.push_back({&interface, i, (*infos)[i]});
  }
  std::ranges::stable_sort(list.gpus, {}, [](const FoundGpu& gpu) { return gpu.info.kind; });
  return list;
}

Result<std::unique_ptr<GpuDevice>> openGpu(std::string_view choice) {
  constexpr std::string_view kPrefix = "gpu:";
  if (choice.starts_with(kPrefix)) choice.remove_prefix(kPrefix.size());
  const GpuList list = listGpus();
  const FoundGpu* gpu = choose(list.gpus, choice);
  if (gpu == nullptr) return noGpu(choice, list);
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<GpuDevice> device, gpu->interface->open(gpu->number));
  VTA_RETURN_IF_ERROR(trustGpu(*device));
  return device;
}

}  // namespace vta::driver
