// The core as a kernel that XRT starts: control registers, interrupt and arguments, with the
// register file of the simulators in the place of the core.
#include <optional>

#include "Vap_ctrl_chain_default.h"
#include "isa/config/hw_config.h"
#include "isa/registers/registers.h"
#include "sim/common/register_file.h"
#include "tests/hw/clocked.h"

namespace vta::hw::test {
namespace {

constexpr int kOkay = 0;
constexpr int kSlvErr = 2;

constexpr uint32_t kControl = 0x0, kGier = 0x4, kIer = 0x8, kIsr = 0xc;
constexpr uint32_t kInsnCountArgument = 0x40;
constexpr uint32_t kWindow = 0x400;
constexpr uint32_t kStart = 1, kDone = 2, kIdle = 4, kReady = 8, kContinue = 16;

struct Argument {
  uint32_t offset;
  uint32_t low;  // the core's registers
  uint32_t high;
};
constexpr Argument kArguments[] = {
    {0x10, reg::kInsnAddr, reg::kInsnAddrHi}, {0x18, reg::kUopBase, reg::kUopBaseHi},
    {0x20, reg::kInpBase, reg::kInpBaseHi},   {0x28, reg::kWgtBase, reg::kWgtBaseHi},
    {0x30, reg::kAccBase, reg::kAccBaseHi},   {0x38, reg::kOutBase, reg::kOutBaseHi}};

/// The kernel with a core that answers when it likes.
class Kernel {
 public:
  explicit Kernel(uint32_t seed = 1) : rng_(seed), core_(HwConfig::makeDefault()) {}

  /// Returns the response.
  int write(uint32_t offset, uint32_t value, int strobes = 15) {
    dut_->s_axil_awaddr_i = static_cast<uint16_t>(offset);
    dut_->s_axil_wdata_i = value;
    dut_->s_axil_wstrb_i = static_cast<uint8_t>(strobes);
    dut_->s_axil_awvalid_i = dut_->s_axil_wvalid_i = 1;
    until([&] { return dut_->s_axil_awready_o != 0 && dut_->s_axil_wready_o != 0; });
    dut_->s_axil_awvalid_i = dut_->s_axil_wvalid_i = 0;
    idle(uniform(rng_, 0, 3));
    dut_->s_axil_bready_i = 1;
    int response = -1;
    until([&] {
      response = dut_->s_axil_bresp_o;
      return dut_->s_axil_bvalid_o != 0;
    });
    dut_->s_axil_bready_i = 0;
    return response;
  }

  uint32_t read(uint32_t offset) {
    dut_->s_axil_araddr_i = static_cast<uint16_t>(offset);
    dut_->s_axil_arvalid_i = 1;
    until([&] { return dut_->s_axil_arready_o != 0; });
    dut_->s_axil_arvalid_i = 0;
    idle(uniform(rng_, 0, 3));
    dut_->s_axil_rready_i = 1;
    uint32_t value = 0;
    until([&] {
      value = dut_->s_axil_rdata_o;
      return dut_->s_axil_rvalid_o != 0;
    });
    dut_->s_axil_rready_i = 0;
    return value;
  }

  void idle(uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; ++i) step();
  }

  bool interrupt() {
    dut_.settle();
    return dut_->irq_o != 0;
  }

  /// Lets the core end its launch.
  void end(reg::FaultCode fault = reg::FaultCode::kNone) { core_.finish({}, fault, 0); }

  const sim::RegisterFile& core() const { return core_; }
  int launches = 0;
  int core_writes = 0;

 private:
  template <typename Condition>
  void until(Condition condition) {
    for (int cycles = 0; cycles < 1000; ++cycles) {
      dut_->irq_i = core_.irq() ? 1 : 0;
      answerAsCore();
      dut_.settle();
      const bool holds = condition();
      finishStep();
      if (holds) return;
    }
    FAIL() << "no answer in 1000 cycles";
  }

  void step() {
    dut_->irq_i = core_.irq() ? 1 : 0;
    answerAsCore();
    dut_.settle();
    finishStep();
  }

  /// The core's outputs in this cycle.
  void answerAsCore() {
    dut_->m_axil_wready_i = !write_answer_ && uniform(rng_, 0, 2) == 0 ? 1 : 0;
    dut_->m_axil_awready_i = dut_->m_axil_wready_i;
    dut_->m_axil_bvalid_i = write_answer_ ? 1 : 0;
    dut_->m_axil_bresp_i = write_answer_.value_or(0);
    dut_->m_axil_arready_i = !read_answer_ && uniform(rng_, 0, 2) == 0 ? 1 : 0;
    dut_->m_axil_rvalid_i = read_answer_ ? 1 : 0;
    dut_->m_axil_rdata_i = read_answer_.value_or(0xdeadbeef);
  }

