#include "driver/gpu/opencl/opencl_build.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::driver::opencl {
namespace {

std::string buildLog(const OpenClContext& context, Program program) {
  constexpr size_t kMostBytes = 2000;
  size_t size = 0;
  const Device device = context.device().handle;
  (void)context.api().GetProgramBuildInfo(program, device, kProgramBuildLog, 0, nullptr, &size);
  std::string log(size, '\0');
  (void)context.api().GetProgramBuildInfo(program, device, kProgramBuildLog, size, log.data(),
                                          nullptr);
  return log.substr(0, std::min(log.find('\0'), kMostBytes));
}

Status build(const OpenClContext& context, Program program) {
  const Int result = context.api().BuildProgram(program, 1, &context.device().handle,
                                                buildOptions(context), nullptr, nullptr);
  if (result == kBuildProgramFailure) {
    return invalidArgument(fmt::format("OpenCL refuses its code:\n{}", buildLog(context, program)));
  }
  return openClStatus(result, "clBuildProgram");
}

}  // namespace

const char* buildOptions(const OpenClContext& context) {
  return context.device().divides_exactly ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                          : "-cl-std=CL1.2";
}

Result<Owned<Program>> programOfSource(const OpenClContext& context, const std::string& source) {
  const OpenClApi& api = context.api();
  const char* text = source.c_str();
  const size_t size = source.size();
  Int result = kSuccess;
  Owned<Program> program(api.CreateProgramWithSource(context.get(), 1, &text, &size, &result),
                         api.ReleaseProgram);
  VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateProgramWithSource"));
  VTA_RETURN_IF_ERROR(build(context, program.get()));
  return program;
}

Result<Owned<Program>> programOfBinary(const OpenClContext& context,
                                       std::span<const std::byte> binary) {
  const OpenClApi& api = context.api();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const size_t size = binary.size();
  Int result = kSuccess, of_device = kSuccess;
  Owned<Program> program(api.CreateProgramWithBinary(context.get(), 1, &context.device().handle,
                                                     &size, &bytes, &of_device, &result),
                         api.ReleaseProgram);
  VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateProgramWithBinary"));
  VTA_RETURN_IF_ERROR(openClStatus(of_device, "clCreateProgramWithBinary"));
  VTA_RETURN_IF_ERROR(build(context, program.get()));
  return program;
}

std::vector<std::byte> binaryOf(const OpenClContext& context, Program program) {
  const OpenClApi& api = context.api();
  size_t size = 0;
  if (api.GetProgramInfo(program, kProgramBinarySizes, sizeof(size), &size, nullptr) != kSuccess) {
    return {};
  }
  std::vector<std::byte> binary(size);
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  if (api.GetProgramInfo(program, kProgramBinaries, sizeof(bytes), static_cast<void*>(&bytes),
                         nullptr) != kSuccess) {
    return {};
  }
  return binary;
}

}  // namespace vta::driver::opencl
