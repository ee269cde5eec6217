#include "compiler/vta/partition/group_finder.h"

#include <fmt/format.h>

#include "compiler/codegen/costs.h"
#include "compiler/dialects/graph/formulas/match_operation.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/partition/acc_range.h"
#include "compiler/vta/partition/group_steps.h"
#include "isa/spec/narrow_weights.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

using kernel::KernelKind;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

bool isInteger(Value value, unsigned bits) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isSignlessInteger(bits);
}

bool isCast(Operation* op, unsigned from, unsigned to) {
  return op && mlir::isa<graph::CastOp>(op) && isInteger(op->getOperand(0), from) &&
         isInteger(op->getResult(0), to);
}

namespace {

/// Walks back from the root; one use per group.
class GroupFinder {
 public:
  GroupFinder(Operation* root, const HwConfig& hw) : hw_(hw) { group_.root = root; }

  Result<OffloadGroup> run() {
    const HwParams& p = hw_.params();
    if (p.inp_width_bits != 8 || p.out_width_bits != 8) {
      return unsupported("the hardware's inputs and outputs are not 8-bit");
    }
    group_.ops.insert(group_.root);
    group_.computed = group_.root->getResult(0);
    VTA_RETURN_IF_ERROR(isCast(group_.root, 32, 8) ? walkFromCast(group_.root) : walkFromInt8());
    std::reverse(group_.epilogue.begin(), group_.epilogue.end());
    std::reverse(group_.residual_steps.begin(), group_.residual_steps.end());
    VTA_RETURN_IF_ERROR(checkShapes());
    if (group_.weight) VTA_RETURN_IF_ERROR(checkPair());
    VTA_RETURN_IF_ERROR(checkAccumulators(group_, hw_));
    return std::move(group_);
  }

 private:
  /// An i8 op by itself: its one step acts on sign-extended values and the low 8 bits are stored.
  Status walkFromInt8() {
    if (auto pool = mlir::dyn_cast<graph::MaxPoolOp>(group_.root)) {
      group_.kind = KernelKind::kMaxPool;
      group_.main = pool;
      group_.input = pool.getInput();
      return {};
    }
    if (mlir::isa<graph::InterleaveOp, graph::SliceOp, graph::PadOp>(group_.root)) {
      group_.input = group_.computed = group_.root->getOperand(0);
      return {};
    }
    if (auto table = mlir::dyn_cast<graph::TableOp>(group_.root)) {
      VTA_RETURN_IF_ERROR(takeTable(table));
      return walkFromTable(table);
    }
    auto binary = mlir::dyn_cast<graph::BinaryOp>(group_.root);
    if (binary && binary.getKind() == graph::BinaryKind::add && !isConstant(binary.getLhs()) &&
        !isConstant(binary.getRhs())) {
      group_.input = binary.getLhs();
      group_.residual = binary.getRhs();
      addResidualStep(AluOpcode::kAdd);
      return {};
    }
    VTA_ASSIGN_OR_RETURN(ConstantSteps constant, constantSteps(group_.root, hw_));
    group_.input = constant.operand;
    append(group_.epilogue, constant.steps);
    return {};
  }

  /// What a table at the group's end is applied to: the int8 result of a chain that the group takes
  /// in, if nothing else reads it and a kernel can compute it, else any int8 tensor.
  Status walkFromTable(graph::TableOp table) {
    Operation* cast = castBehind(table.getInput());
    if (cast) {
      OffloadGroup before = group_;
      group_.ops.insert(cast);
      if (walkFromCast(cast).ok()) return {};
      group_ = std::move(before);
    }
    group_.input = table.getInput();
    joinPool();
    return {};
  }

  Status walkFromCast(Operation* cast) {
    VTA_RETURN_IF_ERROR(walkMain(cast->getOperand(0)));
    joinPool();
    return {};
  }

  /// An element-wise chain behind a pool: the pool joins if nothing else needs its own result.
  void joinPool() {
    if (group_.kind != KernelKind::kElementwise) return;
    auto pool = group_.input.getDefiningOp<graph::MaxPoolOp>();
    if (!pool || !group_.input.hasOneUse()) return;
    group_.kind = KernelKind::kMaxPool;
    group_.main = pool;
    group_.input = pool.getInput();
    group_.ops.insert(pool);
  }

