// A Verilated core in a shared library, opened and instantiated.
#pragma once

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "sim/rtl/model/vta_model.h"

namespace vta::sim {

/// One instance of a Verilated core. Keeps its library open. Instances are independent of each
/// other.
class RtlModel {
 public:
  /// Errors: kIoError for a library that cannot be loaded or has another interface version.
  static Result<std::unique_ptr<RtlModel>> open(const std::filesystem::path& library,
                                                uint32_t random_seed);
  ~RtlModel();
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  /// Valid while the model is; settle() reads the inputs and writes the outputs.
  VtaModelPorts& ports() { return *ports_; }
  /// Width of the data bus of each AXI4 master.
  uint32_t dataBytes() const { return api_->data_bytes; }
  /// How many of VtaModelPorts::axi are there.
  uint32_t axiPorts() const { return api_->axi_ports; }
  /// Has the outputs follow the inputs, within a cycle.
  void settle() { api_->settle(model_); }
  /// The rising edge of the clock: the cycle is over.
  void edge() { api_->edge(model_); }

  /// Variant kWaves only. Errors: kIoError, naming the file.
  Status openWaves(const std::filesystem::path& file);
  /// Completes the file of openWaves; nothing is written behind it.
  void closeWaves() { api_->close_waves(model_); }

  /// Variant kChecked only: a 32-bit word of a scratchpad element.
  uint32_t probe(VtaModelMemory memory, uint32_t index, uint32_t word) {
    return api_->probe(model_, memory, index, word);
  }
  /// Variant kChecked only, between settle and edge: what starts in the cycle.
  VtaModelStarts probeStarts() {
    VtaModelStarts starts;
    api_->probe_starts(model_, &starts);
    return starts;
  }
  /// Variant kCoverage only. Errors: kIoError, naming the file.
  Status writeCoverage(const std::filesystem::path& file);

  /// The failed assertion of the RTL, or null.
  const char* failure() { return api_->failure(model_); }

 private:
  RtlModel(void* library, const VtaModelApi* api, uint32_t random_seed);

  void* library_;
  const VtaModelApi* api_;
  VtaModel* model_;
  VtaModelPorts* ports_;
};

}  // namespace vta::sim
