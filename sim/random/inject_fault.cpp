#include "sim/random/inject_fault.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/instruction/handover.h"
#include "isa/instruction/legality.h"
#include "isa/spec/memories.h"
#include "sim/functional/dma_engine.h"

namespace vta::sim {

const char* injectedFaultName(InjectedFault fault) {
  constexpr const char* kNames[] = {"illegal opcode",
                                    "illegal memory type",
                                    "transfer past SRAM",
                                    "index past ACC",
                                    "index past INP",
                                    "index past WGT",
                                    "micro-ops past SRAM",
                                    "token nobody pushes",
                                    "token left over",
                                    "load past memory",
                                    "store past memory",
                                    "illegal GEMM",
                                    "illegal ALU code",
                                    "illegal ALU operand",
                                    "illegal ALU immediate",
                                    "hand-over past OUT",
                                    "rows of a hand-over past OUT"};
  static_assert(std::size(kNames) == kInjectedFaultCount);
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
  if (isOnChip(mem->memory_type)) return false;
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

// What an iteration of the loops adds to one of the indices.
struct IndexFactors {
  uint32_t& outer;
  uint32_t& inner;
};

// Chooses the factors so that the last iteration's index is `depth` or a little more. False when
// the loops are too short, or do nothing.
template <typename Insn>
bool walkPast(const Insn& insn, IndexFactors factors, uint32_t depth) {
  if (insn.uop_bgn >= insn.uop_end || insn.iter_in == 0 || insn.iter_out == 0) return false;
  // The factor of `iterations` steps that add up to `distance`, if the field holds it.
  const auto stride = [&](uint32_t distance, uint32_t iterations) {
    return iterations < 2 ? 0u
                          : std::min(depth - 1, (distance + iterations - 2) / (iterations - 1));
  };
  factors.inner = stride(depth, insn.iter_in);
  const uint32_t walked = factors.inner * (insn.iter_in - 1);
  factors.outer = walked >= depth ? 0 : stride(depth - walked, insn.iter_out);
  return walked + factors.outer * (insn.iter_out - 1) >= depth;
}

bool leaveAcc(Instruction& insn, const HwConfig& hw, Rng& rng) {
  const auto depth = hw.depthElems(MemoryType::kAcc);
  if (auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
    return walkPast(*gemm, {gemm->dst_factor_out, gemm->dst_factor_in}, depth);
  }
  auto* alu = std::get_if<AluInsn>(&insn.body);
  if (alu == nullptr) return false;
  const bool by_source = !alu->use_imm && rng.oneIn(2);
  return by_source ? walkPast(*alu, {alu->src_factor_out, alu->src_factor_in}, depth)
                   : walkPast(*alu, {alu->dst_factor_out, alu->dst_factor_in}, depth);
}

bool leaveOperand(Instruction& insn, MemoryType operand, const HwConfig& hw) {
  auto* gemm = std::get_if<GemmInsn>(&insn.body);
  if (gemm == nullptr || !gemm->readsOperands()) return false;
  const auto depth = hw.depthElems(operand);
  return operand == MemoryType::kInp
             ? walkPast(*gemm, {gemm->src_factor_out, gemm->src_factor_in}, depth)
             : walkPast(*gemm, {gemm->wgt_factor_out, gemm->wgt_factor_in}, depth);
}

bool leaveMicroOps(Instruction& insn, const HwConfig& hw) {
  const auto depth = hw.depthElems(MemoryType::kUop);
  const auto run_past = [&](auto& body) {
    if (body.iter_in == 0 || body.iter_out == 0) return false;
    body.uop_bgn = depth - 1;
    body.uop_end = depth + 1;
    return true;
  };
  if (auto* gemm = std::get_if<GemmInsn>(&insn.body)) return run_past(*gemm);
  auto* alu = std::get_if<AluInsn>(&insn.body);
  return alu != nullptr && run_past(*alu);
}

// Puts the rows of a hand-over so far apart that its last one is past the end of OUT, by a number
// whose lower 16 bits are zeros. False when INP has too few elements for so many rows.
bool spreadRows(MemInsn& mem, const HwConfig& hw, Rng& rng) {
  constexpr uint32_t kNumberBits = 16;
  const uint32_t depth = hw.depthElems(mem.memory_type);
  if (depth < 3) return false;
  const auto most_bits = static_cast<uint32_t>(std::bit_width(depth - 1)) - 1;
  const uint32_t rows_bits = rng.pick(1, std::min(most_bits, kNumberBits - 1));
  const uint32_t factor = rng.pick(0, (1u << (rows_bits - 1)) - 1) * 2 + 1;
  if ((uint64_t{factor} << kNumberBits) < handoverDepth(hw)) return false;
  mem = {.memory_type = mem.memory_type, .x_size = 1};
  mem.y_size = (1u << rows_bits) + 1;
  mem.x_stride = factor << (kNumberBits - rows_bits);
  return true;
}

// A hand-over then begins past the end of OUT, or its rows get there. False when `insn` is none.
bool leaveOut(Instruction& insn, const HwConfig& hw, bool by_rows, Rng& rng) {
  auto* mem = std::get_if<MemInsn>(&insn.body);
  if (mem == nullptr || !isOnChip(mem->memory_type)) return false;
  if (by_rows) return spreadRows(*mem, hw, rng);
  if (mem->x_size == 0 || mem->y_size == 0) return false;
  mem->dram_base = static_cast<uint32_t>(handoverDepth(hw));
  return true;
}

bool popsFrom(const Instruction& insn, Unit from) {
  return from < insn.unit() ? insn.tokens.pop_prev : insn.tokens.pop_next;
}
bool pushesTo(const Instruction& insn, Unit to) {
  return to < insn.unit() ? insn.tokens.push_prev : insn.tokens.push_next;
}

// Whether no timing can find the queue `from` one unit `to` its neighbour full. A token of the
// other direction that `from` pops says which pops of `to` have happened.
bool neverFills(const std::vector<Instruction>& program, Unit from, Unit to, uint32_t depth) {
  std::vector<uint32_t> pops_before;  // by token of the other direction: pops until its push
  uint32_t pops = 0;
  for (const Instruction& insn : program) {
    if (insn.unit() != to) continue;
    pops += popsFrom(insn, from) ? 1 : 0;
    if (pushesTo(insn, from)) pops_before.push_back(pops);
  }
  uint32_t pushes = 0;
  uint32_t certain_pops = 0;
  size_t popped = 0;
  for (const Instruction& insn : program) {
    if (insn.unit() != from) continue;
    if (popsFrom(insn, to) && popped < pops_before.size()) certain_pops = pops_before[popped++];
    pushes += pushesTo(insn, to) ? 1 : 0;
    if (pushes > certain_pops + depth) return false;
  }
  return true;
}

// Whether a token of `insn`, as instruction `number` of the legal program in `image`, that compute
// pushes to load and nobody needs leaves both queues between them room in any timing: with it, load
// runs ahead.
bool leavesRoom(const Instruction& insn, uint32_t number, const ProgramImage& image,
                const HwConfig& hw) {
  const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
  const std::span<const std::byte> stream = streamOf(image, hw);
  std::vector<Instruction> program;
  for (uint32_t i = 0; i < image.instruction_count; ++i) {
    program.push_back(*decodeInstruction(stream.subspan(i * insn_bytes, insn_bytes), hw));
  }
  program[number] = insn;
  const auto depth = static_cast<uint32_t>(hw.params().token_queue_depth);
  return neverFills(program, Unit::kCompute, Unit::kLoad, depth) &&
         neverFills(program, Unit::kLoad, Unit::kCompute, depth);
}

// Changes `insn` so that it breaks in the way of `fault`. False when it cannot.
bool breakInstruction(Instruction& insn, const ProgramImage& image, const HwConfig& hw,
                      InjectedFault fault, Rng& rng) {
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
    case InjectedFault::kHandoverPastOut:
    case InjectedFault::kHandoverRowsPastOut:
      return leaveOut(insn, hw, fault == InjectedFault::kHandoverRowsPastOut, rng);
    case InjectedFault::kIndexPastAcc:
      return leaveAcc(insn, hw, rng);
    case InjectedFault::kIndexPastInp:
      return leaveOperand(insn, MemoryType::kInp, hw);
    case InjectedFault::kIndexPastWgt:
      return leaveOperand(insn, MemoryType::kWgt, hw);
    case InjectedFault::kMicroOpsPastSram:
      return leaveMicroOps(insn, hw);
    case InjectedFault::kTokenNobodyPushes:
      if (insn.opcode != Opcode::kFinish || insn.tokens.pop_next) return false;
      insn.tokens.pop_next = true;
      return true;
    case InjectedFault::kTokenLeftOver:
      if (insn.unit() != Unit::kCompute || insn.opcode == Opcode::kFinish) return false;
      if (insn.tokens.push_prev) return false;
      insn.tokens.push_prev = true;
      return true;  // if the queue has room for it
    default:
      return false;
  }
}

/// A memory type of an extension that `hw` lacks; with all extensions one that `opcode`, LOAD or
/// STORE, cannot move.
MemoryType illegalMemoryType(Opcode opcode, const HwConfig& hw, Rng& rng) {
  std::vector<MemoryType> types;
  for (const MemoryInfo& memory : memories()) {
    if (!hasMemory(hw.params(), memory)) types.push_back(memory.type);
  }
  if (types.empty()) return opcode == Opcode::kLoad ? MemoryType::kOut : MemoryType::kInp;
  return types[rng.pick(0, static_cast<uint32_t>(types.size() - 1))];
}

/// Puts random bits into a field of an encoded instruction.
void randomizeField(std::span<std::byte> bytes, const FieldInfo& field, Rng& rng) {
  for (int bit = field.lsb; bit < field.lsb + field.width_bits; ++bit) {
    const auto mask = static_cast<std::byte>(1 << bit % 8);
    bytes[bit / 8] = rng.pick(0, 1) != 0 ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask;
  }
}

/// Fields of an encoded instruction that a fault changes.
struct BrokenFields {
  InjectedFault fault;
  Opcode opcode;
  std::vector<std::string_view> names;
  bool is_known_code = false;  // the changed instruction is of an operation that there is
};

const BrokenFields* brokenFields(InjectedFault fault, Opcode opcode) {
  static const BrokenFields kTable[] = {
      {InjectedFault::kIllegalGemm, Opcode::kGemm, {"depthwise", "iter_in"}},
      {InjectedFault::kIllegalAluCode, Opcode::kAlu, {"alu_opcode", "alu_page"}},
      {InjectedFault::kIllegalAluOperand,
       Opcode::kAlu,
       {"alu_opcode", "alu_page", "use_imm"},
       true},
      {InjectedFault::kIllegalAluImmediate, Opcode::kAlu, {"imm"}},
  };
  const auto* const found = std::ranges::find_if(kTable, [&](const BrokenFields& entry) {
    return entry.fault == fault && entry.opcode == opcode;
  });
  return found == std::end(kTable) ? nullptr : found;
}

/// Changes the fields until no hardware like `hw` takes the instruction. False, and nothing
/// changed, when none of some tries is illegal.
bool breakFields(std::span<std::byte> bytes, const BrokenFields& broken, const HwConfig& hw,
                 Rng& rng) {
  constexpr int kTries = 32;
  std::vector<std::byte> changed(bytes.begin(), bytes.end());
  for (int i = 0; i < kTries; ++i) {
    for (const FieldInfo& field : instructionFields(broken.opcode, hw)) {
      if (std::ranges::find(broken.names, field.name) != broken.names.end()) {
        randomizeField(changed, field, rng);
      }
    }
    const auto insn = decodeInstruction(changed, hw);
    if (insn.ok() ? checkInstruction(*insn, hw).ok() : broken.is_known_code) continue;
    std::ranges::copy(changed, bytes.begin());
    return true;
  }
  return false;
}

}  // namespace

