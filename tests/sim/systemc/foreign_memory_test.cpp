// The module with memories that use other parts of the base protocol than the example's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include <tlm.h>
#include <tlm_utils/simple_target_socket.h>

#include "isa/registers/registers.h"
#include "sim/random/program_image.h"
#include "sim/random/random_program.h"
#include "sim/systemc/platform_cpu.h"
#include "sim/systemc/vta_module.h"

namespace vta::sim {
namespace {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

enum class Protocol { kBlockingOnly, kCompletesAtOnce, kUpdatesToResponse, kFailsLate };

// Answers without any latency, in one of several ways.
class ForeignMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ForeignMemory> socket;

  ForeignMemory(sc_core::sc_module_name name, Protocol protocol)
      : sc_module(name), socket("socket"), protocol_(protocol) {
    socket.register_transport_dbg(this, &ForeignMemory::peek);
    if (protocol == Protocol::kBlockingOnly) {
      socket.register_b_transport(this, &ForeignMemory::block);
    } else {
      socket.register_nb_transport_fw(this, &ForeignMemory::receive);
    }
  }

  void place(const ProgramImage& image) {
    address_ = image.address;
    bytes_ = image.bytes;
    accesses_ = 0;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void access(tlm_generic_payload& payload) {
    constexpr int kGoodAccesses = 20;
    if (protocol_ == Protocol::kFailsLate && ++accesses_ > kGoodAccesses) {
      return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    std::byte* data = bytes_.data() + (payload.get_address() - address_);
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), data, payload.get_data_length());
    if (payload.is_write()) std::memcpy(data, payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void block(tlm_generic_payload& payload, sc_time& /*delay*/) { access(payload); }
  tlm::tlm_sync_enum receive(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_time& /*delay*/) {
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
    access(payload);
    if (protocol_ != Protocol::kUpdatesToResponse) return tlm::TLM_COMPLETED;
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }
  unsigned peek(tlm_generic_payload& payload) {
    const uint64_t offset = payload.get_address() - address_;
    if (offset >= bytes_.size()) return 0;
    const auto length = static_cast<unsigned>(
        std::min<uint64_t>(payload.get_data_length(), bytes_.size() - offset));
    std::memcpy(payload.get_data_ptr(), bytes_.data() + offset, length);
    return length;
  }

  Protocol protocol_;
  uint64_t address_ = 0;
  std::vector<std::byte> bytes_;
  int accesses_ = 0;
};

struct ForeignPlatform {
  ForeignPlatform(const std::string& name, Protocol protocol, TlmCoding coding)
      : irq((name + "_irq").c_str()),
        vta(*VtaModule::create((name + "_vta").c_str(), HwConfig::makeDefault(), {}, coding)),
        memory((name + "_memory").c_str(), protocol),
        cpu((name + "_cpu").c_str(), vta->clockPeriod()) {
    cpu.socket.bind(vta->registers);
    vta->memory.bind(memory.socket);
    vta->irq(irq);
    cpu.irq(irq);
  }

  sc_core::sc_signal<bool> irq;
  std::unique_ptr<VtaModule> vta;
  ForeignMemory memory;
  PlatformCpu cpu;
};

struct Case {
  const char* name;
  Protocol protocol;
  TlmCoding coding;
};
constexpr Case kGoodCases[] = {
    {"blocking_from_nonblocking", Protocol::kBlockingOnly, TlmCoding::kApproximatelyTimed},
    {"completes", Protocol::kCompletesAtOnce, TlmCoding::kApproximatelyTimed},
    {"updates", Protocol::kUpdatesToResponse, TlmCoding::kApproximatelyTimed},
    {"nonblocking_from_blocking", Protocol::kCompletesAtOnce, TlmCoding::kLooselyTimed}};
constexpr Case kFailingCases[] = {
    {"fails_approximate", Protocol::kFailsLate, TlmCoding::kApproximatelyTimed},
    {"fails_loose", Protocol::kFailsLate, TlmCoding::kLooselyTimed}};

std::map<std::string, std::unique_ptr<ForeignPlatform>>& platforms() {
  static std::map<std::string, std::unique_ptr<ForeignPlatform>> all;
  return all;
}

class ForeignPlatforms : public testing::Environment {
 public:
  void SetUp() override {
    for (const Case& c : kGoodCases) add(c);
    for (const Case& c : kFailingCases) add(c);
  }

 private:
  static void add(const Case& c) {
    platforms()[c.name] = std::make_unique<ForeignPlatform>(c.name, c.protocol, c.coding);
  }
};
const auto* const kPlatforms = testing::AddGlobalTestEnvironment(new ForeignPlatforms);

class ForeignMemoryTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    Rng rng(5);
    auto image = makeImage(randomProgram(hw_, rng), hw_, rng);
    ASSERT_TRUE(image.ok());
    image_ = *std::move(image);
    platform_ = platforms().at(GetParam().name).get();
    platform_->memory.place(image_);
    platform_->cpu.start({image_.instruction_address, image_.instruction_count, image_.bases});
    sc_core::sc_start();
    ASSERT_TRUE(platform_->cpu.outcome());
  }

  HwConfig hw_ = HwConfig::makeDefault();
  ProgramImage image_;
  ForeignPlatform* platform_ = nullptr;
};

TEST_P(ForeignMemoryTest, EqualsModels) {
  ImageDram dram(image_);
  const std::vector<std::byte> stream(streamOf(image_, hw_).begin(), streamOf(image_, hw_).end());
  const TimingResult timing =
      (*CycleModel::create(hw_, {}))->run(stream, image_.instruction_address, image_.bases, dram);
  ASSERT_FALSE((*FunctionalModel::create(hw_))->run(stream, image_.bases, dram).fault);
  const PlatformOutcome& outcome = *platform_->cpu.outcome();
  EXPECT_EQ(outcome.status, reg::kStatusDone);
  EXPECT_EQ(outcome.counters[0], timing.counters.cycles);
  EXPECT_EQ(platform_->memory.bytes(), image_.bytes);
  EXPECT_EQ(platform_->vta->statistics().late_responses, 0u);
}

std::string nameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Protocols, ForeignMemoryTest, testing::ValuesIn(kGoodCases), nameOf);

using FailingMemoryTest = ForeignMemoryTest;

TEST_P(FailingMemoryTest, ErrorResponseIsABusError) {
  const PlatformOutcome& outcome = *platform_->cpu.outcome();
  EXPECT_EQ(outcome.status, reg::kStatusDone | reg::kStatusFault);
  EXPECT_EQ(outcome.fault, static_cast<uint32_t>(reg::FaultCode::kBusError));
  EXPECT_LT(outcome.fault_instruction, image_.instruction_count);
  EXPECT_NE(outcome.counters[0], 0u);
}

INSTANTIATE_TEST_SUITE_P(Protocols, FailingMemoryTest, testing::ValuesIn(kFailingCases), nameOf);

}  // namespace
}  // namespace vta::sim
