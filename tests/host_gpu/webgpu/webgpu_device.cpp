#include "tests/host_gpu/webgpu/webgpu_device.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/integer_math.h"
#include "base/process/find_program.h"
#include "base/temporary_folder.h"
#include "driver/gpu/placed_program.h"
#include "driver/gpu/program_fit.h"
#include "tests/driver/gpu/fake_gpu.h"

namespace vta::codegen::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFolder = fs::path(VTA_SOURCE_DIR) / "tests/host_gpu/webgpu";
const fs::path kSwiftShader = "/usr/lib/chromium/vk_swiftshader_icd.json";

using WebGpuBuffer = driver::test::HostBuffer;

/// A program as runner.mjs reads it, and the memory that it uses.
class WebGpuProgram final : public driver::LoadedGpuProgram {
 public:
  WebGpuProgram(WebGpuRunner& runner, driver::PlacedProgram placed, json text)
      : runner_(runner), placed_(std::move(placed)), text_(std::move(text)) {}

  /// The number of a buffer in the text.
  size_t numberOf(WebGpuBuffer* buffer) {
    const auto [known, is_new] = numbers_.try_emplace(buffer, buffers_.size());
    if (is_new) {
      text_["buffers"].push_back({{"offset", memory_bytes_}, {"size", buffer->bytes().size()}});
      memory_bytes_ += buffer->bytes().size();
      buffers_.push_back(buffer);
    }
    return known->second;
  }
  json& dispatches() { return text_["dispatches"]; }

  Status run(std::chrono::milliseconds /*timeout*/) override {
    VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("vta-webgpu-"));
    const fs::path memory = folder.path() / "memory", program = folder.path() / "program.json";
    text_["memory"] = memory.string();
    std::ofstream(program) << text_;
    {
      std::ofstream file(memory, std::ios::binary);
      for (WebGpuBuffer* buffer : buffers_) {
        file.write(reinterpret_cast<const char*>(buffer->bytes().data()),
                   static_cast<std::streamsize>(buffer->bytes().size()));
      }
    }
    VTA_RETURN_IF_ERROR(runner_.give(program));
    std::ifstream file(memory, std::ios::binary);
    for (WebGpuBuffer* buffer : buffers_) {
      file.read(reinterpret_cast<char*>(buffer->bytes().data()),
                static_cast<std::streamsize>(buffer->bytes().size()));
    }
    return file ? Status() : ioError("the memory came back cut off");
  }
  std::vector<double> dispatchSeconds() const override { return {}; }

 private:
  WebGpuRunner& runner_;
  driver::PlacedProgram placed_;
  json text_;
  std::map<WebGpuBuffer*, size_t> numbers_;
  std::vector<WebGpuBuffer*> buffers_;
  uint64_t memory_bytes_ = 0;
};

json kernelsOf(const GpuProgram& program, const std::vector<const GpuCode*>& codes) {
  json kernels = json::array();
  for (size_t i = 0; i < codes.size(); ++i) {
    json accesses = json::array();
    for (const GpuAccess access : program.kernels[i].bindings) {
      accesses.push_back(static_cast<int>(access));
    }
    kernels.push_back({{"code", codes[i]->text()},
                       {"entry_point", codes[i]->entry_point},
                       {"bindings", accesses}});
  }
  return kernels;
}

class WebGpuDevice final : public driver::GpuMemory {
 public:
  WebGpuDevice(const driver::GpuDeviceInfo& info, std::unique_ptr<WebGpuRunner> runner)
      : GpuMemory(info), runner_(std::move(runner)) {}

