#include "driver/gpu/program_fit.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace vta::driver {
namespace {

/// Of "sm_80" and "sm_90a": the number.
int architectureOf(std::string_view target) {
  int number = 0;
  const std::string_view digits = target.substr(target.find('_') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// Code that is not PTX is for one architecture, or for all.
bool targetFits(const GpuCode& code, const GpuDeviceInfo& device) {
  if (code.form == GpuCodeForm::kPtx) return runsPtxFor(code.target, device);
  return code.target.empty() || code.target == device.target;
}

/// What of a code's own grid is too large; empty: nothing.
std::string launchObstacle(const GpuLaunch& launch, const GpuLimits& limits) {
  uint64_t invocations = 1;
  for (size_t i = 0; i < launch.workgroups.size(); ++i) {
    invocations *= launch.workgroup_size[i];
    if (launch.workgroup_size[i] > limits.max_workgroup_size[i] ||
        launch.workgroups[i] > limits.max_workgroups[i]) {
      return "its grids are smaller";
    }
  }
  if (invocations > limits.max_invocations) {
    return fmt::format("its workgroups have {} invocations", limits.max_invocations);
  }
  if (launch.shared_bytes <= limits.shared_bytes) return "";
  return fmt::format("its workgroups share {} bytes", limits.shared_bytes);
}

/// What keeps `device` from running `code`; empty: nothing.
std::string obstacle(const GpuCode& code, const GpuDeviceInfo& device) {
  if (code.form != device.form) {
    return fmt::format("it runs {}", gpuCodeFormName(device.form));
  }
  if (!targetFits(code, device)) {
    return fmt::format("it is {}", device.target);
  }
  const GpuFeatures missing = code.features.without(device.features);
  if (!missing.empty()) return fmt::format("it lacks {}", missing.names());
  return code.launch ? launchObstacle(*code.launch, device.limits) : std::string();
}

std::string codeName(const GpuCode& code) {
  const std::string_view form = gpuCodeFormName(code.form);
  return code.target.empty() ? std::string(form) : fmt::format("{} for {}", form, code.target);
}

Result<const GpuCode*> chooseCode(const GpuKernel& kernel, const GpuDeviceInfo& device) {
  std::string obstacles;
  for (const GpuCode& code : kernel.codes) {
    const std::string reason = obstacle(code, device);
    if (reason.empty()) return &code;
    obstacles += fmt::format("{}{}: {}", obstacles.empty() ? "" : "; ", codeName(code), reason);
  }
  return unsupported(
      fmt::format("kernel '{}' has no code for the GPU '{}' ({}); choose another GPU with --host "
                  "gpu:N, or compile the model for one like this",
                  kernel.name, device.name, obstacles));
}

Status passesLimit(const GpuDeviceInfo& device, const std::string& what, uint64_t limit) {
  return unsupported(fmt::format("{}; the GPU '{}' allows {}", what, device.name, limit));
}

Status checkKernelLimits(const GpuKernel& kernel, const GpuDeviceInfo& device) {
  const GpuLimits& limits = device.limits;
  const auto& size = kernel.workgroup_size;
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] > limits.max_workgroup_size[i]) {
      return passesLimit(
          device,
          fmt::format("kernel '{}' has {} invocations along dimension {}", kernel.name, size[i], i),
          limits.max_workgroup_size[i]);
    }
  }
  const uint64_t invocations = uint64_t{1} * size[0] * size[1] * size[2];
  if (invocations > limits.max_invocations) {
    return passesLimit(
        device,
        fmt::format("kernel '{}' has workgroups of {} invocations", kernel.name, invocations),
        limits.max_invocations);
  }
  if (kernel.shared_bytes > limits.shared_bytes) {
    return passesLimit(device,
                       fmt::format("kernel '{}' shares {} bytes", kernel.name, kernel.shared_bytes),
                       limits.shared_bytes);
  }
  if (kernel.bindings.size() > limits.max_bindings) {
    return passesLimit(
        device, fmt::format("kernel '{}' has {} bindings", kernel.name, kernel.bindings.size()),
        limits.max_bindings);
  }
  return {};
}

Status checkDispatchLimits(const GpuDispatch& dispatch, const std::string& kernel,
                           const GpuDeviceInfo& device) {
  const GpuLimits& limits = device.limits;
  for (size_t i = 0; i < dispatch.workgroups.size(); ++i) {
    if (dispatch.workgroups[i] > limits.max_workgroups[i]) {
      return passesLimit(device,
                         fmt::format("a dispatch of kernel '{}' has {} workgroups along dimension "
                                     "{}",
                                     kernel, dispatch.workgroups[i], i),
                         limits.max_workgroups[i]);
    }
  }
  for (const GpuBinding& binding : dispatch.bindings) {
    if (binding.size_bytes > limits.max_range_bytes) {
      return passesLimit(device,
                         fmt::format("a dispatch of kernel '{}' uses {} bytes at once", kernel,
                                     binding.size_bytes),
                         limits.max_range_bytes);
    }
  }
  return {};
}

}  // namespace

/// It runs on later architectures, too, unless it is for one only.
bool runsPtxFor(std::string_view target, const GpuDeviceInfo& device) {
  if (device.form != GpuCodeForm::kPtx) return false;
  const int wanted = architectureOf(target), found = architectureOf(device.target);
  return target.ends_with('a') ? wanted == found : wanted <= found;
}

Result<std::vector<const GpuCode*>> chooseCodes(const GpuProgram& program,
                                                const GpuDeviceInfo& device) {
  std::vector<const GpuCode*> codes;
  for (const GpuKernel& kernel : program.kernels) {
    VTA_RETURN_IF_ERROR(checkKernelLimits(kernel, device));
    VTA_ASSIGN_OR_RETURN(const GpuCode* code, chooseCode(kernel, device));
    codes.push_back(code);
  }
  for (const GpuDispatch& dispatch : program.dispatches) {
    VTA_RETURN_IF_ERROR(
        checkDispatchLimits(dispatch, program.kernels[dispatch.kernel].name, device));
  }
  return codes;
}

}  // namespace vta::driver
