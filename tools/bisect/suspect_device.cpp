#include "tools/bisect/suspect_device.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "driver/check_programs.h"
#include "driver/loader.h"
#include "isa/config/dram_alignment.h"
#include "isa/instruction/encoding.h"

namespace vta::driver {
namespace {

constexpr std::chrono::seconds kTimeout{60};
/// Of a piece that caches and bursts hardly get wrong.
constexpr uint64_t kPieceBytes = 256;
/// Copied by one launch.
constexpr uint64_t kCopyBytes = 4096;

uint64_t scratchBytes(const HwConfig& hw) {
  const uint64_t dump_bytes =
      uint64_t{4} * hw.depthElems(MemoryType::kAcc) * hw.elemBytes(MemoryType::kOut);
  return std::max({dump_bytes, kCopyBytes, kClearElems * largestElemBytes(hw)});
}

}  // namespace

Result<SuspectDevice> SuspectDevice::create(Device& device, const LaunchImage& image) {
  SuspectDevice suspect(device, image);
  VTA_ASSIGN_OR_RETURN(suspect.memory_,
                       device.allocate(image.bytes.size(), LaunchImage::kAlignmentBytes));
  VTA_ASSIGN_OR_RETURN(suspect.scratch_,
                       device.allocate(scratchBytes(image.hw), LaunchImage::kAlignmentBytes));
  return suspect;
}

SuspectDevice::SuspectDevice(SuspectDevice&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      image_(other.image_),
      memory_(std::exchange(other.memory_, {})),
      scratch_(std::exchange(other.scratch_, {})) {}

SuspectDevice::~SuspectDevice() {
  if (device_ == nullptr) return;
  for (const DeviceBuffer& buffer : {memory_, scratch_}) {
    if (buffer.size_bytes != 0) static_cast<void>(device_->free(buffer));
  }
}

Status SuspectDevice::writePieces(uint64_t offset, std::span<const std::byte> bytes) {
  for (uint64_t at = 0; at < bytes.size(); at += kPieceBytes) {
    const auto piece = bytes.subspan(at, std::min<uint64_t>(kPieceBytes, bytes.size() - at));
    VTA_RETURN_IF_ERROR(device_->write(memory_.address + offset + at, piece));
  }
  return {};
}

Status SuspectDevice::write(std::span<const std::byte> bytes) {
  uint64_t at = 0;
  for (const ImagePart& part : image_.parts) {
    // What lies between the parts is not under suspicion.
    VTA_RETURN_IF_ERROR(writePieces(at, bytes.subspan(at, part.offset - at)));
    at = part.end();
    const auto wanted = bytes.subspan(part.offset, part.size_bytes);
    std::vector<std::byte> complement(wanted.begin(), wanted.end());
    for (std::byte& byte : complement) byte = ~byte;
    VTA_RETURN_IF_ERROR(writePieces(part.offset, complement));
    if (part.size_bytes == 0) continue;
    VTA_RETURN_IF_ERROR(device_->write(memory_.address + part.offset, wanted));
  }
  return writePieces(at, bytes.subspan(at));
}

Result<SuspectDevice::Outcome> SuspectDevice::launch(uint32_t count) {
  const uint32_t finish = std::min(count, static_cast<uint32_t>(image_.instructions.size()) - 1);
  const bool is_whole = finish + 1 == image_.instructions.size();
  if (!is_whole) {
    std::vector<std::byte> encoded;
    VTA_RETURN_IF_ERROR(encodeInstruction(Instruction::finish(), image_.hw, encoded));
    VTA_RETURN_IF_ERROR(device_->write(
        memory_.address + image_.instructions_offset + finish * encoded.size(), encoded));
  }
  VTA_RETURN_IF_ERROR(device_->submit(image_.launchAt(memory_.address, finish + 1)));
  VTA_ASSIGN_OR_RETURN(LaunchResult result, device_->wait(kTimeout));
  const bool is_cut = !is_whole && result.fault && result.fault->kind == FaultKind::kTokensLeftOver;
  if (is_cut) result.fault.reset();
  return Outcome{std::move(result.fault)};
}

Result<std::vector<std::byte>> SuspectDevice::read() {
  std::vector<std::byte> bytes(image_.bytes.size());
  uint64_t at = 0;
  const auto readTo = [&](uint64_t end) -> Status {
    if (end == at) return {};
    const Status status =
        device_->read(memory_.address + at, std::span(bytes).subspan(at, end - at));
    at = end;
    return status;
  };
  for (const ImagePart& part : image_.parts) {
    VTA_RETURN_IF_ERROR(readTo(part.offset));
    VTA_RETURN_IF_ERROR(readTo(part.end()));
  }
  VTA_RETURN_IF_ERROR(readTo(bytes.size()));
  return bytes;
}

Result<std::vector<std::byte>> SuspectDevice::readPieces(uint64_t offset, uint64_t size_bytes) {
  std::vector<std::byte> bytes(size_bytes);
  for (uint64_t at = 0; at < size_bytes; at += kPieceBytes) {
    const auto piece = std::span(bytes).subspan(at, std::min(kPieceBytes, size_bytes - at));
    VTA_RETURN_IF_ERROR(device_->read(memory_.address + offset + at, piece));
  }
  return bytes;
}

Status SuspectDevice::run(const Program& program, std::span<const uint64_t> addresses) {
  VTA_ASSIGN_OR_RETURN(LoadedProgram loaded, LoadedProgram::load(*device_, program, addresses));
  return loaded.run(kTimeout).status();
}

Result<std::vector<std::byte>> SuspectDevice::readThroughCore(uint64_t offset,
                                                              uint64_t size_bytes) {
  const uint64_t elem_bytes = image_.hw.elemBytes(MemoryType::kOut);
  const uint64_t first = offset / elem_bytes * elem_bytes;
  const uint64_t end = (offset + size_bytes + elem_bytes - 1) / elem_bytes * elem_bytes;
  std::vector<std::byte> bytes;
  for (uint64_t at = first; at < end; at += kCopyBytes) {
    const uint64_t copy_bytes = std::min(kCopyBytes, end - at);
    const Program program = copyProgram(image_.hw, static_cast<uint32_t>(copy_bytes / elem_bytes));
    const uint64_t addresses[] = {memory_.address + at, scratch_.address};
    VTA_RETURN_IF_ERROR(run(program, addresses));
    for (uint64_t i = 0; i < copy_bytes; i += kPieceBytes) {
      std::vector<std::byte> piece(std::min(kPieceBytes, copy_bytes - i));
      VTA_RETURN_IF_ERROR(device_->read(scratch_.address + i, piece));
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<int64_t>(offset - first));
  bytes.resize(size_bytes);
  return bytes;
}

Result<std::vector<int32_t>> SuspectDevice::readAccumulators() {
  const uint64_t addresses[] = {0, scratch_.address};
  const Program program = dumpProgram(image_.hw);
  VTA_RETURN_IF_ERROR(run(program, addresses));
  const uint64_t lanes =
      uint64_t{image_.hw.depthElems(MemoryType::kAcc)} * image_.hw.elemBytes(MemoryType::kOut);
  std::vector<std::byte> bytes(4 * lanes);
  for (uint64_t at = 0; at < bytes.size(); at += kPieceBytes) {
    const auto piece = std::span(bytes).subspan(at, std::min(kPieceBytes, bytes.size() - at));
    VTA_RETURN_IF_ERROR(device_->read(scratch_.address + at, piece));
  }
  std::vector<int32_t> values(lanes);
  for (uint64_t i = 0; i < lanes; ++i) {
    uint32_t value = 0;
    for (uint64_t byte = 0; byte < 4; ++byte) {
      value |= std::to_integer<uint32_t>(bytes[byte * lanes + i]) << (8 * byte);
    }
    values[i] = static_cast<int32_t>(value);
  }
  return values;
}

Status SuspectDevice::clearScratchpads() {
  const std::vector<std::byte> zeros(kClearElems * largestElemBytes(image_.hw));
  VTA_RETURN_IF_ERROR(device_->write(scratch_.address, zeros));
  const uint64_t addresses[] = {0, scratch_.address};
  return run(clearProgram(image_.hw), addresses);
}

}  // namespace vta::driver
