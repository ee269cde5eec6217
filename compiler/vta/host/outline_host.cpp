// vta-outline-host: everything in @main that is not a kernel moves into host functions.
#include <algorithm>
#include <map>
#include <vector>

#include "compiler/codegen/backend.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/placement/backends.h"
#include "compiler/placement/reasons.h"
#include "compiler/placement/stages.h"
#include "compiler/placement/wishes.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/host/lower_packing.h"
#include "compiler/vta/host/split_run.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

#define GEN_PASS_DEF_OUTLINEHOSTPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::Operation;
using mlir::Value;
using placement::BackendRun;

/// What one host function is called in reports.
struct HostReport {
  std::string layer, op, reason;
  int64_t macs = 0;
};

void addOnce(llvm::SmallVectorImpl<std::string>& to, std::string text) {
  if (!text.empty() && !llvm::is_contained(to, text)) to.push_back(std::move(text));
}

std::string joinFirst(llvm::ArrayRef<std::string> parts, llvm::StringRef separator) {
  constexpr size_t kMaxParts = 4;
  std::string out;
  for (auto [i, part] : llvm::enumerate(parts.take_front(std::min(kMaxParts, parts.size())))) {
    if (i > 0) out += separator;
    out += part;
  }
  if (parts.size() > kMaxParts) out += (separator + "...").str();
  return out;
}

/// Multiply-accumulates of `op` and of the graphs inside of it: a loop's as often as it runs, if
/// that is known, and those of the branch that has most.
int64_t allMacs(Operation* op) {
  constexpr int64_t kMost = int64_t{1} << 50;
  int64_t inside = 0;
  for (mlir::Region& region : op->getRegions()) {
    int64_t macs = 0;
    for (Operation& inner : region.getOps()) macs = std::min(macs + allMacs(&inner), kMost);
    inside = std::max(inside, macs);
  }
  auto loop = mlir::dyn_cast<graph::LoopOp>(op);
  llvm::APInt most;
  if (loop && mlir::matchPattern(loop.getMost(), mlir::m_ConstantInt(&most))) {
    const int64_t trips = std::max<int64_t>(most.getSExtValue(), 0);
    inside = trips > 0 ? std::min(inside, kMost / trips) * trips : 0;
  }
  return graph::countMacs(op) + inside;
}

/// Names and reasons of the operations that compute; of the movers only if there is nothing else.
/// `why` is said besides.
HostReport describe(llvm::ArrayRef<Operation*> ops, const std::string& why) {
  HostReport report;
  llvm::SmallVector<std::string> layers, names, reasons;
  const bool only_movement = llvm::all_of(ops, isDataMovement);
  const bool packs = llvm::any_of(ops, llvm::IsaPred<PackOp, UnpackOp>);
  const std::string movement = packs ? placement::kMovementReason : "whole blocks are moved";
  for (Operation* op : ops) {
    report.macs += allMacs(op);
    if (!only_movement && isDataMovement(op)) continue;
    addOnce(layers, layerName(op));
    addOnce(names, operatorName(op));
    auto reason = op->getAttrOfType<mlir::StringAttr>(kReasonAttr);
    addOnce(reasons, reason ? reason.str() : only_movement ? movement : "");
  }
  if (layers.empty()) {
    for (Operation* op : ops) addOnce(layers, layerName(op));
  }
  if (!layers.empty()) {
    report.layer = layers.front() + (layers.size() > 1 ? " .. " + layers.back() : "");
  }
  report.op = joinFirst(names, "+");
  report.reason = joinFirst(reasons, "; ");
  if (!why.empty()) report.reason += (report.reason.empty() ? "" : "; ") + why;
  return report;
}

