#include "tests/driver/core_checks.h"

#include <gmock/gmock.h>

#include <vector>

#include "driver/self_test.h"

namespace vta::driver::test {

Copy::Copy(Device& device, uint32_t count)
    : device_(device), check_(copyCheck(device.info().hw, count)) {
  const Program& program = check_.program;
  from_ = device.allocate(program.buffers[check_.from].size_bytes, 4096).value();
  to_ = device.allocate(program.buffers[check_.to].size_bytes, 4096).value();
  std::vector<uint64_t> addresses(program.buffers.size());
  addresses[check_.from] = from_.address;
  addresses[check_.to] = to_.address;
  loaded_.emplace(LoadedProgram::load(device, program, addresses).value());
}

Copy::~Copy() {
  loaded_.reset();
  EXPECT_TRUE(device_.free(from_).ok());
  EXPECT_TRUE(device_.free(to_).ok());
}

Result<bool> Copy::run(uint8_t seed, std::chrono::milliseconds timeout) {
  std::vector<std::byte> bytes(from_.size_bytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 / 5 + seed);
  VTA_RETURN_IF_ERROR(device_.write(from_.address, bytes));
  VTA_RETURN_IF_ERROR(loaded_->run(timeout).status());
  std::vector<std::byte> copied(bytes.size());
  VTA_RETURN_IF_ERROR(device_.read(to_.address, copied));
  return copied == check_.answer(bytes);
}

void expectCounters(Device& device) {
  const Program program = copyProgram(device.info().hw, 64);
  const auto from = device.allocate(4096, 4096);
  const std::vector<uint64_t> addresses = {from->address, from->address};
  auto loaded = LoadedProgram::load(device, program, addresses);
  ASSERT_TRUE(loaded.ok());
  const auto counters = loaded->run();
  ASSERT_TRUE(counters.ok()) << counters.status().message();
  EXPECT_GT(counters->cycles, 100u);
  EXPECT_EQ(counters->store.write_bytes, 64u * 16);
}

void expectResetClearsScratchpads(Device& device) {
  EXPECT_TRUE(selfTest(device).passed());  // leaves something in ACC
  const Status reset = device.reset();
  ASSERT_TRUE(reset.ok()) << reset.message();
  const Program program = dumpProgram(device.info().hw);
  const auto out = device.allocate(program.buffers[1].size_bytes, 4096);
  const std::vector<uint64_t> addresses = {0, out->address};
  ASSERT_TRUE(device.write(out->address, std::vector<std::byte>(64, std::byte{1})).ok());
  ASSERT_TRUE(LoadedProgram::load(device, program, addresses)->run().ok());
  std::vector<std::byte> bytes(out->size_bytes, std::byte{1});
  ASSERT_TRUE(device.read(out->address, bytes).ok());
  EXPECT_THAT(bytes, testing::Each(std::byte{0}));
}

void expectWritesKeepTheLine(Device& device) {
  const Program program = copyProgram(device.info().hw, 1);
  const auto from = device.allocate(64, 64);
  const auto to = device.allocate(64, 64);
  const std::vector<uint64_t> addresses = {from->address, to->address};
  auto loaded = LoadedProgram::load(device, program, addresses);
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(device.write(from->address, std::vector<std::byte>(16, std::byte{9})).ok());
  ASSERT_TRUE(loaded->run().ok());
  ASSERT_TRUE(device.write(to->address + 16, std::vector<std::byte>(16, std::byte{5})).ok());
  std::vector<std::byte> line(32);
  ASSERT_TRUE(device.read(to->address, line).ok());
  EXPECT_EQ(line[0], std::byte{9});
  EXPECT_EQ(line[31], std::byte{5});
}

}  // namespace vta::driver::test
