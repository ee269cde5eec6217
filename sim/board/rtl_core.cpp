#include <utility>

#include "sim/board/one_block_core.h"
#include "sim/rtl/rtl_simulator.h"

namespace vta::sim {
namespace {

/// Between two looks at what the driver wants.
constexpr uint64_t kSliceCycles = 500;
/// Of a launch with a bus error: the burst that meets it. The stream's own are the first ones.
constexpr uint64_t kBadReadBurst = 3;

class RtlCore final : public OneBlockCore {
 public:
  explicit RtlCore(std::unique_ptr<RtlSimulator> simulator) : simulator_(std::move(simulator)) {}

  Result<uint32_t> read(uint32_t offset) override { return simulator_->readRegister(offset); }

  Status write(uint32_t offset, uint32_t value) override {
    VTA_RETURN_IF_ERROR(simulator_->writeRegister(offset, value));
    if (givesUp(offset, value)) {
      busy_ = false;
    } else if (offset == reg::kControl && (value & reg::kControlLaunch) != 0) {
      busy_ = true;
    }
    return {};
  }

  bool isBusy() const override { return busy_; }

  Status advance() override {
    VTA_RETURN_IF_ERROR(simulator_->advance(kSliceCycles).status());
    VTA_ASSIGN_OR_RETURN(const uint32_t status, simulator_->readRegister(reg::kStatus));
    busy_ = (status & reg::kStatusDone) == 0;
    return {};
  }

  bool interrupt() const override { return simulator_->model().ports().irq != 0; }

  void reset() override {
    simulator_->reset();
    busy_ = false;
  }

  void setBusError(bool on) override {
    BusErrors errors;
    if (on) errors.read_burst = kBadReadBurst;
    simulator_->injectBusErrors(errors);
  }

  bool setArithmeticFault(const std::optional<ArithmeticFault>& fault) override {
    return !fault.has_value();
  }

 private:
  std::unique_ptr<RtlSimulator> simulator_;
  bool busy_ = false;
};

}  // namespace

Result<std::unique_ptr<BoardCore>> makeRtlCore(const HwConfig& hw, Dram& dram) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<RtlSimulator> simulator,
                       RtlSimulator::create(hw, dram, ModelCache::standard(), RtlOptions{}));
  return std::unique_ptr<BoardCore>(std::make_unique<RtlCore>(std::move(simulator)));
}

}  // namespace vta::sim