  /// What the core does at the clock edge.
  void finishStep() {
    if (write_answer_ && dut_->m_axil_bready_o != 0) write_answer_.reset();
    if (read_answer_ && dut_->m_axil_rready_o != 0) read_answer_.reset();
    if (dut_->m_axil_wready_i != 0 && dut_->m_axil_awvalid_o != 0 && dut_->m_axil_wvalid_o != 0) {
      ++core_writes;
      const bool is_word = dut_->m_axil_wstrb_o == 15;
      write_answer_ = is_word ? kOkay : kSlvErr;
      if (is_word && core_.write(dut_->m_axil_awaddr_o, dut_->m_axil_wdata_o)) ++launches;
    }
    if (dut_->m_axil_arready_i != 0 && dut_->m_axil_arvalid_o != 0) {
      read_answer_ = core_.read(dut_->m_axil_araddr_o);
    }
    dut_.edge();
  }

  Rng rng_;
  sim::RegisterFile core_;
  std::optional<uint8_t> write_answer_;
  std::optional<uint32_t> read_answer_;
  Clocked<Vap_ctrl_chain_default> dut_;
};

/// Lets the kernel come from ap_start to its launch.
void untilLaunched(Kernel& kernel, int launches = 1) {
  for (int i = 0; i < 200 && kernel.launches < launches; ++i) kernel.idle(1);
  kernel.idle(10);
  ASSERT_EQ(kernel.launches, launches);
}

TEST(ApCtrlChain, ArgumentsReachTheCore) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    Kernel kernel(seed);
    uint32_t value = 0x1000;
    for (const Argument& argument : kArguments) {
      EXPECT_EQ(kernel.write(argument.offset, value), kOkay);
      EXPECT_EQ(kernel.write(argument.offset + 4, value + 1), kOkay);
      EXPECT_EQ(kernel.core().read(argument.low), value);
      EXPECT_EQ(kernel.core().read(argument.high), value + 1);
      EXPECT_EQ(kernel.read(argument.offset), value);
      EXPECT_EQ(kernel.read(argument.offset + 4), value + 1);
      value += 0x1000;
    }
    EXPECT_EQ(kernel.write(kInsnCountArgument, 77), kOkay);
    EXPECT_EQ(kernel.core().instructionCount(), 77u);
    EXPECT_EQ(kernel.read(kInsnCountArgument), 77u);
    EXPECT_EQ(kernel.launches, 0);
  }
}

TEST(ApCtrlChain, StartLaunchesAndTheEndIsDone) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    Kernel kernel(seed);
    EXPECT_EQ(kernel.read(kControl), kIdle);
    EXPECT_EQ(kernel.write(kControl, kStart), kOkay);
    untilLaunched(kernel);
    EXPECT_EQ(kernel.read(kControl), kStart);
    EXPECT_EQ(kernel.read(kControl), kStart);
    kernel.end();
    kernel.idle(2);
    EXPECT_EQ(kernel.read(kControl), kDone | kReady);
    EXPECT_EQ(kernel.read(kControl), kDone);  // reading clears ap_ready
    EXPECT_FALSE(kernel.interrupt());         // nobody wants it
    EXPECT_EQ(kernel.write(kControl, kContinue), kOkay);
    EXPECT_EQ(kernel.read(kControl), kIdle);
    EXPECT_EQ(kernel.launches, 1);
  }
}

TEST(ApCtrlChain, AStartWaitsForTheContinueOfTheOneBefore) {
  Kernel kernel;
  kernel.write(kControl, kStart);
  untilLaunched(kernel);
  kernel.end();
  kernel.idle(2);
  kernel.write(kControl, kStart);
  kernel.idle(50);
  EXPECT_EQ(kernel.launches, 1);
  EXPECT_EQ(kernel.read(kControl), kStart | kDone | kReady);
  kernel.write(kControl, kContinue);
  untilLaunched(kernel, 2);
  EXPECT_EQ(kernel.read(kControl), kStart);
  kernel.end();
  kernel.idle(2);
  EXPECT_EQ(kernel.read(kControl), kDone | kReady);
}

TEST(ApCtrlChain, ContinueAndStartInOneWrite) {
  Kernel kernel;
  for (int launch = 1; launch <= 3; ++launch) {
    kernel.write(kControl, kContinue | kStart);
    untilLaunched(kernel, launch);
    kernel.end();
    kernel.idle(2);
  }
  EXPECT_EQ(kernel.read(kControl), kDone | kReady);
}