  Result<std::unique_ptr<driver::LoadedGpuProgram>> load(const GpuProgram& program,
                                                         std::span<const uint64_t> arguments,
                                                         driver::GpuTimes /*times*/) override {
    VTA_ASSIGN_OR_RETURN(const auto codes, driver::chooseCodes(program, info()));
    VTA_ASSIGN_OR_RETURN(auto placed, driver::PlacedProgram::create(program, arguments, *this));
    const std::vector<driver::PlacedDispatch> places = placed.dispatches();
    auto loaded = std::make_unique<WebGpuProgram>(
        *runner_, std::move(placed),
        json{{"kernels", kernelsOf(program, codes)}, {"buffers", json::array()}});
    for (size_t i = 0; i < places.size(); ++i) {
      json ranges = json::array();
      for (const driver::PlacedRange& range : places[i].ranges) {
        VTA_ASSIGN_OR_RETURN(const Place place, find(range.address, range.size_bytes));
        ranges.push_back({{"buffer", loaded->numberOf(static_cast<WebGpuBuffer*>(place.buffer))},
                          {"offset", place.offset_bytes},
                          {"size", roundUp(range.size_bytes, kGpuVectorBytes)}});
      }
      loaded->dispatches().push_back({{"kernel", places[i].kernel},
                                      {"workgroups", program.dispatches[i].workgroups},
                                      {"ranges", ranges}});
    }
    return std::unique_ptr<driver::LoadedGpuProgram>(std::move(loaded));
  }

 protected:
  Result<std::unique_ptr<driver::GpuBuffer>> createBuffer(uint64_t size_bytes) override {
    return std::unique_ptr<driver::GpuBuffer>(
        new WebGpuBuffer(roundUp(size_bytes, kGpuVectorBytes)));
  }
  std::vector<std::string> takeKernelNotes() override { return {}; }
  Status checkIdle() override { return {}; }

 private:
  std::unique_ptr<WebGpuRunner> runner_;
};

}  // namespace

std::string missingWebGpu() {
  if (findProgram("node").empty()) return "no node: `scripts/setup web` installs it";
  if (!fs::exists(kFolder / "node_modules/webgpu")) {
    return "no WebGPU: `npm ci --ignore-scripts --prefix tests/host_gpu/webgpu` installs it";
  }
  return fs::exists(kSwiftShader) ? "" : "no SwiftShader: `scripts/setup gpu` installs it";
}

Result<std::unique_ptr<WebGpuRunner>> WebGpuRunner::start(bool checks) {
  std::vector<std::string> command = {"env", "VK_ICD_FILENAMES=" + kSwiftShader.string(), "node",
                                      kFolder / "runner.mjs"};
  if (checks) command.emplace_back("--check");
  VTA_ASSIGN_OR_RETURN(Child child,
                       Child::start(command, {.has_input = true, .error_file = "/dev/null"}));
  return std::unique_ptr<WebGpuRunner>(new WebGpuRunner(std::move(child)));
}

Status WebGpuRunner::give(const fs::path& file) {
  const std::string line = file.string() + "\n";
  if (::write(child_.input(), line.data(), line.size()) != std::ssize(line)) {
    return ioError("Node does not read");
  }
  constexpr int kPatienceMs = 120'000;
  std::string answer;
  while (!answer.ends_with('\n')) {
    pollfd waiting = {child_.output(), POLLIN, 0};
    if (::poll(&waiting, 1, kPatienceMs) <= 0) return ioError("Node does not answer: " + answer);
    char piece[4096];
    const ssize_t count = ::read(child_.output(), piece, sizeof(piece));
    if (count <= 0) return ioError("Node has ended: " + child_.wait().text());
    answer.append(piece, static_cast<size_t>(count));
  }
  answer.pop_back();
  return answer == "ok" ? Status() : invalidArgument("WebGPU: " + answer);
}

Result<std::unique_ptr<driver::GpuDevice>> openWebGpuDevice() {
  VTA_ASSIGN_OR_RETURN(auto runner, WebGpuRunner::start(/*checks=*/false));
  driver::GpuDeviceInfo info;
  info.interface = "webgpu";
  info.name = "SwiftShader by WebGPU";
  info.driver = "Dawn";
  info.kind = driver::GpuKind::kCpu;
  info.memory_bytes = uint64_t{1} << 28;
  info.form = GpuCodeForm::kWgsl;
  constexpr uint32_t kMost = 65535;
  info.limits = {.max_buffer_bytes = uint64_t{1} << 28,
                 .max_range_bytes = uint64_t{1} << 27,
                 .shared_bytes = 16384,
                 .max_invocations = 256,
                 .max_workgroup_size = {256, 256, 64},
                 .max_workgroups = {kMost, kMost, kMost},
                 .max_bindings = 8,
                 .subgroup_size = 4};
  return std::unique_ptr<driver::GpuDevice>(new WebGpuDevice(info, std::move(runner)));
}

}  // namespace vta::codegen::testing
