#include "tools/vta_objdump_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "module/metadata_json.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

using Align = Table::Align;

std::string layerTable(const ModuleInfo& info) {
  Table table({{"step", Align::kRight},
               {"layer"},
               {"op"},
               {"where"},
               {"MACs", Align::kRight},
               {"program", Align::kRight},
               {"host function"},
               {"how, or why not on the VTA"}});
  for (size_t i = 0; i < info.steps.size(); ++i) {
    const StepInfo& step = info.steps[i];
    const LayerInfo& layer = info.layers[step.layer];
    const bool is_function = info.callsFunction(step);
    const int64_t function = is_function ? int64_t{step.entry} : int64_t{step.reference};
    table.addRow({fmt::format("{}", i), layer.name, layer.op, layer.where,
                  layer.macs > 0 ? formatCount(layer.macs) : "",
                  is_function ? "" : fmt::format("{}", step.entry),
                  function < 0 ? "" : info.functions[function], layer.reason});
  }
  return table.toString();
}

/// The programs of several layers; nothing when there are none.
std::string launchTable(const ModuleInfo& info) {
  Table table({{"launch of steps"}, {"program", Align::kRight}, {"beside the host"}});
  bool is_empty = true;
  for (const ActionInfo& action : info.actions) {
    if (action.step_count == 1) continue;
    is_empty = false;
    table.addRow(
        {fmt::format("{} to {}", action.first_step, action.first_step + action.step_count - 1),
         fmt::format("{}", action.entry), action.in_background ? "yes" : "no"});
  }
  return is_empty ? "" : table.toString() + "\n";
}

std::string memoryMap(const ModuleInfo& info) {
  Table table(
      {{"memory"}, {"offset", Align::kRight}, {"bytes", Align::kRight}, {"type"}, {"tensor"}});
  std::vector<const TensorInfo*> tensors;
  for (const TensorInfo& tensor : info.tensors) tensors.push_back(&tensor);
  std::ranges::stable_sort(tensors, [](const TensorInfo* a, const TensorInfo* b) {
    return a->space != b->space ? a->space < b->space : a->offset_bytes < b->offset_bytes;
  });
  for (const TensorInfo* tensor : tensors) {
    table.addRow({info.spaceOf(*tensor).name, fmt::format("{:#x}", tensor->offset_bytes),
                  formatCount(tensor->size_bytes), describe(tensor->dtype, tensor->shape),
                  tensor->name});
  }
  return table.toString();
}

std::string portLines(const ModuleInfo& info, const std::vector<PortInfo>& ports,
                      const char* title) {
  std::string text;
  for (const PortInfo& port : ports) {
    const TensorInfo& tensor = info.tensors[port.tensor];
    text += fmt::format("{} '{}': {}{}\n", title, port.name, port.isCounted() ? "up to " : "",
                        describe(tensor.dtype, tensor.shape));
  }
  return text;
}

}  // namespace

std::string moduleListing(const ModuleView& module) {
  const ModuleInfo& info = module.info;
  std::string text =
      fmt::format("module of '{}', by SDK {}, host code for {} ({})\n", info.model,
                  info.sdk_version, info.target_triple, elfMachineName(module.elf_machine));
  for (const ExecutorInfo& executor : info.executors) {
    if (executor.hw) text += fmt::format("accelerator: {}\n", executor.hw->summary());
  }
  text += portLines(info, info.inputs, "input") + portLines(info, info.outputs, "output");
  text += fmt::format(
      "activations: {} on the host, {} on the device; constants {}; {} programs, {}\n\n",
      formatBytes(info.hostArenaBytes()), formatBytes(info.deviceArenaBytes()),
      formatBytes(module.constants.size()), info.kernelCount(),
      formatBytes(module.programs.size()));
  text += layerTable(info) + "\n" + launchTable(info);
  for (size_t i = 0; i < info.buckets.size(); ++i) {
    const ModuleInfo bucket = info.bucketOf(i);
    text += fmt::format("bucket {}\n{}{}\n{}\n{}", i, portLines(bucket, bucket.inputs, "input"),
                        portLines(bucket, bucket.outputs, "output"), layerTable(bucket),
                        launchTable(bucket));
  }
  return text + memoryMap(info);
}

std::string moduleJson(const ModuleView& module) { return toJson(module.info) + "\n"; }

}  // namespace vta::tools
