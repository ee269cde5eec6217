// Two cores of different configuration in one design run programs side by side.
#include <Vpair.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstring>
#include <memory>

#include "isa/registers/identity.h"
#include "isa/registers/registers.h"
#include "sim/functional/functional_model.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "sim/rtl/bus/axi_memory.h"
#include "sim/rtl/bus/axi_slave.h"

namespace vta::hw::test {
namespace {

using sim::AxiMemory;
using sim::AxiMonitor;
using sim::AxiSlave;
using sim::ImageDram;
using sim::ProgramImage;
using sim::Rng;

// The ports of the core whose names begin with P, as functions.
#define VTA_PAIR_PORTS(P)                                                        \
  void P##applyInputs(Vpair& top, const VtaModelPorts& ports) {                  \
    const VtaAxiPort& axi = ports.axi[0];                                        \
    top.P##s_axil_awaddr_i = ports.axil_awaddr;                                  \
    top.P##s_axil_awvalid_i = ports.axil_awvalid;                                \
    top.P##s_axil_wdata_i = ports.axil_wdata;                                    \
    top.P##s_axil_wstrb_i = ports.axil_wstrb;                                    \
    top.P##s_axil_wvalid_i = ports.axil_wvalid;                                  \
    top.P##s_axil_bready_i = ports.axil_bready;                                  \
    top.P##s_axil_araddr_i = ports.axil_araddr;                                  \
    top.P##s_axil_arvalid_i = ports.axil_arvalid;                                \
    top.P##s_axil_rready_i = ports.axil_rready;                                  \
    top.P##m_axi_arready_i = axi.arready;                                        \
    top.P##m_axi_rid_i = axi.rid;                                                \
    std::memcpy(&top.P##m_axi_rdata_i, axi.rdata, sizeof(top.P##m_axi_rdata_i)); \
    top.P##m_axi_rresp_i = axi.rresp;                                            \
    top.P##m_axi_rlast_i = axi.rlast;                                            \
    top.P##m_axi_rvalid_i = axi.rvalid;                                          \
    top.P##m_axi_awready_i = axi.awready;                                        \
    top.P##m_axi_wready_i = axi.wready;                                          \
    top.P##m_axi_bid_i = axi.bid;                                                \
    top.P##m_axi_bresp_i = axi.bresp;                                            \
    top.P##m_axi_bvalid_i = axi.bvalid;                                          \
  }                                                                              \
  void P##readOutputs(const Vpair& top, VtaModelPorts& ports) {                  \
    VtaAxiPort& axi = ports.axi[0];                                              \
    ports.running = top.P##running_o;                                            \
    ports.axil_awready = top.P##s_axil_awready_o;                                \
    ports.axil_wready = top.P##s_axil_wready_o;                                  \
    ports.axil_bvalid = top.P##s_axil_bvalid_o;                                  \
    ports.axil_arready = top.P##s_axil_arready_o;                                \
    ports.axil_rdata = top.P##s_axil_rdata_o;                                    \
    ports.axil_rvalid = top.P##s_axil_rvalid_o;                                  \
    axi.arvalid = top.P##m_axi_arvalid_o;                                        \
    axi.arid = top.P##m_axi_arid_o;                                              \
    axi.araddr = top.P##m_axi_araddr_o;                                          \
    axi.arlen = top.P##m_axi_arlen_o;                                            \
    axi.arsize = top.P##m_axi_arsize_o;                                          \
    axi.arburst = top.P##m_axi_arburst_o;                                        \
    axi.rready = top.P##m_axi_rready_o;                                          \
    axi.awvalid = top.P##m_axi_awvalid_o;                                        \
    axi.awid = top.P##m_axi_awid_o;                                              \
    axi.awaddr = top.P##m_axi_awaddr_o;                                          \
    axi.awlen = top.P##m_axi_awlen_o;                                            \
    axi.awsize = top.P##m_axi_awsize_o;                                          \
    axi.awburst = top.P##m_axi_awburst_o;                                        \
    axi.wvalid = top.P##m_axi_wvalid_o;                                          \
    axi.wlast = top.P##m_axi_wlast_o;                                            \
    std::memcpy(axi.wdata, &top.P##m_axi_wdata_o, sizeof(top.P##m_axi_wdata_o)); \
    std::memcpy(axi.wstrb, &top.P##m_axi_wstrb_o, sizeof(top.P##m_axi_wstrb_o)); \
    axi.bready = top.P##m_axi_bready_o;                                          \
  }
VTA_PAIR_PORTS(a_)
VTA_PAIR_PORTS(b_)
#undef VTA_PAIR_PORTS

/// A core's memory, and what is on its ports.
struct Core {
  /// The memory of the program that runs.
  class CurrentDram final : public sim::Dram {
   public:
    std::optional<sim::DramRange> findRange(uint64_t address) const override {
      return image == nullptr ? std::nullopt : ImageDram(*image).findRange(address);
    }
    ProgramImage* image = nullptr;
  };

  Core(const HwConfig& config, uint64_t seed)
      : hw(config),
        beat_bytes(static_cast<uint32_t>(config.params().axi_data_width_bits / 8)),
        monitor(beat_bytes),
        slave(sim::makeRandomSlave(AxiMemory(dram, beat_bytes), {.seed = seed})) {}

  HwConfig hw;
  uint32_t beat_bytes;
  CurrentDram dram;
  AxiMonitor monitor;
  std::unique_ptr<AxiSlave> slave;
  VtaModelPorts ports = {};
};

HwConfig config(const char* file) {
  auto hw = loadHwConfig(file);
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return *std::move(hw);
}

class PairTest : public testing::Test {
 protected:
  static constexpr size_t kCores = 2;

  PairTest() {
    top_.rst_ni = 0;
    for (int i = 0; i < 4; ++i) step();
    top_.rst_ni = 1;
  }
  ~PairTest() override { top_.final(); }

  void step() {
    for (Core& core : cores_) core.slave->drive(core.ports.axi[0]);
    a_applyInputs(top_, cores_[0].ports);
    b_applyInputs(top_, cores_[1].ports);
    top_.clk_i = 0;
    top_.eval();
    a_readOutputs(top_, cores_[0].ports);
    b_readOutputs(top_, cores_[1].ports);
    for (Core& core : cores_) {
      if (top_.rst_ni == 0) continue;
      core.monitor.observe(core.ports.axi[0]);
      core.slave->observe(core.ports.axi[0]);
    }
    side_by_side_ += cores_[0].ports.running && cores_[1].ports.running;
    top_.clk_i = 1;
    top_.eval();
  }

  uint32_t read(Core& core, uint32_t offset) {
    VtaModelPorts& ports = core.ports;
    ports.axil_araddr = static_cast<uint16_t>(offset);
    ports.axil_arvalid = ports.axil_rready = 1;
    do {
      step();
      if (ports.axil_arready) ports.axil_arvalid = 0;
    } while (!ports.axil_rvalid);
    ports.axil_rready = 0;
    return ports.axil_rdata;
  }

  void write(Core& core, uint32_t offset, uint64_t value) {
    VtaModelPorts& ports = core.ports;
    ports.axil_awaddr = static_cast<uint16_t>(offset);
    ports.axil_wdata = static_cast<uint32_t>(value);
    ports.axil_wstrb = 0xf;
    ports.axil_awvalid = ports.axil_wvalid = ports.axil_bready = 1;
    do {
      step();
      if (ports.axil_awready) ports.axil_awvalid = ports.axil_wvalid = 0;
    } while (!ports.axil_bvalid);
    ports.axil_bready = 0;
  }

  void start(Core& core, ProgramImage& image) {
    core.dram.image = &image;
    const std::pair<std::pair<uint32_t, uint32_t>, uint64_t> addresses[] = {
        {{reg::kInsnAddr, reg::kInsnAddrHi}, image.instruction_address},
        {{reg::kUopBase, reg::kUopBaseHi}, image.bases.uop},
        {{reg::kInpBase, reg::kInpBaseHi}, image.bases.inp},
        {{reg::kWgtBase, reg::kWgtBaseHi}, image.bases.wgt},
        {{reg::kAccBase, reg::kAccBaseHi}, image.bases.acc},
        {{reg::kOutBase, reg::kOutBaseHi}, image.bases.out}};
    for (const auto& [registers, value] : addresses) {
      write(core, registers.first, value);
      write(core, registers.second, value >> 32);
    }
    write(core, reg::kInsnCount, image.instruction_count);
    write(core, reg::kControl, reg::kControlLaunch);
  }

  VerilatedContext context_;
  Vpair top_{&context_};
  std::array<Core, kCores> cores_ = {Core(config(VTA_PAIR_A), 1), Core(config(VTA_PAIR_B), 2)};
  uint64_t side_by_side_ = 0;  // cycles in which both cores run
};

TEST_F(PairTest, EachTellsOfItsConfiguration) {
  ASSERT_NE(cores_[0].hw.fingerprint(), cores_[1].hw.fingerprint());
  for (Core& core : cores_) {
    const HardwareIdentity expected = identityOf(core.hw);
    EXPECT_EQ(read(core, reg::kId), expected.id);
    EXPECT_EQ(read(core, reg::kFingerprint), static_cast<uint32_t>(expected.fingerprint));
    EXPECT_EQ(read(core, reg::kFingerprint + 4), expected.fingerprint >> 32);
    EXPECT_EQ(read(core, reg::kConfig), expected.config);
    EXPECT_EQ(read(core, reg::kDepths), expected.depths);
    EXPECT_EQ(read(core, reg::kExtensions), expected.extension_bits);
  }
}

TEST_F(PairTest, ProgramsSideBySideEqualTheFunctionalModel) {
  constexpr int kMostSteps = 200'000;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::array<ProgramImage, kCores> images;
    std::array<ProgramImage, kCores> references;
    for (size_t i = 0; i < kCores; ++i) {
      Rng rng(seed);
      auto image = makeImage(randomProgram(cores_[i].hw, rng), cores_[i].hw, rng);
      ASSERT_TRUE(image.ok()) << image.status().message();
      images[i] = references[i] = *std::move(image);
    }
    for (size_t i = 0; i < kCores; ++i) start(cores_[i], images[i]);
    for (size_t i = 0; i < kCores; ++i) {
      const auto done = [&] { return (read(cores_[i], reg::kStatus) & reg::kStatusDone) != 0; };
      for (int n = 0; n < kMostSteps && !done(); ++n) step();
      ASSERT_TRUE(done());
      EXPECT_EQ(read(cores_[i], reg::kFault), 0);
      EXPECT_EQ(cores_[i].monitor.violation(), "");
    }
    for (size_t i = 0; i < kCores; ++i) {
      const auto model = sim::FunctionalModel::create(cores_[i].hw);
      ASSERT_TRUE(model.ok());
      ImageDram dram(references[i]);
      const auto view = streamOf(references[i], cores_[i].hw);
      const std::vector<std::byte> stream(view.begin(), view.end());
      EXPECT_FALSE((*model)->run(stream, references[i].bases, dram).fault);
      EXPECT_TRUE(images[i].bytes == references[i].bytes) << "core " << i;
    }
  }
  EXPECT_GT(side_by_side_, 1000u);
}

}  // namespace
}  // namespace vta::hw::test
