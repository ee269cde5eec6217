#include "compiler/vta/partition/group_steps.h"

#include <algorithm>
#include <limits>

#include "compiler/dialects/graph/graph.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/names.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

namespace {

using kernel::EpilogueStep;
using mlir::RankedTensorType;
using mlir::Value;

constexpr int kClipMin = std::numeric_limits<int8_t>::min();
constexpr int kClipMax = std::numeric_limits<int8_t>::max();

bool fitsImmediate(int64_t value) {
  return value >= std::numeric_limits<int16_t>::min() &&
         value <= std::numeric_limits<int16_t>::max();
}

/// Expands a constant that is broadcast to `shape` to one value per channel. None if it varies
/// along another axis.
std::optional<std::vector<int32_t>> perChannel(Value constant, llvm::ArrayRef<int64_t> shape) {
  auto values = readIntegers(constant);
  if (!values) return std::nullopt;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = channelAxis(rank);
  const auto channels = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
  if (values->size() == 1) return std::vector<int32_t>(channels, values->front());
  auto type = mlir::cast<RankedTensorType>(constant.getType());
  const int64_t offset = rank - type.getRank();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (d + offset != axis && type.getDimSize(d) != 1) return std::nullopt;
  }
  if (values->size() != channels) return std::nullopt;
  return values;
}

Status checkShifts(const std::vector<int32_t>& amounts, const HwConfig& hw) {
  const int low = hw.params().compat_0_0_2 ? -16 : -31;
  const int high = hw.params().compat_0_0_2 ? 15 : 31;
  for (int32_t amount : amounts) {
    if (amount < low || amount > high) {
      return unsupported("shift by " + std::to_string(amount) + " is outside [" +
                         std::to_string(low) + ", " + std::to_string(high) + "]");
    }
  }
  return {};
}

/// The step x = opcode(x, values): immediate if they are equal and fit, else a parameter.
GroupStep stepFor(AluOpcode opcode, std::vector<int32_t> values) {
  GroupStep step;
  step.opcode = opcode;
  const bool uniform =
      std::all_of(values.begin(), values.end(), [&](int32_t v) { return v == values.front(); });
  if (uniform && fitsImmediate(values.front())) {
    step.imm = values.front();
  } else {
    step.source = EpilogueStep::Source::kParam;
    step.channel_param = std::move(values);
  }
  return step;
}

Result<AluOpcode> opcodeOf(graph::BinaryKind kind, const HwConfig& hw) {
  switch (kind) {
    case graph::BinaryKind::add:
    case graph::BinaryKind::sub:
      return AluOpcode::kAdd;
    case graph::BinaryKind::min:
      return AluOpcode::kMin;
    case graph::BinaryKind::max:
      return AluOpcode::kMax;
    case graph::BinaryKind::mul:
      if (hw.params().compat_0_0_2) return unsupported("hardware 0.0.2 has no multiplying ALU");
      return AluOpcode::kMul;
    default:
      return unsupported("the ALU has no such operation");
  }
}

Result<ConstantSteps> binarySteps(graph::BinaryOp op, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(const AluOpcode opcode, opcodeOf(op.getKind(), hw));
  if (op.getKind() == graph::BinaryKind::mul && op.getLhs() == op.getRhs()) {
    GroupStep square;
    square.opcode = opcode;
    square.source = EpilogueStep::Source::kSelf;
    return ConstantSteps{op.getLhs(), {square}};
  }
  Value variable = op.getLhs(), constant = op.getRhs();
  if (isConstant(variable) && op.getKind() != graph::BinaryKind::sub) std::swap(variable, constant);
  if (variable.getType() != op.getType()) return unsupported("the operand is broadcast");
  auto values = perChannel(constant, op.getType().getShape());
  if (!values) return unsupported("an operand is not one constant per channel");
  if (op.getKind() == graph::BinaryKind::sub) {
    for (int32_t& value : *values) value = static_cast<int32_t>(-static_cast<int64_t>(value));
  }
  return ConstantSteps{variable, {stepFor(opcode, std::move(*values))}};
}

Result<ConstantSteps> shiftSteps(graph::ShrOp op, const HwConfig& hw) {
  auto values = perChannel(op.getAmount(), op.getType().getShape());
  if (!values) return unsupported("the shift amount is not one constant per channel");
  VTA_RETURN_IF_ERROR(checkShifts(*values, hw));
  return ConstantSteps{op.getInput(), {stepFor(AluOpcode::kShr, std::move(*values))}};
}

