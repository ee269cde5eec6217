#include "sim/random/program_image.h"

#include <algorithm>

#include "base/integer_math.h"
#include "isa/instruction/encoding.h"

namespace vta::sim {
namespace {

constexpr uint64_t kFirstAddress = 0x10000;
constexpr uint64_t kInstructionAlignmentBytes = 64;

// Random bytes, among them the extremes more often than chance would have them.
void fillRandom(std::byte* data, uint64_t size_bytes, Rng& rng) {
  for (uint64_t i = 0; i < size_bytes; ++i) {
    const uint64_t bits = rng.bits();
    constexpr uint8_t kExtremes[] = {0x00, 0x7f, 0x80, 0xff};
    const auto value = static_cast<uint8_t>(bits >> 8);
    data[i] = static_cast<std::byte>(bits % 8 == 0 ? kExtremes[value % 4] : value);
  }
}

}  // namespace

Result<ProgramImage> makeImage(const Program& program, const HwConfig& hw, Rng& rng) {
  ProgramImage image;
  image.address = kFirstAddress;
  uint64_t widest = 1;  // elements are powers of two, so this is a multiple of every alignment
  for (const BufferDecl& buffer : program.buffers) {
    widest = std::max<uint64_t>(widest, buffer.alignment_bytes);
  }
  // Base registers below all buffers; the stream holds the distances.
  const uint64_t base = rng.oneIn(3) ? 0 : rng.pick(0, kFirstAddress / widest) * widest;
  image.bases = {base, base, base, base, base};

  uint64_t end = kFirstAddress;
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> distances;
  for (const BufferDecl& buffer : program.buffers) {
    const uint64_t gap = rng.oneIn(3) ? rng.pick(0, 8192) : rng.pick(0, 64);
    const uint64_t address = roundUp(end + gap, buffer.alignment_bytes);
    addresses.push_back(address);
    distances.push_back(address - base);
    end = address + buffer.size_bytes;
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream,
                       encodeInstructionStream(program, hw, distances));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> uops, encodeUopStream(program, hw));
  image.instruction_address = roundUp(end + rng.pick(0, 8192), kInstructionAlignmentBytes);
  image.instruction_count = static_cast<uint32_t>(program.instructions.size());
  image.bytes.resize(image.instruction_address + stream.size() - kFirstAddress);

  for (size_t i = 0; i < program.buffers.size(); ++i) {
    std::byte* data = image.bytes.data() + (addresses[i] - kFirstAddress);
    if (program.buffers[i].kind == BufferKind::kUop) {
      std::copy(uops.begin(), uops.end(), data);
    } else {
      fillRandom(data, program.buffers[i].size_bytes, rng);
    }
  }
  std::copy(stream.begin(), stream.end(),
            image.bytes.data() + (image.instruction_address - kFirstAddress));
  return image;
}

}  // namespace vta::sim
