// LaneFunction: what an ALU operation computes in one lane, as data.
//
// It is a list of steps of integer arithmetic, without branches, loops or memory. So a function
// from a stranger's file can be executed, printed and turned into hardware, and makes nothing run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta {

/// The steps are those of MLIR's dialect arith on integers of 1 to 64 bits, which wrap.
enum class LaneOpcode : uint8_t {
  kConstant,
  kAdd,
  kSub,
  kMul,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShrS,
  kShrU,
  kMinS,
  kMaxS,
  kMinU,
  kMaxU,
  kCompare,
  kSelect,
  kExtS,
  kExtU,
  kTrunc,
};

/// In the order of arith.cmpi's numbers.
enum class LanePredicate : uint8_t { kEq, kNe, kSlt, kSle, kSgt, kSge, kUlt, kUle, kUgt, kUge };

/// "slt", ...
std::string_view lanePredicateName(LanePredicate predicate);

/// What is to be known about the name and the shape of a step.
struct LaneOpcodeInfo {
  LaneOpcode opcode{};
  std::string_view name;  // "arith.addi"
  int operands = 0;
  bool is_commutative = false;
};
std::span<const LaneOpcodeInfo> laneOpcodes();
const LaneOpcodeInfo& laneOpcodeInfo(LaneOpcode opcode);

/// One value. `operands` are numbers of values: the parameters come first, then the steps.
struct LaneStep {
  LaneOpcode opcode = LaneOpcode::kConstant;
  int width_bits = 32;  // of the result; 1 of kCompare
  std::array<uint16_t, 3> operands{};
  int64_t constant = 0;  // of kConstant, sign-extended
  LanePredicate predicate = LanePredicate::kEq;
  int line = 0;                                  // in its file, for messages
  bool operator==(const LaneStep& other) const;  // but for the line
};

/// The most steps of a function.
inline constexpr size_t kMaxLaneSteps = 256;
/// The width of parameters and of the result.
inline constexpr int kLaneBits = 32;
/// Lanes that evaluateLanes computes side by side.
inline constexpr size_t kLanesAtOnce = 64;

/// The least and the greatest value, signed.
struct LaneRange {
  int64_t least = 0;
  int64_t most = 0;
};

struct LaneFunction {
  std::string name;
  size_t num_params = 0;
  std::vector<LaneStep> steps;
  uint16_t result = 0;  // the number of a value of kLaneBits

  /// Of a value: a parameter's width is kLaneBits.
  int widthOf(uint16_t value) const;

  /// The result for these parameters.
  int32_t evaluate(std::span<const int32_t> params) const;

  /// The results of up to kLanesAtOnce lanes; parameter i of lane j is params[i][j]. `out` may be
  /// one of the parameters.
  void evaluateLanes(std::span<const int32_t* const> params, size_t lanes, int32_t* out) const;

  /// The steps as lines of MLIR, and the name of a value in them: parameters are called as `params`
  /// says, steps %v0, %v1, ... Equal for equal functions with equal names.
  std::string stepsText(std::span<const std::string> params) const;
  std::string valueText(uint16_t value, std::span<const std::string> params) const;
  std::string resultText(std::span<const std::string> params) const {
    return valueText(result, params);
  }

  bool operator==(const LaneFunction&) const;  // by meaning: the name does not count
};

/// Checks what the parser cannot see: every amount of a shift is in 0 to width - 1 for all values
/// of the parameters, which lie in `params`. Other shifts have no meaning. Errors begin with
/// "source:line".
Status checkLaneShifts(const LaneFunction& function, std::span<const LaneRange> params,
                       std::string_view source);

}  // namespace vta