bool injectFault(ProgramImage& image, const HwConfig& hw, InjectedFault fault, Rng& rng) {
  const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
  std::byte* stream = image.bytes.data() + (image.instruction_address - image.address);
  const uint32_t first = rng.pick(0, image.instruction_count - 1);
  for (uint32_t i = 0; i < image.instruction_count; ++i) {
    const uint32_t number = (first + i) % image.instruction_count;
    std::byte* bytes = stream + number * insn_bytes;
    auto decoded = decodeInstruction({bytes, insn_bytes}, hw);
    if (!decoded.ok()) continue;
    if (fault == InjectedFault::kIllegalOpcode) {
      bytes[0] = (bytes[0] & std::byte{0xf8}) | static_cast<std::byte>(rng.pick(5, 7));
      return true;
    }
    if (fault == InjectedFault::kIllegalMemoryType) {
      if (decoded->opcode != Opcode::kLoad && decoded->opcode != Opcode::kStore) continue;
      const auto type = static_cast<uint32_t>(illegalMemoryType(decoded->opcode, hw, rng));
      bytes[1] = (bytes[1] & std::byte{0xfc}) | static_cast<std::byte>(type >> 1);
      bytes[0] = (bytes[0] & std::byte{0x7f}) | static_cast<std::byte>((type & 1) << 7);
      return true;
    }
    const BrokenFields* broken = brokenFields(fault, decoded->opcode);
    if (broken != nullptr && breakFields({bytes, insn_bytes}, *broken, hw, rng)) return true;
    if (!breakInstruction(*decoded, image, hw, fault, rng)) continue;
    if (fault == InjectedFault::kTokenLeftOver && !leavesRoom(*decoded, number, image, hw))
      continue;
    std::vector<std::byte> encoded;
    if (!encodeInstruction(*decoded, hw, encoded).ok()) continue;
    std::copy(encoded.begin(), encoded.end(), bytes);
    return true;
  }
  return false;
}

}  // namespace vta::sim
