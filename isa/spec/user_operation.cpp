#include "isa/spec/user_operation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "isa/lane/lane_parser.h"

namespace vta {
namespace {

constexpr int kMostCode = (kBaseAluPages << kAluOpcodeBits) - 1;
constexpr size_t kMostNameChars = 32;

constexpr std::pair<AluOperand, std::string_view> kOperandNames[] = {
    {AluOperand::kTensorOrImmediate, "tensor_or_immediate"},
    {AluOperand::kTensor, "tensor"},
    {AluOperand::kImmediate, "immediate"},
};
constexpr std::pair<AluImmediate, std::string_view> kImmediateNames[] = {
    {AluImmediate::kNumber, "number"},
    {AluImmediate::kShift, "shift"},
    {AluImmediate::kByteRange, "byte_range"},
    {AluImmediate::kZero, "zero"},
};

std::string upperCase(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

/// A word of the assembler, of MLIR, and of SystemVerilog behind a prefix.
Status checkUserName(const std::string& name) {
  const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_word = !name.empty() && name.size() <= kMostNameChars && isLower(name.front()) &&
                       std::ranges::all_of(name, [&](char c) {
                         return isLower(c) || (c >= '0' && c <= '9') || c == '_';
                       });
  if (!is_word || name.ends_with('_') || name.find("__") != std::string::npos) {
    return invalidArgument(
        fmt::format("name is \"{}\"; legal: a small letter, then small letters, digits and single "
                    "underscores, {} characters at most",
                    name, kMostNameChars));
  }
  // "op12" is how tools name a code that they know nothing about.
  const bool is_number =
      name.starts_with("op") && name.size() > 2 &&
      std::ranges::all_of(name.substr(2), [](char c) { return c >= '0' && c <= '9'; });
  for (const AluOperation& operation : kAluOperations) {
    if (upperCase(name) == operation.name || is_number) {
      return invalidArgument(fmt::format(
          "name \"{}\" is taken: the ALU has an operation of this name; choose another one", name));
    }
  }
  return {};
}

Status checkUserCode(int code) {
  std::vector<int> free;
  for (int i = 0; i <= kMostCode; ++i) {
    if (findAluOperation(static_cast<AluOpcode>(i)) == nullptr) free.push_back(i);
  }
  if (std::ranges::find(free, code) != free.end()) return {};
  const bool in_range = code >= 0 && code <= kMostCode;
  return invalidArgument(fmt::format(
      "code is {}{}; free: {}", code,
      in_range ? fmt::format(", which {} has", aluOpcodeName(static_cast<AluOpcode>(code))) : "",
      fmt::join(free, ", ")));
}

/// What the meaning has to have for its parameters. Nothing for forms that no instruction has.
std::vector<LaneParameter> paramsOf(AluOperand operand, AluImmediate immediate) {
  using enum LaneParameter;
  switch (operand) {
    case AluOperand::kTensorOrImmediate:
      if (immediate == AluImmediate::kNumber) return {kX, kY};
      break;
    case AluOperand::kTensor:
      if (immediate == AluImmediate::kShift) return {kX, kY, kShift};
      if (immediate == AluImmediate::kZero) return {kX, kY};
      break;
    case AluOperand::kImmediate:
      if (immediate == AluImmediate::kNumber) return {kX, kY};
      if (immediate == AluImmediate::kByteRange) return {kX, kLow, kHigh};
      if (immediate == AluImmediate::kZero) return {kX};
      break;
    case AluOperand::kPair:
      break;
  }
  return {};
}

std::string_view paramName(LaneParameter param) {
  constexpr std::string_view kNames[] = {"%x", "%y", "%shift", "%low", "%high"};
  return kNames[static_cast<size_t>(param)];
}

LaneRange paramRange(LaneParameter param, AluOperand operand) {
  switch (param) {
    case LaneParameter::kX:
      break;
    case LaneParameter::kY:
      if (operand == AluOperand::kImmediate) return {INT16_MIN, INT16_MAX};
      break;
    case LaneParameter::kShift:
      return {0, kMaxAluShift};
    case LaneParameter::kLow:
    case LaneParameter::kHigh:
      return {INT8_MIN, INT8_MAX};
  }
  return {INT32_MIN, INT32_MAX};
}

/// Operand, immediate and parameters agree.
Status checkParams(const UserOperation& operation, std::string_view source) {
  if (operation.params.empty()) {
    return invalidArgument(fmt::format(
        "operand is \"{}\" and immediate \"{}\", which do not go together; legal: "
        "tensor_or_immediate with number; tensor with zero or shift; immediate with number, "
        "byte_range or zero",
        userOperandName(operation.text.operand), userImmediateName(operation.text.immediate)));
  }
  std::vector<std::string_view> names;
  for (const LaneParameter param : operation.params) names.push_back(paramName(param));
  if (operation.function.num_params != operation.params.size()) {
    return invalidArgument(fmt::format(
        "{}:1: the function has {} parameters; with operand \"{}\" and immediate \"{}\" it has {}: "
        "{}",
        source, operation.function.num_params, userOperandName(operation.text.operand),
        userImmediateName(operation.text.immediate), names.size(), fmt::join(names, ", ")));
  }
  return {};
}

Status checkNumbers(const UserOperationText& text) {
  if (text.latency_cycles < 1 || text.latency_cycles > kMostUserLatency) {
    return invalidArgument(fmt::format(
        "latency_cycles is {}; legal: 1 to {}, the stages that the ALU's pipeline has for it",
        text.latency_cycles, kMostUserLatency));
  }
  constexpr int kMostCost = 100'000;
  for (const auto& [key, value] : {std::pair("luts", text.cost.luts), {"dsps", text.cost.dsps}}) {
    if (value >= 0 && value <= kMostCost) continue;
    return invalidArgument(fmt::format("cost.{} is {}; legal: 0 to {}", key, value, kMostCost));
  }
  return {};
}

/// The function with names of its own, without comments.
std::string canonicalText(const LaneFunction& function) {
  std::vector<std::string> names;
  std::string params;
  for (size_t i = 0; i < function.num_params; ++i) {
    names.push_back(fmt::format("%p{}", i));
    params += fmt::format("{}{}: i32", i == 0 ? "" : ", ", names.back());
  }
  return fmt::format("func.func @{}({}) -> i32 {{\n{}    return {} : i32\n}}\n", function.name,
                     params, function.stepsText(names), function.resultText(names));
}

/// Additions and multiplications, for the energy estimate; what moves bits costs nothing.
void countWork(const LaneFunction& function, AluOperation& row) {
  for (const LaneStep& step : function.steps) {
    switch (step.opcode) {
      case LaneOpcode::kConstant:
      case LaneOpcode::kExtS:
      case LaneOpcode::kExtU:
      case LaneOpcode::kTrunc:
        break;
      case LaneOpcode::kMul:
        ++row.multiplies;
        break;
      default:
        ++row.adds;
    }
  }
}

}  // namespace

void UserOperations::add(std::shared_ptr<const UserOperation> operation) {
  const auto at = std::ranges::upper_bound(list_, operation->opcode(), {},
                                           [](const auto& each) { return each->opcode(); });
  list_.insert(at, std::move(operation));
}

bool UserOperations::operator==(const UserOperations& other) const {
  return std::ranges::equal(list_, other.list_, [](const auto& a, const auto& b) {
    return a == b || (a->identity() == b->identity() && a->text.cost == b->text.cost &&
                      a->text.latency_cycles == b->text.latency_cycles);
  });
}

std::string UserOperation::identity() const {
  return fmt::format("{} {} {} {}\n{}", text.name, text.code, userOperandName(text.operand),
                     userImmediateName(text.immediate), text.semantics);
}

int32_t UserOperation::evaluate(int32_t x, int32_t y, int32_t imm) const {
  const ByteRange range = byteRangeOf(imm);
  const int32_t values[] = {x, y, imm, range.low, range.high};
  std::array<int32_t, 4> taken{};
  for (size_t i = 0; i < params.size(); ++i) taken[i] = values[static_cast<size_t>(params[i])];
  return function.evaluate(std::span(taken).first(params.size()));
}

void UserOperation::evaluateLanes(int32_t* dst, const int32_t* src, size_t lanes,
                                  int32_t imm) const {
  using Lanes = std::array<int32_t, kLanesAtOnce>;
  Lanes immediate, low, high;
  const ByteRange range = byteRangeOf(imm);
  immediate.fill(imm);
  low.fill(range.low);
  high.fill(range.high);
  for (size_t at = 0; at < lanes; at += kLanesAtOnce) {
    const int32_t* const y = src != nullptr ? src + at : immediate.data();
    const int32_t* const values[] = {dst + at, y, immediate.data(), low.data(), high.data()};
    std::array<const int32_t*, 4> taken{};
    for (size_t i = 0; i < params.size(); ++i) taken[i] = values[static_cast<size_t>(params[i])];
    function.evaluateLanes(std::span(taken).first(params.size()),
                           std::min(kLanesAtOnce, lanes - at), dst + at);
  }
}

Result<std::shared_ptr<const UserOperation>> makeUserOperation(UserOperationText text,
                                                               std::string_view semantics_source) {
  VTA_RETURN_IF_ERROR(checkUserName(text.name));
  VTA_RETURN_IF_ERROR(checkUserCode(text.code));
  VTA_RETURN_IF_ERROR(checkNumbers(text));
  auto operation = std::make_shared<UserOperation>();
  operation->text = std::move(text);
  operation->upper_name = upperCase(operation->text.name);
  operation->params = paramsOf(operation->text.operand, operation->text.immediate);
  VTA_ASSIGN_OR_RETURN(operation->function,
                       parseLaneFunction(operation->text.semantics, semantics_source));
  VTA_RETURN_IF_ERROR(checkParams(*operation, semantics_source));
  if (operation->function.name != operation->text.name) {
    return invalidArgument(
        fmt::format("{}:1: the function's name is @{}; the operation's is \"{}\"", semantics_source,
                    operation->function.name, operation->text.name));
  }
  std::vector<LaneRange> ranges;
  for (const LaneParameter param : operation->params) {
    ranges.push_back(paramRange(param, operation->text.operand));
  }
  VTA_RETURN_IF_ERROR(checkLaneShifts(operation->function, ranges, semantics_source));
  operation->text.semantics = canonicalText(operation->function);
  operation->row = {.opcode = static_cast<AluOpcode>(operation->text.code),
                    .name = operation->upper_name,
                    .operand = operation->text.operand,
                    .immediate = operation->text.immediate,
                    .monotone = AluMonotone::kNever,
                    .meaning = operation->text.meaning};
  countWork(operation->function, operation->row);
  return std::shared_ptr<const UserOperation>(std::move(operation));
}

std::string_view userOperandName(AluOperand operand) {
  for (const auto& [value, name] : kOperandNames) {
    if (value == operand) return name;
  }
  return {};
}

std::string_view userImmediateName(AluImmediate immediate) {
  for (const auto& [value, name] : kImmediateNames) {
    if (value == immediate) return name;
  }
  return {};
}

std::vector<const AluOperation*> aluOperations(const HwParams& params) {
  std::vector<const AluOperation*> all;
  for (const AluOperation& operation : kAluOperations) {
    if (hasAluOperation(params, operation)) all.push_back(&operation);
  }
  for (const auto& operation : params.operations.list()) all.push_back(&operation->row);
  std::ranges::sort(all, {}, &AluOperation::opcode);
  return all;
}

const UserOperation* findUserOperation(const HwParams& params, AluOpcode opcode) {
  for (const auto& operation : params.operations.list()) {
    if (operation->opcode() == opcode) return operation.get();
  }
  return nullptr;
}

const AluOperation* findAluOperation(const HwParams& params, AluOpcode opcode) {
  if (const AluOperation* const own = findAluOperation(opcode)) return own;
  const UserOperation* const user = findUserOperation(params, opcode);
  return user == nullptr ? nullptr : &user->row;
}

std::string aluOperationName(const HwParams& params, AluOpcode opcode) {
  const AluOperation* const operation = findAluOperation(params, opcode);
  return operation != nullptr ? std::string(operation->name)
                              : fmt::format("OP{}", static_cast<int>(opcode));
}

std::string lackingOperations(const HwParams& needs, const HwParams& has) {
  std::vector<std::string> lacking;
  for (const auto& needed : needs.operations.list()) {
    const bool is_there = std::ranges::any_of(has.operations.list(), [&](const auto& other) {
      return other->identity() == needed->identity();
    });
    if (!is_there) lacking.push_back(needed->text.name);
  }
  if (lacking.empty()) return "";
  return fmt::format("; it lacks the ALU operation {}, whose folder --extension names",
                     fmt::join(lacking, ", "));
}

Status checkUserOperations(const UserOperations& operations) {
  const auto& list = operations.list();
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const UserOperationText& a = list[j]->text;
      const UserOperationText& b = list[i]->text;
      if (a.name == b.name) {
        return invalidArgument(fmt::format("operations has \"{}\" twice", a.name));
      }
      if (a.code != b.code) continue;
      return invalidArgument(fmt::format(
          "operations has \"{}\" and \"{}\" with the same code {}; change one of the codes", a.name,
          b.name, a.code));
    }
  }
  return {};
}

}  // namespace vta
