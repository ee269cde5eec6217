// Structural comparison of an operation with a declared intrinsic.
#include <algorithm>
#include <numeric>

#include "compiler/vta/tensorise/intrinsics.h"
#include "isa/spec/alu_operations.h"
#include "isa/spec/user_operation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {

namespace {

using mlir::Value;
using mlir::linalg::GenericOp;

constexpr unsigned kUnbound = ~0u;

/// Block arguments that the body reads, in order.
llvm::SmallVector<unsigned> readArguments(GenericOp op) {
  llvm::SmallVector<unsigned> out;
  for (mlir::BlockArgument argument : op.getBody()->getArguments()) {
    if (!argument.use_empty()) out.push_back(argument.getArgNumber());
  }
  return out;
}

/// One attempt with a fixed assignment of operands.
class Comparison {
 public:
  Comparison(GenericOp op, GenericOp intrinsic, llvm::ArrayRef<unsigned> operands,
             llvm::ArrayRef<unsigned> intrinsic_operands)
      : op_(op),
        intrinsic_(intrinsic),
        operands_(operands),
        intrinsic_operands_(intrinsic_operands),
        loops_(intrinsic.getNumLoops(), kUnbound) {}

  std::optional<IntrinsicMatch> run() {
    const unsigned output = op_.getNumDpsInputs();
    const unsigned intrinsic_output = intrinsic_.getNumDpsInputs();
    for (auto [mine, declared] : llvm::zip_equal(operands_, intrinsic_operands_)) {
      // Accumulating in place stays accumulating in place.
      if (declared == intrinsic_output && mine != output) return std::nullopt;
      if (!bindOperand(mine, declared)) return std::nullopt;
    }
    if (!bindOperand(output, intrinsic_output) || !loopsAgree()) return std::nullopt;
    for (unsigned operand : operands_) {
      if (!outerIsFree(operand)) return std::nullopt;
    }
    if (!outerIsFree(output)) return std::nullopt;
    auto yielded = [](GenericOp op) { return op.getBody()->getTerminator()->getOperand(0); };
    if (!sameValue(yielded(op_), yielded(intrinsic_))) return std::nullopt;
    return IntrinsicMatch{llvm::SmallVector<unsigned>(operands_), loops_};
  }

 private:
  mlir::AffineMap mapOf(GenericOp op, unsigned argument) const {
    return op.getIndexingMapsArray()[argument];
  }

  /// The operand's last subscripts are the intrinsic's, loop for loop.
  bool bindOperand(unsigned mine, unsigned declared) {
    const mlir::AffineMap map = mapOf(op_, mine), pattern = mapOf(intrinsic_, declared);
    if (op_.getBody()->getArgument(mine).getType() !=
        intrinsic_.getBody()->getArgument(declared).getType()) {
      return false;
    }
    if (map.getNumResults() < pattern.getNumResults()) return false;
    auto inner = map.getResults().take_back(pattern.getNumResults());
    for (auto [mine_expr, pattern_expr] : llvm::zip_equal(inner, pattern.getResults())) {
      auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(mine_expr);
      auto declared_loop = mlir::dyn_cast<mlir::AffineDimExpr>(pattern_expr);
      if (!loop || !declared_loop) return false;
      unsigned& bound = loops_[declared_loop.getPosition()];
      if (bound == kUnbound) bound = loop.getPosition();
      if (bound != loop.getPosition()) return false;
    }
    return true;
  }

  bool loopsAgree() {
    const auto extents = op_.getStaticLoopRanges(), declared = intrinsic_.getStaticLoopRanges();
    const auto iterators = op_.getIteratorTypesArray();
    const auto declared_iterators = intrinsic_.getIteratorTypesArray();
    llvm::SmallVector<bool> used(extents.size(), false);
    for (size_t i = 0; i < loops_.size(); ++i) {
      const unsigned loop = loops_[i];
      if (loop == kUnbound || used[loop]) return false;
      used[loop] = true;
      if (extents[loop] != declared[i] || iterators[loop] != declared_iterators[i]) return false;
    }
    return true;
  }

  /// The outer subscripts only say which vector or tile the intrinsic runs on.
  bool outerIsFree(unsigned argument) {
    const mlir::AffineMap map = mapOf(op_, argument);
    const size_t inner = innerRank(argument);
    for (mlir::AffineExpr expr : map.getResults().drop_back(inner)) {
      for (unsigned loop : loops_) {
        if (expr.isFunctionOfDim(loop)) return false;
      }
    }
    return true;
  }
  size_t innerRank(unsigned argument) {
    for (auto [mine, declared] : llvm::zip_equal(operands_, intrinsic_operands_)) {
      if (mine == argument) return mapOf(intrinsic_, declared).getNumResults();
    }
    return mapOf(intrinsic_, intrinsic_.getNumDpsInputs()).getNumResults();
  }

