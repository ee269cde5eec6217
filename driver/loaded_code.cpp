#include "driver/loaded_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vta::driver {
namespace {

// Instructions are fetched by the bus in aligned bursts.
constexpr uint64_t kInstructionAlignmentBytes = 64;

}  // namespace

Status checkProgramFits(Encoding encoding, uint64_t hw_fingerprint, const HwConfig& hw) {
  if (encoding != hw.encoding()) {
    return invalidArgument(
        fmt::format("the program uses the {} encoding, configuration '{}' the {}",
                    encodingName(encoding), hw.name(), encodingName(hw.encoding())));
  }
  if (hw_fingerprint != hw.fingerprint()) {
    return invalidArgument(fmt::format(
        "the program was compiled for configuration {:016x}, the device has '{}' ({:016x})",
        hw_fingerprint, hw.name(), hw.fingerprint()));
  }
  return {};
}

Result<LoadedCode> LoadedCode::load(Device& device, const EncodedProgram& program,
                                    std::span<const uint64_t> buffer_addresses) {
  VTA_RETURN_IF_ERROR(checkProgramFits(program.encoding, program.hw_fingerprint, device.info().hw));
  if (buffer_addresses.size() != program.buffers.size()) {
    return invalidArgument(fmt::format("the program has {} buffers, {} addresses were given",
                                       program.buffers.size(), buffer_addresses.size()));
  }
  LoadedCode code(device);
  VTA_RETURN_IF_ERROR(code.place(program, buffer_addresses));
  return code;
}

LoadedCode::LoadedCode(LoadedCode&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      symbols_(std::move(other.symbols_)),
      launch_(other.launch_),
      instructions_(std::exchange(other.instructions_, {})),
      uops_(std::exchange(other.uops_, {})) {}

LoadedCode& LoadedCode::operator=(LoadedCode&& other) noexcept {
  if (this == &other) return *this;
  release();
  device_ = std::exchange(other.device_, nullptr);
  symbols_ = std::move(other.symbols_);
  launch_ = other.launch_;
  instructions_ = std::exchange(other.instructions_, {});
  uops_ = std::exchange(other.uops_, {});
  return *this;
}

LoadedCode::~LoadedCode() { release(); }

void LoadedCode::release() {
  for (DeviceBuffer* buffer : {&instructions_, &uops_}) {
    if (device_ == nullptr || buffer->size_bytes == 0) continue;
    // A destructor has nobody to report to; the device keeps the buffer then.
    static_cast<void>(device_->free(*buffer));
    *buffer = {};
  }
}

Status LoadedCode::place(const EncodedProgram& program,
                         std::span<const uint64_t> buffer_addresses) {
  const HwConfig& hw = device_->info().hw;
  std::vector<uint64_t> addresses(buffer_addresses.begin(), buffer_addresses.end());
  if (const BufferDecl* decl = program.uopBuffer()) {
    std::vector<std::byte> uops(program.uops.begin(), program.uops.end());
    uops.resize(std::max<size_t>(uops.size(), decl->size_bytes));
    const uint64_t alignment_bytes =
        std::max<uint64_t>(decl->alignment_bytes, static_cast<uint64_t>(hw.uopBytes()));
    VTA_ASSIGN_OR_RETURN(addresses[static_cast<size_t>(decl - program.buffers.data())],
                         upload(uops, alignment_bytes, uops_));
  }
  std::vector<std::byte> stream(program.instructions.begin(), program.instructions.end());
  VTA_RETURN_IF_ERROR(relocate(stream, hw, program.buffers, program.relocations, addresses));
  VTA_ASSIGN_OR_RETURN(launch_.instruction_address,
                       upload(stream, kInstructionAlignmentBytes, instructions_));
  launch_.instruction_count = program.instruction_count;
  symbols_ = program.symbols;
  return {};
}

Result<uint64_t> LoadedCode::upload(std::span<const std::byte> data, uint64_t alignment_bytes,
                                    DeviceBuffer& buffer) {
  if (data.empty()) return uint64_t{0};
  VTA_ASSIGN_OR_RETURN(buffer, device_->allocate(data.size(), alignment_bytes));
  VTA_RETURN_IF_ERROR(device_->write(buffer.address, data));
  return buffer.address;
}

Result<LaunchResult> LoadedCode::execute(std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(device_->submit(launch_));
  VTA_ASSIGN_OR_RETURN(LaunchResult result, device_->wait(timeout));
  if (result.fault) return Status(StatusCode::kDeviceFault, describe(*result.fault));
  return result;
}

std::string LoadedCode::describe(const Fault& fault) const {
  const std::string_view symbol = symbolAt(symbols_, fault.instruction);
  std::string text =
      fmt::format("{} at instruction {}{}: {}: {}", faultKindName(fault.kind), fault.instruction,
                  symbol.empty() ? std::string() : fmt::format(" of '{}'", symbol),
                  fault.disassembly, fault.reason);
  // In a launch of several layers: whose the other instructions are.
  for (const uint32_t number : fault.related) {
    const std::string_view other = symbolAt(symbols_, number);
    if (other == symbol || other.empty()) continue;
    text += fmt::format("; instruction {} is of '{}'", number, other);
  }
  return text;
}

}  // namespace vta::driver
