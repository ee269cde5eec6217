#include "driver/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "base/clock.h"
#include "driver/check_programs.h"
#include "driver/loader.h"
#include "driver/memory_difference.h"
#include "isa/config/dram_alignment.h"
#include "isa/spec/accumulator.h"
#include "isa/spec/narrow_weights.h"

namespace vta::driver {
namespace {

/// Of one buffer of the copy: more than the caches of first level.
constexpr uint64_t kCopyBytes = 96 << 10;

using Bytes = std::vector<std::byte>;

/// Buffers that are freed at the end.
class Buffers {
 public:
  explicit Buffers(Device& device) : device_(device) {}
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    for (const DeviceBuffer& buffer : buffers_) static_cast<void>(device_.free(buffer));
  }

  /// One buffer for each declaration but that of micro-ops; their addresses.
  Result<std::vector<uint64_t>> allocate(const Program& program) {
    std::vector<uint64_t> addresses;
    for (const BufferDecl& decl : program.buffers) {
      addresses.push_back(0);
      if (decl.kind == BufferKind::kUop) continue;
      const uint64_t alignment_bytes =
          std::max<uint64_t>(decl.alignment_bytes, dramAlignmentBytes(device_.info().hw));
      VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                           device_.allocate(decl.size_bytes, alignment_bytes));
      buffers_.push_back(buffer);
      addresses.back() = buffer.address;
    }
    return addresses;
  }

 private:
  Device& device_;
  std::vector<DeviceBuffer> buffers_;
};

/// Every byte depends on its address, so that displaced ones are recognised.
Bytes randomBytes(uint64_t size_bytes, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(size_bytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 24);
  return bytes;
}

Status compareCopy(std::span<const std::byte> actual, std::span<const std::byte> expected,
                   std::span<const std::byte> before, int pass) {
  const auto difference = findDifference(actual, expected, before);
  if (!difference) return {};
  std::string text = fmt::format("pass {} of the copy: {}", pass + 1, difference->text());
  if (difference->kind == DifferenceKind::kStaleLines) {
    text += "; the port of the core is not coherent, or cache maintenance does not work";
  }
  return {StatusCode::kDeviceFault, text};
}

/// How many elements are kCopyBytes, or as much as there is room for.
uint32_t copyCount(const HwConfig& hw) {
  if (!hw.params().compat_0_0_2) {
    return static_cast<uint32_t>(kCopyBytes / hw.elemBytes(MemoryType::kOut));
  }
  return static_cast<uint32_t>(std::min<uint64_t>(
      {kCopyBytes / hw.elemBytes(MemoryType::kAcc), hw.depthElems(MemoryType::kAcc), 4096}));
}

Status testLoadStore(Device& device, std::chrono::milliseconds launch_limit) {
  const HwConfig& hw = device.info().hw;
  const CopyCheck copy = copyCheck(hw, copyCount(hw));
  Buffers buffers(device);
  VTA_ASSIGN_OR_RETURN(const std::vector<uint64_t> addresses, buffers.allocate(copy.program));
  VTA_ASSIGN_OR_RETURN(LoadedProgram loaded, LoadedProgram::load(device, copy.program, addresses));
  const uint64_t size_bytes = copy.program.buffers[copy.from].size_bytes;
  Bytes before(size_bytes);
  // The second pass finds what still holds the bytes of the first one.
  for (int pass = 0; pass < 2; ++pass) {
    const Bytes bytes = randomBytes(size_bytes, 1 + static_cast<uint32_t>(pass));
    const Bytes expected = copy.answer(bytes);
    Bytes actual(size_bytes);
    VTA_RETURN_IF_ERROR(device.write(addresses[copy.from], bytes));
    VTA_RETURN_IF_ERROR(loaded.run(launch_limit).status());
    VTA_RETURN_IF_ERROR(device.read(addresses[copy.to], actual));
    VTA_RETURN_IF_ERROR(compareCopy(actual, expected, before, pass));
    before = expected;
  }
  return {};
}

int valueOf(std::byte byte) { return static_cast<int8_t>(byte); }

/// What gemmProgram stores. `packed`: the weights as they lie in memory.
Bytes gemmAnswer(const HwConfig& hw, const Bytes& inp, const Bytes& packed) {
  const int width_bits = hw.params().wgt_width_bits;
  std::vector<int8_t> wgt(packed.size() * 8 / static_cast<size_t>(width_bits));
  unpackWeights(reinterpret_cast<const int8_t*>(packed.data()), wgt.size(), width_bits, wgt.data());
  const auto [rows, depth] = gemmSizes(hw);
  const auto batch = static_cast<size_t>(hw.batch());
  const auto block_in = static_cast<size_t>(hw.blockIn());
  const auto block_out = static_cast<size_t>(hw.blockOut());
  const size_t lanes = batch * block_out;
  Bytes answer(size_t{4} * rows * lanes);
  for (size_t at = 0; at < rows * lanes; ++at) {
    const size_t row = at / lanes;
    const size_t b = at % lanes / block_out;
    const size_t oc = at % block_out;
    int32_t sum = 0;
    for (size_t k = 0; k < depth; ++k) {
      for (size_t ic = 0; ic < block_in; ++ic) {
        sum += valueOf(inp[((row + k) * batch + b) * block_in + ic]) *
               wgt[(k * block_out + oc) * block_in + ic];
      }
    }
    sum = wrapAccumulator(sum, hw.params().acc_width_bits);
    for (size_t byte = 0; byte < 4; ++byte) {
      answer[byte * rows * lanes + at] =
          static_cast<std::byte>(static_cast<uint32_t>(sum) >> (8 * byte));
    }
  }
  return answer;
}

