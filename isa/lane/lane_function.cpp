#include "isa/lane/lane_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace vta {
namespace {

constexpr LaneOpcodeInfo kLaneOpcodes[] = {
    {LaneOpcode::kConstant, "arith.constant", 0, false},
    {LaneOpcode::kAdd, "arith.addi", 2, true},
    {LaneOpcode::kSub, "arith.subi", 2, false},
    {LaneOpcode::kMul, "arith.muli", 2, true},
    {LaneOpcode::kAnd, "arith.andi", 2, true},
    {LaneOpcode::kOr, "arith.ori", 2, true},
    {LaneOpcode::kXor, "arith.xori", 2, true},
    {LaneOpcode::kShl, "arith.shli", 2, false},
    {LaneOpcode::kShrS, "arith.shrsi", 2, false},
    {LaneOpcode::kShrU, "arith.shrui", 2, false},
    {LaneOpcode::kMinS, "arith.minsi", 2, true},
    {LaneOpcode::kMaxS, "arith.maxsi", 2, true},
    {LaneOpcode::kMinU, "arith.minui", 2, true},
    {LaneOpcode::kMaxU, "arith.maxui", 2, true},
    {LaneOpcode::kCompare, "arith.cmpi", 2, false},
    {LaneOpcode::kSelect, "arith.select", 3, false},
    {LaneOpcode::kExtS, "arith.extsi", 1, false},
    {LaneOpcode::kExtU, "arith.extui", 1, false},
    {LaneOpcode::kTrunc, "arith.trunci", 1, false},
};

constexpr std::string_view kPredicateNames[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                                "sge", "ult", "ule", "ugt", "uge"};

/// `value` modulo 2^width, sign-extended.
int64_t wrapTo(int64_t value, int width_bits) {
  const int shift = 64 - width_bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

uint64_t unsignedOf(int64_t value, int width_bits) {
  return static_cast<uint64_t>(value) << (64 - width_bits) >> (64 - width_bits);
}

bool holds(LanePredicate predicate, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a);  // sign extension keeps the order of unsigned numbers
  const auto ub = static_cast<uint64_t>(b);
  switch (predicate) {
    case LanePredicate::kEq:
      return a == b;
    case LanePredicate::kNe:
      return a != b;
    case LanePredicate::kSlt:
      return a < b;
    case LanePredicate::kSle:
      return a <= b;
    case LanePredicate::kSgt:
      return a > b;
    case LanePredicate::kSge:
      return a >= b;
    case LanePredicate::kUlt:
      return ua < ub;
    case LanePredicate::kUle:
      return ua <= ub;
    case LanePredicate::kUgt:
      return ua > ub;
    case LanePredicate::kUge:
      return ua >= ub;
  }
  return false;
}

/// What a step gives, but for its wrapping, of sign-extended operands of `operand_bits`.
int64_t unwrapped(const LaneStep& step, int operand_bits, int64_t a, int64_t b, int64_t c) {
  const auto ua = static_cast<uint64_t>(a);
  const auto ub = static_cast<uint64_t>(b);
  switch (step.opcode) {
    case LaneOpcode::kConstant:
      return step.constant;
    case LaneOpcode::kAdd:
      return static_cast<int64_t>(ua + ub);
    case LaneOpcode::kSub:
      return static_cast<int64_t>(ua - ub);
    case LaneOpcode::kMul:
      return static_cast<int64_t>(ua * ub);
    case LaneOpcode::kAnd:
      return a & b;
    case LaneOpcode::kOr:
      return a | b;
    case LaneOpcode::kXor:
      return a ^ b;
    case LaneOpcode::kShl:
      return static_cast<int64_t>(ua << (ub & 63));
    case LaneOpcode::kShrS:
      return a >> (ub & 63);
    case LaneOpcode::kShrU:
      return static_cast<int64_t>(unsignedOf(a, operand_bits) >> (ub & 63));
    case LaneOpcode::kMinS:
      return std::min(a, b);
    case LaneOpcode::kMaxS:
      return std::max(a, b);
    case LaneOpcode::kMinU:
      return ua < ub ? a : b;
    case LaneOpcode::kMaxU:
      return ua < ub ? b : a;
    case LaneOpcode::kCompare:
      return holds(step.predicate, a, b) ? 1 : 0;
    case LaneOpcode::kSelect:
      return a != 0 ? b : c;
    case LaneOpcode::kExtS:
    case LaneOpcode::kTrunc:
      return a;
    case LaneOpcode::kExtU:
      return static_cast<int64_t>(unsignedOf(a, operand_bits));
  }
  return 0;
}

/// One step on sign-extended operands of `operand_bits`.
int64_t applyStep(const LaneStep& step, int operand_bits, int64_t a, int64_t b, int64_t c) {
  return wrapTo(unwrapped(step, operand_bits, a, b, c), step.width_bits);
}

LaneRange fullRange(int width_bits) {
  const int64_t most = static_cast<int64_t>(~uint64_t{0} >> (65 - width_bits));
  return {-most - 1, most};
}

bool contains(const LaneRange& outer, __int128 least, __int128 most) {
  return least >= outer.least && most <= outer.most;
}

/// What a step may give; the full range where nothing is known.
LaneRange rangeOf(const LaneStep& step, const LaneRange& a, const LaneRange& b,
                  const LaneRange& c) {
  const LaneRange full = fullRange(step.width_bits);
  const auto unlessWrapped = [&](__int128 least, __int128 most) {
    if (!contains(full, least, most)) return full;
    return LaneRange{static_cast<int64_t>(least), static_cast<int64_t>(most)};
  };
  using Wide = __int128;
  switch (step.opcode) {
    case LaneOpcode::kConstant:
      return {step.constant, step.constant};
    case LaneOpcode::kAdd:
      return unlessWrapped(Wide{a.least} + b.least, Wide{a.most} + b.most);
    case LaneOpcode::kSub:
      return unlessWrapped(Wide{a.least} - b.most, Wide{a.most} - b.least);
    case LaneOpcode::kAnd:
      // Bits of a number that is not negative.
      if (b.least >= 0) return {0, a.least >= 0 ? std::min(a.most, b.most) : b.most};
      return a.least >= 0 ? LaneRange{0, a.most} : full;
    case LaneOpcode::kMinS:
      return {std::min(a.least, b.least), std::min(a.most, b.most)};
    case LaneOpcode::kMaxS:
      return {std::max(a.least, b.least), std::max(a.most, b.most)};
    case LaneOpcode::kSelect:
      return {std::min(b.least, c.least), std::max(b.most, c.most)};
    case LaneOpcode::kExtS:
      return a;
    case LaneOpcode::kExtU:
      return a.least >= 0 ? a : full;
    case LaneOpcode::kTrunc:
      return unlessWrapped(a.least, a.most);
    case LaneOpcode::kShrS:
      return {std::min<int64_t>(a.least, 0), std::max<int64_t>(a.most, 0)};
    default:
      return full;
  }
}

std::string stepText(const LaneFunction& function, size_t index,
                     std::span<const std::string> params) {
  const LaneStep& step = function.steps[index];
  const LaneOpcodeInfo& info = laneOpcodeInfo(step.opcode);
  std::string text = fmt::format("    %v{} = {} ", index, info.name);
  if (step.opcode == LaneOpcode::kConstant) {
    if (step.width_bits == 1) return text + (step.constant != 0 ? "true" : "false");
    return text + fmt::format("{} : i{}", step.constant, step.width_bits);
  }
  const bool compares = step.opcode == LaneOpcode::kCompare;
  if (compares) text += fmt::format("{}, ", lanePredicateName(step.predicate));
  for (int i = 0; i < info.operands; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ",
                        function.valueText(step.operands[static_cast<size_t>(i)], params));
  }
  const bool converts = info.operands == 1;
  const int width = converts || compares ? function.widthOf(step.operands[0]) : step.width_bits;
  text += fmt::format(" : i{}", width);
  return converts ? text + fmt::format(" to i{}", step.width_bits) : text;
}

}  // namespace

