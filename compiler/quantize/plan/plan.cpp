#include "compiler/quantize/plan/plan.h"

#include "compiler/codegen/costs.h"
#include "compiler/dialects/graph/formulas/match_operation.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/quantize/plan/adopt.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler {
namespace {

using llvm::DenseSet;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

bool isFloatTensor(Value value) {
  auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

class QuantizationPlanner {
 public:
  QuantizationPlanner(mlir::func::FuncOp function, const PlanOptions& options)
      : function_(function), options_(options) {}

  QuantPlan run() {
    mlir::Block& block = function_.getBody().front();
    if (!options_.given) findWanted(block);
    for (Operation& op : block) {
      if (absorbed_.contains(&op) || staysFloat(&op) ||
          llvm::any_of(op.getOperands(), graph::isEmpty) ||
          llvm::any_of(op.getResults(), graph::isEmpty)) {
        continue;
      }
      cones_.observe(&op, [this](Value value) {
        return options_.given ? isGiven(value) : quantized_.contains(value);
      });
      visit(&op);
      if (isGiven(op.getNumResults() == 1 ? op.getResult(0) : Value()))
        makeInteger(op.getResult(0));
    }
    llvm::sort(plan_.nodes, [](const QuantNode& a, const QuantNode& b) {
      return a.last->isBeforeInBlock(b.last);
    });
    collectActivations();
    return std::move(plan_);
  }

 private:
  /// Values that a contraction reads, perhaps through ops that can work on integers.
  void findWanted(mlir::Block& block) {
    for (Operation& op : llvm::reverse(block)) {
      const bool contracts =
          mlir::isa<graph::ConvOp, graph::MatMulOp>(op) && graph::isConstant(op.getOperand(1));
      if (contracts) wanted_.insert(op.getOperand(0));
      if (contracts || op.getNumResults() != 1 || !wanted_.contains(op.getResult(0))) continue;
      const bool passes =
          isIntegerMove(&op) ||
          mlir::isa<graph::AvgPoolOp, graph::BinaryOp, graph::UnaryOp, graph::ClipOp>(op);
      if (passes) wanted_.insert(op.operand_begin(), op.operand_end());
    }
  }

  /// The element-wise function that gives `value`, if it has integers to work on.
  const ElementCone* functionOf(Value value) const {
    const ElementCone* cone = cones_.find(value);
    if (!cone || !isFloatTensor(value)) return nullptr;
    return options_.given || quantized_.contains(cone->source) ? cone : nullptr;
  }

  bool canBeInteger(Value value) const {
    return quantized_.contains(value) || functionOf(value) != nullptr;
  }

  /// Plans a table for `value`, if no other node computes it.
  void makeInteger(Value value) {
    const ElementCone* cone = value ? functionOf(value) : nullptr;
    if (!cone || quantized_.contains(value)) return;
    ElementCone rest;
    if (options_.splits_normalisation) {
      size_t first = 0;
      Value inner = valueBeforeNormalisation(*cone, &first);
      makeInteger(inner);
      if (inner && quantized_.contains(inner)) {
        rest = {inner, {cone->steps.begin() + static_cast<int64_t>(first), cone->steps.end()}};
        cone = &rest;
      }
    }
    QuantNode node;
    node.kind = QuantNode::Kind::kTable;
    node.anchor = node.last = value.getDefiningOp();
    for (const ElementStep& step : cone->steps) node.ops.push_back(step.op);
    node.inputs = {cone->source};
    node.cone = *cone;
    node.output = value;
    if (!isPrescribed(node)) return;
    quantized_.insert(value);
    plan_.nodes.push_back(std::move(node));
  }

  void visit(Operation* op) {
    QuantNode node;
    node.anchor = op;
    node.ops = {op};
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(op)) {
      if (!isFloatTensor(conv.getInput()) || !graph::isConstant(conv.getWeight())) return;
      if (conv.getBias() && !graph::isConstant(conv.getBias())) return;
      node.kind = QuantNode::Kind::kConv;
      node.inputs = {conv.getInput()};
      node.bias = conv.getBias() ? floatConstant(conv.getBias())
                                 : std::vector<float>(conv.getWeight().getType().getDimSize(0));
      absorbContractionChain(node);
    } else if (auto pair = mlir::dyn_cast<graph::MatMulOp>(op); pair && isMatMulPair(pair)) {
      if (!options_.takes_matmul_pairs || (!options_.given && !isWanted(pair))) return;
      node.kind = QuantNode::Kind::kMatMulPair;
      node.inputs = {pair.getLhs(), pair.getRhs()};
      node.last = op;
    } else if (auto matmul = mlir::dyn_cast<graph::MatMulOp>(op)) {
      if (!isPlanarMatMul(matmul)) return;
      node.kind = QuantNode::Kind::kMatMul;
      node.inputs = {matmul.getLhs()};
      node.bias.assign(matmul.getRhs().getType().getDimSize(1), 0.0F);
      absorbContractionChain(node);
    } else if (!planOther(node)) {
      return;
    }
    node.output = node.last->getResult(0);
    if (!isPrescribed(node) ||
        llvm::any_of(node.ops, [&](Operation* part) { return staysFloat(part); })) {
      for (Operation* absorbed : node.ops) absorbed_.erase(absorbed);
      return;
    }
    if (!options_.given) {
      for (Value input : node.inputs) makeInteger(input);
      makeInteger(node.residual);
    }
    quantized_.insert(node.output);
    plan_.nodes.push_back(std::move(node));
  }

  bool staysFloat(Operation* op) const {
    return options_.float_layers && options_.float_layers->contains(layerNameOf(op));
  }

  // The model says how `value` is rounded.
  bool isGiven(Value value) const { return value && options_.given && options_.given->find(value); }

  // Of a quantised model, all activations of a node have to be given.
  bool isPrescribed(const QuantNode& node) const {
    if (!options_.given) return true;
    return isGiven(node.output) && (!node.residual || isGiven(node.residual)) &&
           llvm::all_of(node.inputs, [this](Value input) { return isGiven(input); });
  }

  static bool isPlanarMatMul(graph::MatMulOp matmul) {
    return isFloatTensor(matmul.getLhs()) && graph::isConstant(matmul.getRhs()) &&
           matmul.getLhs().getType().getRank() == 2 && matmul.getRhs().getType().getRank() == 2;
  }

  // Two activations whose batches are the same, and whose sums of 9-bit products fit 32 bits.
  static bool isMatMulPair(graph::MatMulOp matmul) {
    constexpr int64_t kMostTerms = std::numeric_limits<int32_t>::max() / (255 * 255);
    Value lhs = matmul.getLhs(), rhs = matmul.getRhs();
    if (!isFloatTensor(lhs) || graph::isConstant(lhs) || graph::isConstant(rhs) || lhs == rhs) {
      return false;
    }
    const auto left = mlir::cast<RankedTensorType>(lhs.getType()).getShape();
    const auto right = mlir::cast<RankedTensorType>(rhs.getType()).getShape();
    return left.drop_back(2) == right.drop_back(2) && left.back() <= kMostTerms;
  }

  bool isWanted(graph::MatMulOp pair) const {
    return options_.matmul_pairs != nullptr ? options_.matmul_pairs->contains(layerNameOf(pair))
                                            : isWorthRounding(pair);
  }

  // Rounding and moving the operands and the result cost less than the products do.
  static bool isWorthRounding(graph::MatMulOp matmul) {
    int64_t elems = 0;
    for (Value value :
         {Value(matmul.getLhs()), Value(matmul.getRhs()), Value(matmul.getOutput())}) {
      elems += mlir::cast<RankedTensorType>(value.getType()).getNumElements();
    }
    return graph::countMacs(matmul) >= elems * codegen::kCostPerMovedElem;
  }

  // Pools, sums, clips and moves: only where their activations are integers already.
  bool planOther(QuantNode& node) {
    Operation* op = node.anchor;
    if (op->getNumResults() != 1 || !isFloatTensor(op->getResult(0))) return false;
    if (planOperation(node)) return true;
    const bool wanted = wanted_.contains(op->getResult(0));
    for (Value operand : op->getOperands()) {
      const bool integer = wanted ? canBeInteger(operand) : quantized_.contains(operand);
      if (!options_.given && !integer) return false;
      node.inputs.push_back(operand);
    }
    if (node.inputs.empty()) return false;
    node.last = op;
    if (auto pool = mlir::dyn_cast<graph::AvgPoolOp>(op)) {
      node.kind = QuantNode::Kind::kAvgPool;
      node.divisors = poolDivisors(pool).value_or(PoolDivisors{0, {}});
      return node.divisors.common > 0;
    }
    if (auto binary = mlir::dyn_cast<graph::BinaryOp>(op)) {
      const bool multiplies = isProduct(binary);
      node.kind = multiplies ? QuantNode::Kind::kProduct : QuantNode::Kind::kAdd;
      if (!multiplies && !joinsTwo(binary)) return false;
      if (!options_.given && functionOf(binary)) return false;
      absorbClip(node);
      return true;
    }
    if (readClip(op, node)) {
      // Behind a function that nothing else reads, it is a part of it.
      if (!options_.given && !quantized_.contains(op->getOperand(0))) return false;
      node.kind = QuantNode::Kind::kClip;
      return true;
    }
    node.kind = QuantNode::Kind::kMove;
    return isIntegerMove(op);
  }

  // What an operation of the user's makes of two activations that are integers already. It has to
  // multiply as its operands do, so that it gives the same in units of a common step.
  bool planOperation(QuantNode& node) {
    constexpr double kMostReach = 2;  // that of a sum, for which sums have room
    if (options_.given || options_.operations == nullptr) return false;
    const auto match = graph::matchOperation(node.anchor, *options_.operations);
    if (!match || !match->y || graph::isConstant(match->y)) return false;
    if (!match->reach || *match->reach > kMostReach) return false;
    if (!quantized_.contains(match->x) || !quantized_.contains(match->y)) return false;
    // What is planned already stays as it is.
    for (Operation* op : match->ops) {
      if (op != node.anchor && quantized_.contains(op->getResult(0))) return false;
    }
    node.kind = QuantNode::Kind::kAdd;
    node.last = node.anchor;
    node.inputs = {match->x, match->y};
    for (Operation* op : match->ops) {
      node.formula.push_back({op, llvm::SmallVector<Value, 3>(op->getOperands())});
    }
    node.ops.assign(match->ops.begin(), match->ops.end());
    absorbClip(node);
    return true;
  }

  // x + y, and in float models their maximum and minimum: a quantised model's have exact integers
  // of their own.
  bool joinsTwo(graph::BinaryOp binary) const {
    const graph::BinaryKind kind = binary.getKind();
    const bool picks = (kind == graph::BinaryKind::max || kind == graph::BinaryKind::min) &&
                       !graph::isConstant(binary.getLhs()) && !graph::isConstant(binary.getRhs());
    return (kind == graph::BinaryKind::add || (picks && !options_.given)) &&
           binary.getLhs().getType() == binary.getRhs().getType() &&
           binary.getLhs() != binary.getRhs();
  }

  // x * y, where y has the shape of x or is one pixel for all of an image.
  static bool isProduct(graph::BinaryOp binary) {
    if (binary.getKind() != graph::BinaryKind::mul || binary.getLhs() == binary.getRhs()) {
      return false;
    }
    Value full = binary.getLhs(), other = binary.getRhs();
    if (full.getType() != binary.getType()) std::swap(full, other);
    if (full.getType() != binary.getType() || graph::isConstant(full) || graph::isConstant(other))
      return false;
    if (other.getType() == full.getType()) return true;
    const auto all = mlir::cast<RankedTensorType>(full.getType()).getShape();
    const auto one = mlir::cast<RankedTensorType>(other.getType()).getShape();
    return graph::isPixelPerImage(one, all);
  }

  // The only user of `op`'s result, which may join its node; or null.
  Operation* onlyUser(Operation* op) const {
    Value result = op->getResult(0);
    if (!result.hasOneUse() || isGiven(result)) return nullptr;
    Operation* user = *result.user_begin();
    return user->getBlock() == op->getBlock() ? user : nullptr;
  }

  void absorbContractionChain(QuantNode& node) {
    node.last = node.anchor;
    while (absorbBias(node)) {
    }
    if (absorbResidual(node)) {
      while (absorbBias(node)) {
      }
    }
    absorbClip(node);
  }

  // y + c with one constant per output channel.
  bool absorbBias(QuantNode& node) {
    auto add = mlir::dyn_cast_or_null<graph::BinaryOp>(onlyUser(node.last));
    if (!add || add.getKind() != graph::BinaryKind::add) return false;
    const bool left = add.getLhs() == node.last->getResult(0);
    Value other = left ? add.getRhs() : add.getLhs();
    if (!graph::isConstant(other) || add.getType() != node.last->getResult(0).getType())
      return false;
    const auto values = floatConstant(other);
    const int64_t channels = static_cast<int64_t>(node.bias.size());
    if (!isPerChannel(mlir::cast<RankedTensorType>(other.getType()),
                      mlir::cast<RankedTensorType>(add.getType()), 1, channels)) {
      return false;
    }
    for (int64_t c = 0; c < channels; ++c) node.bias[c] += values[values.size() == 1 ? 0 : c];
    absorb(node, add);
    return true;
  }

  // True when `constant`, broadcast to `full`, varies along `axis` only.
  static bool isPerChannel(RankedTensorType constant, RankedTensorType full, int64_t axis,
                           int64_t channels) {
    const int64_t missing = full.getRank() - constant.getRank();
    for (int64_t d = 0; d < constant.getRank(); ++d) {
      const int64_t size = constant.getDimSize(d);
      const bool is_channel = d + missing == axis;
      if (size != 1 && !(is_channel && size == channels)) return false;
    }
    return true;
  }

  // y + r, where r exists already; otherwise r's own contraction will fuse this sum.
  bool absorbResidual(QuantNode& node) {
    auto add = mlir::dyn_cast_or_null<graph::BinaryOp>(onlyUser(node.last));
    if (!add || add.getKind() != graph::BinaryKind::add || !joinsTwo(add)) return false;
    const bool left = add.getLhs() == node.last->getResult(0);
    Value other = left ? add.getRhs() : add.getLhs();
    Operation* producer = other.getDefiningOp();
    if (graph::isConstant(other)) return false;
    if (producer && !producer->isBeforeInBlock(node.anchor)) return false;
    node.residual = other;
    absorb(node, add);
    return true;
  }

  void absorbClip(QuantNode& node) {
    Operation* user = onlyUser(node.last);
    if (user && readClip(user, node)) absorb(node, user);
  }

  static bool readClip(Operation* op, QuantNode& node) {
    if (auto unary = mlir::dyn_cast<graph::UnaryOp>(op)) {
      if (unary.getKind() != graph::UnaryKind::relu) return false;
      node.clip_min = 0;
      return true;
    }
    if (auto clip = mlir::dyn_cast<graph::ClipOp>(op)) {
      node.clip_min = clip.getMin().convertToDouble();
      node.clip_max = clip.getMax().convertToDouble();
      return true;
    }
    return false;
  }

  void absorb(QuantNode& node, Operation* op) {
    absorbed_.insert(op);
    node.ops.push_back(op);
    node.last = op;
  }

  void collectActivations() {
    const auto add = [&](Value value) {
      if (!value) return;
      const int next = static_cast<int>(plan_.activations.size());
      if (plan_.activation_index.try_emplace(value, next).second) {
        plan_.activations.push_back(value);
      }
    };
    for (const QuantNode& node : plan_.nodes) {
      for (Value input : node.inputs) add(input);
      add(node.residual);
      add(node.output);
    }
  }

  mlir::func::FuncOp function_;
  const PlanOptions& options_;
  QuantPlan plan_;
  DenseSet<Operation*> absorbed_;
  DenseSet<Value> quantized_;
  DenseSet<Value> wanted_;
  ElementCones cones_;
};

}  // namespace

std::vector<float> floatConstant(Value value) {
  mlir::DenseElementsAttr attribute;
  if (!mlir::matchPattern(value, mlir::m_Constant(&attribute))) return {};
  if (!attribute.getElementType().isF32()) return {};
  return {attribute.value_begin<float>(), attribute.value_end<float>()};
}

bool isIntegerMove(Operation* op) {
  return mlir::isa<graph::MaxPoolOp, graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
                   graph::ExpandOp, graph::InterleaveOp, graph::ConcatOp>(op) ||
         (mlir::isa<graph::PadOp>(op) &&
          (mlir::cast<graph::PadOp>(op).getMode() != graph::PadMode::constant ||
           mlir::cast<graph::PadOp>(op).getValue().isZero()));
}

std::string layerNameOf(Operation* op) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(op->getLoc())) return name.getName().str();
  return "";
}

QuantPlan planQuantization(mlir::func::FuncOp function, const PlanOptions& options) {
  return QuantizationPlanner(function, options).run();
}

}  // namespace vta::compiler