  /// Follows the accumulators back to a contraction, a pool or a widened i8 tensor.
  Status walkMain(Value value) {
    while (true) {
      Operation* op = value.getDefiningOp();
      if (!op) return unsupported("its 32-bit operand comes from outside");
      group_.ops.insert(op);
      if (isCast(op, 8, 32)) return walkFromWidened(op->getOperand(0));
      if (graph::isIntegerContraction(op) || mlir::isa<graph::SumPoolOp>(op)) return takeMain(op);
      if (const Value operand = takeOperation(op)) {
        value = operand;
        continue;
      }
      if (auto pair = mlir::dyn_cast<graph::BinaryOp>(op); pair && pair.getLhs() != pair.getRhs() &&
                                                           !isConstant(pair.getLhs()) &&
                                                           !isConstant(pair.getRhs())) {
        if (takeComputedBias(pair)) {
          value = pair.getLhs();
          continue;
        }
        VTA_ASSIGN_OR_RETURN(value, takeResidual(pair));
        continue;
      }
      auto constant = constantSteps(op, hw_);
      if (!constant.ok()) return constant.status().withContext(operatorName(op));
      append(group_.epilogue, constant->steps);
      value = constant->operand;
    }
  }

  /// An operation of the user's that ends in `op`; returns what continues the main chain, or null
  /// if there is none.
  Value takeOperation(Operation* op) {
    const auto match = graph::matchOperation(op, hw_.params().operations);
    if (!match) return {};
    OffloadGroup before = group_;
    group_.ops.insert(match->ops.begin(), match->ops.end());
    if (match->y && !isConstant(match->y)) {
      auto main = takeJoin({match->operation->opcode(), match->x, match->y, match->commutes});
      if (main.ok()) {
        group_.join = match->operation->text.name;
        return *main;
      }
    } else if (const auto steps = operationSteps(*match); steps.ok()) {
      append(group_.epilogue, steps->steps);
      return steps->operand;
    }
    group_ = std::move(before);
    return {};
  }

  /// From an int8 tensor that the chain widens: a table in front of it joins, with what it is
  /// applied to, if nothing else reads its result.
  Status walkFromWidened(Value value) {
    auto table = tableBehind(value);
    if (table) {
      OffloadGroup before = group_;
      group_.ops.insert(table);
      if (takeTable(table).ok() && walkFromTable(table).ok()) return {};
      group_ = std::move(before);
    }
    group_.input = value;
    return {};
  }

  /// Adds the step of a table. A kernel has one, the same for all channels.
  Status takeTable(graph::TableOp op) {
    if (!hw_.params().ext_lut) return unsupported("the hardware has no `lut` extension");
    if (!op.getAxes().empty()) return unsupported("each channel has a table of its own");
    auto entries = readBytes(op.getTable());
    if (!entries) return unsupported("the table is not constant");
    if (!group_.table.empty() && group_.table != *entries) return unsupported("a second table");
    group_.table = std::move(*entries);
    GroupStep step;
    step.opcode = AluOpcode::kLut;
    group_.epilogue.push_back(step);
    return {};
  }

  /// The cast from 32 bits that nothing but the reader of its result `value` needs; null if none.
  static Operation* castBehind(Value value) {
    Operation* op = value.getDefiningOp();
    return value.hasOneUse() && isCast(op, 32, 8) ? op : nullptr;
  }
  static graph::TableOp tableBehind(Value value) {
    return value.hasOneUse() ? value.getDefiningOp<graph::TableOp>() : graph::TableOp();
  }

  Status takeMain(Operation* op) {
    group_.main = op;
    group_.input = op->getOperand(0);
    if (mlir::isa<graph::SumPoolOp>(op)) {
      group_.kind = KernelKind::kSumPool;
      return {};
    }
    group_.kind = KernelKind::kContraction;
    if (!isConstant(op->getOperand(1))) return takePair(op);
    if (!readBytes(op->getOperand(1))) return unsupported("its weights are not int8");
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(op); conv && conv.getBias()) {
      VTA_ASSIGN_OR_RETURN(GroupStep bias, biasStep(conv.getBias()));
      group_.epilogue.push_back(std::move(bias));
    }
    if (auto matmul = mlir::dyn_cast<graph::MatMulOp>(op)) {
      if (matmul.getRhs().getType().getRank() != 2) return unsupported("its weights are batched");
      absorbFlattening(matmul);
    }
    return {};
  }

