#include "sim/functional/scheduler.h"

#include <fmt/format.h>

#include <limits>

#include "isa/program/text/assembler.h"

namespace vta::sim {

Scheduler::Scheduler(const Stream& stream, const HwConfig& hw, bool finite_queues)
    : stream_(stream),
      token_depth_(static_cast<uint32_t>(hw.params().token_queue_depth)),
      command_depth_(finite_queues ? static_cast<uint32_t>(hw.params().command_queue_depth)
                                   : std::numeric_limits<uint32_t>::max() - 1) {
  fetch();
}

void Scheduler::fetch() {
  while (fetched_ < stream_.instructions.size()) {
    const int unit = index(stream_.instructions[fetched_].unit());
    if (fetched_of_[unit] - started_of_[unit] > command_depth_) return;
    ++fetched_of_[unit];
    ++fetched_;
  }
}

std::optional<uint32_t> Scheduler::head(Unit unit) const {
  const int u = index(unit);
  if (started_of_[u] == fetched_of_[u]) return std::nullopt;
  return stream_.queues[u][started_of_[u]];
}

bool Scheduler::hasTokens(uint8_t pops) const {
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if ((pops >> q & 1) != 0 && tokens_[q] == 0) return false;
  }
  return true;
}

std::optional<uint32_t> Scheduler::ready(Unit unit) const {
  const std::optional<uint32_t> next = head(unit);
  if (!next || !hasTokens(stream_.tokens[*next].pops)) return std::nullopt;
  if (stream_.instructions[*next].opcode == Opcode::kFinish &&
      (head(Unit::kLoad) || head(Unit::kStore))) {
    return std::nullopt;
  }
  return next;
}

void Scheduler::start(Unit unit) {
  const uint8_t pops = stream_.tokens[*head(unit)].pops;
  for (int q = 0; q < kTokenQueueCount; ++q) tokens_[q] -= pops >> q & 1;
  ++started_of_[index(unit)];
  if (fetched_ < stream_.instructions.size()) fetch();
}

std::optional<Violation> Scheduler::finish(uint32_t instruction) {
  const uint8_t pushes = stream_.tokens[instruction].pushes;
  if (pushes == 0) return std::nullopt;
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if ((pushes >> q & 1) == 0) continue;
    if (tokens_[q] == token_depth_) {
      return Violation{
          FaultKind::kTokenOverflow,
          fmt::format("the token queue from {} to {} already holds {} tokens",
                      unitName(kTokenQueues[q].from), unitName(kTokenQueues[q].to), token_depth_)};
    }
    ++tokens_[q];
  }
  return std::nullopt;
}

bool Scheduler::isDone() const {
  if (fetched_ < stream_.instructions.size()) return false;
  return started_of_ == fetched_of_;
}

Fault Scheduler::deadlock() const {
  Fault fault;
  fault.kind = FaultKind::kDeadlock;
  fault.instruction = std::numeric_limits<uint32_t>::max();
  const char* separator = "";
  for (const Unit unit : kUnits) {
    const std::optional<uint32_t> next = head(unit);
    if (!next || hasTokens(stream_.tokens[*next].pops)) continue;
    fault.instruction = std::min(fault.instruction, *next);
    fault.reason += separator + describeWait(unit, fault.related);
    separator = "; ";
  }
  for (int q = 0; q < kTokenQueueCount; ++q) {
    const std::optional<uint32_t> next = head(kTokenQueues[q].to);
    const bool waits = next && (stream_.tokens[*next].pops >> q & 1) != 0 && tokens_[q] == 0;
    if (waits) fault.reason += describeMissing(q, fault.related);
  }
  if (fetched_ < stream_.instructions.size()) {
    fault.reason += fmt::format(
        "; instruction {} is not fetched because the {} unit has {} instructions queued", fetched_,
        unitName(stream_.instructions[fetched_].unit()), command_depth_);
  }
  fault.disassembly = disassemble(stream_.instructions[fault.instruction]);
  return fault;
}

std::string Scheduler::describeWait(Unit unit, std::vector<uint32_t>& related) const {
  const uint32_t next = *head(unit);
  related.push_back(next);
  std::string text = fmt::format("{} waits at instruction {} ({}) for", unitName(unit), next,
                                 disassemble(stream_.instructions[next]));
  const char* separator = "";
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if ((stream_.tokens[next].pops >> q & 1) == 0 || tokens_[q] != 0) continue;
    text += separator + describePusher(q, related);
    separator = " and for";
  }
  return text;
}

std::string Scheduler::describePusher(int queue, std::vector<uint32_t>& related) const {
  const Unit from = kTokenQueues[queue].from;
  const std::vector<uint32_t>& instructions = stream_.queues[index(from)];
  for (size_t i = started_of_[index(from)]; i < instructions.size(); ++i) {
    if ((stream_.tokens[instructions[i]].pushes >> queue & 1) == 0) continue;
    related.push_back(instructions[i]);
    return fmt::format(" a token from {}, which instruction {} would push", unitName(from),
                       instructions[i]);
  }
  return fmt::format(" a token from {}, which no instruction is left to push", unitName(from));
}

// Of a queue that gets fewer tokens than are popped. Tokens have no names, so the push that is
// missing can be any up to the one waited for; the last that came is the best lead.
std::string Scheduler::describeMissing(int queue, std::vector<uint32_t>& related) const {
  const Unit from = kTokenQueues[queue].from;
  const Unit to = kTokenQueues[queue].to;
  const std::vector<uint32_t>& pushers = stream_.queues[index(from)];
  uint32_t pushes = 0;
  std::optional<uint32_t> last;  // of those that have run
  for (size_t i = 0; i < pushers.size(); ++i) {
    if ((stream_.tokens[pushers[i]].pushes >> queue & 1) == 0) continue;
    ++pushes;
    if (i < started_of_[index(from)]) last = pushers[i];
  }
  uint32_t pops = 0;
  for (const uint32_t number : stream_.queues[index(to)]) {
    pops += stream_.tokens[number].pops >> queue & 1;
  }
  if (pushes >= pops) return "";
  std::string text = fmt::format("; from {} to {} the program pops {} tokens but pushes {}",
                                 unitName(from), unitName(to), pops, pushes);
  if (!last) return text;
  related.push_back(*last);
  return text + fmt::format(", the last so far by instruction {} ({})", *last,
                            disassemble(stream_.instructions[*last]));
}

std::optional<Violation> Scheduler::leftOverTokens() const {
  std::string text;
  for (int q = 0; q < kTokenQueueCount; ++q) {
    if (tokens_[q] == 0) continue;
    text += fmt::format("{}{} from {} to {}", text.empty() ? "" : ", ", tokens_[q],
                        unitName(kTokenQueues[q].from), unitName(kTokenQueues[q].to));
  }
  if (text.empty()) return std::nullopt;
  return Violation{FaultKind::kTokensLeftOver, "tokens left over at FINISH: " + text};
}

}  // namespace vta::sim
