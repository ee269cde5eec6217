#include "sim/common/stream.h"

#include <fmt/format.h>

#include <utility>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"
#include "sim/common/legality.h"

namespace vta::sim {
namespace {

constexpr size_t kMaxCachedStreams = 256;

int queueBetween(Unit from, int step) {
  const int to = index(from) + step;
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if (kTokenQueues[q].from == from && index(kTokenQueues[q].to) == to) return q;
  }
  return -1;
}

uint8_t bitOf(int queue) { return queue < 0 ? 0 : static_cast<uint8_t>(1 << queue); }

// What stands for the disassembly of bytes that are no instruction.
std::string hexWords(std::span<const std::byte> bytes) {
  std::string text = "illegal 0x";
  for (size_t i = bytes.size(); i-- > 0;) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(bytes[i]));
  }
  return text;
}

}  // namespace

TokenSets tokenSets(const Instruction& insn) {
  TokenSets sets;
  const Unit unit = insn.unit();
  const auto reverse = [](int queue) {  // 0<->1, 2<->3: the same units, the other way
    return queue < 0 ? queue : queue ^ 1;
  };
  const int to_prev = queueBetween(unit, -1);
  const int to_next = queueBetween(unit, 1);
  if (insn.tokens.pop_prev) sets.pops |= bitOf(reverse(to_prev));
  if (insn.tokens.pop_next) sets.pops |= bitOf(reverse(to_next));
  if (insn.tokens.push_prev) sets.pushes |= bitOf(to_prev);
  if (insn.tokens.push_next) sets.pushes |= bitOf(to_next);
  return sets;
}

Stream decodeStream(std::span<const std::byte> bytes, const HwConfig& hw) {
  Stream stream;
  const auto insn_bytes = static_cast<size_t>(hw.instructionBytes());
  const auto count = static_cast<uint32_t>(bytes.size() / insn_bytes);
  for (uint32_t i = 0; i < count && !stream.has_finish; ++i) {
    const std::span<const std::byte> word = bytes.subspan(i * insn_bytes, insn_bytes);
    Result<Instruction> insn = decodeInstruction(word, hw);
    if (!insn.ok()) {
      stream.illegal =
          Fault{FaultKind::kIllegalInstruction, i, hexWords(word), insn.status().message()};
      return stream;
    }
    if (auto violation = checkLegality(*insn, hw)) {
      stream.illegal = Fault{violation->kind, i, disassemble(*insn), std::move(violation->reason)};
      return stream;
    }
    stream.has_finish = insn->opcode == Opcode::kFinish;
    stream.tokens.push_back(tokenSets(*insn));
    stream.queues[index(insn->unit())].push_back(i);
    stream.instructions.push_back(*std::move(insn));
  }
  return stream;
}

const Stream& StreamCache::find(std::span<const std::byte> bytes, const HwConfig& hw) {
  std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto it = entries_.find(key);
  if (it != entries_.end()) return it->second;
  if (entries_.size() >= kMaxCachedStreams) entries_.clear();
  return entries_.emplace(std::move(key), decodeStream(bytes, hw)).first->second;
}

}  // namespace vta::sim
