#include "tests/driver/conformance/harness.h"

#include <cstring>
#include <random>
#include <span>
#include <stdexcept>

#include "driver/device_registry.h"
#include "isa/instruction/contiguous_row.h"
#include "isa/instruction/encoding.h"

namespace vta::driver::conformance {
namespace {

template <typename T>
T unwrap(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message());
  return *std::move(result);
}

void check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

// The first one is configs/hw/default.yaml, whose RTL is built.
HwConfig config(const char* name, int batch, int block_in, int block_out) {
  HwParams p;
  p.name = name;
  p.batch = batch;
  p.block_in = block_in;
  p.block_out = block_out;
  return unwrap(HwConfig::create(p));
}

HwConfig extendedConfig() {
  HwParams p;
  p.name = "extended-2x4x8";
  p.batch = 2;
  p.block_in = 4;
  p.block_out = 8;
  p.ext_prelu = p.ext_requant = p.ext_lut = true;
  return unwrap(HwConfig::create(p));
}

HwConfig depthwiseConfig() {
  HwParams p;
  p.name = "depthwise-2x16x8";
  p.batch = 2;
  p.block_out = 8;
  p.ext_depthwise = true;
  p.depthwise_taps = 5;
  return unwrap(HwConfig::create(p));
}

// Blocks of outputs as large as two of inputs, an ALU of a quarter of the lanes.
HwConfig denseConfig() {
  HwParams p;
  p.name = "dense-1x16x32";
  p.block_out = 32;
  p.multipliers = Multipliers::kDoublePumped;
  p.alu_passes = 4;
  p.ext_requant = p.ext_depthwise = p.ext_lut = p.ext_transpose = true;
  p.depthwise_taps = 6;
  return unwrap(HwConfig::create(p));
}

HwConfig narrowConfig() {
  HwParams p;
  p.name = "narrow-2x4x8";
  p.batch = 2;
  p.block_in = 4;
  p.block_out = 8;
  p.acc_width_bits = 24;
  p.ext_prelu = p.ext_requant = true;
  return unwrap(HwConfig::create(p));
}

HwConfig wideConfig() {
  HwParams p;
  p.name = "wide";
  p.uop_buf_bytes = 256 * 1024;
  p.inp_buf_bytes = 256 * 1024;
  p.acc_buf_bytes = 512 * 1024;
  p.concurrent_compute = false;
  p.ext_prelu = p.ext_transpose = true;
  return unwrap(HwConfig::create(p));
}

}  // namespace

// Default, small, batched, large, dense, narrow, wide, tiny blocks.
std::vector<HwConfig> manyConfigs() {
  return {config("1x16x16", 1, 16, 16),
          config("1x8x8", 1, 8, 8),
          config("4x16x16", 4, 16, 16),
          config("1x32x32", 1, 32, 32),
          extendedConfig(),
          depthwiseConfig(),
          denseConfig(),
          narrowConfig(),
          config("1x2x2", 1, 2, 2),
          wideConfig()};
}

std::vector<HwConfig> defaultConfig() { return {config("1x16x16", 1, 16, 16)}; }

// Default; batch 4 with unequal blocks on a wide bus; engines one after the other; wide encoding; a
// bus of many elements with 64-bit addresses; depthwise GEMMs; depths that are no powers of two;
// accumulators of 24 bits.
std::vector<HwConfig> builtConfigs() {
  return {config("1x16x16", 1, 16, 16),      rtlTestConfig("batch-4x2x4"),
          rtlTestConfig("sequential-1x4x8"), rtlTestConfig("wide-1x4x4"),
          rtlTestConfig("bus-512-1x8x2"),    rtlTestConfig("taps-1x16x4"),
          rtlTestConfig("odd-depths-2x8x4"), rtlTestConfig("plain-1x16x4")};
}

HwConfig rtlTestConfig(const std::string& name) {
  return unwrap(loadHwConfig(VTA_SOURCE_DIR "/tests/sim/rtl/configs/" + name + ".yaml"));
}

