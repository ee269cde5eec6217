// What every GPU has to do, whatever interface drives it.
#include "driver/gpu/gpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "tests/driver/gpu/test_gpus.h"
#include "tests/driver/gpu/test_kernels.h"

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using Source = GpuBinding::Source;

constexpr std::chrono::seconds kLong{60};

class Gpu : public ::testing::TestWithParam<TestGpu> {
 protected:
  void SetUp() override {
    if (!GetParam().isThere()) GTEST_SKIP() << "no " << GetParam().name;
    if (!hasAssembler()) GTEST_SKIP() << "no spirv-as";
    auto device = GetParam().open();
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = *std::move(device);
  }

  template <typename T>
  uint64_t upload(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    const auto buffer = device_->allocate(bytes.size(), 512);
    EXPECT_TRUE(buffer.ok()) << buffer.status().message();
    EXPECT_TRUE(device_->write(buffer->address, bytes).ok());
    return buffer->address;
  }

  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    const Status status = device_->read(address, std::as_writable_bytes(std::span(values)));
    EXPECT_TRUE(status.ok()) << status.message();
    return values;
  }

  std::unique_ptr<LoadedGpuProgram> load(const GpuProgram& program,
                                         const std::vector<uint64_t>& arguments,
                                         GpuTimes times = GpuTimes::kOff) {
    EXPECT_TRUE(checkGpuProgram(program).ok()) << checkGpuProgram(program).message();
    auto loaded = device_->load(program, arguments, times);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return loaded.ok() ? *std::move(loaded) : nullptr;
  }

  std::unique_ptr<GpuDevice> device_;
};

std::vector<uint32_t> numbers(size_t count, uint32_t factor) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<uint32_t>(i) * factor + 7;
  return values;
}

/// a + b -> out, of `count` integers.
GpuProgram addProgram(uint32_t count, uint32_t workgroup_size = 64) {
  const uint64_t bytes = uint64_t{count} * sizeof(uint32_t);
  return {.argument_bytes = {bytes, bytes, bytes},
          .kernels = {addKernel(count, workgroup_size)},
          .dispatches = {{0,
                          workgroupsFor(count, workgroup_size),
                          {{Source::kArgument, 0, 0, bytes},
                           {Source::kArgument, 1, 0, bytes},
                           {Source::kArgument, 2, 0, bytes}}}}};
}

TEST_P(Gpu, SaysWhatItIs) {
  const GpuDeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_GT(info.memory_bytes, 1U << 20);
  EXPECT_GE(info.limits.max_invocations, 128U);
  EXPECT_GE(info.limits.shared_bytes, 16384U);
  EXPECT_THAT(info.limits.max_workgroups, Each(Gt(1000U)));
  EXPECT_EQ(device_->asGpuDevice(), device_.get());
  EXPECT_EQ(device_->asDevice(), nullptr);
}

TEST_P(Gpu, AddsAnyNumberOfIntegers) {
  for (const uint32_t count : {1U, 3U, 64U, 65U, 1000U, 100000U}) {
    const auto a = numbers(count, 3), b = numbers(count, 0x9e3779b9);
    const uint64_t out = upload(std::vector<uint32_t>(count));
    const auto program = load(addProgram(count), {upload(a), upload(b), out});
    ASSERT_NE(program, nullptr);
    ASSERT_TRUE(program->run(kLong).ok());
    std::vector<uint32_t> expected(count);
    std::ranges::transform(a, b, expected.begin(), std::plus());
    EXPECT_EQ(download<uint32_t>(out, count), expected) << count;
  }
}

TEST_P(Gpu, TakesCodeThatItsFeaturesAllow) {
  for (const uint32_t count : {1U, 5U, 4096U, 4099U}) {
    std::vector<uint8_t> a(count), b(count), expected(count);
    for (uint32_t i = 0; i < count; ++i) {
      a[i] = static_cast<uint8_t>(i * 37);
      b[i] = static_cast<uint8_t>(i * 11 + 200);
      expected[i] = static_cast<uint8_t>(a[i] + b[i]);
    }
    const uint64_t out = upload(std::vector<uint8_t>(count));
    // Words at the end are whole.
    const uint64_t bytes = (count + 3) / 4 * 4;
    const GpuProgram program = {.argument_bytes = {count, count, count},
                                .kernels = {addBytesKernel(count)},
                                .dispatches = {{0,
                                                workgroupsFor(count, 64),
                                                {{Source::kArgument, 0, 0, bytes},
                                                 {Source::kArgument, 1, 0, bytes},
                                                 {Source::kArgument, 2, 0, bytes}}}}};
    const auto loaded = load(program, {upload(a), upload(b), out});
    ASSERT_NE(loaded, nullptr);
    ASSERT_TRUE(loaded->run(kLong).ok());
    EXPECT_EQ(download<uint8_t>(out, count), expected) << count;
  }
}

