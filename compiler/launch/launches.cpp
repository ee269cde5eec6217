#include "compiler/launch/launches.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "compiler/launch/action_plan.h"
#include "compiler/launch/overlap.h"
#include "module/module_info_check.h"

namespace vta::compiler {
namespace {

/// The program of `step`, with one symbol that names the step's layer and buffers without names, so
/// that linking keeps every step's buffers apart.
Program namedAfterLayer(const Program& program, const std::string& layer) {
  Program named = program;
  for (BufferDecl& buffer : named.buffers) buffer.name.clear();
  named.symbols = {{0, layer}};
  return named;
}

/// Where the linked program's buffers lie in relation to each other: activations in their arena,
/// everything else behind it.
std::vector<uint64_t> placesOf(const ModuleInfo& info, std::span<const int32_t> tensors) {
  const uint64_t behind = info.deviceArenaBytes();
  std::vector<uint64_t> places;
  for (const int32_t index : tensors) {
    uint64_t place = behind;
    if (index >= 0) {
      const TensorInfo& tensor = info.tensors[index];
      if (info.spaceOf(tensor).contents == SpaceInfo::Contents::kActivations) {
        place = tensor.offset_bytes;
      }
    }
    places.push_back(place);
  }
  return places;
}

Result<LinkedLaunch> linkSteps(std::span<const Program> programs, const ActionInfo& action,
                               const HwConfig& hw, const ModuleInfo& info) {
  const auto steps = std::span(info.steps).subspan(action.first_step, action.step_count);
  std::vector<Program> parts;
  for (const StepInfo& step : steps) {
    parts.push_back(namedAfterLayer(programs[step.entry], info.layers[step.layer].name));
  }
  VTA_ASSIGN_OR_RETURN(LinkedProgram linked, linkPrograms(parts, hw));
  std::vector<int32_t> buffers(linked.program.buffers.size(), -1);
  for (size_t i = 0; i < steps.size(); ++i) {
    const std::vector<int32_t>& tensors = info.programs[steps[i].entry].buffers;
    for (size_t b = 0; b < tensors.size(); ++b) buffers[linked.buffer_maps[i][b]] = tensors[b];
  }
  // A kernel does not know whether its weights are constants.
  for (size_t b = 0; b < buffers.size(); ++b) {
    BufferDecl& buffer = linked.program.buffers[b];
    if (buffer.kind != BufferKind::kConstant || buffers[b] < 0) continue;
    if (!info.isConstant(info.tensors[buffers[b]])) buffer.kind = BufferKind::kInput;
  }
  // The steps overlap where their data allow it.
  return LinkedLaunch{overlapLayers(linked.program, hw, placesOf(info, buffers)),
                      std::move(buffers)};
}

}  // namespace

Result<LinkedLaunch> linkLaunch(std::span<const Program> programs, const ActionInfo& action,
                                const HwConfig& hw, const ModuleInfo& info) {
  if (action.step_count > 1) return linkSteps(programs, action, hw, info);
  const uint32_t entry = info.steps[action.first_step].entry;
  return LinkedLaunch{programs[entry], info.programs[entry].buffers};
}

Result<ProgramInfo> appendProgram(const Program& program, const HwConfig& hw,
                                  std::vector<std::byte>& section) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(program, hw));
  section.resize((section.size() + kModuleAlignmentBytes - 1) & ~(kModuleAlignmentBytes - 1));
  ProgramInfo info;
  info.executor = kVtaExecutor;
  info.offset_bytes = section.size();
  info.size_bytes = bytes.size();
  section.insert(section.end(), bytes.begin(), bytes.end());
  return info;
}

Status addActions(std::span<const Program> programs, std::vector<std::byte>& section,
                  ModuleInfo& info) {
  info.actions = planActions(info);
  for (ActionInfo& action : info.actions) {
    if (action.step_count == 1) continue;
    const HwConfig& hw = *info.executors[action.executor].hw;
    const std::string& layer = info.layers[info.steps[action.first_step].layer].name;
    auto linked = linkLaunch(programs, action, hw, info);
    if (!linked.ok()) {
      return linked.status().withContext(fmt::format("launch from layer '{}'", layer));
    }
    VTA_ASSIGN_OR_RETURN(ProgramInfo program, appendProgram(linked->program, hw, section));
    program.executor = action.executor;
    program.buffers = std::move(linked->buffers);
    action.entry = static_cast<uint32_t>(info.programs.size());
    info.programs.push_back(std::move(program));
  }
  return {};
}

}  // namespace vta::compiler