class OutlineHostPass : public impl::OutlineHostPassBase<OutlineHostPass> {
 public:
  using OutlineHostPassBase::OutlineHostPassBase;
  OutlineHostPass() = default;
  OutlineHostPass(const placement::PlacementOptions& placement,
                  std::vector<placement::Misplaced>* misplaced)
      : rules_(placement.rules), rates_(placement.rates), misplaced_(misplaced) {
    offer = placement.offered;
    prefer = placement.preferred;
  }

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    mlir::Block& block = main.getBody().front();
    const std::vector<const codegen::Backend*> backends =
        codegen::usedBackends(prefer.empty() ? offer : prefer);
    if (backends.empty()) {
      getOperation().emitError("no back end for the host is registered");
      return signalPassFailure();
    }
    placement::BackendAssigner assigner(
        backends, [this](Operation* op) { return wantedMachine(op); }, rates_);
    mlir::SymbolTable symbols(getOperation());
    Operation* terminator = block.getTerminator();
    int index = 0;
    const auto outline_all = [&](llvm::ArrayRef<Operation*> ops) {
      for (const BackendRun& run : assigner.assign(ops)) {
        noteMisplaced(run);
        const std::string why = whyOf(run, assigner);
        for (llvm::ArrayRef<Operation*> rest = run.ops; !rest.empty();) {
          const size_t count = lengthOfFirstFunction(rest, std::max<size_t>(1, most_ops));
          mlir::func::FuncOp function =
              outline(rest.take_front(count), why, terminator, index++, symbols);
          rest = rest.drop_front(count);
          if (run.backend == backends.front()) continue;
          function->setAttr(placement::kBackendAttr,
                            mlir::StringAttr::get(&getContext(), run.backend->name()));
        }
      }
    };
    for (auto& [level, stage] : placement::findHostStages(block, backends)) {
      outline_all(stage.ahead);
      outline_all(stage.host);
      for (Operation* kernel : stage.early) kernel->moveBefore(terminator);
      for (Operation* kernel : stage.kernels) kernel->moveBefore(terminator);
      outline_all(stage.aside);
    }
    for (Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (placement::isConstantOp(&op) && op.use_empty()) op.erase();
    }
  }

 private:
  /// That of a rule, which may be the VTA, or the preferred one; empty: any.
  std::string_view wantedMachine(Operation* op) const {
    const std::string_view machine = placement::machineFor(rules_, layerName(op));
    return machine.empty() ? std::string_view(prefer.getValue()) : machine;
  }

  /// What only moves or converts for kernels may be anywhere.
  static bool isBesideKernels(Operation* op) {
    return isDataMovement(op) || mlir::isa<graph::QuantizeOp, graph::DequantizeOp>(op);
  }

  void noteMisplaced(const BackendRun& run) {
    for (Operation* op : run.ops) {
      const std::string_view wanted = wantedMachine(op);
      const bool is_wish = !wanted.empty() &&
                           mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect()) &&
                           !(wanted == placement::kVtaMachine && isBesideKernels(op));
      if (misplaced_ == nullptr || !is_wish || wanted == run.backend->name()) continue;
      const codegen::Backend* backend = codegen::findBackend(wanted);
      const auto reason = op->getAttrOfType<mlir::StringAttr>(kReasonAttr);
      const std::string why = backend != nullptr ? std::string(backend->canRun(op).message())
                              : reason           ? reason.str()
                                                 : "it has no kernel there";
      misplaced_->push_back(
          {layerName(op), std::string(wanted), std::string(run.backend->name()), why});
    }
  }

  std::string whyOf(const BackendRun& run, const placement::BackendAssigner& assigner) const {
    const bool is_ruled = llvm::all_of(run.ops, [&](Operation* op) {
      return placement::machineFor(rules_, layerName(op)) == run.backend->name();
    });
    return is_ruled ? "--place says so" : assigner.explain(run);
  }

  /// Replaces `ops` by a call, in front of `before`, of a new function; returns it.
  static mlir::func::FuncOp outline(llvm::ArrayRef<Operation*> ops, const std::string& why,
                                    Operation* before, int index, mlir::SymbolTable& symbols) {
    const llvm::DenseSet<Operation*> inside(ops.begin(), ops.end());
    llvm::SetVector<Value> inputs, outputs;
    for (Operation* op : ops) {
      for (Value operand : op->getOperands()) {
        Operation* producer = operand.getDefiningOp();
        if (!producer || (!placement::isConstantOp(producer) && !inside.contains(producer))) {
          inputs.insert(operand);
        }
      }
      for (Value result : op->getResults()) {
        if (llvm::any_of(result.getUsers(), [&](Operation* u) { return !inside.contains(u); })) {
          outputs.insert(result);
        }
      }
    }
    mlir::OpBuilder builder(before);
    auto type = builder.getFunctionType(mlir::TypeRange(mlir::ValueRange(inputs.getArrayRef())),
                                        mlir::TypeRange(mlir::ValueRange(outputs.getArrayRef())));
    auto function =
        mlir::func::FuncOp::create(ops.front()->getLoc(), "host_" + std::to_string(index), type);
    symbols.insert(function);
    fillBody(function, ops, inputs.getArrayRef(), outputs.getArrayRef());
    auto call =
        builder.create<mlir::func::CallOp>(ops.front()->getLoc(), function, inputs.getArrayRef());
    annotate(call, describe(ops, why));
    for (auto [i, result] : llvm::enumerate(outputs.takeVector())) {
      result.replaceAllUsesWith(call.getResult(static_cast<unsigned>(i)));
    }
    for (Operation* op : llvm::reverse(ops)) op->erase();
    return function;
  }

  static void fillBody(mlir::func::FuncOp function, llvm::ArrayRef<Operation*> ops,
                       llvm::ArrayRef<Value> inputs, llvm::ArrayRef<Value> outputs) {
    mlir::Block* body = function.addEntryBlock();
    auto builder = mlir::OpBuilder::atBlockBegin(body);
    mlir::IRMapping mapping;
    mapping.map(inputs, body->getArguments());
    for (Operation* op : ops) {
      for (Value operand : op->getOperands()) {
        Operation* producer = operand.getDefiningOp();
        if (producer && placement::isConstantOp(producer) && !mapping.contains(operand)) {
          builder.clone(*producer, mapping);
        }
      }
      if (auto pack = mlir::dyn_cast<PackOp>(op)) {
        mapping.map(pack, lowerPack(pack, mapping.lookup(pack.getInput()), builder));
      } else if (auto unpack = mlir::dyn_cast<UnpackOp>(op)) {
        mapping.map(unpack, lowerUnpack(unpack, mapping.lookup(unpack.getInput()), builder));
      } else {
        builder.clone(*op, mapping)->removeDiscardableAttr(kReasonAttr);
      }
    }
    llvm::SmallVector<Value> results;
    for (Value output : outputs) results.push_back(mapping.lookup(output));
    builder.create<mlir::func::ReturnOp>(function.getLoc(), results);
  }

  static void annotate(mlir::func::CallOp call, const HostReport& report) {
    mlir::Builder builder(call.getContext());
    call->setAttr(kLayerAttr, builder.getStringAttr(report.layer));
    call->setAttr(kOpAttr, builder.getStringAttr(report.op));
    call->setAttr(kReasonAttr, builder.getStringAttr(report.reason));
    call->setAttr(kMacsAttr, builder.getI64IntegerAttr(report.macs));
  }

  std::vector<placement::PlaceRule> rules_;
  placement::BackendRates rates_;
  std::vector<placement::Misplaced>* misplaced_ = nullptr;  // of the caller; null: nobody asks
};

}  // namespace

std::unique_ptr<mlir::Pass> createOutlineHostPass(const placement::PlacementOptions& placement,
                                                  std::vector<placement::Misplaced>* misplaced) {
  return std::make_unique<OutlineHostPass>(placement, misplaced);
}

}  // namespace vta::compiler
