// What is special about CUDA, on a library that stands for NVIDIA's.
#include "driver/gpu/cuda/cuda_device.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/temporary_folder.h"
#include "driver/gpu/gpu_registry.h"
#include "tests/driver/gpu/test_gpus.h"

namespace vta::driver::cuda {
namespace {

using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLong{60};

TEST(Cuda, SaysWhatIsMissing) {
  EXPECT_THAT(CudaDevice::list("libcuda-that-is-not-there.so").status().message(),
              AllOf(HasSubstr("libcuda-that-is-not-there.so"), HasSubstr("NVIDIA's driver")));
  EXPECT_EQ(CudaDevice::list("libcuda-that-is-not-there.so").status().code(),
            StatusCode::kNotFound);
  EXPECT_THAT(CudaDevice::list("libc.so.6").status().message(),
              HasSubstr("libc.so.6 has no cuInit"));
}

TEST(Cuda, SaysWhyThereIsNoGpu) {
  const ScopedVariable init("FAKE_CUDA_INIT", "34");
  const Status status = CudaDevice::list(VTA_FAKE_CUDA).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("cuInit: CUDA driver is a stub library (code 34)"));
  const ScopedVariable unknown("FAKE_CUDA_INIT", "12345");
  EXPECT_THAT(CudaDevice::list(VTA_FAKE_CUDA).status().message(), HasSubstr("code 12345"));
}

TEST(Cuda, DescribesItsGpus) {
  const auto gpus = CudaDevice::list(VTA_FAKE_CUDA);
  ASSERT_TRUE(gpus.ok()) << gpus.status().message();
  ASSERT_EQ(gpus->size(), 1U);
  const GpuDeviceInfo& info = gpus->front();
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.driver, "CUDA 12.4");
  EXPECT_EQ(info.target, "sm_75");
  EXPECT_EQ(info.kind, GpuKind::kDiscrete);
  EXPECT_EQ(info.limits.subgroup_size, 32U);
  EXPECT_EQ(info.limits.max_workgroup_size[2], 64U);
  EXPECT_THAT(CudaDevice::open(1, VTA_FAKE_CUDA).status().message(),
              HasSubstr("CUDA has 1 GPUs, there is no number 1"));
}

GpuProgram programOf(const std::string& text, const std::string& entry_point) {
  const auto bytes = std::as_bytes(std::span(text));
  return {.argument_bytes = {64},
          .kernels =
              {{.name = "k",
                .bindings = {GpuAccess::kWrite},
                .codes =
                    {{GpuCodeForm::kPtx, entry_point, "sm_75", {}, {bytes.begin(), bytes.end()}}}}},
          .dispatches = {{0, {1, 1, 1}, {{GpuBinding::Source::kArgument, 0, 0, 64}}}}};
}

TEST(Cuda, SaysWhatIsWrongWithAText) {
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const std::vector<uint64_t> arguments = {(*device)->allocate(64, 512)->address};
  const auto problem_of = [&](const std::string& text, const std::string& entry_point) {
    const auto loaded = (*device)->load(programOf(text, entry_point), arguments, GpuTimes::kOff);
    return loaded.ok() ? Status() : loaded.status();
  };
  EXPECT_TRUE(problem_of(".version 7.0 // k 1", "k").ok());
  EXPECT_EQ(problem_of("nothing", "k").code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(problem_of("nothing", "k").message(),
              AllOf(HasSubstr("kernel 'k': CUDA: cuLinkAddData"), HasSubstr("line 1: no version")));
  EXPECT_THAT(problem_of(".version 7.0 // k 1", "other").message(),
              HasSubstr("kernel 'k': CUDA: cuModuleGetFunction: named symbol not found"));
}

TEST(Cuda, SaysThatItsCompilerIsMissing) {
  const auto folder = TemporaryFolder::create("vta-test");
  const ScopedVariable cache("VTA_CACHE_DIR", folder->path().string());
  const ScopedVariable link("FAKE_CUDA_LINK", "221");
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const std::vector<uint64_t> arguments = {(*device)->allocate(64, 512)->address};
  EXPECT_THAT((*device)
                  ->load(programOf(".version 7.0 // k 1", "k"), arguments, GpuTimes::kOff)
                  .status()
                  .message(),
              HasSubstr("cuLinkComplete: an unknown error (code 221)"));
}

TEST(Cuda, SaysThatItsDriverIsTooOld) {
  const auto folder = TemporaryFolder::create("vta-test");
  const ScopedVariable cache("VTA_CACHE_DIR", folder->path().string());
  const ScopedVariable link("FAKE_CUDA_LINK", "222");
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const std::vector<uint64_t> arguments = {(*device)->allocate(64, 512)->address};
  const Status status =
      (*device)->load(programOf(".version 7.0 // k 1", "k"), arguments, GpuTimes::kOff).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("driver is older than the code"));
}

TEST(Cuda, WhatIsKeptNeedsNoCompiler) {
  const auto folder = TemporaryFolder::create("vta-test");
  const ScopedVariable cache("VTA_CACHE_DIR", folder->path().string());
  const auto load = [&]() -> Status {
    const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
    if (!device.ok()) return device.status();
    const std::vector<uint64_t> arguments = {(*device)->allocate(64, 512)->address};
    return (*device)
        ->load(programOf(".version 7.0 // k 1", "k"), arguments, GpuTimes::kOff)
        .status();
  };
  EXPECT_TRUE(load().ok()) << load().message();
  const ScopedVariable link("FAKE_CUDA_LINK", "221");
  EXPECT_TRUE(load().ok()) << load().message();
}

