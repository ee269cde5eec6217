#include "compiler/vta/pack/lane_scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {
namespace {

namespace arith = mlir::arith;
using mlir::Value;

class LaneBuilder {
 public:
  LaneBuilder(mlir::OpBuilder& builder, mlir::Location location)
      : builder_(builder), location_(location) {}

  Value number(int width_bits, int64_t value) {
    return create<arith::ConstantOp>(
        builder_.getIntegerAttr(builder_.getIntegerType(static_cast<unsigned>(width_bits)), value));
  }

  Value step(const LaneStep& step, Value a, Value b, Value c) {
    const mlir::Type type = builder_.getIntegerType(static_cast<unsigned>(step.width_bits));
    switch (step.opcode) {
      case LaneOpcode::kConstant:
        return number(step.width_bits, step.constant);
      case LaneOpcode::kAdd:
        return create<arith::AddIOp>(a, b);
      case LaneOpcode::kSub:
        return create<arith::SubIOp>(a, b);
      case LaneOpcode::kMul:
        return create<arith::MulIOp>(a, b);
      case LaneOpcode::kAnd:
        return create<arith::AndIOp>(a, b);
      case LaneOpcode::kOr:
        return create<arith::OrIOp>(a, b);
      case LaneOpcode::kXor:
        return create<arith::XOrIOp>(a, b);
      case LaneOpcode::kShl:
        return create<arith::ShLIOp>(a, b);
      case LaneOpcode::kShrS:
        return create<arith::ShRSIOp>(a, b);
      case LaneOpcode::kShrU:
        return create<arith::ShRUIOp>(a, b);
      case LaneOpcode::kMinS:
        return create<arith::MinSIOp>(a, b);
      case LaneOpcode::kMaxS:
        return create<arith::MaxSIOp>(a, b);
      case LaneOpcode::kMinU:
        return create<arith::MinUIOp>(a, b);
      case LaneOpcode::kMaxU:
        return create<arith::MaxUIOp>(a, b);
      case LaneOpcode::kCompare:
        return create<arith::CmpIOp>(
            static_cast<arith::CmpIPredicate>(static_cast<uint64_t>(step.predicate)), a, b);
      case LaneOpcode::kSelect:
        return create<arith::SelectOp>(a, b, c);
      case LaneOpcode::kExtS:
        return create<arith::ExtSIOp>(type, a);
      case LaneOpcode::kExtU:
        return create<arith::ExtUIOp>(type, a);
      case LaneOpcode::kTrunc:
        return create<arith::TruncIOp>(type, a);
    }
    return {};
  }

 private:
  template <typename Op, typename... Arguments>
  Value create(Arguments... arguments) {
    return builder_.create<Op>(location_, arguments...);
  }

  mlir::OpBuilder& builder_;
  mlir::Location location_;
};

}  // namespace

Value laneScalar(mlir::OpBuilder& builder, mlir::Location location, const UserOperation& operation,
                 const LaneOperands& operands, int32_t imm) {
  LaneBuilder lane(builder, location);
  const ByteRange range = byteRangeOf(imm);
  std::vector<Value> values;
  for (const LaneParameter param : operation.params) {
    switch (param) {
      case LaneParameter::kX:
        values.push_back(operands.x);
        break;
      case LaneParameter::kY:
        values.push_back(operands.y ? operands.y : lane.number(kLaneBits, imm));
        break;
      case LaneParameter::kShift:
        values.push_back(lane.number(kLaneBits, imm));
        break;
      case LaneParameter::kLow:
        values.push_back(lane.number(kLaneBits, range.low));
        break;
      case LaneParameter::kHigh:
        values.push_back(lane.number(kLaneBits, range.high));
        break;
    }
  }
  for (const LaneStep& step : operation.function.steps) {
    const auto at = [&](size_t i) {
      const size_t value = step.operands[i];
      return value < values.size() ? values[value] : Value();
    };
    values.push_back(lane.step(step, at(0), at(1), at(2)));
  }
  return values[operation.function.result];
}

}  // namespace vta::compiler
