#include "driver/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace vta::driver {
namespace {

// Instructions are fetched by the bus in aligned bursts.
constexpr uint64_t kInstructionAlignmentBytes = 64;

Status checkFits(const Program& program, const HwConfig& hw,
                 std::span<const uint64_t> buffer_addresses) {
  if (program.encoding != hw.encoding()) {
    return invalidArgument(
        fmt::format("the program uses the {} encoding, configuration '{}' the {}",
                    encodingName(program.encoding), hw.name(), encodingName(hw.encoding())));
  }
  if (program.hw_fingerprint != hw.fingerprint()) {
    return invalidArgument(fmt::format(
        "the program was compiled for configuration {:016x}, the device has '{}' ({:016x})",
        program.hw_fingerprint, hw.name(), hw.fingerprint()));
  }
  if (buffer_addresses.size() != program.buffers.size()) {
    return invalidArgument(fmt::format("the program has {} buffers, {} addresses were given",
                                       program.buffers.size(), buffer_addresses.size()));
  }
  return {};
}

}  // namespace

Result<LoadedProgram> LoadedProgram::load(Device& device, Program program,
                                          std::span<const uint64_t> buffer_addresses) {
  VTA_RETURN_IF_ERROR(checkFits(program, device.info().hw, buffer_addresses));
  LoadedProgram loaded(device, std::move(program));
  VTA_RETURN_IF_ERROR(loaded.place(buffer_addresses));
  return loaded;
}

LoadedProgram::LoadedProgram(Device& device, Program program)
    : device_(&device), program_(std::move(program)) {}

LoadedProgram::LoadedProgram(LoadedProgram&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      program_(std::move(other.program_)),
      launch_(other.launch_),
      instructions_(std::exchange(other.instructions_, {})),
      uops_(std::exchange(other.uops_, {})) {}

LoadedProgram& LoadedProgram::operator=(LoadedProgram&& other) noexcept {
  if (this == &other) return *this;
  release();
  device_ = std::exchange(other.device_, nullptr);
  program_ = std::move(other.program_);
  launch_ = other.launch_;
  instructions_ = std::exchange(other.instructions_, {});
  uops_ = std::exchange(other.uops_, {});
  return *this;
}

LoadedProgram::~LoadedProgram() { release(); }

void LoadedProgram::release() {
  for (DeviceBuffer* buffer : {&instructions_, &uops_}) {
    if (device_ == nullptr || buffer->size_bytes == 0) continue;
    // A destructor has nobody to report to; the device keeps the buffer then.
    static_cast<void>(device_->free(*buffer));
    *buffer = {};
  }
}

Status LoadedProgram::place(std::span<const uint64_t> buffer_addresses) {
  const HwConfig& hw = device_->info().hw;
  std::vector<uint64_t> addresses(buffer_addresses.begin(), buffer_addresses.end());
  for (size_t i = 0; i < program_.buffers.size(); ++i) {
    const BufferDecl& decl = program_.buffers[i];
    if (decl.kind != BufferKind::kUop) continue;
    VTA_ASSIGN_OR_RETURN(std::vector<std::byte> uops, encodeUopStream(program_, hw));
    uops.resize(std::max<size_t>(uops.size(), decl.size_bytes));
    const uint64_t alignment =
        std::max<uint64_t>(decl.alignment_bytes, static_cast<uint64_t>(hw.uopBytes()));
    VTA_ASSIGN_OR_RETURN(addresses[i], upload(uops, alignment, uops_));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream,
                       encodeInstructionStream(program_, hw, addresses));
  VTA_ASSIGN_OR_RETURN(launch_.instruction_address,
                       upload(stream, kInstructionAlignmentBytes, instructions_));
  launch_.instruction_count = static_cast<uint32_t>(program_.instructions.size());
  return {};
}

Result<uint64_t> LoadedProgram::upload(std::span<const std::byte> data, uint64_t alignment_bytes,
                                       DeviceBuffer& buffer) {
  if (data.empty()) return uint64_t{0};
  VTA_ASSIGN_OR_RETURN(buffer, device_->allocate(data.size(), alignment_bytes));
  VTA_RETURN_IF_ERROR(device_->write(buffer.address, data));
  return buffer.address;
}

Result<Counters> LoadedProgram::run(std::chrono::milliseconds timeout) {
  VTA_ASSIGN_OR_RETURN(const LaunchResult result, execute(timeout));
  return result.counters;
}

Result<LaunchResult> LoadedProgram::execute(std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(device_->submit(launch_));
  VTA_ASSIGN_OR_RETURN(LaunchResult result, device_->wait(timeout));
  if (result.fault) return Status(StatusCode::kDeviceFault, describe(*result.fault));
  return result;
}

std::string LoadedProgram::describe(const Fault& fault) const {
  const std::string_view symbol = program_.symbolAt(fault.instruction);
  std::string text =
      fmt::format("{} at instruction {}{}: {}: {}", faultKindName(fault.kind), fault.instruction,
                  symbol.empty() ? std::string() : fmt::format(" of '{}'", symbol),
                  fault.disassembly, fault.reason);
  // In a launch of several layers: whose the other instructions are.
  for (const uint32_t number : fault.related) {
    const std::string_view other = program_.symbolAt(number);
    if (other == symbol || other.empty()) continue;
    text += fmt::format("; instruction {} is of '{}'", number, other);
  }
  return text;
}

}  // namespace vta::driver
