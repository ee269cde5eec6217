#include "driver/gpu/gpu_self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/folders/file_cache.h"
#include "base/hash.h"
#include "driver/gpu/probes/probe.h"

namespace vta::driver {
namespace {

using Outcome = SelfTestStep::Outcome;

// To be raised when probes change.
constexpr int kProbesVersion = 1;
constexpr uint64_t kBufferBytes = kProbeWords * sizeof(uint32_t);
constexpr std::chrono::seconds kProbeLimit{30};

GpuProgram programOf(const Probe& probe) {
  GpuProgram program;
  program.argument_bytes = {kBufferBytes, kBufferBytes, kBufferBytes};
  program.kernels = {probeKernel(probe)};
  program.dispatches.resize(1);
  for (uint32_t i = 0; i < 3; ++i) {
    program.dispatches[0].bindings.push_back({GpuBinding::Source::kArgument, i, 0, kBufferBytes});
  }
  return program;
}

/// What the result holds before: atomic operations change bits of it.
ProbeWords initialResult(ProbeKind kind) {
  ProbeWords words(kProbeWords);
  if (kind == ProbeKind::kAtomics) std::fill_n(words.begin(), kProbeWords / 4, ~0U);
  return words;
}

Result<ProbeWords> resultOf(GpuDevice& gpu, const Probe& probe) {
  std::vector<OwnedDeviceBuffer> buffers;
  std::vector<uint64_t> addresses;
  for (const ProbeWords& words :
       {firstOperand(probe.kind), secondOperand(probe.kind), initialResult(probe.kind)}) {
    VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                         gpu.allocate(kBufferBytes, gpu.alignmentBytes()));
    buffers.emplace_back(&gpu, buffer);
    addresses.push_back(buffer.address);
    VTA_RETURN_IF_ERROR(gpu.write(buffer.address, std::as_bytes(std::span(words))));
  }
  VTA_ASSIGN_OR_RETURN(const auto loaded, gpu.load(programOf(probe), addresses, GpuTimes::kOff));
  VTA_RETURN_IF_ERROR(loaded->run(kProbeLimit));
  ProbeWords result(kProbeWords);
  VTA_RETURN_IF_ERROR(gpu.read(addresses.back(), std::as_writable_bytes(std::span(result))));
  return result;
}

std::string differenceText(const Probe& probe, const ProbeWords& result) {
  const ProbeWords expected = expectedResult(probe.kind);
  if (expected.empty()) return fmt::format("a subgroup has {} invocations", result.front());
  const auto [wrong, right] = std::ranges::mismatch(result, expected);
  return fmt::format("word {} is {:#010x} and not {:#010x}", wrong - result.begin(), *wrong,
                     *right);
}

/// Why the step is skipped; empty: it is not.
std::string reasonToSkip(const GpuDeviceInfo& info, const Probe& probe) {
  if (probe.feature && !info.features.has(*probe.feature)) return "the GPU does not have it";
  const std::vector<GpuCode> codes = probeKernel(probe).codes;
  const bool has_code =
      std::ranges::any_of(codes, [&](const GpuCode& code) { return code.form == info.form; });
  return has_code ? "" : fmt::format("there is no probe in {}", gpuCodeFormName(info.form));
}

SelfTestStep stepOf(GpuDevice& gpu, const Probe& probe) {
  SelfTestStep step;
  step.name = probe.name;
  step.detail = reasonToSkip(gpu.info(), probe);
  if (!step.detail.empty()) {
    step.outcome = Outcome::kSkipped;
    return step;
  }
  const Clock::time_point start = Clock::now();
  const auto result = resultOf(gpu, probe);
  step.seconds = secondsSince(start);
  if (!result.ok()) {
    step.outcome = Outcome::kFailed;
    step.detail = result.status().message();
  } else if (!isRight(probe.kind, *result)) {
    step.outcome = Outcome::kFailed;
    step.detail = differenceText(probe, *result);
  }
  return step;
}

/// The failure of a step that every GPU has to pass; null: there is none.
const SelfTestStep* firstFault(const SelfTestReport& report) {
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const bool is_needed = !allProbes()[i].feature;
    if (is_needed && report.steps[i].outcome == Outcome::kFailed) return &report.steps[i];
  }
  return nullptr;
}

std::string keyFor(const GpuDeviceInfo& info) {
  return fmt::format("self-test {}\n{}\n{}\n{}\n{}\n{}\n", kProbesVersion, info.interface,
                     info.name, info.driver, info.target, info.features.bits());
}

/// The broken features of an earlier test. Whatever is wrong with the folder, the GPU is tested.
std::optional<GpuFeatures> remembered(const FileCache& files, const std::string& name,
                                      const std::string& key) {
  const auto found = files.find(name, key);
  if (!found.ok() || !found->has_value()) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>((*found)->data());
  uint32_t bits = 0;
  const auto [end, error] = std::from_chars(text, text + (*found)->size(), bits);
  if (error != std::errc() || end != text + (*found)->size()) return std::nullopt;
  return GpuFeatures::fromBits(bits);
}

}  // namespace

SelfTestReport selfTestGpu(GpuDevice& gpu) {
  SelfTestReport report;
  for (const Probe& probe : allProbes()) report.steps.push_back(stepOf(gpu, probe));
  return report;
}

GpuFeatures brokenFeatures(const SelfTestReport& report) {
  GpuFeatures broken;
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const std::optional<GpuFeature> feature = allProbes()[i].feature;
    if (feature && report.steps[i].outcome == Outcome::kFailed) broken.add(*feature);
  }
  return broken;
}

Status trustGpu(GpuDevice& gpu, const std::filesystem::path& folder) {
  const FileCache files(folder, ".gpu");
  const std::string key = keyFor(gpu.info());
  const std::string name = fmt::format("{:016x}", hashText(key));
  std::optional<GpuFeatures> broken = remembered(files, name, key);
  if (!broken) {
    const SelfTestReport report = selfTestGpu(gpu);
    if (const SelfTestStep* fault = firstFault(report)) {
      return {StatusCode::kDeviceFault,
              fmt::format("the GPU '{}' ({}) fails its self-test: {}: {}; update its driver, or "
                          "choose another one with --host gpu:N",
                          gpu.info().name, gpu.info().interface, fault->name, fault->detail)};
    }
    broken = brokenFeatures(report);
    const std::string bits = fmt::format("{}", broken->bits());
    (void)files.add(name, key, std::as_bytes(std::span(bits)));  // else it is tested again
  }
  if (!broken->empty()) gpu.dropFeatures(*broken);
  return {};
}

}  // namespace vta::driver
