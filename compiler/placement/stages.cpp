#include "compiler/placement/stages.h"

#include "compiler/codegen/costs.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/placement/backends.h"
#include "compiler/placement/costs.h"
#include "llvm/ADT/BitVector.h"

namespace vta::placement {

namespace {

using mlir::Operation;
using mlir::Value;
using Operations = llvm::SmallVector<Operation*>;

/// The place that a kernel's result or operand has, for which nothing runs.
bool isPlace(Operation* op) { return mlir::isa<compiler::ConcatOp, compiler::SliceOp>(op); }

/// What stays in @main.
bool staysInMain(Operation* op) { return compiler::isProgram(op) || isPlace(op); }

class StageFinder {
 public:
  StageFinder(mlir::Block& block, const std::vector<const codegen::Backend*>& backends)
      : block_(block), backends_(backends) {}

  std::map<int, HostStage> find() {
    findLevels();
    const llvm::DenseSet<Operation*> waited = findWaitedFor();
    std::map<int, Operations> kernels, host;
    for (Operation& op : block_.without_terminator()) {
      const auto level = levels_.find(&op);
      if (level == levels_.end()) continue;
      (staysInMain(&op) ? kernels : host)[level->second].push_back(&op);
    }
    std::map<int, HostStage> stages;
    for (auto& [level, ops] : kernels) stages[level].kernels = ops;
    for (auto& [level, ops] : host) {
      HostStage& stage = stages[level];
      if (level > 0) chooseAhead(kernels[level - 1], ops, stages[level - 1], stage);
      const llvm::DenseSet<Operation*> ahead(stage.ahead.begin(), stage.ahead.end());
      for (Operation* op : ops) {
        if (ahead.contains(op)) continue;
        (waited.contains(op) ? stage.host : stage.aside).push_back(op);
      }
    }
    return stages;
  }

 private:
  void findLevels() {
    for (Operation& op : block_.without_terminator()) {
      if (isConstantOp(&op)) continue;
      const bool kernel = staysInMain(&op);
      int level = 0;
      for (Value operand : op.getOperands()) {
        Operation* producer = operand.getDefiningOp();
        auto it = producer ? levels_.find(producer) : levels_.end();
        if (it == levels_.end()) continue;
        const bool returns = !kernel && staysInMain(producer);
        level = std::max(level, it->second + (returns ? 1 : 0));
      }
      levels_[&op] = level;
    }
  }

  int64_t costOf(Operation* op) const {
    if (isPlace(op)) return 0;
    const int64_t elems = graph::countResultElems(op);
    if (mlir::isa<compiler::PackOp, compiler::UnpackOp>(op))
      return codegen::operatorCost(0, elems, true);
    if (compiler::isProgram(op)) {
      const int64_t macs = op->getAttrOfType<mlir::IntegerAttr>("macs").getInt();
      return codegen::operatorCost(macs, elems, false);
    }
    return cheapestBackend(backends_, op).cost(op);
  }

  int64_t costOf(llvm::ArrayRef<Operation*> ops) const {
    int64_t cost = 0;
    for (Operation* op : ops) cost += costOf(op);
    return cost;
  }

  bool isOfLevel(Operation* op, int level) const {
    const auto it = levels_.find(op);
    return it != levels_.end() && it->second == level;
  }

  /// Host operations that kernels of their own level need, perhaps through others of that level.
  llvm::DenseSet<Operation*> findWaitedFor() const {
    llvm::DenseSet<Operation*> waited;
    for (Operation& op : llvm::reverse(block_.without_terminator())) {
      const auto level = levels_.find(&op);
      if (level == levels_.end() || staysInMain(&op)) continue;
      const bool is_waited_for = llvm::any_of(op.getUsers(), [&](Operation* user) {
        return isOfLevel(user, level->second) && (staysInMain(user) || waited.contains(user));
      });
      if (is_waited_for) waited.insert(&op);
    }
    return waited;
  }

  /// Puts those of `host`, a level's host operations, into stage.ahead that can run on results of
  /// the early ones of `kernels`, which are the level's before, while the VTA runs the others.
  void chooseAhead(llvm::ArrayRef<Operation*> kernels, llvm::ArrayRef<Operation*> host,
                   HostStage& before, HostStage& stage) const {
    llvm::DenseMap<Operation*, llvm::BitVector> needs;  // of `kernels`, through each other
    const auto collect = [&](Operation* op) {
      llvm::BitVector need(static_cast<unsigned>(kernels.size()));
      for (Value operand : op->getOperands()) {
        const auto known = needs.find(operand.getDefiningOp());
        if (known != needs.end()) need |= known->second;
      }
      return need;
    };
    for (auto [i, kernel] : llvm::enumerate(kernels)) {
      llvm::BitVector need = collect(kernel);
      need.set(static_cast<unsigned>(i));
      needs[kernel] = need;
    }
    for (Operation* op : host) needs[op] = collect(op);

    int64_t best = kWorthwhileCost;
    llvm::BitVector early;
    for (Operation* op : host) {
      const llvm::BitVector& candidate = needs[op];
      const int64_t gain = std::min(costOf(within(host, needs, candidate)),
                                    costOf(kernels) - costOf(within(kernels, needs, candidate)));
      if (gain <= best) continue;
      best = gain;
      early = candidate;
    }
    if (early.empty()) return;
    stage.ahead = within(host, needs, early);
    before.early = within(kernels, needs, early);
    llvm::erase_if(before.kernels,
                   [&](Operation* kernel) { return llvm::is_contained(before.early, kernel); });
  }

  /// Those of `ops` that need no other kernels than `kernels`.
  static Operations within(llvm::ArrayRef<Operation*> ops,
                           const llvm::DenseMap<Operation*, llvm::BitVector>& needs,
                           const llvm::BitVector& kernels) {
    Operations found;
    for (Operation* op : ops) {
      llvm::BitVector others = needs.find(op)->second;
      others.reset(kernels);
      if (others.none()) found.push_back(op);
    }
    return found;
  }

  mlir::Block& block_;
  const std::vector<const codegen::Backend*>& backends_;
  llvm::DenseMap<Operation*, int> levels_;
};

}  // namespace

bool isConstantOp(Operation* op) { return op->hasTrait<mlir::OpTrait::ConstantLike>(); }

std::map<int, HostStage> findHostStages(mlir::Block& main,
                                        const std::vector<const codegen::Backend*>& backends) {
  return StageFinder(main, backends).find();
}

}  // namespace vta::placement
