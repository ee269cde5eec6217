#include "compiler/launch/vta_linker.h"

#include <string>
#include <utility>

#include "compiler/launch/launches.h"
#include "compiler/launch/overlap.h"

namespace vta::compiler {
namespace {

std::span<const StepInfo> stepsOf(const ActionInfo& action, const ModuleInfo& info) {
  return std::span(info.steps).subspan(action.first_step, action.step_count);
}

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
std::vector<uint64_t> placesOf(const ModuleInfo& info, uint32_t executor,
                               std::span<const int32_t> tensors) {
  const uint64_t behind = info.arenaBytes(executor);
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

/// `programs` are those of the steps, in their order.
Result<LinkedLaunch> linkSteps(std::span<const Program* const> programs, const ActionInfo& action,
                               const HwConfig& hw, const ModuleInfo& info) {
  const auto steps = stepsOf(action, info);
  std::vector<Program> parts;
  for (size_t i = 0; i < steps.size(); ++i) {
    parts.push_back(namedAfterLayer(*programs[i], info.layers[steps[i].layer].name));
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
  return LinkedLaunch{overlapLayers(linked.program, hw, placesOf(info, action.executor, buffers)),
                      std::move(buffers)};
}

class VtaLinker final : public NeighbourLinker {
 public:
  Result<LinkedCode> link(const ActionInfo& action, const ModuleInfo& info,
                          std::span<const std::byte> section) const override {
    const HwConfig& hw = *info.executors[action.executor].hw;
    std::vector<Program> programs;
    for (const StepInfo& step : stepsOf(action, info)) {
      const CodeVariant& code = *info.programs[step.entry].variantFor();
      VTA_ASSIGN_OR_RETURN(
          Program program,
          deserializeProgram(section.subspan(code.offset_bytes, code.size_bytes), hw));
      programs.push_back(std::move(program));
    }
    std::vector<const Program*> pointers;
    for (const Program& program : programs) pointers.push_back(&program);
    VTA_ASSIGN_OR_RETURN(LinkedLaunch launch, linkSteps(pointers, action, hw, info));
    VTA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, serializeProgram(launch.program, hw));
    return LinkedCode{{{"", std::move(bytes)}}, std::move(launch.buffers)};
  }
};

}  // namespace

Result<LinkedLaunch> linkLaunch(std::span<const Program> programs, const ActionInfo& action,
                                const HwConfig& hw, const ModuleInfo& info) {
  if (action.step_count == 1) {
    const uint32_t entry = info.steps[action.first_step].entry;
    return LinkedLaunch{programs[entry], info.programs[entry].buffers};
  }
  std::vector<const Program*> of_steps;
  for (const StepInfo& step : stepsOf(action, info)) of_steps.push_back(&programs[step.entry]);
  return linkSteps(of_steps, action, hw, info);
}

Result<ProgramInfo> appendProgram(uint32_t executor, const Program& program, const HwConfig& hw,
                                  std::vector<std::byte>& section) {
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(program, hw));
  return ProgramInfo{executor, {appendCode("", bytes, section)}, {}};
}

const NeighbourLinker& vtaLinker() {
  static const VtaLinker linker;
  return linker;
}

}  // namespace vta::compiler
