// vta-partition: finds what each kernel may compute and outlines it.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/kernel/weights/weight_factors.h"
#include "compiler/placement/reasons.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/partition/group.h"
#include "compiler/vta/partition/pack_plan.h"
#include "compiler/vta/passes.h"
#include "isa/spec/narrow_weights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

#define GEN_PASS_DEF_PARTITIONPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::Operation;
using mlir::Value;

/// A symbol from a layer's name: letters, digits and underscores.
std::string symbolFor(const OffloadGroup& group) {
  std::string name = layerName(group.main ? group.main : group.root);
  for (char& c : name) {
    if (!llvm::isAlnum(c)) c = '_';
  }
  return "vta_" + (name.empty() ? "kernel" : name);
}

/// What joins the residual: "Mul", "Max", "Min" or "Add", or the name of a user's operation.
std::string describeResidual(const OffloadGroup& group) {
  if (!group.join.empty()) return group.join;
  for (const GroupStep& step : group.epilogue) {
    if (step.source != kernel::EpilogueStep::Source::kResidual) continue;
    if (step.opcode == AluOpcode::kMul) return "Mul";
    if (step.opcode == AluOpcode::kMax) return "Max";
    if (step.opcode == AluOpcode::kMin) return "Min";
  }
  return "Add";
}

/// "Conv", "Conv+Add", "Conv+MaxPool", "MaxPool", "Add", "Relu"; what an operator
/// that stands for another one is called.
std::string describeComputed(const OffloadGroup& group) {
  if (group.main) {
    std::string name = operatorName(group.main);
    if (group.residual) name.append("+").append(describeResidual(group));
    if (group.pool) name.append("+MaxPool");
    return name;
  }
  if (auto name = group.root->getAttrOfType<mlir::StringAttr>(graph::kOperatorAttr)) {
    return name.str();
  }
  if (group.residual) return describeResidual(group);
  for (Operation* op : group.ops) {
    if (mlir::isa<graph::ClipIntOp>(op)) return "Clip";
    if (!mlir::isa<graph::CastOp>(op)) return operatorName(op);
  }
  return "Cast";
}

/// The same with what stores the outputs elsewhere: "Conv+Resize", "ConvTranspose", "DepthToSpace".
std::string describe(const OffloadGroup& group) {
  if (!group.interleave) return describeComputed(group);
  Operation* interleave = group.interleave->op;
  const bool is_alone = group.computed == group.input;
  if (is_alone || interleave->hasAttr(graph::kOperatorAttr)) return operatorName(interleave);
  return describeComputed(group) + "+" + operatorName(interleave);
}

int64_t macsOf(const OffloadGroup& group) {
  Operation* op = group.main;
  if (!op) return 0;
  if (group.interleave) {
    auto macs = group.interleave->op->getAttrOfType<mlir::IntegerAttr>(graph::kMacsAttr);
    if (macs) return macs.getInt();
  }
  if (auto macs = op->getAttrOfType<mlir::IntegerAttr>(kMacsAttr)) return macs.getInt();
  return graph::countMacs(op);
}

/// A kernel that only crops or pads moves nothing that the host has, or needs: it does that itself.
Status checkMovesForKernels(const OffloadGroup& group) {
  const bool only_moves = group.interleave && group.computed == group.input;
  if (!only_moves || mlir::isa<graph::InterleaveOp>(group.interleave->op)) return {};
  if (mayComeFromKernels(group.input) && mayGoToKernels(group.root->getResult(0))) return {};
  return unsupported("the host has, or needs, what it moves");
}

/// Weights of a quantised model may need more bits than the hardware's have, even less the factors
/// that they have in common.
Status checkNarrowWeights(const OffloadGroup& group, const HwConfig& hw) {
  const int width_bits = hw.params().wgt_width_bits;
  if (width_bits == 8 || group.kind != kernel::KernelKind::kContraction) return {};
  const auto weights = readBytes(group.main->getOperand(1));
  if (kernel::fitWeights(*weights, hw)) return {};
  const PackPlan plan = planPacking(group, hw);
  if (kernel::factorWeights(plan.weight, plan.desc.geometry, hw)) return {};
  const auto [least, most] = weightRange(width_bits);
  const auto [smallest, largest] = std::ranges::minmax(*weights);
  return unsupported(fmt::format(
      "it has a weight of {}, and the hardware's {} bits hold {} to {}, with no factor to help",
      largest > most ? largest : smallest, width_bits, least, most));
}

