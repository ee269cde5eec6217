// What the conformance suite does not ask of the RTL device: memory timing, patience, accesses past
// a buffer's end, refused launches.
#include "driver/devices/rtl_device.h"

#include <gmock/gmock.h>

#include "driver/device_registry.h"
#include "isa/instruction/encoding.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;

class RtlDeviceTest : public testing::Test {
 protected:
  // A device with one buffer of 64 INP elements, and a program of `insn` and FINISH.
  void prepare(const std::string& spec, const Instruction& insn) {
    auto device = createDevice(spec, hw_);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *std::move(device);
    const DeviceBuffer inp = device_->allocate(64 * 16, 16).value();
    std::vector<std::byte> stream;
    ASSERT_TRUE(encodeInstruction(insn, hw_, stream).ok());
    ASSERT_TRUE(encodeInstruction(Instruction::finish(), hw_, stream).ok());
    const DeviceBuffer code = device_->allocate(stream.size(), 64).value();
    ASSERT_TRUE(device_->write(code.address, stream).ok());
    launch_.instruction_address = code.address;
    launch_.instruction_count = 2;
    launch_.inp_base = inp.address;
  }

  static Instruction loadOf(uint32_t count) {
    MemInsn mem;
    mem.memory_type = MemoryType::kInp;
    mem.y_size = 1;
    mem.x_size = mem.x_stride = count;
    return Instruction::load(mem);
  }

  // 60,000 cycles without a beat on the bus.
  static Instruction longGemm() {
    GemmInsn reset;
    reset.reset = true;
    reset.uop_end = 1;
    reset.iter_out = 2000;
    reset.iter_in = 30;
    return Instruction::gemm(reset);
  }

  LaunchResult run() {
    EXPECT_TRUE(device_->submit(launch_).ok());
    return device_->wait(std::chrono::seconds(60)).value();
  }

  HwConfig hw_ = HwConfig::makeDefault();
  std::unique_ptr<Device> device_;
  Launch launch_;
};

TEST_F(RtlDeviceTest, CyclesFollowTheMemory) {
  prepare("rtl", loadOf(64));
  const LaunchResult simple = run();
  ASSERT_FALSE(simple.fault);
  EXPECT_GT(simple.counters.cycles, 128u);  // 64 elements of two beats
  prepare("rtl:dram=DDR3-1066", loadOf(64));
  EXPECT_GT(run().counters.cycles, simple.counters.cycles);
}

TEST_F(RtlDeviceTest, ALaunchOutlivesTheWaitersPatience) {
  prepare("rtl", longGemm());
  ASSERT_TRUE(device_->submit(launch_).ok());
  EXPECT_EQ(device_->wait(std::chrono::milliseconds(0)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(device_->executedInstructions(), 0u);  // the GEMM is the first
  const auto result = device_->wait(std::chrono::seconds(60));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(device_->executedInstructions(), 1u);
  EXPECT_GT(result->counters.cycles, 60'000u);
  EXPECT_EQ(result->counters.gemm_uops, 60'000u);
}

TEST_F(RtlDeviceTest, AGivenNumberOfCyclesEndsALaunch) {
  prepare("rtl:max-cycles=5000", longGemm());
  ASSERT_TRUE(device_->submit(launch_).ok());
  const Status status = device_->wait(std::chrono::seconds(60)).status();
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), HasSubstr("not ended after 5000 cycles"));
  // The core that still ran has been reset.
  launch_.instruction_address += static_cast<uint64_t>(hw_.instructionBytes());
  launch_.instruction_count = 1;
  EXPECT_FALSE(run().fault);
}

TEST_F(RtlDeviceTest, PastTheEndOfABufferIsAFault) {
  prepare("rtl", loadOf(66));
  const LaunchResult result = run();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::kDramBounds);
  EXPECT_EQ(result.fault->instruction, 0u);
  EXPECT_THAT(result.fault->reason, HasSubstr("past the end"));
}

TEST_F(RtlDeviceTest, BadBaseAddressesAreRefusedByTheCore) {
  prepare("rtl", loadOf(4));
  launch_.inp_base += 4;
  const LaunchResult result = run();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.counters.cycles, 0u);
}

}  // namespace
}  // namespace vta::driver