Result<ConstantSteps> qmulSteps(graph::QmulOp op, const HwConfig& hw) {
  if (!hw.params().ext_qmul) return unsupported("the hardware has no `qmul` extension");
  auto values = perChannel(op.getMultiplier(), op.getType().getShape());
  if (!values) return unsupported("the multiplier is not one constant per channel");
  const int32_t limit = 1 << (hw.params().qmul_multiplier_bits - 1);
  for (int32_t value : *values) {
    if (value < -limit || value >= limit) {
      return unsupported("multiplier " + std::to_string(value) + " does not fit " +
                         std::to_string(hw.params().qmul_multiplier_bits) + " bits");
    }
  }
  GroupStep step;
  step.opcode = AluOpcode::kQmul;
  step.source = EpilogueStep::Source::kParam;
  step.imm = static_cast<int32_t>(op.getShift());
  step.channel_param = std::move(*values);
  return ConstantSteps{op.getInput(), {std::move(step)}};
}

/// One CLIP where it exists and the bounds fit, otherwise MAX and MIN, those that change anything.
Result<ConstantSteps> clipSteps(graph::ClipIntOp op, const HwConfig& hw) {
  const auto low = static_cast<int64_t>(op.getMin()), high = static_cast<int64_t>(op.getMax());
  ConstantSteps out{op.getInput(), {}};
  if (hw.params().ext_clip && low >= kClipMin && high <= kClipMax && low <= high) {
    GroupStep step;
    step.opcode = AluOpcode::kClip;
    step.imm = static_cast<int16_t>(static_cast<uint16_t>((low & 0xff) | ((high & 0xff) << 8)));
    out.steps.push_back(step);
    return out;
  }
  const auto channels = static_cast<size_t>(
      op.getType().getDimSize(static_cast<unsigned>(channelAxis(op.getType().getRank()))));
  const auto bound = [&](AluOpcode opcode, int64_t value) {
    out.steps.push_back(
        stepFor(opcode, std::vector<int32_t>(channels, static_cast<int32_t>(value))));
  };
  if (low > std::numeric_limits<int32_t>::min()) bound(AluOpcode::kMax, low);
  if (high < std::numeric_limits<int32_t>::max()) bound(AluOpcode::kMin, high);
  return out;
}

}  // namespace

int64_t channelAxis(int64_t rank) { return rank == 4 ? 1 : rank - 1; }

Result<ConstantSteps> constantSteps(mlir::Operation* op, const HwConfig& hw) {
  if (auto binary = mlir::dyn_cast<graph::BinaryOp>(op)) return binarySteps(binary, hw);
  if (auto shift = mlir::dyn_cast<graph::ShrOp>(op)) return shiftSteps(shift, hw);
  if (auto qmul = mlir::dyn_cast<graph::QmulOp>(op)) return qmulSteps(qmul, hw);
  if (auto clip = mlir::dyn_cast<graph::ClipIntOp>(op)) return clipSteps(clip, hw);
  if (auto unary = mlir::dyn_cast<graph::UnaryOp>(op);
      unary && unary.getKind() == graph::UnaryKind::relu) {
    return ConstantSteps{unary.getInput(), {stepFor(AluOpcode::kMax, {0})}};
  }
  return unsupported("the ALU has no " + operatorName(op));
}

Result<AluOpcode> pairOpcode(graph::BinaryKind kind, const HwConfig& hw) {
  if (kind == graph::BinaryKind::sub) return unsupported("the ALU does not subtract activations");
  return opcodeOf(kind, hw);
}

Result<ConstantSteps> operationSteps(const graph::OperationMatch& match) {
  const UserOperation& operation = *match.operation;
  GroupStep step;
  step.opcode = operation.opcode();
  if (match.y) {
    const auto shape = mlir::cast<RankedTensorType>(match.x.getType()).getShape();
    auto values = perChannel(match.y, shape);
    if (!values) return unsupported("an operand is not one constant per channel");
    step = stepFor(step.opcode, std::move(*values));
    const bool is_number = step.source == EpilogueStep::Source::kImmediate;
    if (is_number && operation.text.operand == AluOperand::kTensor) {
      const auto channels = static_cast<size_t>(
          shape[static_cast<size_t>(channelAxis(static_cast<int64_t>(shape.size())))]);
      step.source = EpilogueStep::Source::kParam;
      step.channel_param.assign(channels, step.imm);
      step.imm = 0;
    }
    if (!is_number && operation.text.operand == AluOperand::kImmediate) {
      return unsupported("an operand is not one constant that fits the immediate");
    }
  }
  return ConstantSteps{match.x, {std::move(step)}};
}

Result<GroupStep> biasStep(Value bias) {
  auto values = readIntegers(bias);
  if (!values) return unsupported("the bias is not constant");
  return stepFor(AluOpcode::kAdd, std::move(*values));
}

}  // namespace vta::compiler
