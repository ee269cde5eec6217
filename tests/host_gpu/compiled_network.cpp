#include "tests/host_gpu/compiled_network.h"

#include <random>
#include <utility>

#include "host_gpu/backend/options.h"

namespace vta::compiler {

Result<std::shared_ptr<const driver::LoadedModule>> compiledNetwork(
    const std::filesystem::path& file, Partition partition, const std::vector<std::string>& codes) {
  VTA_ASSIGN_OR_RETURN(const auto model, Model::load(file, {}));
  CompileOptions options;
  options.partition = partition;
  if (quantizes(partition)) {
    TensorMap sample;
    std::mt19937 random(7);
    std::normal_distribution<float> numbers;
    for (const auto& port : model->signature().inputs) {
      Tensor tensor = Tensor::zeros(port.dtype, port.shape);
      if (port.dtype == DType::kF32) {
        for (float& value : tensor.as<float>()) value = numbers(random);
      }
      sample.emplace(port.name, std::move(tensor));
    }
    options.quantize.samples = {sample};
  }
  options.quantize.code.quality = options.build.code.quality = codegen::CodeQuality::kDraft;
  codegen::GpuOptions of_gpu;
  of_gpu.codes = codes;
  codegen::setGpuOptions(options.build.code, std::move(of_gpu));
  VTA_ASSIGN_OR_RETURN(const CompiledModule compiled, model->compile(options));
  return driver::LoadedModule::fromMemory(compiled.elf);
}

std::vector<GpuProgram> gpuProgramsOf(const driver::LoadedModule& module) {
  std::vector<GpuProgram> programs;
  for (const ProgramInfo& entry : module.info().programs) {
    for (const CodeVariant& variant : entry.variants) {
      auto program =
          parseGpuProgram(module.programs().subspan(variant.offset_bytes, variant.size_bytes));
      if (program.ok()) programs.push_back(*std::move(program));
    }
  }
  return programs;
}

}  // namespace vta::compiler