class PartitionPass : public HwPass<impl::PartitionPassBase<PartitionPass>> {
 public:
  using HwPass::HwPass;
  PartitionPass() = default;
  PartitionPass(const HwConfig& hw, std::vector<placement::PlaceRule> rules)
      : HwPass(hw), rules_(std::move(rules)) {}

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    mlir::Block& block = main.getBody().front();
    const std::vector<OffloadGroup> groups = findGroups(block);
    mlir::SymbolTable symbols(getOperation());
    // Consumers first: their calls then follow when a producer's result is replaced.
    for (const OffloadGroup& group : groups) outline(group, symbols);
    for (Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (mlir::isOpTriviallyDead(&op)) op.erase();
    }
    const placement::ReasonFinder reasons(refused_, isGroupRoot);
    for (Operation& op : block.without_terminator()) {
      if (isConstant(&op) || mlir::isa<mlir::func::CallOp>(op)) continue;
      op.setAttr(kReasonAttr, mlir::StringAttr::get(&getContext(), reasons.find(&op)));
    }
  }

 private:
  static bool isConstant(Operation* op) { return mlir::isa<mlir::arith::ConstantOp>(op); }

  /// Products of two activations have to run on the VTA from here on: what they are packed from is
  /// not easily found again. Other groups can still go back to the host.
  Result<OffloadGroup> findRunnableGroup(Operation* root) {
    VTA_ASSIGN_OR_RETURN(OffloadGroup group, findGroup(root, hw_));
    VTA_RETURN_IF_ERROR(checkRules(group));
    VTA_RETURN_IF_ERROR(checkMovesForKernels(group));
    VTA_RETURN_IF_ERROR(checkNarrowWeights(group, hw_));
    if (group.weight) VTA_RETURN_IF_ERROR(kernel::checkRunnable(planPacking(group, hw_).desc, hw_));
    return group;
  }

  Status checkRules(const OffloadGroup& group) const {
    for (Operation* op : group.ops) {
      const std::string_view machine = placement::machineFor(rules_, layerName(op));
      if (machine.empty() || machine == placement::kVtaMachine) continue;
      return unsupported(fmt::format("--place wants '{}' on the {}", layerName(op), machine));
    }
    return {};
  }

  /// From the last operation to the first, so that a pool that a later requantisation takes in is
  /// not a kernel of its own.
  std::vector<OffloadGroup> findGroups(mlir::Block& block) {
    std::vector<OffloadGroup> groups;
    llvm::DenseSet<Operation*> taken;
    for (Operation& op : llvm::reverse(block)) {
      if (taken.contains(&op) || !isGroupRoot(&op)) continue;
      auto group = findRunnableGroup(&op);
      if (!group.ok()) {
        refused_[&op] = group.status().message();
        continue;
      }
      taken.insert(group->ops.begin(), group->ops.end());
      groups.push_back(std::move(*group));
    }
    return groups;
  }

  /// Replaces the group's root by a call of a new function that holds copies of its operations and
  /// of the constants they use. Operations that nothing else uses die later.
  void outline(const OffloadGroup& group, mlir::SymbolTable& symbols) {
    mlir::OpBuilder builder(group.root);
    llvm::SmallVector<Value> inputs{group.input};
    if (group.weight) inputs.push_back(group.weight);
    if (group.bias) inputs.push_back(group.bias);
    if (group.residual && group.residual != group.input) inputs.push_back(group.residual);
    auto type = builder.getFunctionType(mlir::TypeRange(mlir::ValueRange(inputs)),
                                        group.root->getResultTypes());
    const mlir::Location location = group.main ? group.main->getLoc() : group.root->getLoc();
    auto function = mlir::func::FuncOp::create(location, symbolFor(group), type);
    function.setPrivate();
    function->setAttr(kOffloadAttr, builder.getUnitAttr());
    function->setAttr(kLayerAttr,
                      builder.getStringAttr(layerName(group.main ? group.main : group.root)));
    function->setAttr(kOpAttr, builder.getStringAttr(describe(group)));
    function->setAttr(kMacsAttr, builder.getI64IntegerAttr(macsOf(group)));
    symbols.insert(function);
    fillBody(function, group, inputs);
    auto call = builder.create<mlir::func::CallOp>(location, function, inputs);
    group.root->getResult(0).replaceAllUsesWith(call.getResult(0));
  }

  static void fillBody(mlir::func::FuncOp function, const OffloadGroup& group,
                       mlir::ValueRange inputs) {
    mlir::Block* body = function.addEntryBlock();
    auto builder = mlir::OpBuilder::atBlockBegin(body);
    mlir::IRMapping mapping;
    mapping.map(inputs, body->getArguments());
    llvm::SmallVector<Operation*> ordered(group.ops.begin(), group.ops.end());
    llvm::sort(ordered, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });
    for (Operation* op : ordered) {
      for (Value operand : op->getOperands()) {
        Operation* producer = operand.getDefiningOp();
        if (producer && isConstant(producer) && !mapping.contains(operand)) {
          builder.clone(*producer, mapping);
        }
      }
      builder.clone(*op, mapping);
    }
    builder.create<mlir::func::ReturnOp>(group.root->getLoc(),
                                         mapping.lookup(group.root->getResult(0)));
  }

  std::vector<placement::PlaceRule> rules_;
  llvm::DenseMap<Operation*, std::string> refused_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createPartitionPass(const HwConfig& hw,
                                                std::vector<placement::PlaceRule> rules) {
  return std::make_unique<PartitionPass>(hw, std::move(rules));
}

}  // namespace vta::compiler
