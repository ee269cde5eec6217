#include "driver/runtime/module_programs.h"

#include <fmt/format.h>

#include <span>

#include "driver/runtime/executor.h"

namespace vta::driver {
namespace {

std::span<const std::byte> bytesOf(const LoadedModule& module, const ActionInfo& action) {
  const CodeVariant& code = *module.info().programs[action.entry].variantFor();
  return module.programs().subspan(code.offset_bytes, code.size_bytes);
}

const HwConfig& hwOf(const LoadedModule& module, const ActionInfo& action) {
  return *module.info().executors[action.executor].hw;
}

Status checkBuffers(const ModuleInfo& info, std::span<const BufferDecl> buffers,
                    std::span<const int32_t> tensors) {
  if (buffers.size() != tensors.size()) {
    return invalidArgument(fmt::format("the program has {} buffers, the module names {}",
                                       buffers.size(), tensors.size()));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferDecl& buffer = buffers[i];
    const int32_t tensor = tensors[i];
    if ((tensor == -1) != (buffer.kind == BufferKind::kUop)) {
      return invalidArgument(fmt::format("buffer '{}' of the program has no tensor", buffer.name));
    }
    if (tensor >= 0 && buffer.size_bytes > info.tensors[tensor].size_bytes) {
      return invalidArgument(fmt::format("buffer '{}' of the program needs {} bytes, '{}' has {}",
                                         buffer.name, buffer.size_bytes, info.tensors[tensor].name,
                                         info.tensors[tensor].size_bytes));
    }
  }
  return {};
}

/// Programs of single steps have the kernel compiler's symbols.
void nameLayers(const ModuleInfo& info, const ActionInfo& action, std::vector<Symbol>& symbols) {
  if (action.step_count == 1) symbols = {{0, layerOf(info, action)}};
}

}  // namespace

Result<EncodedProgram> viewLaunch(const LoadedModule& module, const ActionInfo& action) {
  const ModuleInfo& info = module.info();
  // The module's hash covers the programs.
  VTA_ASSIGN_OR_RETURN(
      EncodedProgram program,
      viewProgram(bytesOf(module, action), hwOf(module, action), ProgramChecksum::kTrust));
  VTA_RETURN_IF_ERROR(checkBuffers(info, program.buffers, info.programs[action.entry].buffers));
  nameLayers(info, action, program.symbols);
  return program;
}

Result<Program> decodeLaunch(const LoadedModule& module, const ActionInfo& action) {
  VTA_ASSIGN_OR_RETURN(Program program,
                       deserializeProgram(bytesOf(module, action), hwOf(module, action)));
  nameLayers(module.info(), action, program.symbols);
  return program;
}

Result<Program> decodeLaunchInArena(const LoadedModule& module, const ActionInfo& action) {
  const ModuleInfo& info = module.info();
  const HwConfig& hw = hwOf(module, action);
  const std::vector<int32_t>& tensors = info.programs[action.entry].buffers;
  VTA_ASSIGN_OR_RETURN(Program program, decodeLaunch(module, action));
  VTA_RETURN_IF_ERROR(checkBuffers(info, program.buffers, tensors));
  const auto arena = static_cast<uint32_t>(program.buffers.size());
  for (Relocation& relocation : program.relocations) {
    const int32_t index = tensors[relocation.buffer];
    if (index < 0) continue;
    const TensorInfo& tensor = info.tensors[index];
    const SpaceInfo& space = info.spaceOf(tensor);
    // Others have no bytes in common with those of the arena.
    const bool is_in_arena =
        space.contents == SpaceInfo::Contents::kActivations && space.executor == action.executor;
    if (!is_in_arena) continue;
    MemInsn& mem = program.instructions[relocation.instruction].mem();
    mem.dram_base += static_cast<uint32_t>(tensor.offset_bytes / hw.elemBytes(mem.memory_type));
    relocation.buffer = arena;
  }
  program.buffers.push_back({"activations", BufferKind::kScratch, info.deviceArenaBytes(), 1});
  return program;
}

}  // namespace vta::driver
