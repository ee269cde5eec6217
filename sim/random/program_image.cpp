#include "sim/random/program_image.h"

#include <algorithm>

#include "base/integer_math.h"
#include "isa/instruction/encoding.h"

namespace vta::sim {
namespace {

constexpr uint64_t kFirstAddress = 0x10000;
constexpr uint64_t kInstructionAlignmentBytes = 64;
constexpr uint64_t kMostStreamGap = 8192 + kInstructionAlignmentBytes;  // behind the buffers
constexpr uint64_t kPageBytes = 4096;
constexpr int kMostAddressBits = 48;
constexpr uint64_t kMostDistance = (uint64_t{1} << 32) - (64 << 20);  // in elements of one byte

// Random bytes, among them the extremes more often than chance would have them.
void fillRandom(std::byte* data, uint64_t size_bytes, Rng& rng) {
  constexpr uint64_t kBytesOfADraw = 5;  // of 64 bits, 12 for each
  for (uint64_t i = 0; i < size_bytes;) {
    uint64_t bits = rng.bits();
    for (uint64_t end = std::min(i + kBytesOfADraw, size_bytes); i < end; ++i, bits >>= 12) {
      constexpr uint8_t kExtremes[] = {0x00, 0x7f, 0x80, 0xff};
      const auto value = static_cast<uint8_t>(bits >> 4);
      data[i] = static_cast<std::byte>(bits % 8 == 0 ? kExtremes[value % 4] : value);
    }
  }
}

/// How far an image that ends at `end` is moved up, in whole pages: often to where the bus ends.
uint64_t drawMove(const HwConfig& hw, uint64_t end, uint64_t alignment_bytes, Rng& rng) {
  if (rng.oneIn(4)) return 0;
  const int bits = std::min(hw.params().axi_addr_width_bits, kMostAddressBits);
  const uint64_t granule = std::max(kPageBytes, alignment_bytes);
  const uint64_t most = ((uint64_t{1} << bits) - end) / granule;
  return (rng.oneIn(3) ? most : rng.bits() % (most + 1)) * granule;
}

/// The base registers' address, at most `address`: near enough for the distances to fit their
/// fields, and a multiple of `alignment_bytes`, a power of two.
uint64_t drawBase(uint64_t address, uint64_t alignment_bytes, Rng& rng) {
  const uint64_t least = address > kMostDistance ? address - kMostDistance : 0;
  const uint64_t base = rng.oneIn(2) ? least : least + rng.bits() % (address - least + 1);
  return std::min(roundUp(base, alignment_bytes), address);
}

}  // namespace

Result<ProgramImage> makeImage(const Program& program, const HwConfig& hw, Rng& rng,
                               ImagePlace place) {
  ProgramImage image;
  uint64_t widest = 1;  // elements are powers of two, so this is a multiple of every alignment
  for (const BufferDecl& buffer : program.buffers) {
    widest = std::max<uint64_t>(widest, buffer.alignment_bytes);
  }
  // Base registers below all buffers; the stream holds the distances.
  uint64_t base = rng.oneIn(3) ? 0 : rng.pick(0, kFirstAddress / widest) * widest;

  uint64_t end = kFirstAddress;
  std::vector<uint64_t> addresses;
  for (const BufferDecl& buffer : program.buffers) {
    const uint64_t gap = rng.oneIn(3) ? rng.pick(0, 8192) : rng.pick(0, 64);
    const uint64_t address = roundUp(end + gap, buffer.alignment_bytes);
    addresses.push_back(address);
    end = address + buffer.size_bytes;
  }
  uint64_t move = 0;
  if (place == ImagePlace::kAnywhere) {
    const uint64_t stream_bytes =
        program.instructions.size() * static_cast<uint64_t>(hw.instructionBytes());
    move = drawMove(hw, end + kMostStreamGap + stream_bytes, widest, rng);
    if (move > 0) base = drawBase(kFirstAddress + move, widest, rng);
  }
  image.address = kFirstAddress + move;
  image.bases = {base, base, base, base, base};
  std::vector<uint64_t> distances;
  for (uint64_t& address : addresses) distances.push_back((address += move) - base);
  end += move;
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream,
                       encodeInstructionStream(program, hw, distances));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> uops, encodeUopStream(program, hw));
  image.instruction_address = roundUp(end + rng.pick(0, 8192), kInstructionAlignmentBytes);
  image.instruction_count = static_cast<uint32_t>(program.instructions.size());
  image.bytes.resize(image.instruction_address + stream.size() - image.address);

  for (size_t i = 0; i < program.buffers.size(); ++i) {
    std::byte* data = image.bytes.data() + (addresses[i] - image.address);
    if (program.buffers[i].kind == BufferKind::kUop) {
      std::copy(uops.begin(), uops.end(), data);
    } else {
      fillRandom(data, program.buffers[i].size_bytes, rng);
    }
  }
  std::copy(stream.begin(), stream.end(),
            image.bytes.data() + (image.instruction_address - image.address));
  return image;
}

}  // namespace vta::sim
