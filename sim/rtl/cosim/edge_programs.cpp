#include "sim/rtl/cosim/edge_programs.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/spec/alu_operations.h"

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
  kTwoBusErrorsInpFirst = kTwoLoads + 12,
  kTwoBusErrorsWgtFirst,
  kPairIsWritten,
  kPairIsReadAndWritten,
  kCount
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

/// Whether the two programs of two bus errors are for `hw`: an element is one burst, so that the
/// older load faults in the cycle behind its first offer.
bool oneBurstEach(const HwConfig& hw) {
  const auto beat_bytes = static_cast<uint64_t>(hw.params().axi_data_width_bits / 8);
  const auto most = std::min<uint64_t>(
      static_cast<uint64_t>(hw.params().axi_max_burst_beats) * beat_bytes, kEdgePageBytes);
  return std::max(hw.elemBytes(MemoryType::kInp), hw.elemBytes(MemoryType::kWgt)) <= most;
}

/// Two loads that are past the bus's addresses and fault in one cycle where each has a DMA: the
/// older one with its second row, the younger one, which starts a cycle later, with its first. Both
/// wait in the queue until a token comes.
std::vector<Instruction> twoBusErrors(const HwConfig& hw, MemoryType first, MemoryType second) {
  const auto page_elems = [&](MemoryType type) {
    return static_cast<uint32_t>(kEdgePageBytes / hw.elemBytes(type));
  };
  MemInsn older = transfer(first, 0, page_elems(first) - 1, 1);
  older.y_size = 2;
  const MemInsn younger = transfer(second, 0, page_elems(second), 1);
  return {Instruction::load(older, {.pop_next = true}), Instruction::load(younger),
          Instruction::gemm({}, {.push_prev = true})};
}

/// Where the programs of pairs have their data.
struct PairPlan {
  uint32_t first = 0;   // element of ACC behind the micro-ops
  uint32_t stored = 0;  // element of OUT behind the data
  bool fits = false;
};

// An accumulator, something that is not used, a multiplier and a bias, another such pair; and
// another bias for it.
constexpr int32_t kPairData[] = {0, 0, 1, 0, 1, 1, -1};
constexpr uint32_t kPairElems = 6;
constexpr Uop kPairUops[] = {{.dst_idx = 0, .src_idx = 2}, {.dst_idx = 0, .src_idx = 4}};

PairPlan planPair(const HwConfig& hw) {
  const auto bytes = uint64_t{hw.elemBytes(MemoryType::kAcc)};
  PairPlan plan;
  const uint64_t uop_bytes = std::size(kPairUops) * static_cast<uint64_t>(hw.uopBytes());
  plan.first = static_cast<uint32_t>((uop_bytes + bytes - 1) / bytes);
  const uint64_t end = (plan.first + std::size(kPairData)) * bytes;
  plan.stored = static_cast<uint32_t>(end / hw.elemBytes(MemoryType::kOut));
  plan.fits = hw.params().ext_requant && hw.depthElems(MemoryType::kAcc) >= kPairElems &&
              end + bytes <= kDataBytes;
  return plan;
}

/// The micro-ops, and the data, the same in all lanes.
Status writePairData(const HwConfig& hw, std::vector<std::byte>& memory) {
  std::vector<std::byte> uops;
  for (const Uop& uop : kPairUops) VTA_RETURN_IF_ERROR(encodeUop(uop, hw, uops));
  std::ranges::copy(uops, memory.begin());
  const size_t bytes = hw.elemBytes(MemoryType::kAcc);
  std::byte* at = memory.data() + planPair(hw).first * bytes;
  for (const int32_t value : kPairData) {
    for (size_t i = 0; i < bytes; i += sizeof value, at += sizeof value) {
      std::memcpy(at, &value, sizeof value);
    }
  }
  return {};
}