TEST_P(Gpu, SharesMemoryInAWorkgroup) {
  constexpr uint32_t kCount = 640;
  constexpr uint64_t kBytes = kCount * sizeof(uint32_t);
  const auto in = numbers(kCount, 5);
  const uint64_t out = upload(std::vector<uint32_t>(kCount));
  const auto program = load(
      {.argument_bytes = {kBytes, kBytes},
       .kernels = {reverseKernel()},
       .dispatches = {{0,
                       {10, 1, 1},
                       {{Source::kArgument, 0, 0, kBytes}, {Source::kArgument, 1, 0, kBytes}}}}},
      {upload(in), out});
  ASSERT_NE(program, nullptr);
  ASSERT_TRUE(program->run(kLong).ok());
  std::vector<uint32_t> expected = in;
  for (uint32_t i = 0; i < kCount; i += 64) {
    std::reverse(expected.begin() + i, expected.begin() + i + 64);
  }
  EXPECT_EQ(download<uint32_t>(out, kCount), expected);
}

/// Adds constants to an argument, doubles that in scratch memory, and again, `times` times.
TEST_P(Gpu, DispatchesWaitForEachOther) {
  constexpr uint32_t kCount = 128;
  constexpr uint64_t kBytes = kCount * sizeof(uint32_t);
  constexpr uint32_t kDoublings = 20;
  GpuProgram program = {.argument_bytes = {kBytes, kBytes},
                        .scratch_bytes = 2 * kBytes,
                        .kernels = {addKernel(kCount, 32)}};
  const auto table = numbers(kCount, 11);
  const auto table_bytes = std::as_bytes(std::span(table));
  program.constants.assign(table_bytes.begin(), table_bytes.end());
  const GpuBinding in = {Source::kArgument, 0, 0, kBytes}, out = {Source::kArgument, 1, 0, kBytes},
                   constants = {Source::kConstants, 0, 0, kBytes};
  const GpuBinding scratch[] = {{Source::kScratch, 0, 0, kBytes},
                                {Source::kScratch, 0, kBytes, kBytes}};
  program.dispatches.push_back({0, {4, 1, 1}, {in, constants, scratch[0]}});
  for (uint32_t i = 0; i < kDoublings; ++i) {
    const GpuBinding& from = scratch[i % 2];
    const GpuBinding& to = i + 1 == kDoublings ? out : scratch[(i + 1) % 2];
    program.dispatches.push_back({0, {4, 1, 1}, {from, from, to}});
  }
  const auto values = numbers(kCount, 2);
  const uint64_t result = upload(std::vector<uint32_t>(kCount));
  const auto loaded = load(program, {upload(values), result}, GpuTimes::kDispatches);
  ASSERT_NE(loaded, nullptr);
  for (int run = 0; run < 3; ++run) {
    ASSERT_TRUE(loaded->run(kLong).ok());
    std::vector<uint32_t> expected(kCount);
    for (uint32_t i = 0; i < kCount; ++i) expected[i] = (values[i] + table[i]) << kDoublings;
    EXPECT_EQ(download<uint32_t>(result, kCount), expected);
  }
  const size_t times = device_->info().records_times ? program.dispatches.size() : 0;
  EXPECT_EQ(loaded->dispatchSeconds().size(), times);
  EXPECT_THAT(loaded->dispatchSeconds(), Each(::testing::Ge(0.0)));
}

TEST_P(Gpu, AnEmptyProgramDoesNothing) {
  const auto program = load({}, {});
  ASSERT_NE(program, nullptr);
  EXPECT_TRUE(program->run(kLong).ok());
  EXPECT_TRUE(program->dispatchSeconds().empty());
}

