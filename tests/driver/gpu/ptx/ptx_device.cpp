#include "tests/driver/gpu/ptx/ptx_device.h"

#include <cstring>
#include <utility>
#include <vector>

#include "driver/gpu/placed_program.h"
#include "driver/gpu/program_fit.h"
#include "tests/driver/gpu/ptx/ptx_kernel.h"

namespace vta::driver::test {
namespace {

class PtxBuffer final : public GpuBuffer {
 public:
  explicit PtxBuffer(uint64_t size_bytes)
      : words_((size_bytes + sizeof(Word) - 1) / sizeof(Word)) {}
  Status write(uint64_t offset_bytes, std::span<const std::byte> data) override {
    std::memcpy(bytes() + offset_bytes, data.data(), data.size());
    return {};
  }
  Status read(uint64_t offset_bytes, std::span<std::byte> data) override {
    std::memcpy(data.data(), bytes() + offset_bytes, data.size());
    return {};
  }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }

 private:
  struct alignas(64) Word {
    std::byte bytes[64];
  };
  std::vector<Word> words_;
};

struct PtxDispatch {
  const PtxKernel* kernel = nullptr;
  std::array<uint32_t, 3> workgroups{};
  std::vector<PtxRange> ranges;
};

class PtxProgram final : public LoadedGpuProgram {
 public:
  PtxProgram(PlacedProgram placed, std::vector<PtxKernel> kernels)
      : placed_(std::move(placed)), kernels_(std::move(kernels)) {}

  Status run(std::chrono::milliseconds /*timeout*/) override {
    for (const PtxDispatch& dispatch : dispatches) {
      VTA_RETURN_IF_ERROR(dispatch.kernel->run(dispatch.workgroups, dispatch.ranges));
    }
    return {};
  }
  std::vector<double> dispatchSeconds() const override { return {}; }
  const PtxKernel& kernel(uint32_t number) const { return kernels_[number]; }

  std::vector<PtxDispatch> dispatches;

 private:
  PlacedProgram placed_;
  std::vector<PtxKernel> kernels_;
};

class PtxDevice final : public GpuMemory {
 public:
  explicit PtxDevice(const GpuDeviceInfo& info) : GpuMemory(info) {}

  Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                 std::span<const uint64_t> arguments,
                                                 GpuTimes /*times*/) override {
    VTA_ASSIGN_OR_RETURN(const std::vector<const GpuCode*> codes, chooseCodes(program, info()));
    VTA_ASSIGN_OR_RETURN(PlacedProgram placed, PlacedProgram::create(program, arguments, *this));
    std::vector<PtxKernel> kernels;
    for (size_t i = 0; i < codes.size(); ++i) {
      VTA_ASSIGN_OR_RETURN(PtxKernel kernel, PtxKernel::parse(codes[i]->text()));
      kernels.push_back(std::move(kernel));
    }
    const std::vector<PlacedDispatch> places = placed.dispatches();
    std::unique_ptr<PtxProgram> loaded(new PtxProgram(std::move(placed), std::move(kernels)));
    for (size_t i = 0; i < places.size(); ++i) {
      PtxDispatch& dispatch = loaded->dispatches.emplace_back();
      dispatch.kernel = &loaded->kernel(places[i].kernel);
      const GpuLaunch launch = launchOf(program, program.dispatches[i], *codes[places[i].kernel]);
      if (dispatch.kernel->workgroup_size != launch.workgroup_size) {
        return invalidArgument("a text has another workgroup than its kernel");
      }
      dispatch.workgroups = launch.workgroups;
      for (const PlacedRange& range : places[i].ranges) {
        VTA_ASSIGN_OR_RETURN(const Place place, find(range.address, range.size_bytes));
        // Kernels may use the rest of a vector behind the end.
        const uint64_t size_bytes =
            (range.size_bytes + kGpuVectorBytes - 1) / kGpuVectorBytes * kGpuVectorBytes;
        dispatch.ranges.push_back(
            {static_cast<PtxBuffer*>(place.buffer)->bytes() + place.offset_bytes, size_bytes});
      }
    }
    return std::unique_ptr<LoadedGpuProgram>(std::move(loaded));
  }

 protected:
  Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) override {
    return std::unique_ptr<GpuBuffer>(new PtxBuffer(size_bytes));
  }
  std::vector<std::string> takeKernelNotes() override { return {}; }
  Status checkIdle() override { return {}; }
};

}  // namespace

std::unique_ptr<GpuDevice> openPtxDevice(const std::string& target) {
  GpuDeviceInfo info;
  info.interface = "cuda";
  info.name = "PTX on a processor";
  info.driver = "test";
  info.kind = GpuKind::kCpu;
  info.memory_bytes = uint64_t{1} << 32;
  info.form = GpuCodeForm::kPtx;
  info.target = target;
  info.features = GpuFeatures::fromBits((1U << kGpuFeatureCount) - 1);
  constexpr uint32_t kMany = 0x7fffffff, kMost = 65535;
  info.limits = {.max_buffer_bytes = info.memory_bytes,
                 .max_range_bytes = info.memory_bytes,
                 .shared_bytes = 49152,
                 .max_invocations = 1024,
                 .max_workgroup_size = {1024, 1024, 64},
                 .max_workgroups = {kMany, kMost, kMost},
                 .max_bindings = 64,
                 .subgroup_size = 32};
  return std::make_unique<PtxDevice>(info);
}

}  // namespace vta::driver::test
