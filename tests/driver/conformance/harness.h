// What every conformance test of a Device needs: the devices, a memory layout, small programs.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "driver/device.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::driver::conformance {

/// What a device may lack. A device that lacks one says why; the tests that need it are skipped
/// with that reason.
enum class Feature : uint8_t {
  kFixedAddresses,  // allocateAt
  kMappedMemory,    // map
  kFaults,          // a launch that is wrong ends with a fault
  kFaultReports,    // faults with kind, instruction and disassembly
  kCheckedMode,     // uninitialised reads and races are faults
  kTestGeometries,  // the configurations of tests/sim/rtl/configs
  kDefaultConfiguration,
};

struct DeviceUnderTest {
  std::string spec;  // for createDevice
  std::map<Feature, std::string> missing;
  std::vector<HwConfig> (
      *configs)();        // that opcode tests run on; the first one is that of all others
  std::string kind = {};  // how the name that it tells begins; empty: the name is the spec

  friend void PrintTo(const DeviceUnderTest& device, std::ostream* os) { *os << device.spec; }
};

/// The devices of the program, which defines it: for all of this machine in devices.cpp, where a
/// new backend adds a line; for remote ones in tests/driver/remote/conformance.cpp.
std::vector<DeviceUnderTest> devicesUnderTest();

/// Configurations for DeviceUnderTest: of every kind; the default; those whose RTL is built.
std::vector<HwConfig> manyConfigs();
std::vector<HwConfig> defaultConfig();
std::vector<HwConfig> builtConfigs();

/// A file of tests/sim/rtl/configs: small configurations whose RTL is built with the tests.
HwConfig rtlTestConfig(const std::string& name);

/// Values of SRAM elements as lanes.
using Lanes = std::vector<int32_t>;

/// A device with room for one operand of each kind, and a program under construction. Base
/// registers point at the operands, so DRAM addresses in instructions count elements from their
/// beginning.
class Machine {
 public:
  static constexpr uint64_t kOperandBytes = 1 << 20;

  Machine(const std::string& spec, const HwConfig& hw);

  Device& device() { return *device_; }
  const HwConfig& hw() const { return hw_; }

  /// Fills a memory from its element `first` on with lanes of its width.
  void writeLanes(MemoryType type, uint32_t first, const Lanes& lanes);
  void writeUops(const std::vector<Uop>& uops);
  /// `count` elements of OUT from element `first` on.
  Lanes readOut(uint32_t first, uint32_t count);
  /// Marks the whole output as `byte`.
  void fillOut(int8_t byte);

  void add(const Instruction& insn) { program_.push_back(insn); }
  void clearProgram() { program_.clear(); }
  /// Appends bytes that need not be an instruction.
  void addRaw(std::vector<std::byte> bytes);

  /// Launches the program and waits. The program stays.
  LaunchResult launch();

  uint32_t lanesOf(MemoryType type) const;

 private:
  uint64_t base(MemoryType type) const;

  HwConfig hw_;
  std::unique_ptr<Device> device_;
  std::map<MemoryType, DeviceBuffer> operands_;
  std::vector<Instruction> program_;
  std::map<size_t, std::vector<std::byte>> raw_;  // by position in the program
};

/// One row of `count` elements, contiguous on both sides.
MemInsn row(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count);

/// Deterministic lanes over the whole range of `type`.
Lanes randomLanes(size_t count, int32_t min, int32_t max, uint32_t seed);

class ConformanceTest : public testing::TestWithParam<DeviceUnderTest> {
 protected:
  const std::string& spec() const { return GetParam().spec; }
  std::vector<HwConfig> configs() const { return GetParam().configs(); }
  /// The reason why the device lacks `feature`, or null.
  const std::string* missing(Feature feature) const {
    const auto it = GetParam().missing.find(feature);
    return it == GetParam().missing.end() ? nullptr : &it->second;
  }
};

std::string testName(const testing::TestParamInfo<DeviceUnderTest>& info);

}  // namespace vta::driver::conformance

/// Skips the test where the device lacks `feature`.
#define VTA_REQUIRE_FEATURE(feature) \
  if (const std::string* why = missing(feature)) GTEST_SKIP() << *why

#define VTA_INSTANTIATE_CONFORMANCE(suite)                                                    \
  INSTANTIATE_TEST_SUITE_P(Devices, suite,                                                    \
                           testing::ValuesIn(::vta::driver::conformance::devicesUnderTest()), \
                           ::vta::driver::conformance::testName)