  /// A product of two activations: the second one takes the place of weights.
  Status takePair(Operation* op) {
    auto matmul = mlir::dyn_cast<graph::MatMulOp>(op);
    if (!matmul) return unsupported("its weights are not constant");
    if (hw_.params().wgt_width_bits != 8) {
      return unsupported(fmt::format("its second operand has 8 bits, and the hardware's weights {}",
                                     hw_.params().wgt_width_bits));
    }
    const auto lhs = shapeOf(matmul.getLhs()), rhs = shapeOf(matmul.getRhs());
    if (lhs.size() != 3 || rhs.size() != 3 || lhs[0] != rhs[0] ||
        matmul.getLhs() == matmul.getRhs()) {
      return unsupported("its operands are not two activations with one batch dimension");
    }
    group_.weight = matmul.getRhs();
    return {};
  }

  /// Where `sum` adds a value per batch and column to a product of two activations.
  bool takeComputedBias(graph::BinaryOp sum) {
    auto product = sum.getLhs().getDefiningOp<graph::MatMulOp>();
    if (sum.getKind() != graph::BinaryKind::add || !product || isConstant(product.getRhs())) {
      return false;
    }
    const auto whole = shapeOf(sum.getLhs()), bias = shapeOf(sum.getRhs());
    if (whole.size() != 3 || bias != llvm::ArrayRef<int64_t>{whole[0], 1, whole[2]}) return false;
    group_.bias = sum.getRhs();
    GroupStep step;
    step.source = kernel::EpilogueStep::Source::kParam;
    step.is_computed = true;
    group_.epilogue.push_back(step);
    return true;
  }

  /// All batches have the same constants, and moving the operands costs less than the products.
  Status checkPair() {
    if (group_.residual) return unsupported("a product of two activations takes no residual");
    for (const GroupStep& step : group_.epilogue) {
      if (!llvm::all_equal(step.channel_param)) {
        return unsupported("a constant differs between columns of a product of two activations");
      }
    }
    int64_t moved_elems = 0;
    for (Value value : {group_.input, group_.weight, Value(group_.root->getResult(0))}) {
      moved_elems += mlir::cast<RankedTensorType>(value.getType()).getNumElements();
    }
    if (graph::countMacs(group_.main) >= moved_elems * codegen::kCostPerMovedElem) return {};
    return unsupported("moving its data costs more than its products");
  }

  /// A dense layer on a flattened image reads the image as a convolution whose kernel covers it, so
  /// that no elements need to move. Not for large images: one output would need them all on chip.
  void absorbFlattening(graph::MatMulOp matmul) {
    constexpr int64_t kMaxPixels = 64;
    auto reshape = matmul.getLhs().getDefiningOp<graph::ReshapeOp>();
    if (!reshape || matmul.getLhs().getType().getRank() != 2) return;
    auto image = mlir::cast<RankedTensorType>(reshape.getInput().getType());
    if (image.getRank() != 4 || image.getDimSize(0) != matmul.getLhs().getType().getDimSize(0))
      return;
    const int64_t pixels = image.getDimSize(2) * image.getDimSize(3);
    const int64_t depth =
        std::min(hw_.depthElems(MemoryType::kInp), hw_.depthElems(MemoryType::kWgt));
    if (pixels > kMaxPixels || pixels * 4 > depth) return;
    // Channels that leave most of a block empty cost more than moving elements.
    const int64_t block = hw_.blockIn();
    const int64_t blocks = (image.getDimSize(1) + block - 1) / block;
    if (blocks * block > 2 * image.getDimSize(1)) return;
    group_.input = reshape.getInput();
    group_.ops.insert(reshape);
  }

  Result<Value> takeResidual(graph::BinaryOp pair) {
    VTA_ASSIGN_OR_RETURN(const AluOpcode opcode, pairOpcode(pair.getKind(), hw_));
    return takeJoin({opcode, pair.getLhs(), pair.getRhs(), true});
  }

