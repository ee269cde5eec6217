#include "tools/vta_run/full/remote_run.h"

#include <utility>

#include "driver/remote/client/remote_module.h"

namespace vta::tools {
namespace {

class RemoteRun final : public WholeModule {
 public:
  explicit RemoteRun(std::unique_ptr<remote::RemoteModule> module) : module_(std::move(module)) {}

  const ModuleInfo& info() const override { return module_->info(); }
  const std::string& deviceName() const override { return module_->deviceName(); }
  const HwConfig& hw() const override { return module_->hw(); }

  Result<driver::RunResult> run(const TensorMap& inputs) override {
    VTA_ASSIGN_OR_RETURN(remote::RemoteModule::Run run, module_->run(inputs));
    driver::RunResult result;
    result.outputs = std::move(run.outputs);
    result.seconds = run.seconds;
    return result;
  }

 private:
  std::unique_ptr<remote::RemoteModule> module_;
};

}  // namespace

Result<std::unique_ptr<WholeModule>> openRemoteModule(std::span<const std::byte> file,
                                                      const driver::DeviceSpec& device) {
  VTA_ASSIGN_OR_RETURN(const remote::RemoteOptions options,
                       remote::parseRemoteOptions(device.options));
  VTA_ASSIGN_OR_RETURN(auto module, remote::RemoteModule::open(file, options));
  return std::unique_ptr<WholeModule>(std::make_unique<RemoteRun>(std::move(module)));
}

}  // namespace vta::tools
