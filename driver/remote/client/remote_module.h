// RemoteModule: a module that a server runs whole, host code included.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/remote/client/message_stream.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace vta::remote {

/// Nothing of the module runs in this process, so it may be one for another processor.
class RemoteModule {
 public:
  /// Sends the file of a module to a server, which loads it. Errors: those of viewModule and
  /// openModuleStream; kInvalidArgument when nothing of it runs on a VTA; kIoError with the
  /// server's reason when that runs no modules, has another device, or cannot load this one.
  static Result<std::unique_ptr<RemoteModule>> open(std::span<const std::byte> file,
                                                    const RemoteOptions& options);

  const ModuleInfo& info() const { return info_; }
  /// What it runs on: "tcp://board:7420".
  const std::string& deviceName() const { return device_name_; }
  /// The device's configuration.
  const HwConfig& hw() const { return hw_; }

  struct Run {
    TensorMap outputs;
    double seconds = 0;  // on the server, without the network
  };

  /// Runs it once. Errors: those of checkInputs; the server's. What the module keeps from run to
  /// run lives as long as this object.
  Result<Run> run(const TensorMap& inputs);

 private:
  RemoteModule(ModuleInfo info, HwConfig hw, std::string device_name,
               std::unique_ptr<ModuleStream> stream)
      : info_(std::move(info)),
        hw_(std::move(hw)),
        device_name_(std::move(device_name)),
        stream_(std::move(stream)) {}

  Status sendInputs(const TensorMap& inputs);
  Status addOutput(const v1::TensorPiece& piece, TensorMap& outputs) const;
  Status finishOutputs(TensorMap& outputs) const;

  ModuleInfo info_;
  HwConfig hw_;
  std::string device_name_;
  std::unique_ptr<ModuleStream> stream_;
};

}  // namespace vta::remote
