// UserOperation: an ALU operation that is defined outside of this project, by one text of what it
// computes. Simulators, the compiler, the assembler and the RTL all take it from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/lane/lane_function.h"
#include "isa/spec/alu_operations.h"
#include "isa/spec/user_operations.h"

namespace vta {

/// What a parameter of the meaning is, in this order.
enum class LaneParameter : uint8_t {
  kX,      // ACC[dst]
  kY,      // the second operand: ACC[src], or the immediate
  kShift,  // the immediate beside a tensor operand, 0 to kMaxAluShift
  kLow,    // the bounds in an immediate
  kHigh,
};

/// What the hardware of a lane takes, beyond the lane itself. 0 where nobody said.
struct LaneCost {
  int luts = 0;
  int dsps = 0;
  bool operator==(const LaneCost&) const = default;
};

/// Register stages that the ALU's pipeline has for the function of a lane, at most.
inline constexpr int kMostUserLatency = 3;

/// What a file says.
struct UserOperationText {
  std::string name;  // in lower case
  int code = 0;
  AluOperand operand = AluOperand::kTensorOrImmediate;
  AluImmediate immediate = AluImmediate::kNumber;
  int latency_cycles = 1;  // that the function of a lane may take, 1 to kMostUserLatency
  LaneCost cost;
  std::string meaning;    // a line for people
  std::string semantics;  // text of a LaneFunction
};

/// Does not move: `row` refers to its strings.
struct UserOperation {
  UserOperationText text;
  std::string upper_name;
  LaneFunction function;
  std::vector<LaneParameter> params;  // those of `function`
  AluOperation row;                   // what the table has of the operations of this project

  UserOperation() = default;
  UserOperation(const UserOperation&) = delete;
  UserOperation& operator=(const UserOperation&) = delete;

  AluOpcode opcode() const { return row.opcode; }

  /// What a program's bits mean: two operations of equal identity may take each other's place.
  std::string identity() const;

  /// The result of one lane. `y` is ignored by an operation without a second operand.
  int32_t evaluate(int32_t x, int32_t y, int32_t imm) const;

  /// dst[i] = op(dst[i], src ? src[i] : imm), as kernels of the simulator do it. `src` equals `dst`
  /// or does not overlap it. Results have 32 bits.
  void evaluateLanes(int32_t* dst, const int32_t* src, size_t lanes, int32_t imm) const;
};

/// The operation that `text` describes. Errors: a name or a code that is taken or illegal, an
/// operand and an immediate that do not go together, a meaning that cannot be read, that has other
/// parameters than the operands or that shifts by illegal amounts. They begin with
/// `semantics_source` and a line where the meaning is wrong, else with the name of the key.
Result<std::shared_ptr<const UserOperation>> makeUserOperation(UserOperationText text,
                                                               std::string_view semantics_source);

/// The keys' values in files: "tensor_or_immediate", ... Empty for what users' operations lack.
std::string_view userOperandName(AluOperand operand);
std::string_view userImmediateName(AluImmediate immediate);

/// The operations of hardware with these parameters, in the order of their codes; the pointers live
/// as long as the parameters.
std::vector<const AluOperation*> aluOperations(const HwParams& params);

/// The user's operation with this code, or null.
const UserOperation* findUserOperation(const HwParams& params, AluOpcode opcode);

/// The operation with this code of this project, or of the user on hardware with these parameters;
/// null if neither is there.
const AluOperation* findAluOperation(const HwParams& params, AluOpcode opcode);

/// "MIN", ... as above; "OP12" for a code that nothing has here.
std::string aluOperationName(const HwParams& params, AluOpcode opcode);

/// "", or what to say of hardware `has` on which a program for hardware `needs` shall run: the
/// names of operations that are not there, or that mean something else there, and how they get
/// there.
std::string lackingOperations(const HwParams& needs, const HwParams& has);

/// Several operations with one code or one name. The error names both.
Status checkUserOperations(const UserOperations& operations);

}  // namespace vta