TEST_P(Gpu, MemoryIsZeroAtFirstAndHoldsWhatIsWritten) {
  constexpr uint64_t kBytes = (uint64_t{9} << 20) + 3;  // more than is copied at once
  const auto buffer = device_->allocate(kBytes, 4096);
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  EXPECT_EQ(buffer->address % 4096, 0U);
  EXPECT_EQ(buffer->size_bytes, kBytes);
  EXPECT_EQ(download<uint8_t>(buffer->address, kBytes), std::vector<uint8_t>(kBytes));
  std::vector<uint8_t> data(kBytes - 100);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 31 >> 3);
  ASSERT_TRUE(device_->write(buffer->address + 7, std::as_bytes(std::span(data))).ok());
  EXPECT_EQ(download<uint8_t>(buffer->address + 7, data.size()), data);
  EXPECT_EQ(download<uint8_t>(buffer->address, 7), std::vector<uint8_t>(7));
  std::byte* view = device_->map(*buffer);
  EXPECT_EQ(view == nullptr, GetParam().staged);
  if (view != nullptr) {
    EXPECT_EQ(std::to_integer<uint8_t>(view[1007]), data[1000]);
  }
  EXPECT_TRUE(device_->free(*buffer).ok());
  EXPECT_THAT(device_->free(*buffer).message(), HasSubstr("no buffer at 0x"));
}

TEST_P(Gpu, RangesOutsideOfBuffersAreRefused) {
  const auto buffer = *device_->allocate(600, 512);
  std::vector<std::byte> data(1100);
  EXPECT_THAT(device_->write(buffer.address, data).message(), HasSubstr("are in no buffer"));
  EXPECT_THAT(device_->read(buffer.address + 1024, std::span(data).first(1)).message(),
              HasSubstr("are in no buffer"));
  EXPECT_FALSE(device_->read(0, std::span(data).first(1)).ok());
  EXPECT_TRUE(device_->write(buffer.address, {}).ok());
  // A program with a tensor that is too small, or with too few.
  const uint64_t small = buffer.address;
  const auto loaded =
      device_->load(addProgram(4096), std::vector<uint64_t>{small, small, small}, GpuTimes::kOff);
  EXPECT_THAT(loaded.status().message(), HasSubstr("16384 bytes at 0x"));
  EXPECT_THAT(device_->load(addProgram(4), {}, GpuTimes::kOff).status().message(),
              HasSubstr("has 3 tensors, 0 are given"));
}

TEST_P(Gpu, SaysWhenThereIsNoMemory) {
  const auto buffer = device_->allocate(uint64_t{1} << 60, 512);
  EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(buffer.status().message(), HasSubstr("not enough memory for 1152921504606846976"));
  GpuProgram program = addProgram(4);
  program.scratch_bytes = uint64_t{1} << 45;
  const uint64_t address = upload(std::vector<uint32_t>(4));
  const auto loaded = device_->load(program, std::vector<uint64_t>(3, address), GpuTimes::kOff);
  EXPECT_EQ(loaded.status().code(), StatusCode::kResourceExhausted);
}

TEST_P(Gpu, AllocatesMoreThanOneBufferHolds) {
  GpuLimits limits = device_->info().limits;
  limits.max_buffer_bytes = 9000;  // buffers are of 8192 bytes then
  device_->lowerLimits(limits);
  std::vector<uint32_t> values(5000);
  std::iota(values.begin(), values.end(), 7U);
  const uint64_t address = upload(values);
  EXPECT_EQ(download<uint32_t>(address, values.size()), values);
  // Parts that begin and end in the middle, in one buffer and across two.
  for (const auto& [first, count] :
       {std::pair{10U, 20U}, {2000U, 100U}, {2048U, 2048U}, {1U, 4999U}}) {
    const std::vector<uint32_t> part = download<uint32_t>(address + 4 * first, count);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), values.begin() + first)) << first;
  }
  const std::vector<uint32_t> ones(100, 1);
  EXPECT_TRUE(device_->write(address + 8000, std::as_bytes(std::span(ones))).ok());
  EXPECT_EQ(download<uint32_t>(address + 8000, 100), ones);
  EXPECT_EQ(download<uint32_t>(address + 8400, 1).front(), values[2100]);
  EXPECT_EQ(device_->read(address + 19900, std::as_writable_bytes(std::span(values))).code(),
            StatusCode::kInvalidArgument);
}

