#include "sim/random/program_image.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/integer_math.h"
#include "isa/instruction/encoding.h"
#include "isa/program/encoded_program.h"
#include "isa/spec/memories.h"

namespace vta::sim {
namespace {

constexpr uint64_t kFirstAddress = 0x10000;
constexpr uint64_t kInstructionAlignmentBytes = 64;
constexpr uint64_t kMostStreamGap = 8192 + kInstructionAlignmentBytes;  // behind the buffers
constexpr uint64_t kPageBytes = 4096;
constexpr int kMostAddressBits = 48;
constexpr int kDramBaseBits = 32;

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

/// A base register at most at `address`, and a multiple of `alignment_bytes`, a power of two: what
/// lies up to `most_distance` bytes above it fits the fields of instructions.
uint64_t drawBase(uint64_t address, uint64_t most_distance, uint64_t alignment_bytes, Rng& rng) {
  const uint64_t least = address > most_distance ? address - most_distance : 0;
  const uint64_t base = rng.oneIn(2) ? least : least + rng.bits() % (address - least + 1);
  return std::min(roundUp(base, alignment_bytes), address);
}

/// Bytes from the base register `base` to the end of what instructions reach of all memories.
uint64_t reachOf(BaseRegister base, const HwConfig& hw) {
  uint64_t least_bytes = ~uint64_t{0};
  for (const MemoryInfo& memory : memories()) {
    if (memory.on_chip || memory.base != base) continue;
    least_bytes = std::min<uint64_t>(least_bytes, hw.elemBytes(memory.type));
  }
  return least_bytes << kDramBaseBits;
}

/// The stream of `program`, whose buffers are at `addresses`.
Result<std::vector<std::byte>> encodeStream(const Program& program, const HwConfig& hw,
                                            std::span<const uint64_t> addresses,
                                            std::span<const uint64_t, kBaseRegisterCount> bases) {
  VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw));
  std::vector<std::byte> stream;
  for (const Instruction& insn : program.instructions) {
    VTA_RETURN_IF_ERROR(encodeInstruction(insn, hw, stream));
  }
  for (size_t i = 0; i < bases.size(); ++i) {
    std::vector<Relocation> relocations;
    std::ranges::copy_if(program.relocations, std::back_inserter(relocations),
                         [&](const Relocation& relocation) {
                           const MemInsn& mem = program.instructions[relocation.instruction].mem();
                           return memoryInfo(mem.memory_type).base == static_cast<BaseRegister>(i);
                         });
    std::vector<uint64_t> distances;
    for (const uint64_t address : addresses) distances.push_back(address - bases[i]);
    VTA_RETURN_IF_ERROR(relocate(stream, hw, program.buffers, relocations, distances));
  }
  return stream;
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
  std::array<uint64_t, kBaseRegisterCount> bases{};
  bases.fill(rng.oneIn(3) ? 0 : rng.pick(0, kFirstAddress / widest) * widest);

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
    const uint64_t stream_end = end + kMostStreamGap + stream_bytes;
    move = drawMove(hw, stream_end, widest, rng);
    // With room for transfers that a test moves past the end.
    const uint64_t size_bytes = roundUp(stream_end + kPageBytes - kFirstAddress, widest);
    for (int i = 0; move > 0 && i < kBaseRegisterCount; ++i) {
      const uint64_t reach = reachOf(static_cast<BaseRegister>(i), hw);
      bases[i] = drawBase(kFirstAddress + move, reach - size_bytes, widest, rng);
    }
  }
  image.address = kFirstAddress + move;
  // In the order of BaseRegister.
  image.bases = {
      .uop = bases[0], .inp = bases[1], .wgt = bases[2], .acc = bases[3], .out = bases[4]};
  for (uint64_t& address : addresses) address += move;
  end += move;
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> stream,
                       encodeStream(program, hw, addresses, bases));
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
