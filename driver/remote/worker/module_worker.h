// ModuleWorker: runs one module for one client of a server, in a process of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "driver/remote/protocol/frame_channel.h"
#include "driver/remote/protocol/remote.pb.h"
#include "driver/runtime/session.h"

namespace vta::remote {

/// Its host code runs here; its launches go to the server's device through the channel, where they
/// are checked like those of any client. Requests are the client's and may be wrong.
class ModuleWorker {
 public:
  /// `channel` must outlive it.
  explicit ModuleWorker(FrameChannel& channel) : channel_(channel) {}

  /// Carries out requests until the server is gone, which is no error. Errors: what comes is not
  /// the protocol.
  Status serve();

 private:
  Status handle(const v1::ModuleRequest& request);
  Status begin(const v1::ModuleHello& hello);
  Status addModule(const std::string& piece);
  Status load();
  Status addInput(const v1::TensorPiece& piece);
  Status run();
  Status sendOutputs(const TensorMap& outputs);
  Status answer(const v1::ModuleReply& reply);

  FrameChannel& channel_;
  uint64_t module_bytes_ = 0;
  std::string file_;  // of the module, as far as it has come
  std::shared_ptr<const driver::LoadedModule> module_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<driver::Session> session_;
  std::vector<std::string> inputs_;  // by number of the input, as far as they have come
  Status earlier_error_;             // of an input, for the next run
};

}  // namespace vta::remote