Status testGemm(Device& device, std::chrono::milliseconds launch_limit) {
  const HwConfig& hw = device.info().hw;
  const Program program = gemmProgram(hw);
  Buffers buffers(device);
  VTA_ASSIGN_OR_RETURN(const std::vector<uint64_t> addresses, buffers.allocate(program));
  VTA_ASSIGN_OR_RETURN(LoadedProgram loaded, LoadedProgram::load(device, program, addresses));
  const Bytes inp = randomBytes(program.buffers[1].size_bytes, 3);
  const Bytes wgt = randomBytes(program.buffers[2].size_bytes, 4);
  VTA_RETURN_IF_ERROR(device.write(addresses[1], inp));
  VTA_RETURN_IF_ERROR(device.write(addresses[2], wgt));
  VTA_RETURN_IF_ERROR(loaded.run(launch_limit).status());
  Bytes actual(program.buffers[3].size_bytes);
  VTA_RETURN_IF_ERROR(device.read(addresses[3], actual));
  const Bytes expected = gemmAnswer(hw, inp, wgt);
  const auto [mismatch, other] = std::ranges::mismatch(actual, expected);
  if (mismatch == actual.end()) return {};
  const auto at = static_cast<size_t>(mismatch - actual.begin());
  const size_t plane = actual.size() / 4;
  return {
      StatusCode::kDeviceFault,
      fmt::format("byte {} of lane {} of the accumulators is {:#04x} instead of {:#04x}",
                  at / plane, at % plane, static_cast<int>(*mismatch), static_cast<int>(*other))};
}

class SelfTest {
 public:
  SelfTest(Device& device, std::chrono::milliseconds launch_limit, bool with_interrupt)
      : device_(device), launch_limit_(launch_limit), with_interrupt_(with_interrupt) {}

  SelfTestReport run() {
    if (step("identification", device_.identify())) {
      const bool moves = step("load-store", [&] { return testLoadStore(device_, launch_limit_); });
      if (moves) {
        step("gemm", [&] { return testGemm(device_, launch_limit_); });
      } else {
        skip("gemm", "LOAD and STORE do not work");
      }
    } else {
      skip("load-store", "this is other hardware");
      skip("gemm", "this is other hardware");
    }
    if (with_interrupt_) step("interrupt", [&] { return device_.testInterrupt(); });
    return std::move(report_);
  }

 private:
  bool step(std::string name, const std::function<Status()>& test) {
    const Clock::time_point start = Clock::now();
    const Status status = test();
    SelfTestStep& step = report_.steps.emplace_back();
    step.name = std::move(name);
    step.detail = status.message();
    step.seconds = secondsSince(start);
    // Nothing else of a test is unsupported: what a device cannot do.
    const bool lacks = step.name == "interrupt" && status.code() == StatusCode::kUnsupported;
    step.outcome = status.ok() ? SelfTestStep::Outcome::kPassed
                   : lacks     ? SelfTestStep::Outcome::kSkipped
                               : SelfTestStep::Outcome::kFailed;
    return status.ok();
  }
  bool step(std::string name, const Status& status) {
    return step(std::move(name), [&] { return status; });
  }
  void skip(std::string name, std::string reason) {
    report_.steps.push_back(
        {std::move(name), SelfTestStep::Outcome::kSkipped, std::move(reason), 0});
  }

  Device& device_;
  std::chrono::milliseconds launch_limit_;
  bool with_interrupt_;
  SelfTestReport report_;
};

}  // namespace

std::string_view selfTestOutcomeName(SelfTestStep::Outcome outcome) {
  constexpr std::string_view kNames[] = {"passed", "failed", "skipped"};
  return kNames[static_cast<size_t>(outcome)];
}

bool SelfTestReport::passed() const {
  return std::ranges::none_of(steps, [](const SelfTestStep& step) {
    return step.outcome == SelfTestStep::Outcome::kFailed;
  });
}

std::string SelfTestReport::text() const {
  std::string text;
  for (const SelfTestStep& step : steps) {
    text += fmt::format("{}: {}{}{}\n", step.name, selfTestOutcomeName(step.outcome),
                        step.detail.empty() ? "" : ": ", step.detail);
  }
  return text;
}

SelfTestReport selfTest(Device& device, std::chrono::milliseconds launch_limit,
                        bool with_interrupt) {
  return SelfTest(device, launch_limit, with_interrupt).run();
}

}  // namespace vta::driver
