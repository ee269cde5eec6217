// A kernel that XRT itself starts and waits for (xrt::kernel, xrt::run), on a virtual card with the
// hardware's vta_ap_ctrl_chain in front of the core.
#include <experimental/xrt_xclbin.h>
#include <gmock/gmock.h>
#include <xrt/xrt_kernel.h>

#include <cstring>
#include <vector>

#include "driver/self_test.h"
#include "driver/xrt/card_memory.h"
#include "tests/driver/xrt/test_card.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;

sim::CardContainer chainedContainer() {
  sim::CardContainer container = test::defaultContainer();
  container.control = sim::KernelControl::kApCtrlChain;
  return container;
}

// Registers of the core behind the kernel's own.
constexpr uint32_t kWindow = 0x400;

/// A device as a host program of somebody else might have it: launches are runs of XRT.
class KernelDevice final : public Device {
 public:
  explicit KernelDevice(const test::TestCard& card)
      : device_(0),
        uuid_(device_.load_xclbin(card.container().string())),
        kernel_(device_, uuid_, "vta_top", xrt::kernel::cu_access_mode::exclusive),
        memory_(device_, {"DDR[0]", static_cast<xrt::memory_group>(kernel_.group_id(0)), 1 << 28},
                64) {}

  const DeviceInfo& info() const override { return info_; }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return memory_.allocate(size_bytes, alignment_bytes);
  }
  Status free(const DeviceBuffer& buffer) override { return memory_.free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    std::memcpy(memory_.hostAddress(address), data.data(), data.size());
    return memory_.copyToCard(address, data.size());
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    VTA_RETURN_IF_ERROR(memory_.copyFromCard(address, data.size()));
    std::memcpy(data.data(), memory_.hostAddress(address), data.size());
    return {};
  }
  Status submit(const Launch& launch) override {
    run_ = xrt::run(kernel_);
    const uint64_t addresses[] = {launch.instruction_address,
                                  launch.uop_base,
                                  launch.inp_base,
                                  launch.wgt_base,
                                  launch.acc_base,
                                  launch.out_base};
    for (int i = 0; i < 6; ++i) {
      run_.set_arg(i, static_cast<const void*>(&addresses[i]), sizeof(addresses[i]));
    }
    run_.set_arg(6, launch.instruction_count);
    run_.start();
    return {};
  }
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    last_state_ = run_.wait(timeout);
    LaunchResult result;
    const uint32_t fault = kernel_.read_register(kWindow + reg::kFault);
    if (fault != 0) result.fault = Fault{faultKind(static_cast<reg::FaultCode>(fault)), 0, "", ""};
    return result;
  }
  Status reset() override { return {}; }

  ert_cmd_state last_state_ = ERT_CMD_STATE_MAX;

 private:
  DeviceInfo info_{"kernel", HwConfig::makeDefault(), {}, ""};
  xrt::device device_;
  xrt::uuid uuid_;
  xrt::kernel kernel_;
  CardMemory memory_;
  xrt::run run_;
};

TEST(XrtKernelTest, SelfTestPassesOnBothCores) {
  for (const char* core : {"core=model", "core=rtl"}) {
    const test::TestCard card(core, chainedContainer());
    KernelDevice device(card);
    const SelfTestReport report = selfTest(device);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(device.last_state_, ERT_CMD_STATE_COMPLETED);
  }
}

TEST(XrtKernelTest, ABadLaunchIsAFault) {
  const test::TestCard card("", chainedContainer());
  KernelDevice device(card);
  ASSERT_TRUE(device.submit(Launch{}).ok());
  const auto result = device.wait(std::chrono::seconds(5));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(device.last_state_, ERT_CMD_STATE_COMPLETED);
  EXPECT_TRUE(result->fault.has_value());
}

TEST(XrtKernelTest, RunsThatWaitForEachOther) {
  const test::TestCard card("", chainedContainer());
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(card.container().string());
  xrt::kernel kernel(device, uuid, "vta_top");
  xrt::kernel again(device, uuid, "vta_top");  // shared
  std::vector<xrt::run> runs;
  for (int i = 0; i < 5; ++i) {
    xrt::run run(i % 2 == 0 ? kernel : again);
    for (int argument = 0; argument < 7; ++argument) {
      const uint64_t zero = 0;
      const size_t size_bytes = argument == 6 ? 4 : 8;
      run.set_arg(argument, static_cast<const void*>(&zero), size_bytes);
    }
    run.start();
    runs.push_back(std::move(run));
  }
  for (xrt::run& run : runs) {
    EXPECT_EQ(run.wait(std::chrono::seconds(5)), ERT_CMD_STATE_COMPLETED);
  }
  // Exclusive access is for nobody while it is shared.
  EXPECT_THROW(xrt::kernel(device, uuid, "vta_top", xrt::kernel::cu_access_mode::exclusive),
               std::exception);
}

TEST(XrtKernelTest, TheDeviceTakesNoSuchKernel) {
  const test::TestCard card("", chainedContainer());
  const auto device = card.open();
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(device.status().message(), HasSubstr("ap_ctrl_chain"));
  EXPECT_THAT(device.status().message(), HasSubstr("--control user_managed"));
}

}  // namespace
}  // namespace vta::driver