TEST(Cuda, AFaultStays) {
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const uint64_t address = (*device)->allocate(64, 512)->address;
  const auto loaded = (*device)->load(programOf(".version 7.0 // fault 1", "fault"),
                                      std::vector<uint64_t>{address}, GpuTimes::kOff);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const Status status = (*loaded)->run(kLong);
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), HasSubstr("an illegal memory access"));
  std::vector<std::byte> data(4);
  EXPECT_EQ((*device)->read(address, data).code(), StatusCode::kDeviceFault);
}

TEST(Cuda, SaysWhenTheMemoryIsFull) {
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  constexpr uint64_t kMost = uint64_t{200} << 20;
  ASSERT_TRUE((*device)->allocate(kMost, 512).ok());
  const auto more = (*device)->allocate(kMost, 512);
  EXPECT_EQ(more.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(more.status().message(),
              HasSubstr("209715200 of 268435456 bytes are in use by this program"));
}

/// A function of the library for tests alone.
template <typename T>
T askFake(const char* name) {
  void* library = dlopen(VTA_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  const auto function = reinterpret_cast<T (*)()>(dlsym(library, name));
  const T answer = function();
  dlclose(library);
  return answer;
}

int graphLaunches() { return askFake<int>("fakeCudaGraphLaunches"); }

/// Counts once in each of two dispatches, twice.
void expectThatItCounts(GpuTimes times, int graphs) {
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const uint64_t address = (*device)->allocate(64, 512)->address;
  GpuProgram program = programOf(".version 7.0 // count 3", "count");
  program.kernels[0].bindings = {GpuAccess::kReadWrite};
  program.dispatches.push_back(program.dispatches[0]);
  const auto loaded = (*device)->load(program, std::vector<uint64_t>{address}, times);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const int before = graphLaunches();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE((*loaded)->run(kLong).ok());
  EXPECT_EQ(graphLaunches() - before, graphs);
  EXPECT_EQ((*loaded)->dispatchSeconds().size(), times == GpuTimes::kOff ? 0U : 2U);
  uint32_t count = 0;
  ASSERT_TRUE((*device)->read(address, std::as_writable_bytes(std::span(&count, 1))).ok());
  EXPECT_EQ(count, 12U);
}

TEST(Cuda, LaunchesAreRecordedOnce) { expectThatItCounts(GpuTimes::kOff, 2); }

TEST(Cuda, WithTimesLaunchesAreMadeOneByOne) { expectThatItCounts(GpuTimes::kDispatches, 0); }

TEST(Cuda, WhereTheyCannotBeRecordedLaunchesAreMadeOneByOne) {
  const ScopedVariable graph("FAKE_CUDA_GRAPH", "801");
  expectThatItCounts(GpuTimes::kOff, 0);
}

std::string fakeLog() { return askFake<const char*>("fakeCudaLog"); }

/// What an upload and a download beside `loaded` and one behind it leave in the log.
std::string logOfCopiesBeside(GpuDevice& gpu, LoadedGpuProgram& loaded) {
  const OwnedDeviceBuffer other(&gpu, *gpu.allocate(4096, 512));
  std::vector<std::byte> bytes(4096, std::byte{7}), back(4096);
  (void)askFake<int>("fakeCudaEmptyLog");
  std::thread work([&] { EXPECT_TRUE(loaded.run(kLong).ok()); });
  while (fakeLog().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(gpu.write(other.get().address, bytes).ok());
  EXPECT_TRUE(gpu.read(other.get().address, back).ok());
  EXPECT_EQ(back, bytes);
  work.join();
  EXPECT_TRUE(gpu.read(other.get().address, back).ok());
  return fakeLog();
}

TEST(Cuda, CopiesRunBesideKernels) {
  for (const GpuTimes times : {GpuTimes::kOff, GpuTimes::kDispatches}) {
    const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
    ASSERT_TRUE(device.ok()) << device.status().message();
    EXPECT_TRUE((*device)->copiesBesideWork());
    const OwnedDeviceBuffer count(device->get(), *(*device)->allocate(64, 512));
    const auto loaded = (*device)->load(programOf(".version 7.0 // count 300000000", "count"),
                                        std::vector<uint64_t>{count.get().address}, times);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ(logOfCopiesBeside(**device, **loaded),
              "count began\ncopied to the GPU\ncopied from the GPU\ncount ended\n"
              "copied from the GPU\n");
  }
}

TEST(Cuda, AThousandRunsAndSessionsLeaveNothing) {
  const auto device = CudaDevice::open(0, VTA_FAKE_CUDA);
  ASSERT_TRUE(device.ok()) << device.status().message();
  const auto used_bytes = [] { return askFake<size_t>("fakeCudaUsedBytes"); };
  const size_t before = used_bytes();
  for (int i = 0; i < 1000; ++i) {
    const OwnedDeviceBuffer buffer(device->get(), *(*device)->allocate(64, 512));
    const auto loaded = (*device)->load(programOf(".version 7.0 // count 1", "count"),
                                        std::vector<uint64_t>{buffer.get().address},
                                        i % 2 == 0 ? GpuTimes::kOff : GpuTimes::kDispatches);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    ASSERT_TRUE((*loaded)->run(kLong).ok());
  }
  EXPECT_EQ(used_bytes(), before);
}

}  // namespace
}  // namespace vta::driver::cuda