TEST_P(Gpu, ARangeLiesInOneBuffer) {
  GpuLimits limits = device_->info().limits;
  limits.max_buffer_bytes = 8192;
  device_->lowerLimits(limits);
  const uint64_t address = upload(std::vector<uint32_t>(6000, 3));
  const auto arguments = [&](uint64_t last) {
    return std::vector<uint64_t>{address, address + 8192, last};
  };
  const auto loaded = device_->load(addProgram(1024), arguments(address + 16384), GpuTimes::kOff);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  ASSERT_TRUE((*loaded)->run(kLong).ok());
  EXPECT_EQ(download<uint32_t>(address + 16384, 1024), std::vector<uint32_t>(1024, 6));
  const auto across = device_->load(addProgram(1024), arguments(address + 6144), GpuTimes::kOff);
  EXPECT_EQ(across.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(across.status().message(),
              HasSubstr("4096 bytes that are used at once lie in two buffers"));
}

TEST_P(Gpu, CopiesBesideWork) {
  if (!device_->copiesBesideWork()) GTEST_SKIP() << "one queue";
  constexpr uint32_t kCount = 4096;
  std::vector<uint32_t> values(kCount);
  std::iota(values.begin(), values.end(), 1U);
  const std::vector<uint64_t> arguments = {upload(values), upload(values),
                                           upload(std::vector<uint32_t>(kCount))};
  const auto loaded = load(addProgram(kCount), arguments);
  const uint64_t other = upload(values);
  std::thread work([&] {
    for (int run = 0; run < 30; ++run) EXPECT_TRUE(loaded->run(kLong).ok());
  });
  for (uint32_t copy = 0; copy < 30; ++copy) {
    const std::vector<uint32_t> sent(kCount, copy);
    EXPECT_TRUE(device_->write(other, std::as_bytes(std::span(sent))).ok());
    EXPECT_EQ(download<uint32_t>(other, kCount), sent);
  }
  work.join();
  const std::vector<uint32_t> sums = download<uint32_t>(arguments[2], kCount);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(sums[i], 2 * values[i]);
}

TEST_P(Gpu, NamesTheLimitThatAProgramPasses) {
  const std::vector<uint64_t> arguments(3, upload(std::vector<uint32_t>(4)));
  GpuProgram program = addProgram(4);
  program.kernels[0].workgroup_size = {65536, 1, 1};
  const auto loaded = device_->load(program, arguments, GpuTimes::kOff);
  EXPECT_EQ(loaded.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(loaded.status().message(),
              AllOf(HasSubstr("kernel 'add' has 65536 invocations along dimension 0"),
                    HasSubstr(device_->info().name)));
}

TEST_P(Gpu, NamesWhatItLacks) {
  const std::vector<uint64_t> arguments(3, upload(std::vector<uint32_t>(4)));
  GpuProgram program = addProgram(4);
  program.kernels[0].codes.resize(1);
  program.kernels[0].codes[0].form = GpuCodeForm::kPtx;
  program.kernels[0].codes[0].target = "sm_80";
  EXPECT_THAT(
      device_->load(program, arguments, GpuTimes::kOff).status().message(),
      AllOf(HasSubstr("kernel 'add' has no code for the GPU"), HasSubstr("PTX for sm_80: it ")));
}

/// Adds `dispatches` times kCounts to an argument: no loop has more rounds than llvmpipe allows.
constexpr uint32_t kCounts = 30000;
GpuProgram countProgram(uint32_t dispatches) {
  GpuProgram program = {.argument_bytes = {16}, .kernels = {countKernel(kCounts)}};
  program.dispatches.assign(dispatches, {0, {1, 1, 1}, {{Source::kArgument, 0, 0, 16}}});
  return program;
}

TEST_P(Gpu, WhatTakesTooLongIsLeftAlone) {
  constexpr uint32_t kDispatches = 600;
  const uint64_t value = upload(std::vector<uint32_t>(4));
  const auto program = load(countProgram(kDispatches), {value});
  ASSERT_NE(program, nullptr);
  const Status status = program->run(std::chrono::milliseconds(0));
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.message();
  EXPECT_EQ(status.message(), "the kernels did not end within 0 seconds");
  // Until it ends, the device says so.
  std::vector<uint32_t> result(1);
  const auto read = [&] { return device_->read(value, std::as_writable_bytes(std::span(result))); };
  Status last;
  for (last = read(); last.code() == StatusCode::kDeadlineExceeded; last = read()) {
    EXPECT_THAT(last.message(), HasSubstr("still runs"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(last.ok()) << last.message();
  EXPECT_EQ(result[0], kDispatches * kCounts);
}

TEST_P(Gpu, MayGoWhileAKernelRuns) {
  const uint64_t value = upload(std::vector<uint32_t>(4));
  // Long enough to be running still, and so short that a slow machine ends it before the process
  // does: SwiftShader's threads do not survive that.
  auto program = load(countProgram(300), {value});
  ASSERT_NE(program, nullptr);
  EXPECT_FALSE(program->run(std::chrono::milliseconds(0)).ok());
  program.reset();
  device_.reset();
}

INSTANTIATE_TEST_SUITE_P(Devices, Gpu, ::testing::ValuesIn(testGpus()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::driver::test