/// REQUANT by two pairs in turn, and a load of the second one's bias, right before it or behind it.
/// Nothing else that the two touch is the same, and no token orders them. The load finds nothing of
/// it on its way, because an operation in front of both waits for the loads before.
std::vector<Instruction> pairAndLoad(const HwConfig& hw, bool load_is_first) {
  const PairPlan plan = planPair(hw);
  AluInsn add;
  add.alu_opcode = AluOpcode::kAdd;
  add.use_imm = true;
  add.uop_end = add.iter_out = add.iter_in = 1;
  AluInsn requant;
  requant.alu_opcode = AluOpcode::kRequant;
  requant.imm = byteRangeImmediate({-128, 127});
  requant.uop_end = static_cast<uint32_t>(std::size(kPairUops));
  requant.iter_out = 1;
  requant.iter_in = load_is_first ? 1 : 100;
  const MemInsn bias = transfer(MemoryType::kAcc, kPairElems - 1, plan.first + kPairElems, 1);
  std::vector<Instruction> program = {
      Instruction::load(transfer(MemoryType::kUop, 0, 0, requant.uop_end)),
      Instruction::load(transfer(MemoryType::kAcc, 0, plan.first, kPairElems)),
      Instruction::alu(add), Instruction::load(bias), Instruction::alu(requant)};
  if (!load_is_first) std::swap(program[3], program[4]);
  program.back().tokens.push_next = true;
  program.push_back(
      Instruction::store(transfer(MemoryType::kOut, 0, plan.stored, 1), {.pop_prev = true}));
  return program;
}

/// Two transfers that are past the end of their scratchpads, with `spacing` instructions that do
/// nothing between them.
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
    case kTwoBusErrorsInpFirst:
      return twoBusErrors(hw, MemoryType::kInp, MemoryType::kWgt);
    case kTwoBusErrorsWgtFirst:
      return twoBusErrors(hw, MemoryType::kWgt, MemoryType::kInp);
    case kPairIsWritten:
    case kPairIsReadAndWritten:
      return pairAndLoad(hw, kind == kPairIsWritten);
    default:
      break;
  }
  if (kind < kTwoUnits) return {pastScratchpad(hw, kPastTypes[kind - kPastScratchpad])};
  if (kind < kTwoLoads) {
    return twoFaults(hw, MemoryType::kAcc, MemoryType::kInp, kind - kTwoUnits);
  }
  return twoFaults(hw, MemoryType::kInp, MemoryType::kWgt, kind - kTwoLoads);
}

bool isPastAddresses(uint64_t kind) {
  return (kind >= kPastAddressesLoad && kind <= kPastAddressesStore) ||
         kind == kTwoBusErrorsInpFirst || kind == kTwoBusErrorsWgtFirst;
}

bool isPair(uint64_t kind) { return kind == kPairIsWritten || kind == kPairIsReadAndWritten; }

bool canHave(const HwConfig& hw, uint64_t kind) {
  if (isPair(kind)) return planPair(hw).fits;
  if (!isPastAddresses(kind)) return true;
  const bool is_two = kind == kTwoBusErrorsInpFirst || kind == kTwoBusErrorsWgtFirst;
  return hw.params().axi_addr_width_bits < 64 && (!is_two || oneBurstEach(hw));
}

}  // namespace

Result<std::optional<EdgeProgram>> edgeProgram(const HwConfig& hw, uint64_t index) {
  const uint64_t kind = index % kCount;
  if (!canHave(hw, kind)) return std::optional<EdgeProgram>();

  std::vector<Instruction> program = instructions(hw, kind);
  if (kind != kNoFinish && kind != kNoInstruction) program.push_back(Instruction::finish());
  std::vector<std::byte> stream;
  for (const Instruction& insn : program) {
    VTA_RETURN_IF_ERROR(encodeInstruction(insn, hw, stream));
  }
  EdgeProgram edge;
  edge.races = kind >= kTwoUnits && kind < kTwoBusErrorsInpFirst;
  ProgramImage& image = edge.image;
  image.address = kAddress;
  image.instruction_address = kAddress + kDataBytes;
  image.instruction_count = static_cast<uint32_t>(program.size());
  image.bytes.resize(kDataBytes + std::max<size_t>(stream.size(), kEdgePageBytes));
  // Not zeros, so that what is stored shows; but for a micro-op of zeros.
  std::fill(image.bytes.begin() + hw.elemBytes(MemoryType::kUop), image.bytes.begin() + kDataBytes,
            std::byte{0x55});
  if (isPair(kind)) VTA_RETURN_IF_ERROR(writePairData(hw, image.bytes));
  std::copy(stream.begin(), stream.end(), image.bytes.begin() + kDataBytes);
  const uint64_t base = isPastAddresses(kind)
                            ? (uint64_t{1} << hw.params().axi_addr_width_bits) - kEdgePageBytes
                            : kAddress;
  image.bases = {.uop = base, .inp = base, .wgt = base, .acc = base, .out = base};
  return std::optional<EdgeProgram>(std::move(edge));
}

}  // namespace vta::sim