  /// An operation on two activations.
  struct Join {
    AluOpcode opcode = AluOpcode::kAdd;
    Value first, second;
    bool commutes = true;
  };

  /// Splits a function of two activations; returns the side that continues the main chain.
  Result<Value> takeJoin(const Join& join) {
    const AluOpcode opcode = join.opcode;
    Value first = join.first, second = join.second;
    if (group_.residual) {
      if (join.commutes && first == residual_result_) std::swap(first, second);
      if (second != residual_result_) return unsupported("a second residual operand");
      addResidualStep(opcode);
      return first;
    }
    if (join.commutes && !endsChainWithTable(first) && endsChainWithTable(second)) {
      std::swap(first, second);
    }
    for (auto [main, side] : {std::pair(first, second), std::pair(second, first)}) {
      if (main != first && !join.commutes) break;
      if (!canJoin(main, side) || !walkResidual(side).ok()) continue;
      group_.residual_per_image = main.getType() != side.getType();
      addResidualStep(opcode);
      residual_result_ = side;
      return main;
    }
    return unsupported("neither of its operands is an 8-bit activation of its shape");
  }

  /// Whether `value` is an int8 table's result behind steps with constants: the side of a pair that
  /// had better be the main chain, because a residual's chain ends at int8.
  bool endsChainWithTable(Value value) const {
    while (Operation* op = value.getDefiningOp()) {
      if (isCast(op, 8, 32)) return tableBehind(op->getOperand(0)) != nullptr;
      auto constant = constantSteps(op, hw_);
      if (!constant.ok()) return false;
      value = constant->operand;
    }
    return false;
  }

  /// Whether `side` has the shape of `main`, or is an image of one pixel that `main`'s pixels
  /// share.
  static bool canJoin(Value main, Value side) {
    if (main.getType() == side.getType()) return true;
    const auto all = mlir::cast<RankedTensorType>(main.getType()).getShape();
    const auto one = mlir::cast<RankedTensorType>(side.getType()).getShape();
    return graph::isPixelPerImage(one, all);
  }

  Status walkResidual(Value value) {
    std::vector<GroupStep> steps;
    llvm::SmallVector<Operation*> ops;
    while (true) {
      Operation* op = value.getDefiningOp();
      if (!op) return unsupported("the residual comes from outside");
      ops.push_back(op);
      if (isCast(op, 8, 32)) break;
      VTA_ASSIGN_OR_RETURN(ConstantSteps constant, constantSteps(op, hw_));
      append(steps, constant.steps);
      value = constant.operand;
    }
    group_.residual = ops.back()->getOperand(0);
    group_.residual_steps = std::move(steps);
    group_.ops.insert(ops.begin(), ops.end());
    return {};
  }

  void addResidualStep(AluOpcode opcode) {
    GroupStep step;
    step.opcode = opcode;
    step.source = kernel::EpilogueStep::Source::kResidual;
    group_.epilogue.push_back(step);
  }

  /// Steps are collected from the last to the first.
  static void append(std::vector<GroupStep>& to, const std::vector<GroupStep>& steps) {
    to.insert(to.end(), steps.rbegin(), steps.rend());
  }

  Status checkShapes() {
    if (!isInteger(group_.input, 8)) return unsupported("its input is not 8-bit");
    auto input = mlir::cast<RankedTensorType>(group_.input.getType());
    auto output = mlir::cast<RankedTensorType>(group_.computed.getType());
    if (input.getNumElements() == 0) return unsupported("a tensor is empty");
    if (group_.residual && !group_.residual_per_image &&
        mlir::cast<RankedTensorType>(group_.residual.getType()).getShape() != output.getShape()) {
      return unsupported("the residual is broadcast");
    }
    if (output.getRank() < 2) return unsupported("its result has no batch and channel axes");
    if (group_.kind == KernelKind::kElementwise && input.getShape() != output.getShape()) {
      return unsupported("its input is broadcast");
    }
    return {};
  }

  const HwConfig& hw_;
  OffloadGroup group_;
  Value residual_result_;  // of the residual's own steps, which several pairs may read
};

}  // namespace

Result<OffloadGroup> findComputation(Operation* root, const HwConfig& hw) {
  return GroupFinder(root, hw).run();
}

}  // namespace vta::compiler