std::span<const LaneOpcodeInfo> laneOpcodes() { return kLaneOpcodes; }

const LaneOpcodeInfo& laneOpcodeInfo(LaneOpcode opcode) {
  const auto* const found = std::ranges::find(kLaneOpcodes, opcode, &LaneOpcodeInfo::opcode);
  assert(found != std::end(kLaneOpcodes));
  return *found;
}

std::string_view lanePredicateName(LanePredicate predicate) {
  return kPredicateNames[static_cast<size_t>(predicate)];
}

bool LaneStep::operator==(const LaneStep& other) const {
  return opcode == other.opcode && width_bits == other.width_bits && operands == other.operands &&
         constant == other.constant && predicate == other.predicate;
}

bool LaneFunction::operator==(const LaneFunction& other) const {
  return num_params == other.num_params && steps == other.steps && result == other.result;
}

int LaneFunction::widthOf(uint16_t value) const {
  return value < num_params ? kLaneBits : steps[value - num_params].width_bits;
}

int32_t LaneFunction::evaluate(std::span<const int32_t> params) const {
  std::array<int64_t, kMaxLaneSteps + 4> values{};
  assert(params.size() == num_params && num_params + steps.size() <= values.size());
  for (size_t i = 0; i < num_params; ++i) values[i] = params[i];
  for (size_t i = 0; i < steps.size(); ++i) {
    const LaneStep& step = steps[i];
    const auto& at = step.operands;
    values[num_params + i] =
        applyStep(step, widthOf(at[0]), values[at[0]], values[at[1]], values[at[2]]);
  }
  return static_cast<int32_t>(values[result]);
}

