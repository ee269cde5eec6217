#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/integer_math.h"
#include "module/gpu/amd_interface.h"
#include "module/gpu/gpu_program.h"
#include "module/gpu/spirv_interface.h"

namespace vta {
namespace {

constexpr size_t kMaxNameBytes = 256;
constexpr uint64_t kMaxInvocations = 1024 * 64;
constexpr uint32_t kMaxWorkgroups = std::numeric_limits<int32_t>::max();
constexpr size_t kMaxBindings = 64;
constexpr uint64_t kMaxBufferBytes = uint64_t{1} << 46;

Status gpuProblem(const std::string& what) { return invalidArgument("GPU program: " + what); }

bool isIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || name.size() > kMaxNameBytes || is_digit(name.front())) return false;
  return std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

/// sm_ with two or three digits, and perhaps an a.
bool isPtxTarget(std::string_view target) {
  if (!target.starts_with("sm_")) return false;
  target.remove_prefix(3);
  if (target.ends_with('a')) target.remove_suffix(1);
  return (target.size() == 2 || target.size() == 3) && target.front() != '0' &&
         std::ranges::all_of(target, [](char c) { return c >= '0' && c <= '9'; });
}

/// gfx with digits and perhaps a letter.
bool isAmdTarget(std::string_view target) {
  if (!target.starts_with("gfx")) return false;
  target.remove_prefix(3);
  return (target.size() == 3 || target.size() == 4) && target.front() != '0' &&
         std::ranges::all_of(
             target, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool isTargetOf(GpuCodeForm form, std::string_view target) {
  if (form == GpuCodeForm::kPtx) return isPtxTarget(target);
  return form == GpuCodeForm::kAmdCode ? isAmdTarget(target) : target.empty();
}

/// What keeps the bytes of `code` from being what its form says; empty: nothing.
std::string contentProblem(const GpuCode& code, size_t bindings) {
  if (code.form == GpuCodeForm::kSpirv) {
    return spirvProblem(code.code, code.entry_point, bindings);
  }
  if (code.form == GpuCodeForm::kAmdCode) return amdCodeProblem(code.code, code.entry_point);
  const bool is_text =
      !code.code.empty() && std::ranges::find(code.code, std::byte{0}) == code.code.end();
  return is_text ? "" : "is not a text";
}

Status checkWorkgroup(const std::array<uint32_t, 3>& workgroup_size, const std::string& what) {
  uint64_t invocations = 1;
  for (const uint32_t size : workgroup_size) {
    invocations *= std::min<uint64_t>(size, kMaxInvocations + 1);
    if (invocations == 0 || invocations > kMaxInvocations) {
      return gpuProblem(fmt::format("{} has workgroups of {} x {} x {} invocations", what,
                                    workgroup_size[0], workgroup_size[1], workgroup_size[2]));
    }
  }
  return {};
}

Status checkWorkgroups(const std::array<uint32_t, 3>& workgroups, const std::string& what) {
  const auto fits = [](uint32_t count) { return count > 0 && count <= kMaxWorkgroups; };
  if (std::ranges::all_of(workgroups, fits)) return {};
  return gpuProblem(fmt::format("{} has {} x {} x {} workgroups", what, workgroups[0],
                                workgroups[1], workgroups[2]));
}

Status checkGpuCode(const GpuCode& code, size_t bindings, const std::string& what) {
  if (!isIdentifier(code.entry_point)) return gpuProblem(what + " has no proper entry point");
  if (code.features.bits() >> kGpuFeatureCount != 0) {
    return gpuProblem(what + " needs features that this version does not know");
  }
  if (!isTargetOf(code.form, code.target)) {
    return gpuProblem(fmt::format("{} is for the unknown target '{}'", what, code.target));
  }
  if (code.launch) {
    VTA_RETURN_IF_ERROR(checkWorkgroup(code.launch->workgroup_size, what));
    VTA_RETURN_IF_ERROR(checkWorkgroups(code.launch->workgroups, what));
  }
  const std::string found = contentProblem(code, bindings);
  return found.empty() ? Status() : gpuProblem(fmt::format("{} {}", what, found));
}

Status checkGpuKernel(const GpuKernel& kernel, size_t index) {
  const std::string what = fmt::format("kernel {} '{}'", index, kernel.name);
  if (kernel.name.size() > kMaxNameBytes) return gpuProblem(what + " has a name that is too long");
  VTA_RETURN_IF_ERROR(checkWorkgroup(kernel.workgroup_size, what));
  if (kernel.bindings.size() > kMaxBindings) {
    return gpuProblem(fmt::format("{} has {} bindings; at most {} are allowed", what,
                                  kernel.bindings.size(), kMaxBindings));
  }
  if (kernel.codes.empty()) return gpuProblem(what + " has no code");
  for (const GpuCode& code : kernel.codes) {
    VTA_RETURN_IF_ERROR(checkGpuCode(code, kernel.bindings.size(),
                                     fmt::format("{} of {}", gpuCodeFormName(code.form), what)));
  }
  return {};
}

Status checkGpuRange(const GpuProgram& program, const GpuBinding& binding,
                     const std::string& what) {
  const bool is_argument = binding.source == GpuBinding::Source::kArgument;
  if (is_argument ? binding.argument >= program.argument_bytes.size() : binding.argument != 0) {
    return gpuProblem(fmt::format("{} names argument {} of {}", what, binding.argument,
                                  is_argument ? program.argument_bytes.size() : 0));
  }
  const uint64_t end_bytes = roundUp(program.sourceBytes(binding), kGpuVectorBytes);
  if (binding.size_bytes == 0 || binding.offset_bytes > end_bytes ||
      binding.size_bytes > end_bytes - binding.offset_bytes) {
    return gpuProblem(fmt::format("{} is bytes {} to {} of {}", what, binding.offset_bytes,
                                  binding.offset_bytes + binding.size_bytes,
                                  program.sourceBytes(binding)));
  }
  if (binding.offset_bytes % kGpuAlignmentBytes != 0) {
    return gpuProblem(fmt::format("{} begins at byte {}, which is no multiple of {}", what,
                                  binding.offset_bytes, kGpuAlignmentBytes));
  }
  return {};
}

bool overlap(const GpuBinding& a, const GpuBinding& b) {
  return a.source == b.source && a.argument == b.argument &&
         a.offset_bytes < b.offset_bytes + b.size_bytes &&
         b.offset_bytes < a.offset_bytes + a.size_bytes;
}

Status checkGpuDispatch(const GpuProgram& program, size_t index) {
  const GpuDispatch& dispatch = program.dispatches[index];
  const std::string what = fmt::format("dispatch {}", index);
  if (dispatch.kernel >= program.kernels.size()) {
    return gpuProblem(
        fmt::format("{} names kernel {} of {}", what, dispatch.kernel, program.kernels.size()));
  }
  VTA_RETURN_IF_ERROR(checkWorkgroups(dispatch.workgroups, what));
  const GpuKernel& kernel = program.kernels[dispatch.kernel];
  if (dispatch.bindings.size() != kernel.bindings.size()) {
    return gpuProblem(fmt::format("{} has {} bindings, its kernel '{}' has {}", what,
                                  dispatch.bindings.size(), kernel.name, kernel.bindings.size()));
  }
  for (size_t i = 0; i < dispatch.bindings.size(); ++i) {
    const GpuBinding& binding = dispatch.bindings[i];
    const std::string range = fmt::format("binding {} of {}", i, what);
    VTA_RETURN_IF_ERROR(checkGpuRange(program, binding, range));
    const bool is_written = kernel.bindings[i] != GpuAccess::kRead;
    if (is_written && binding.source == GpuBinding::Source::kConstants) {
      return gpuProblem(range + " writes constants");
    }
    for (size_t k = 0; k < i; ++k) {
      const bool is_shared = is_written || kernel.bindings[k] != GpuAccess::kRead;
      if (is_shared && overlap(binding, dispatch.bindings[k]) && binding != dispatch.bindings[k]) {
        return gpuProblem(fmt::format("{} overlaps binding {}, and one is written", range, k));
      }
    }
  }
  return {};
}

}  // namespace

uint64_t GpuProgram::sourceBytes(const GpuBinding& binding) const {
  switch (binding.source) {
    case GpuBinding::Source::kArgument:
      return argument_bytes[binding.argument];
    case GpuBinding::Source::kScratch:
      return scratch_bytes;
    case GpuBinding::Source::kConstants:
      return constants.size();
  }
  return 0;
}

GpuLaunch launchOf(const GpuProgram& program, const GpuDispatch& dispatch, const GpuCode& code) {
  const GpuKernel& kernel = program.kernels[dispatch.kernel];
  return code.launch.value_or(
      GpuLaunch{kernel.workgroup_size, dispatch.workgroups, kernel.shared_bytes});
}

Status checkGpuProgram(const GpuProgram& program) {
  const auto is_too_large = [](uint64_t size_bytes) { return size_bytes > kMaxBufferBytes; };
  if (is_too_large(program.scratch_bytes) ||
      std::ranges::any_of(program.argument_bytes, is_too_large)) {
    return gpuProblem("a buffer is impossibly large");
  }
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkGpuKernel(program.kernels[i], i));
  }
  for (size_t i = 0; i < program.dispatches.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkGpuDispatch(program, i));
  }
  return {};
}

}  // namespace vta
