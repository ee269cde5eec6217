#include "sim/random/program_image.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/integer_math.h"
#include "isa/instruction/encoding.h"
#include "isa/instruction/legality.h"
#include "sim/functional/dma_engine.h"

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

const char* injectedFaultName(InjectedFault fault) {
  constexpr const char* kNames[] = {"illegal opcode",   "illegal memory type", "transfer past SRAM",
                                    "index past SRAM",  "token nobody pushes", "token left over",
                                    "load past memory", "store past memory",   "illegal GEMM",
                                    "illegal ALU"};
  return kNames[static_cast<size_t>(fault)];
}

namespace {

// More than the widest beat: so far past the end there is a beat without a byte of memory.
constexpr uint64_t kPastMemoryBytes = 256;

// Moves a transfer past the end of memory: a load's last row ends there, a store begins there, so
// that it overwrites nothing. False when `insn` is no such transfer.
bool leaveMemory(Instruction& insn, const ProgramImage& image, const HwConfig& hw, Opcode opcode) {
  auto* mem = std::get_if<MemInsn>(&insn.body);
  if (mem == nullptr || insn.opcode != opcode || mem->x_size == 0 || mem->y_size == 0) return false;
  const uint64_t elem_bytes = hw.elemBytes(mem->memory_type);
  const uint64_t reach =
      opcode == Opcode::kStore
          ? rowAddress(*mem, 0, image.bases, hw)
          : rowAddress(*mem, mem->y_size - 1u, image.bases, hw) + mem->x_size * elem_bytes;
  const uint64_t wanted = image.address + image.bytes.size() + kPastMemoryBytes;
  if (reach < wanted) {
    mem->dram_base += static_cast<uint32_t>((wanted - reach + elem_bytes - 1) / elem_bytes);
  }
  return true;
}

// Changes `insn` so that it breaks in the way of `fault`. False when it cannot.
bool breakInstruction(Instruction& insn, const ProgramImage& image, const HwConfig& hw,
                      InjectedFault fault) {
  switch (fault) {
    case InjectedFault::kLoadPastMemory:
      return leaveMemory(insn, image, hw, Opcode::kLoad);
    case InjectedFault::kStorePastMemory:
      return leaveMemory(insn, image, hw, Opcode::kStore);
    case InjectedFault::kTransferPastSram: {
      auto* mem = std::get_if<MemInsn>(&insn.body);
      if (mem == nullptr || mem->x_size == 0 || mem->y_size == 0) return false;
      mem->sram_base = hw.depthElems(mem->memory_type) - 1;
      return mem->x_size > 1 || mem->y_size > 1;
    }
    case InjectedFault::kIndexPastSram: {
      auto* gemm = std::get_if<GemmInsn>(&insn.body);
      if (gemm == nullptr || gemm->iter_in < 2 || gemm->iter_out == 0) return false;
      gemm->dst_factor_in = hw.depthElems(MemoryType::kAcc) - 1;
      return true;
    }
    case InjectedFault::kTokenNobodyPushes:
      if (insn.opcode != Opcode::kFinish || insn.tokens.pop_next) return false;
      insn.tokens.pop_next = true;
      return true;
    case InjectedFault::kTokenLeftOver:
      if (insn.unit() != Unit::kCompute || insn.opcode == Opcode::kFinish) return false;
      if (insn.tokens.push_prev) return false;
      insn.tokens.push_prev = true;
      return true;
    default:
      return false;
  }
}

/// Puts random bits into a field of an encoded instruction.
void randomizeField(std::span<std::byte> bytes, const FieldInfo& field, Rng& rng) {
  for (int bit = field.lsb; bit < field.lsb + field.width_bits; ++bit) {
    const auto mask = static_cast<std::byte>(1 << bit % 8);
    bytes[bit / 8] = rng.pick(0, 1) != 0 ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask;
  }
}

/// Changes the named fields of an encoded instruction until no hardware like `hw` takes it. False,
/// and nothing changed, when none of some tries is illegal.
bool makeFieldsIllegal(std::span<std::byte> bytes, Opcode opcode,
                       std::span<const std::string_view> names, const HwConfig& hw, Rng& rng) {
  constexpr int kTries = 32;
  std::vector<std::byte> changed(bytes.begin(), bytes.end());
  for (int i = 0; i < kTries; ++i) {
    for (const FieldInfo& field : instructionFields(opcode, hw)) {
      if (std::ranges::find(names, field.name) != names.end()) randomizeField(changed, field, rng);
    }
    const auto insn = decodeInstruction(changed, hw);
    if (insn.ok() && checkInstruction(*insn, hw).ok()) continue;
    std::ranges::copy(changed, bytes.begin());
    return true;
  }
  return false;
}

/// Whether `fault` is one of encoded fields, and could be put into the instruction.
bool breakFields(std::span<std::byte> bytes, Opcode opcode, const HwConfig& hw, InjectedFault fault,
                 Rng& rng) {
  constexpr std::string_view kGemmFields[] = {"depthwise", "iter_in"};
  constexpr std::string_view kAluFields[] = {"alu_opcode", "alu_page", "use_imm", "imm"};
  if (fault == InjectedFault::kIllegalGemm && opcode == Opcode::kGemm) {
    return makeFieldsIllegal(bytes, opcode, kGemmFields, hw, rng);
  }
  if (fault == InjectedFault::kIllegalAlu && opcode == Opcode::kAlu) {
    return makeFieldsIllegal(bytes, opcode, kAluFields, hw, rng);
  }
  return false;
}

}  // namespace

bool injectFault(ProgramImage& image, const HwConfig& hw, InjectedFault fault, Rng& rng) {
  const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
  std::byte* stream = image.bytes.data() + (image.instruction_address - image.address);
  const uint32_t first = rng.pick(0, image.instruction_count - 1);
  for (uint32_t i = 0; i < image.instruction_count; ++i) {
    std::byte* bytes = stream + (first + i) % image.instruction_count * insn_bytes;
    auto decoded = decodeInstruction({bytes, insn_bytes}, hw);
    if (!decoded.ok()) continue;
    if (fault == InjectedFault::kIllegalOpcode) {
      bytes[0] = (bytes[0] & std::byte{0xf8}) | static_cast<std::byte>(rng.pick(5, 7));
      return true;
    }
    if (fault == InjectedFault::kIllegalMemoryType) {
      if (decoded->opcode != Opcode::kLoad && decoded->opcode != Opcode::kStore) continue;
      bytes[1] = (bytes[1] & std::byte{0xfc}) | std::byte{0x03};
      bytes[0] = (bytes[0] & std::byte{0x7f}) | static_cast<std::byte>(rng.pick(0, 1) << 7);
      return true;
    }
    if (breakFields({bytes, insn_bytes}, decoded->opcode, hw, fault, rng)) return true;
    if (!breakInstruction(*decoded, image, hw, fault)) continue;
    std::vector<std::byte> encoded;
    if (!encodeInstruction(*decoded, hw, encoded).ok()) continue;
    std::copy(encoded.begin(), encoded.end(), bytes);
    return true;
  }
  return false;
}

}  // namespace vta::sim
