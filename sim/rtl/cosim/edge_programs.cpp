#include "sim/rtl/cosim/edge_programs.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "isa/instruction/encoding.h"

namespace vta::sim {
namespace {

constexpr uint64_t kDataBytes = 64 * 1024;
constexpr uint64_t kAddress = 1 << 20;
constexpr uint64_t kEdgePageBytes = 4096;

enum Kind : uint64_t {
  kOverflowFromLoad,
  kOverflowToLoad,
  kOverflowToStore,
  kOverflowFromStore,
  kNoFinish,
  kNoInstruction,
  kReorderBuffer,
  kFinishWaitsForLoad,
  kFinishWaitsForStore,
  kPastAddressesLoad,
  kPastAddressesCompute,
  kPastAddressesStore,
  kPastScratchpad,  // and the following, of one memory type each
  // Of compute and load, and the following, with one more instruction between the two.
  kTwoUnits = kPastScratchpad + 5,
  kTwoLoads = kTwoUnits + 12,  // likewise of one unit, of INP and WGT
  kCount = kTwoLoads + 12
};
constexpr MemoryType kPastTypes[] = {MemoryType::kInp, MemoryType::kWgt, MemoryType::kUop,
                                     MemoryType::kAcc, MemoryType::kOut};
static_assert(std::size(kPastTypes) == kTwoUnits - kPastScratchpad && kCount == kEdgePrograms);

MemInsn transfer(MemoryType type, uint32_t sram, uint32_t dram, uint32_t count) {
  MemInsn mem;
  mem.memory_type = type;
  mem.sram_base = sram;
  mem.dram_base = dram;
  mem.y_size = 1;
  mem.x_size = mem.x_stride = count;
  return mem;
}

Instruction nothing(Kind kind) {
  if (kind == kOverflowFromLoad) {
    return Instruction::load(transfer(MemoryType::kInp, 0, 0, 0), {.push_next = true});
  }
  if (kind == kOverflowFromStore) {
    return Instruction::store(transfer(MemoryType::kOut, 0, 0, 0), {.push_prev = true});
  }
  return Instruction::gemm(
      {}, {.push_prev = kind == kOverflowToLoad, .push_next = kind == kOverflowToStore});
}

/// Some zeros into OUT, and a STORE of them that no token orders before FINISH.
std::vector<Instruction> storeOfZeros(const HwConfig& hw) {
  GemmInsn reset;
  reset.reset = true;
  reset.uop_end = 1;
  reset.iter_out = 1;
  reset.iter_in = std::min(8u, static_cast<uint32_t>(hw.depthElems(MemoryType::kOut)));
  reset.dst_factor_in = 1;
  const MemInsn mem = transfer(MemoryType::kOut, 0, 1, reset.iter_in);
  return {Instruction::load(transfer(MemoryType::kUop, 0, 0, 1)),
          Instruction::gemm(reset, {.push_next = true}),
          Instruction::store(mem, {.pop_prev = true})};
}

std::vector<Instruction> reorderBuffer() {
  GemmInsn reset;
  reset.reset = true;
  reset.uop_end = 1;
  reset.iter_out = 1;
  reset.iter_in = 400;
  std::vector<Instruction> program = {Instruction::load(transfer(MemoryType::kUop, 0, 0, 1)),
                                      Instruction::gemm(reset)};
  program.insert(program.end(), 24, Instruction::gemm({}));
  return program;
}

/// A transfer whose second element is past the end of the scratchpad.
Instruction pastScratchpad(const HwConfig& hw, MemoryType type) {
  const MemInsn mem = transfer(type, hw.depthElems(type) - 1, 0, 2);
  return type == MemoryType::kOut ? Instruction::store(mem) : Instruction::load(mem);
}

/// Two such transfers, with `spacing` instructions that do nothing between them.
std::vector<Instruction> twoFaults(const HwConfig& hw, MemoryType first, MemoryType second,
                                   uint64_t spacing) {
  std::vector<Instruction> program = {pastScratchpad(hw, first)};
  program.insert(program.end(), spacing, Instruction::gemm({}));
  program.push_back(pastScratchpad(hw, second));
  return program;
}

std::vector<Instruction> instructions(const HwConfig& hw, uint64_t kind) {
  const auto past = [&](MemoryType type) {
    return transfer(type, 0, static_cast<uint32_t>(kEdgePageBytes / hw.elemBytes(type)), 1);
  };
  switch (kind) {
    case kOverflowFromLoad:
    case kOverflowToLoad:
    case kOverflowToStore:
    case kOverflowFromStore:
      return std::vector<Instruction>(static_cast<size_t>(hw.params().token_queue_depth) + 1,
                                      nothing(static_cast<Kind>(kind)));
    case kNoFinish:
      return {nothing(kNoFinish), nothing(kNoFinish)};
    case kNoInstruction:
      return {};
    case kReorderBuffer:
      return reorderBuffer();
    case kFinishWaitsForStore:
      return storeOfZeros(hw);
    case kFinishWaitsForLoad:
      return {Instruction::load(transfer(MemoryType::kInp, 0, 0, 8))};
    case kPastAddressesLoad:
      return {Instruction::load(past(MemoryType::kInp))};
    case kPastAddressesCompute:
      return {Instruction::load(past(MemoryType::kAcc))};
    case kPastAddressesStore:
      return {Instruction::store(past(MemoryType::kOut))};
    default:
      break;
  }
  if (kind < kTwoUnits) return {pastScratchpad(hw, kPastTypes[kind - kPastScratchpad])};
  if (kind < kTwoLoads) {
    return twoFaults(hw, MemoryType::kAcc, MemoryType::kInp, kind - kTwoUnits);
  }
  return twoFaults(hw, MemoryType::kInp, MemoryType::kWgt, kind - kTwoLoads);
}

}  // namespace

Result<std::optional<EdgeProgram>> edgeProgram(const HwConfig& hw, uint64_t index) {
  const uint64_t kind = index % kCount;
  const bool past_addresses = kind >= kPastAddressesLoad && kind <= kPastAddressesStore;
  const int address_bits = hw.params().axi_addr_width_bits;
  if (past_addresses && address_bits == 64) return std::optional<EdgeProgram>();

  std::vector<Instruction> program = instructions(hw, kind);
  if (kind != kNoFinish && kind != kNoInstruction) program.push_back(Instruction::finish());
  std::vector<std::byte> stream;
  for (const Instruction& insn : program) {
    VTA_RETURN_IF_ERROR(encodeInstruction(insn, hw, stream));
  }
  EdgeProgram edge;
  edge.races = kind >= kTwoUnits;
  ProgramImage& image = edge.image;
  image.address = kAddress;
  image.instruction_address = kAddress + kDataBytes;
  image.instruction_count = static_cast<uint32_t>(program.size());
  image.bytes.resize(kDataBytes + std::max<size_t>(stream.size(), kEdgePageBytes));
  // Not zeros, so that what is stored shows; but for a micro-op of zeros.
  std::fill(image.bytes.begin() + hw.elemBytes(MemoryType::kUop), image.bytes.begin() + kDataBytes,
            std::byte{0x55});
  std::copy(stream.begin(), stream.end(), image.bytes.begin() + kDataBytes);
  const uint64_t base = past_addresses ? (uint64_t{1} << address_bits) - kEdgePageBytes : kAddress;
  image.bases = {.uop = base, .inp = base, .wgt = base, .acc = base, .out = base};
  return std::optional<EdgeProgram>(std::move(edge));
}

}  // namespace vta::sim