TEST(ApCtrlChain, InterruptsAsTheyAreEnabled) {
  for (const uint32_t enabled : {0u, 1u, 2u, 3u}) {
    for (const bool globally : {false, true}) {
      Kernel kernel;
      kernel.write(kGier, globally ? 1 : 0);
      kernel.write(kIer, enabled);
      EXPECT_EQ(kernel.read(kGier), globally ? 1u : 0u);
      EXPECT_EQ(kernel.read(kIer), enabled);
      kernel.write(kControl, kStart);
      untilLaunched(kernel);
      EXPECT_FALSE(kernel.interrupt());
      kernel.end();
      kernel.idle(2);
      EXPECT_EQ(kernel.interrupt(), globally && enabled != 0);
      EXPECT_EQ(kernel.read(kIsr), enabled);
      // As XRT does: continue, then clear what was pending.
      kernel.write(kControl, kContinue);
      kernel.write(kIsr, enabled);
      EXPECT_FALSE(kernel.interrupt());
      EXPECT_EQ(kernel.read(kIsr), 0u);
    }
  }
}

TEST(ApCtrlChain, AFaultEndsLikeAnyLaunchAndIsInTheWindow) {
  Kernel kernel;
  kernel.write(kControl, kStart);
  untilLaunched(kernel);
  kernel.end(reg::FaultCode::kBusError);
  kernel.idle(2);
  EXPECT_EQ(kernel.read(kControl), kDone | kReady);
  EXPECT_EQ(kernel.read(kWindow + reg::kFault), static_cast<uint32_t>(reg::FaultCode::kBusError));
  // The next launch clears the interrupt of the one before.
  kernel.write(kControl, kContinue | kStart);
  untilLaunched(kernel, 2);
  EXPECT_EQ(kernel.read(kControl), kStart);
}

TEST(ApCtrlChain, TheWindowShowsTheCoreAndCannotBeWritten) {
  Kernel kernel;
  const HwConfig hw = HwConfig::makeDefault();
  EXPECT_EQ(kernel.read(kWindow + reg::kId), reg::kIdValue);
  EXPECT_EQ(kernel.read(kWindow + reg::kFingerprint), static_cast<uint32_t>(hw.fingerprint()));
  const int before = kernel.core_writes;
  EXPECT_EQ(kernel.write(kWindow + reg::kControl, reg::kControlLaunch), kOkay);
  EXPECT_EQ(kernel.write(kWindow + reg::kInsnCount, 3), kOkay);
  kernel.idle(50);
  EXPECT_EQ(kernel.core_writes, before);
  EXPECT_EQ(kernel.launches, 0);
}

TEST(ApCtrlChain, OtherAddressesAreNothing) {
  Kernel kernel;
  for (const uint32_t offset : {0x44u, 0x80u, 0xc0u, 0x3fcu, 0x800u, 0xffcu}) {
    EXPECT_EQ(kernel.write(offset, ~0u), kOkay);
    EXPECT_EQ(kernel.read(offset), 0u) << offset;
  }
  EXPECT_EQ(kernel.core_writes, 0);
  EXPECT_EQ(kernel.read(kControl), kIdle);
}

TEST(ApCtrlChain, PartsOfWordsAreRefused) {
  Kernel kernel;
  for (const uint32_t offset : {kControl, kGier, kIer, kIsr, 0x10u, kInsnCountArgument}) {
    EXPECT_EQ(kernel.write(offset, ~0u, 7), kSlvErr) << offset;
    EXPECT_EQ(kernel.read(offset), offset == kControl ? kIdle : 0u) << offset;
  }
  EXPECT_EQ(kernel.launches, 0);
}

TEST(ApCtrlChain, ManyLaunchesWithAccessesAtAnyTime) {
  Kernel kernel(7);
  Rng rng(7);
  kernel.write(kGier, 1);
  kernel.write(kIer, 1);
  for (int launch = 1; launch <= 200; ++launch) {
    const uint32_t address = uniform(rng, 1, 1u << 30) * 4;
    kernel.write(0x10, address);
    kernel.write(kControl, kStart);
    // Reads go on while the launch is on its way.
    for (uint32_t i = uniform(rng, 0, 5); i > 0; --i) EXPECT_EQ(kernel.read(0x10), address);
    untilLaunched(kernel, launch);
    EXPECT_EQ(kernel.core().instructionAddress(), address);
    kernel.idle(uniform(rng, 0, 20));
    kernel.end();
    for (int i = 0; i < 10 && !kernel.interrupt(); ++i) kernel.idle(1);
    ASSERT_TRUE(kernel.interrupt());
    EXPECT_EQ(kernel.read(kControl) & (kStart | kDone), kDone);
    kernel.write(kControl, kContinue);
    kernel.write(kIsr, 1);
    EXPECT_FALSE(kernel.interrupt());
  }
}

}  // namespace
}  // namespace vta::hw::test