void LaneFunction::evaluateLanes(std::span<const int32_t* const> params, size_t lanes,
                                 int32_t* out) const {
  assert(lanes <= kLanesAtOnce && params.size() == num_params);
  std::vector<std::array<int64_t, kLanesAtOnce>> values(num_params + steps.size());
  for (size_t i = 0; i < num_params; ++i) {
    for (size_t lane = 0; lane < lanes; ++lane) values[i][lane] = params[i][lane];
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const LaneStep& step = steps[i];
    const int operand_bits = widthOf(step.operands[0]);
    const auto& a = values[step.operands[0]];
    const auto& b = values[step.operands[1]];
    const auto& c = values[step.operands[2]];
    auto& to = values[num_params + i];
    for (size_t lane = 0; lane < lanes; ++lane) {
      to[lane] = applyStep(step, operand_bits, a[lane], b[lane], c[lane]);
    }
  }
  for (size_t lane = 0; lane < lanes; ++lane)
    out[lane] = static_cast<int32_t>(values[result][lane]);
}

std::string LaneFunction::valueText(uint16_t value, std::span<const std::string> params) const {
  return value < num_params ? params[value] : fmt::format("%v{}", value - num_params);
}

std::string LaneFunction::stepsText(std::span<const std::string> params) const {
  std::string text;
  for (size_t i = 0; i < steps.size(); ++i) text += stepText(*this, i, params) + "\n";
  return text;
}

Status checkLaneShifts(const LaneFunction& function, std::span<const LaneRange> params,
                       std::string_view source) {
  std::vector<LaneRange> ranges(params.begin(), params.end());
  for (const LaneStep& step : function.steps) {
    const auto& at = step.operands;
    const bool shifts = step.opcode == LaneOpcode::kShl || step.opcode == LaneOpcode::kShrS ||
                        step.opcode == LaneOpcode::kShrU;
    const LaneRange amount = shifts ? ranges[at[1]] : LaneRange{};
    if (amount.least < 0 || amount.most >= step.width_bits) {
      return invalidArgument(fmt::format(
          "{}:{}: {} may shift {} bits by {} to {}, and only amounts of 0 to {} have a meaning; "
          "bound the amount, for example with arith.andi by {}",
          source, step.line, laneOpcodeInfo(step.opcode).name, step.width_bits, amount.least,
          amount.most, step.width_bits - 1, step.width_bits - 1));
    }
    const LaneRange none;
    const auto rangeAt = [&](size_t i) {
      return static_cast<size_t>(at[i]) < ranges.size() ? ranges[at[i]] : none;
    };
    ranges.push_back(rangeOf(step, rangeAt(0), rangeAt(1), rangeAt(2)));
  }
  return {};
}

}  // namespace vta
