#include "driver/runtime/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "program/overlap.h"
#include "program/verify/verifier.h"

namespace vta::driver {
namespace {

/// The program of `step`, with one symbol that names the step's layer and buffers without names, so
/// that linking keeps every step's buffers apart.
Result<Program> loadProgram(const LoadedModule& module, const StepInfo& step) {
  const ModuleInfo& info = module.info();
  const ProgramInfo& place = info.programs[step.program];
  VTA_ASSIGN_OR_RETURN(
      Program program,
      deserializeProgram(module.programs().subspan(place.offset_bytes, place.size_bytes),
                         *module.hw()));
  if (program.buffers.size() != step.buffers.size()) {
    return invalidArgument(fmt::format("the program has {} buffers, the module names {}",
                                       program.buffers.size(), step.buffers.size()));
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    BufferDecl& buffer = program.buffers[i];
    const int32_t tensor = step.buffers[i];
    if ((tensor == -1) != (buffer.kind == BufferKind::kUop)) {
      return invalidArgument(fmt::format("buffer '{}' of the program has no tensor", buffer.name));
    }
    if (tensor >= 0 && buffer.size_bytes > info.tensors[tensor].size_bytes) {
      return invalidArgument(fmt::format("buffer '{}' of the program needs {} bytes, '{}' has {}",
                                         buffer.name, buffer.size_bytes, info.tensors[tensor].name,
                                         info.tensors[tensor].size_bytes));
    }
    buffer.name.clear();
  }
  program.symbols = {{0, info.layers[step.layer].name}};
  return program;
}

/// Steps as one program, and the tensor of each of its buffers (-1 for the micro-ops).
struct LinkedSteps {
  Program program;
  std::vector<int32_t> buffer_tensors;
  std::vector<uint32_t> input_tensors;
  std::vector<uint32_t> output_tensors;
};

void noteActivation(BufferKind kind, uint32_t tensor, LinkedSteps& linked) {
  const auto contains = [tensor](const std::vector<uint32_t>& tensors) {
    return std::ranges::find(tensors, tensor) != tensors.end();
  };
  const bool is_written = contains(linked.output_tensors);
  if (kind == BufferKind::kOutput) {
    if (!is_written) linked.output_tensors.push_back(tensor);
  } else if (!is_written && !contains(linked.input_tensors)) {
    linked.input_tensors.push_back(tensor);
  }
}

/// Where the linked program's buffers lie in relation to each other: activations in their arena,
/// everything else behind it.
std::vector<uint64_t> placesOf(const ModuleInfo& info, const LinkedSteps& linked) {
  std::vector<uint64_t> places;
  for (const int32_t tensor : linked.buffer_tensors) {
    const bool is_activation = tensor >= 0 && info.tensors[tensor].storage == Storage::kDevice;
    places.push_back(is_activation ? info.tensors[tensor].offset_bytes : info.device_arena_bytes);
  }
  return places;
}

/// Makes the activations of `linked` one buffer, so that the verifier sees which of them share
/// memory.
void mergeActivations(const ModuleInfo& info, const HwConfig& hw, LinkedSteps& linked) {
  const std::vector<uint64_t> places = placesOf(info, linked);
  Program& program = linked.program;
  const auto arena = static_cast<uint32_t>(program.buffers.size());
  for (Relocation& relocation : program.relocations) {
    if (places[relocation.buffer] == info.device_arena_bytes) continue;
    MemInsn& mem = program.instructions[relocation.instruction].mem();
    mem.dram_base +=
        static_cast<uint32_t>(places[relocation.buffer] / hw.elemBytes(mem.memory_type));
    relocation.buffer = arena;
  }
  program.buffers.push_back({"activations", BufferKind::kScratch, info.device_arena_bytes, 1});
}

Result<LinkedSteps> linkSteps(const LoadedModule& module, uint32_t first_step,
                              uint32_t step_count) {
  const ModuleInfo& info = module.info();
  const auto steps = std::span(info.steps).subspan(first_step, step_count);
  std::vector<Program> programs;
  for (const StepInfo& step : steps) {
    auto program = loadProgram(module, step);
    if (!program.ok()) {
      return program.status().withContext(fmt::format("layer '{}'", info.layers[step.layer].name));
    }
    programs.push_back(*std::move(program));
  }
  VTA_ASSIGN_OR_RETURN(LinkedProgram program, linkPrograms(programs, *module.hw()));
  LinkedSteps linked;
  linked.program = std::move(program.program);
  linked.buffer_tensors.assign(linked.program.buffers.size(), -1);
  for (size_t i = 0; i < steps.size(); ++i) {
    for (size_t b = 0; b < steps[i].buffers.size(); ++b) {
      const int32_t tensor = steps[i].buffers[b];
      linked.buffer_tensors[program.buffer_maps[i][b]] = tensor;
      if (tensor >= 0 && info.tensors[tensor].storage == Storage::kDevice) {
        noteActivation(programs[i].buffers[b].kind, tensor, linked);
      }
    }
  }
  // The steps overlap where their data allow it.
  if (steps.size() > 1) {
    linked.program = overlapLayers(linked.program, *module.hw(), placesOf(info, linked));
  }
  return linked;
}

}  // namespace

Result<std::unique_ptr<PreparedLaunch>> PreparedLaunch::create(const LoadedModule& module,
                                                               SessionMemory& memory,
                                                               Device& device, uint32_t first_step,
                                                               uint32_t step_count) {
  const ModuleInfo& info = module.info();
  VTA_ASSIGN_OR_RETURN(LinkedSteps linked, linkSteps(module, first_step, step_count));
  std::vector<uint64_t> addresses;
  for (const int32_t tensor : linked.buffer_tensors) {
    addresses.push_back(tensor < 0 ? 0 : memory.deviceAddress(tensor));
  }
  auto program = LoadedProgram::load(device, std::move(linked.program), addresses);
  if (!program.ok()) {
    return program.status().withContext(
        fmt::format("layer '{}'", info.layers[info.steps[first_step].layer].name));
  }
  std::unique_ptr<PreparedLaunch> launch(
      new PreparedLaunch(*std::move(program), first_step, step_count));
  launch->input_tensors_ = std::move(linked.input_tensors);
  launch->output_tensors_ = std::move(linked.output_tensors);
  return launch;
}

Status PreparedLaunch::check(const LoadedModule& module, uint32_t first_step, uint32_t step_count) {
  VTA_ASSIGN_OR_RETURN(LinkedSteps linked, linkSteps(module, first_step, step_count));
  mergeActivations(module.info(), *module.hw(), linked);
  return verifyProgramStatus(linked.program, *module.hw());
}

}  // namespace vta::driver
