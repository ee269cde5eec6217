#include "tools/vta_objdump_gpu.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "module/gpu/gpu_program.h"
#include "tools/common/files.h"
#include "tools/common/print.h"
#include "tools/common/terminal.h"

namespace vta::tools {
namespace {

using Align = Table::Align;

std::string threeNumbers(const std::array<uint32_t, 3>& numbers) {
  return fmt::format("{} x {} x {}", numbers[0], numbers[1], numbers[2]);
}

std::string codeText(const GpuCode& code) {
  const std::string target = code.target.empty() ? "" : " for " + code.target;
  const std::string features = code.features.empty() ? "" : " with " + code.features.names();
  return fmt::format("{}{}{}: {}", gpuCodeFormName(code.form), target, features,
                     formatBytes(code.code.size()));
}

std::string kernelTable(const GpuProgram& program) {
  Table table({{"kernel"},
               {"workgroup", Align::kRight},
               {"shared", Align::kRight},
               {"bindings", Align::kRight},
               {"codes"}});
  for (const GpuKernel& kernel : program.kernels) {
    std::string name = printableName(kernel.name);
    for (const GpuCode& code : kernel.codes) {
      const bool is_first = &code == &kernel.codes.front();
      table.addRow({is_first ? name : "", is_first ? threeNumbers(kernel.workgroup_size) : "",
                    is_first ? formatBytes(kernel.shared_bytes) : "",
                    is_first ? fmt::format("{}", kernel.bindings.size()) : "", codeText(code)});
    }
  }
  return table.toString();
}

std::string rangeText(const GpuBinding& binding, GpuAccess access) {
  constexpr std::array<const char*, 3> kAccesses = {"reads", "writes", "changes"};
  std::string source = "constants";
  if (binding.source == GpuBinding::Source::kScratch) source = "scratch";
  if (binding.source == GpuBinding::Source::kArgument) {
    source = fmt::format("tensor {}", binding.argument);
  }
  return fmt::format("{} {} bytes {} to {}", kAccesses[static_cast<size_t>(access)], source,
                     binding.offset_bytes, binding.offset_bytes + binding.size_bytes);
}

std::string dispatchTable(const GpuProgram& program) {
  Table table({{"dispatch", Align::kRight}, {"kernel"}, {"workgroups", Align::kRight}, {"ranges"}});
  for (size_t i = 0; i < program.dispatches.size(); ++i) {
    const GpuDispatch& dispatch = program.dispatches[i];
    const GpuKernel& kernel = program.kernels[dispatch.kernel];
    std::vector<std::string> head = {fmt::format("{}", i), printableName(kernel.name),
                                     threeNumbers(dispatch.workgroups)};
    for (size_t k = 0; k < dispatch.bindings.size(); ++k) {
      table.addRow(
          {head[0], head[1], head[2], rangeText(dispatch.bindings[k], kernel.bindings[k])});
      head = {"", "", ""};
    }
    if (dispatch.bindings.empty()) table.addRow({head[0], head[1], head[2], ""});
  }
  return table.toString();
}

/// The usual ends of files with such code.
std::string suffixOf(const GpuCode& code) {
  constexpr std::array<const char*, kGpuCodeFormCount> kSuffixes = {"spv", "cl", "ptx", "hsaco",
                                                                    "wgsl"};
  return kSuffixes[static_cast<size_t>(code.form)];
}

}  // namespace

bool isGpuProgram(const ModuleInfo& info, int64_t index) {
  return index >= 0 && static_cast<size_t>(index) < info.programs.size() &&
         info.executors[info.programs[index].executor].kind == kGpuKind;
}

Result<std::string> gpuProgramListing(const ModuleView& module, int64_t index) {
  std::string text;
  for (const CodeVariant& variant : module.info.programs[index].variants) {
    VTA_ASSIGN_OR_RETURN(const GpuProgram program, parseGpuProgram(module.programs.subspan(
                                                       variant.offset_bytes, variant.size_bytes)));
    const std::string target =
        variant.target.empty() ? "" : fmt::format(" for '{}'", printableName(variant.target));
    text += fmt::format("GPU program{}: {} tensors, {} scratch, {} constants\n\n{}\n{}\n", target,
                        program.argument_bytes.size(), formatBytes(program.scratch_bytes),
                        formatBytes(program.constants.size()), kernelTable(program),
                        dispatchTable(program));
  }
  return text;
}

Status writeGpuKernels(const ModuleView& module, int64_t index, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return ioError(fmt::format("{}: {}", folder, error.message()));
  int number = 0;
  for (const CodeVariant& variant : module.info.programs[index].variants) {
    VTA_ASSIGN_OR_RETURN(const GpuProgram program, parseGpuProgram(module.programs.subspan(
                                                       variant.offset_bytes, variant.size_bytes)));
    for (const GpuKernel& kernel : program.kernels) {
      for (size_t i = 0; i < kernel.codes.size(); ++i) {
        const GpuCode& code = kernel.codes[i];
        VTA_RETURN_IF_ERROR(
            writeFile(fmt::format("{}/{}-{}.{}", folder, number, i, suffixOf(code)), code.code));
      }
      ++number;
    }
  }
  return {};
}

}  // namespace vta::tools
