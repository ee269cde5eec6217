#include "sim/cycle/fault_text.h"

#include <fmt/format.h>

#include "isa/program/text/assembler.h"
#include "sim/functional/dma_engine.h"
#include "sim/functional/scheduler.h"

namespace vta::sim::cycle {
namespace {

// Runs the queues and tokens without time until nothing goes on.
std::string whyStuck(const Stream& stream, const HwConfig& hw, std::vector<uint32_t>& related) {
  Scheduler scheduler(stream, hw, /*finite_queues=*/true);
  for (bool progress = true; progress;) {
    progress = false;
    for (const Unit unit : kUnits) {
      while (const std::optional<uint32_t> number = scheduler.ready(unit)) {
        scheduler.start(unit);
        if (scheduler.finish(*number)) return "no unit can go on";
        progress = true;
      }
    }
  }
  if (!scheduler.isDone()) {
    Fault fault = scheduler.deadlock();
    related = std::move(fault.related);
    return std::move(fault.reason);
  }
  return stream.has_finish ? "no unit can go on" : "the stream ends without FINISH";
}

std::string whyOutOfBounds(const Instruction& insn, const HwConfig& hw) {
  if (insn.opcode != Opcode::kLoad && insn.opcode != Opcode::kStore) {
    return "a micro-op or an index of it lies past the end of its buffer";
  }
  const MemInsn& mem = insn.mem();
  return fmt::format("it uses {} elements {} to {}, but the buffer has {}",
                     memoryTypeName(mem.memory_type), mem.sram_base,
                     mem.sram_base + sramElems(insn.opcode, mem) - 1,
                     hw.depthElems(mem.memory_type));
}

std::string whyOverflow(uint32_t number, const Stream& stream, const HwConfig& hw) {
  std::string text;
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if ((stream.tokens[number].pushes >> q & 1) == 0) continue;
    text += fmt::format("{}it pushes to the token queue from {} to {}, which holds {} at most",
                        text.empty() ? "" : "; ", unitName(kTokenQueues[q].from),
                        unitName(kTokenQueues[q].to), hw.params().token_queue_depth);
  }
  return text;
}

std::string reasonOf(const HardwareFault& fault, const Stream& stream, const HwConfig& hw,
                     std::vector<uint32_t>& related) {
  switch (fault.kind) {
    case FaultKind::kSramBounds:
      return whyOutOfBounds(stream.instructions[fault.instruction], hw);
    case FaultKind::kDramBounds:
      return "it reaches memory outside every allocated buffer";
    case FaultKind::kTokenOverflow:
      return whyOverflow(fault.instruction, stream, hw);
    case FaultKind::kTokensLeftOver:
      return "tokens are left over at FINISH";
    case FaultKind::kDeadlock:
      return whyStuck(stream, hw, related);
    default:
      return "the instruction is illegal";
  }
}

}  // namespace

Fault describeFault(const HardwareFault& fault, const Stream& stream, const HwConfig& hw) {
  if (stream.illegal && stream.illegal->instruction == fault.instruction &&
      stream.illegal->kind == fault.kind) {
    return *stream.illegal;
  }
  Fault described;
  described.kind = fault.kind;
  described.instruction = fault.instruction;
  if (fault.instruction < stream.instructions.size()) {
    described.disassembly = disassemble(stream.instructions[fault.instruction]);
  }
  described.reason = reasonOf(fault, stream, hw, described.related);
  return described;
}

}  // namespace vta::sim::cycle
