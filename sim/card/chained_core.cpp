#include "sim/card/chained_core.h"

#include <Vcard_ap_ctrl_chain.h>
#include <verilated.h>

#include <utility>

namespace vta::sim {
namespace {

/// Until an access is answered, or a start has reached the core, at most.
constexpr int kMostCycles = 64;

class ChainedCore final : public BoardCore {
 public:
  explicit ChainedCore(std::unique_ptr<BoardCore> core)
      : core_(std::move(core)), model_(&context_) {
    reset();
  }
  ~ChainedCore() override { model_.final(); }

  Result<uint32_t> read(uint32_t offset) override {
    model_.s_axil_araddr_i = static_cast<uint16_t>(offset);
    model_.s_axil_arvalid_i = 1;
    VTA_RETURN_IF_ERROR(cycleUntil([&] { return model_.s_axil_arready_o != 0; }));
    model_.s_axil_arvalid_i = 0;
    model_.s_axil_rready_i = 1;
    uint32_t value = 0;
    VTA_RETURN_IF_ERROR(cycleUntil([&] {
      value = model_.s_axil_rdata_o;
      return model_.s_axil_rvalid_o != 0;
    }));
    model_.s_axil_rready_i = 0;
    return value;
  }

  Status write(uint32_t offset, uint32_t value) override {
    model_.s_axil_awaddr_i = static_cast<uint16_t>(offset);
    model_.s_axil_wdata_i = value;
    model_.s_axil_wstrb_i = 15;
    model_.s_axil_awvalid_i = model_.s_axil_wvalid_i = 1;
    VTA_RETURN_IF_ERROR(cycleUntil([&] { return model_.s_axil_awready_o != 0; }));
    model_.s_axil_awvalid_i = model_.s_axil_wvalid_i = 0;
    model_.s_axil_bready_i = 1;
    VTA_RETURN_IF_ERROR(cycleUntil([&] { return model_.s_axil_bvalid_o != 0; }));
    model_.s_axil_bready_i = 0;
    return cycle(kMostCycles);  // a start reaches the core
  }

  bool isBusy() const override { return core_->isBusy(); }

  Status advance() override {
    VTA_RETURN_IF_ERROR(core_->advance());
    return cycle(1);
  }

  bool interrupt() const override { return model_.irq_o != 0; }

  void reset() override {
    core_->reset();
    model_.rst_ni = 0;
    static_cast<void>(cycle(2));
    model_.rst_ni = 1;
  }

  void setBusError(bool on) override { core_->setBusError(on); }
  bool setArithmeticFault(const std::optional<ArithmeticFault>& fault) override {
    return core_->setArithmeticFault(fault);
  }

 private:
  template <typename Condition>
  Status cycleUntil(Condition condition) {
    for (int i = 0; i < kMostCycles; ++i) {
      settle();
      const bool holds = condition();
      VTA_RETURN_IF_ERROR(edge());
      if (holds) return {};
    }
    return {StatusCode::kInternal, "vta_ap_ctrl_chain does not answer"};
  }

  Status cycle(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      settle();
      VTA_RETURN_IF_ERROR(edge());
    }
    return {};
  }

  /// The core's outputs: it takes one access at a time, and answers in the next cycle.
  void settle() {
    model_.irq_i = core_->interrupt() ? 1 : 0;
    model_.m_axil_awready_i = model_.m_axil_wready_i = write_is_answered_ ? 0 : 1;
    model_.m_axil_bvalid_i = write_is_answered_ ? 1 : 0;
    model_.m_axil_arready_i = read_is_answered_ ? 0 : 1;
    model_.m_axil_rvalid_i = read_is_answered_ ? 1 : 0;
    model_.m_axil_rdata_i = read_value_;
    model_.clk_i = 0;
    model_.eval();
  }

  /// The clock edge that ends the cycle; the core does what it was asked for.
  Status edge() {
    const bool writes = model_.m_axil_awvalid_o != 0 && model_.m_axil_awready_i != 0;
    const bool reads = model_.m_axil_arvalid_o != 0 && model_.m_axil_arready_i != 0;
    const auto write_offset = uint32_t{model_.m_axil_awaddr_o};
    const uint32_t write_value = model_.m_axil_wdata_o;
    const auto read_offset = uint32_t{model_.m_axil_araddr_o};
    write_is_answered_ = writes;
    read_is_answered_ = reads;
    model_.clk_i = 1;
    model_.eval();
    if (writes) VTA_RETURN_IF_ERROR(core_->write(write_offset, write_value));
    if (reads) {
      VTA_ASSIGN_OR_RETURN(read_value_, core_->read(read_offset));
    }
    return {};
  }

  std::unique_ptr<BoardCore> core_;
  VerilatedContext context_;
  Vcard_ap_ctrl_chain model_;
  bool write_is_answered_ = false;
  bool read_is_answered_ = false;
  uint32_t read_value_ = 0;
};

}  // namespace

std::unique_ptr<BoardCore> makeChainedCore(std::unique_ptr<BoardCore> core) {
  return std::make_unique<ChainedCore>(std::move(core));
}

}  // namespace vta::sim
