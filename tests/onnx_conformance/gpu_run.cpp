#include "tests/onnx_conformance/gpu_run.h"

#include <span>
#include <utility>

#include "base/folders/whole_file.h"
#include "base/temporary_folder.h"
#include "compiler/compile.h"
#include "driver/gpu/gpu_registry.h"
#include "driver/runtime/loaded_module.h"

namespace vta::conformance {
namespace {

/// The compiler reads files.
Result<std::shared_ptr<const compiler::Model>> loadModel(const std::string& model) {
  VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("vta-conformance"));
  const std::filesystem::path file = folder.path() / "model.onnx";
  if (writeWhole(file, std::as_bytes(std::span(model)), 0600) != 0) {
    return ioError("the model cannot be written");
  }
  return compiler::Model::load(file, {});
}

Result<std::shared_ptr<const driver::LoadedModule>> compileModel(const std::string& model) {
  VTA_ASSIGN_OR_RETURN(const auto loaded, loadModel(model));
  compiler::CompileOptions options;
  options.partition = compiler::Partition::kGpu;
  options.build.code.parallel = false;
  options.build.code.quality = codegen::CodeQuality::kQuick;
  VTA_ASSIGN_OR_RETURN(const compiler::CompiledModule compiled, loaded->compile(options));
  return driver::LoadedModule::fromMemory(compiled.elf);
}

}  // namespace

Result<std::unique_ptr<GpuRun>> GpuRun::create(const std::string& model, const std::string& gpu) {
  VTA_ASSIGN_OR_RETURN(auto module, compileModel(model));
  std::unique_ptr<GpuRun> run(new GpuRun());
  const ModuleInfo& info = module->info();
  for (const StepInfo& step : info.steps) {
    ++(info.executorOf(step).kind == kGpuKind ? run->steps_on_gpu_ : run->steps_on_cpu_);
  }
  VTA_ASSIGN_OR_RETURN(run->device_, driver::openGpu(gpu));
  driver::SessionOptions options;
  options.num_threads = 1;
  driver::DeviceMap machines;  // none for a case that runs on the CPU as a whole
  for (const ExecutorInfo& executor : info.executors) {
    if (executor.kind == kGpuKind) machines[executor.name] = run->device_.get();
  }
  VTA_ASSIGN_OR_RETURN(run->session_,
                       driver::Session::create(std::move(module), machines, options));
  return run;
}

Result<TensorMap> GpuRun::run(const TensorMap& inputs) {
  VTA_ASSIGN_OR_RETURN(driver::RunResult result, session_->run(inputs));
  return std::move(result.outputs);
}

}  // namespace vta::conformance
