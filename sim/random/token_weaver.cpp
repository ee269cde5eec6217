#include "sim/random/token_weaver.h"

#include <algorithm>
#include <cassert>

namespace vta::sim {
namespace {

bool adjacent(Unit a, Unit b) { return a == Unit::kCompute || b == Unit::kCompute; }

bool& popFlag(Tokens& tokens, Unit from, Unit to) {
  return from < to ? tokens.pop_prev : tokens.pop_next;
}
bool& pushFlag(Tokens& tokens, Unit from, Unit to) {
  return from < to ? tokens.push_next : tokens.push_prev;
}

}  // namespace

TokenWeaver::TokenWeaver(Program& program, const HwConfig& hw, Rng& rng)
    : program_(program), hw_(hw), rng_(rng) {}

Instruction TokenWeaver::nop(Unit unit) {
  MemInsn mem;
  mem.y_size = rng_.pick(0, 3);
  mem.x_pad_0 = rng_.pick(0, 1);
  const uint32_t kind = rng_.pick(0, 3);
  if (unit == Unit::kLoad) {
    mem.memory_type = kind < 2 ? MemoryType::kInp : MemoryType::kWgt;
    mem.y_pad_0 = rng_.pick(0, 2);
    return Instruction::load(mem);
  }
  if (unit == Unit::kStore) {
    mem.memory_type = MemoryType::kOut;
    mem.x_pad_0 = 0;
    return Instruction::store(mem);
  }
  if (kind == 0) return Instruction::gemm({.uop_end = 1, .iter_out = 0, .iter_in = 3});
  if (kind == 1) {
    return Instruction::alu(
        {.use_imm = true, .uop_bgn = 1, .uop_end = 1, .iter_out = 2, .iter_in = 1});
  }
  mem.memory_type = kind == 2 ? MemoryType::kUop : MemoryType::kAcc;
  return Instruction::load(mem);
}

void TokenWeaver::append(Instruction insn) {
  const Unit unit = insn.unit();
  std::vector<Node>& stream = streams_[index(unit)];
  stream.push_back({static_cast<uint32_t>(program_.instructions.size()), reached_[index(unit)]});
  reached_[index(unit)][index(unit)] = static_cast<uint32_t>(stream.size());
  program_.instructions.push_back(insn);
}

// The last instruction of `from` pushes a token to `to`, if it does not yet and no timing can find
// the queue full. The last place of a queue is a reserve: with it two units can always tell each
// other how far they have come.
bool TokenWeaver::tryPush(Unit from, Unit to, bool use_reserve) {
  if (streams_[index(from)].empty()) return false;
  const Node& node = streams_[index(from)].back();
  bool& flag = pushFlag(tokensOf(node), from, to);
  Queue& tokens = queue(from, to);
  const auto popped = static_cast<uint32_t>(
      std::lower_bound(tokens.consumers.begin(), tokens.consumers.end(), node.before[index(to)]) -
      tokens.consumers.begin());
  const auto depth = static_cast<uint32_t>(hw_.params().token_queue_depth) - (use_reserve ? 0 : 1);
  if (flag || tokens.pushes + 1 - popped > depth) return false;
  flag = true;
  ++tokens.pushes;
  tokens.waiting.push_back(count(from) - 1);
  return true;
}

// A token from the very end of `from`, whatever it takes.
void TokenWeaver::provideToken(Unit from, Unit to) {
  if (tryPush(from, to, false)) return;
  append(nop(from));
  if (tryPush(from, to, false) || tryPush(from, to, true)) return;
  // The queue may be full: wait until `to` has popped what it can.
  orderAfter(to, count(to), from);
  append(nop(from));
  const bool pushed = tryPush(from, to, true);
  assert(pushed);
  static_cast<void>(pushed);
}

void TokenWeaver::pop(Unit from, Unit to, Node& node) {
  Queue& tokens = queue(from, to);
  const uint32_t pusher = tokens.waiting.front();
  tokens.waiting.pop_front();
  Clock clock = streams_[index(from)][pusher].before;
  clock[index(from)] = pusher + 1;
  const auto position = static_cast<uint32_t>(&node - streams_[index(to)].data());
  tokens.consumers.push_back(position);
  popFlag(tokensOf(node), from, to) = true;
  for (int i = 0; i < kUnits; ++i) {
    node.before[i] = std::max(node.before[i], clock[i]);
    reached_[index(to)][i] = std::max(reached_[index(to)][i], clock[i]);
  }
}

// Afterwards the next instruction of `to` starts when `needed` instructions of `from` have
// finished.
void TokenWeaver::orderAfter(Unit from, uint32_t needed, Unit to) {
  if (from == to || reached_[index(to)][index(from)] >= needed) return;
  if (!adjacent(from, to)) {
    orderAfter(from, needed, Unit::kCompute);
    append(nop(Unit::kCompute));
    orderAfter(Unit::kCompute, count(Unit::kCompute), to);
    return;
  }
  while (reached_[index(to)][index(from)] < needed) {
    if (queue(from, to).waiting.empty()) provideToken(from, to);
    append(nop(to));
    pop(from, to, streams_[index(to)].back());
  }
}

uint32_t TokenWeaver::add(Instruction insn, const Clock& needs) {
  const Unit to = insn.unit();
  for (const Unit from : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
    if (from == to || reached_[index(to)][index(from)] >= needs[index(from)]) continue;
    if (!adjacent(from, to)) {
      orderAfter(from, needs[index(from)], to);
      continue;
    }
    // All tokens but the last are popped by instructions of their own.
    if (queue(from, to).waiting.empty() ||
        queue(from, to).waiting.back() + 1 < needs[index(from)]) {
      provideToken(from, to);
    }
    while (queue(from, to).waiting.front() + 1 < needs[index(from)]) {
      append(nop(to));
      pop(from, to, streams_[index(to)].back());
    }
  }
  append(insn);
  Node& node = streams_[index(to)].back();
  for (const Unit from : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
    const bool lacks = node.before[index(from)] < needs[index(from)];
    const bool spare =
        adjacent(from, to) && from != to && !queue(from, to).waiting.empty() && rng_.oneIn(4);
    if (from != to && (lacks || spare)) pop(from, to, node);
  }
  const uint32_t position = count(to) - 1;
  for (const Unit other : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
    if (other != to && adjacent(other, to) && rng_.oneIn(6)) tryPush(to, other, false);
  }
  return position;
}

void TokenWeaver::synchronise(Unit unit) {
  for (const Unit from : {Unit::kLoad, Unit::kCompute, Unit::kStore}) {
    orderAfter(from, count(from), unit);
  }
}

void TokenWeaver::finish() {
  const auto drain = [&](Unit from, Unit to) {
    while (!queue(from, to).waiting.empty()) {
      append(nop(to));
      pop(from, to, streams_[index(to)].back());
    }
  };
  drain(Unit::kCompute, Unit::kLoad);
  drain(Unit::kCompute, Unit::kStore);
  drain(Unit::kLoad, Unit::kCompute);
  drain(Unit::kStore, Unit::kCompute);
  // A token more from each other unit, popped by FINISH itself.
  for (const Unit from : {Unit::kLoad, Unit::kStore}) {
    if (reached_[index(Unit::kCompute)][index(from)] < count(from)) {
      provideToken(from, Unit::kCompute);
    }
  }
  append(Instruction::finish());
  for (const Unit from : {Unit::kLoad, Unit::kStore}) {
    if (!queue(from, Unit::kCompute).waiting.empty()) {
      pop(from, Unit::kCompute, streams_[index(Unit::kCompute)].back());
    }
  }
}

}  // namespace vta::sim
