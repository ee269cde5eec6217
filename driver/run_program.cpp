#include "driver/run_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace vta::driver {
namespace {

Status checkSizes(const Program& program, const std::vector<std::vector<uint8_t>>& buffers) {
  if (buffers.size() != program.buffers.size()) {
    return invalidArgument(fmt::format("{} buffers for a program that has {}", buffers.size(),
                                       program.buffers.size()));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferDecl& decl = program.buffers[i];
    if (decl.kind == BufferKind::kUop || buffers[i].size() == decl.size_bytes) continue;
    return invalidArgument(fmt::format("{} bytes for buffer '{}', which has {}", buffers[i].size(),
                                       decl.name, decl.size_bytes));
  }
  return {};
}

}  // namespace

Result<LaunchResult> runProgram(Device& device, const Program& program,
                                std::vector<std::vector<uint8_t>>& buffers,
                                std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(checkSizes(program, buffers));
  std::vector<OwnedDeviceBuffer> owned;
  std::vector<uint64_t> addresses(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferDecl& decl = program.buffers[i];
    if (decl.kind == BufferKind::kUop) continue;
    const uint64_t alignment = std::max<uint64_t>(device.alignmentBytes(), decl.alignment_bytes);
    VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer,
                         device.allocate(std::max<uint64_t>(1, decl.size_bytes), alignment));
    owned.emplace_back(&device, buffer);
    addresses[i] = buffer.address;
    VTA_RETURN_IF_ERROR(device.write(buffer.address, std::as_bytes(std::span(buffers[i]))));
  }
  VTA_ASSIGN_OR_RETURN(LoadedProgram loaded, LoadedProgram::load(device, program, addresses));
  VTA_ASSIGN_OR_RETURN(LaunchResult result, loaded.execute(timeout));
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (program.buffers[i].kind == BufferKind::kUop) continue;
    VTA_RETURN_IF_ERROR(device.read(addresses[i], std::as_writable_bytes(std::span(buffers[i]))));
  }
  return result;
}

}  // namespace vta::driver