std::string testName(const testing::TestParamInfo<DeviceUnderTest>& info) {
  std::string name = info.param.spec;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

MemInsn row(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count) {
  return contiguousRow(type, sram, dram, count);
}

Lanes randomLanes(size_t count, int32_t min, int32_t max, uint32_t seed) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<int32_t> value(min, max);
  Lanes lanes(count);
  for (int32_t& lane : lanes) lane = value(rng);
  return lanes;
}

Machine::Machine(const std::string& spec, const HwConfig& hw)
    : hw_(hw), device_(unwrap(createDevice(spec, hw))) {
  for (const MemoryType type :
       {MemoryType::kUop, MemoryType::kWgt, MemoryType::kInp, MemoryType::kAcc, MemoryType::kOut}) {
    operands_[type] = unwrap(device_->allocate(kOperandBytes, hw.elemBytes(type)));
  }
  operands_[MemoryType::kAcc8] = operands_[MemoryType::kAcc];
  operands_[MemoryType::kWgtTransposed] = operands_[MemoryType::kWgt];
}

uint64_t Machine::base(MemoryType type) const { return operands_.at(type).address; }

uint32_t Machine::lanesOf(MemoryType type) const {
  return hw_.elemBytes(type) / (type == MemoryType::kAcc ? sizeof(int32_t) : 1);
}

void Machine::writeLanes(MemoryType type, uint32_t first, const Lanes& lanes) {
  const size_t lane_bytes = type == MemoryType::kAcc ? 4 : 1;
  std::vector<std::byte> bytes(lanes.size() * lane_bytes);
  for (size_t i = 0; i < lanes.size(); ++i) {
    std::memcpy(bytes.data() + i * lane_bytes, &lanes[i], lane_bytes);  // little endian
  }
  check(device_->write(base(type) + uint64_t{first} * hw_.elemBytes(type), bytes));
}

void Machine::writeUops(const std::vector<Uop>& uops) {
  std::vector<std::byte> bytes;
  for (const Uop& uop : uops) check(encodeUop(uop, hw_, bytes));
  check(device_->write(base(MemoryType::kUop), bytes));
}

Lanes Machine::readOut(uint32_t first, uint32_t count) {
  std::vector<std::byte> bytes(size_t{count} * hw_.elemBytes(MemoryType::kOut));
  const uint64_t offset = uint64_t{first} * hw_.elemBytes(MemoryType::kOut);
  check(device_->read(base(MemoryType::kOut) + offset, bytes));
  Lanes lanes(bytes.size());
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<int8_t>(bytes[i]);
  return lanes;
}

void Machine::fillOut(int8_t byte) {
  const std::vector<std::byte> bytes(kOperandBytes, static_cast<std::byte>(byte));
  check(device_->write(base(MemoryType::kOut), bytes));
}

void Machine::addRaw(std::vector<std::byte> bytes) {
  raw_[program_.size()] = std::move(bytes);
  program_.push_back(Instruction::finish());
}

LaunchResult Machine::launch() {
  std::vector<std::byte> stream;
  for (size_t i = 0; i < program_.size(); ++i) {
    if (const auto it = raw_.find(i); it != raw_.end()) {
      stream.insert(stream.end(), it->second.begin(), it->second.end());
    } else {
      check(encodeInstruction(program_[i], hw_, stream));
    }
  }
  const DeviceBuffer code = unwrap(device_->allocate(stream.size(), 64));
  check(device_->write(code.address, stream));
  Launch launch;
  launch.instruction_address = code.address;
  launch.instruction_count = static_cast<uint32_t>(program_.size());
  launch.uop_base = base(MemoryType::kUop);
  launch.inp_base = base(MemoryType::kInp);
  launch.wgt_base = base(MemoryType::kWgt);
  launch.acc_base = base(MemoryType::kAcc);
  launch.out_base = base(MemoryType::kOut);
  check(device_->submit(launch));
  LaunchResult result = unwrap(device_->wait(std::chrono::seconds(60)));
  check(device_->free(code));
  return result;
}

}  // namespace vta::driver::conformance