  bool sameValue(Value mine, Value declared) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(declared)) {
      auto my_argument = mlir::dyn_cast<mlir::BlockArgument>(mine);
      if (!my_argument || my_argument.getOwner() != op_.getBody()) return false;
      const auto* position = llvm::find(intrinsic_operands_, argument.getArgNumber());
      return position != intrinsic_operands_.end() &&
             operands_[static_cast<size_t>(position - intrinsic_operands_.begin())] ==
                 my_argument.getArgNumber();
    }
    mlir::Operation* mine_op = mine.getDefiningOp();
    mlir::Operation* declared_op = declared.getDefiningOp();
    if (!mine_op || mine_op->getName() != declared_op->getName() ||
        mine.getType() != declared.getType() ||
        mine_op->getAttrDictionary() != declared_op->getAttrDictionary() ||
        mine_op->getNumOperands() != declared_op->getNumOperands()) {
      return false;
    }
    const auto mine_operands = mine_op->getOperands(),
               declared_operands = declared_op->getOperands();
    auto all_same = [&](bool swapped) {
      for (unsigned i = 0; i < declared_operands.size(); ++i) {
        if (!sameValue(mine_operands[swapped ? 1 - i : i], declared_operands[i])) return false;
      }
      return true;
    };
    if (all_same(false)) return true;
    return declared_op->hasTrait<mlir::OpTrait::IsCommutative>() && declared_operands.size() == 2 &&
           all_same(true);
  }

  GenericOp op_, intrinsic_;
  llvm::ArrayRef<unsigned> operands_, intrinsic_operands_;
  llvm::SmallVector<unsigned> loops_;
};

/// Integer constants that the body refers to.
llvm::SmallVector<int64_t> constantsIn(GenericOp op) {
  llvm::SmallVector<int64_t> out;
  for (mlir::Operation& inner : op.getBody()->without_terminator()) {
    for (Value operand : inner.getOperands()) {
      auto constant = operand.getDefiningOp<mlir::arith::ConstantOp>();
      auto value = constant ? mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue()) : nullptr;
      if (value && !llvm::is_contained(out, value.getInt())) out.push_back(value.getInt());
    }
  }
  return out;
}

/// Immediates worth trying for an operation that has this in its immediate, given the constants in
/// a body.
llvm::SmallVector<int32_t> immediateCandidates(AluOpcode opcode, AluImmediate form,
                                               bool tensor_operand,
                                               llvm::ArrayRef<int64_t> constants) {
  llvm::SmallVector<int32_t> out;
  if (form == AluImmediate::kZero) {
    out.push_back(0);
  } else if (form == AluImmediate::kByteRange) {
    for (int64_t low : constants) {
      for (int64_t high : constants) {
        if (low < -128 || high > 127 || low > high) continue;
        out.push_back(
            static_cast<int16_t>(static_cast<uint16_t>((low & 0xff) | ((high & 0xff) << 8))));
      }
    }
  } else if (form == AluImmediate::kShift) {
    out.push_back(0);
    for (int64_t value : constants) {
      if (value > 0 && value <= kMaxAluShift) out.push_back(static_cast<int32_t>(value));
    }
  } else if (tensor_operand) {
    out.push_back(0);
  } else {
    for (int64_t value : constants) {
      if (value != static_cast<int16_t>(value)) continue;
      out.push_back(static_cast<int32_t>(value));
      if (opcode == AluOpcode::kShr && value > 0) out.push_back(static_cast<int32_t>(-value));
    }
  }
  return out;
}

}  // namespace

std::optional<IntrinsicMatch> matchIntrinsic(GenericOp op, GenericOp intrinsic) {
  if (op.getNumDpsInits() != 1 || intrinsic.getNumDpsInits() != 1) return std::nullopt;
  llvm::SmallVector<unsigned> operands = readArguments(op);
  const llvm::SmallVector<unsigned> declared = readArguments(intrinsic);
  if (operands.size() != declared.size()) return std::nullopt;
  do {  // in lexicographic order, starting with the sorted one
    if (auto match = Comparison(op, intrinsic, operands, declared).run()) return match;
  } while (std::next_permutation(operands.begin(), operands.end()));
  return std::nullopt;
}

GenericOp IntrinsicSet::parse(const std::string& text) {
  auto& module = parsed_[text];
  if (!module) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(context_));
    assert(module && "an intrinsic's declaration does not parse");
  }
  GenericOp found;
  module->walk([&](GenericOp op) { found = op; });
  return found;
}

std::optional<AluMatch> IntrinsicSet::matchAlu(GenericOp op) {
  const llvm::SmallVector<int64_t> constants = constantsIn(op);
  const bool tensor_operand = readArguments(op).size() == 2;
  llvm::SmallVector<AluOpcode> opcodes = {AluOpcode::kAdd, AluOpcode::kMax, AluOpcode::kMin,
                                          AluOpcode::kShr, AluOpcode::kMul, AluOpcode::kClip,
                                          AluOpcode::kQmul};
  for (const auto& user : hw_.params().operations.list()) opcodes.push_back(user->opcode());
  for (AluOpcode opcode : opcodes) {
    const AluImmediate form = findAluOperation(hw_.params(), opcode)->immediate;
    for (int32_t imm : immediateCandidates(opcode, form, tensor_operand, constants)) {
      const std::string text = declareAlu(opcode, tensor_operand, imm, hw_);
      if (text.empty()) continue;
      if (auto match = matchIntrinsic(op, parse(text))) {
        return AluMatch{opcode, imm, tensor_operand, std::move(*match)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace vta::compiler
