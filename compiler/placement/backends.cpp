#include "compiler/placement/backends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "compiler/codegen/machine_rates.h"
#include "compiler/dialects/graph/graph.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::placement {
namespace {

using codegen::Backend;
using codegen::TransferCost;
using mlir::Operation;
using mlir::Value;

/// What lies where nothing says otherwise: the first back end's.
constexpr uint32_t kFirstMemory = 0;

bool canRun(const Backend& backend, Operation* op) {
  return mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect()) && backend.canRun(op).ok();
}

bool isConstant(Operation* op) { return op->hasTrait<mlir::OpTrait::ConstantLike>(); }

int64_t bytesOf(Value value) {
  const auto type = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat()) return 0;
  const int64_t bits = type.getElementTypeBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

int64_t costPerRun(const Backend& backend, const BackendRates& rates) {
  const auto measured = rates.find(backend.name());
  return measured == rates.end() ? backend.costPerStep() : codegen::costPerRunOn(measured->second);
}

/// `ops` in runs: as long as there is one that needs none of the others, of the same back end.
std::vector<BackendRun> inRuns(const std::vector<const Backend*>& backends,
                               llvm::ArrayRef<Operation*> ops,
                               const std::vector<uint32_t>& machines) {
  llvm::DenseMap<Operation*, size_t> waits_for;  // operations in front of it that are not in a run
  for (Operation* op : ops) waits_for[op] = 0;
  for (Operation* op : ops) {
    for (Operation* user : op->getUsers()) {
      if (const auto found = waits_for.find(user); found != waits_for.end()) ++found->second;
    }
  }
  std::vector<BackendRun> runs;
  std::vector<bool> done(ops.size(), false);
  for (size_t first = 0; first < ops.size(); ++first) {
    if (done[first]) continue;
    BackendRun& run = runs.emplace_back(BackendRun{backends[machines[first]], {}});
    for (size_t i = first; i < ops.size(); ++i) {
      if (done[i] || machines[i] != machines[first] || waits_for[ops[i]] > 0) continue;
      done[i] = true;
      run.ops.push_back(ops[i]);
      for (Operation* user : ops[i]->getUsers()) {
        if (const auto found = waits_for.find(user); found != waits_for.end()) --found->second;
      }
    }
  }
  return runs;
}

}  // namespace

const Backend& cheapestBackend(const std::vector<const Backend*>& backends, Operation* op) {
  const Backend* best = nullptr;
  int64_t least = 0;
  for (const Backend* backend : backends) {
    if (!canRun(*backend, op)) continue;
    const int64_t cost = backend->cost(op);
    if (best != nullptr && cost >= least) continue;
    best = backend;
    least = cost;
  }
  return best != nullptr ? *best : *backends.front();
}

BackendAssigner::BackendAssigner(const std::vector<const Backend*>& backends, WantedBackend wanted,
                                 BackendRates rates)
    : backends_(backends), wanted_(std::move(wanted)), rates_(std::move(rates)) {
  for (const Backend* backend : backends) {
    const std::string memory = backend->executor().name;
    const auto known = std::ranges::find(memories_, memory);
    memory_of_.push_back(static_cast<uint32_t>(known - memories_.begin()));
    if (known == memories_.end()) memories_.push_back(memory);
    if (const auto measured = rates_.find(backend->name()); measured != rates_.end()) {
      const TransferCost cost = codegen::transferCostOf(measured->second);
      transfers_.push_back({memory, memories_[kFirstMemory], cost});
      transfers_.push_back({memories_[kFirstMemory], memory, cost});
    }
    for (codegen::Transfer& transfer : backend->transfers()) {
      transfers_.push_back(std::move(transfer));
    }
  }
}

int64_t BackendAssigner::costOn(const Backend& backend, Operation* op) const {
  const auto measured = rates_.find(backend.name());
  return measured == rates_.end() ? backend.cost(op) : codegen::costOn(measured->second, op);
}

/// By back end. Where the wanted one can run `op`, the others cannot; what none says it can run is
/// the first one's.
std::vector<std::optional<int64_t>> BackendAssigner::costsOf(Operation* op) const {
  const std::string_view name = wanted_ ? wanted_(op) : std::string_view();
  const auto wanted = std::ranges::find(backends_, name, &Backend::name);
  const bool is_bound = wanted != backends_.end() && canRun(**wanted, op);
  std::vector<std::optional<int64_t>> costs(backends_.size());
  bool is_known = false;
  for (size_t i = 0; i < backends_.size(); ++i) {
    if (is_bound ? backends_[i] != *wanted : !canRun(*backends_[i], op)) continue;
    costs[i] = costOn(*backends_[i], op);
    is_known = true;
  }
  if (!is_known) costs.front() = 0;
  return costs;
}

std::string BackendAssigner::explain(const BackendRun& run) const {
  const auto is_wanted = [&](Operation* op) { return wanted_ && !wanted_(op).empty(); };
  if (backends_.size() == 1) return "";
  std::vector<std::string> estimates;
  for (const Backend* backend : backends_) {
    int64_t cost = 0;
    for (Operation* op : run.ops) {
      if (!mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect())) continue;
      if (const Status status = backend->canRun(op); !status.ok()) {
        if (backend == run.backend) continue;
        return fmt::format("not on the {}: {}", backend->name(), status.message());
      }
      cost += costOn(*backend, op);
    }
    const double ms = 1e3 * codegen::kSecondsPerUnit * static_cast<double>(cost);
    estimates.push_back(fmt::format("{:.3f} ms on the {}", ms, backend->name()));
  }
  if (llvm::all_of(run.ops, is_wanted)) return "";
  return fmt::format("estimates: {}", fmt::join(estimates, ", "));
}

TransferCost BackendAssigner::transferBetween(std::string_view from, std::string_view to) const {
  if (from == to) return {};
  for (const codegen::Transfer& transfer : transfers_) {
    if (transfer.from == from && transfer.to == to) return transfer.cost;
  }
  const std::string_view first = memories_[kFirstMemory];
  if (from == first || to == first) return codegen::kUnknownTransfer;
  return transferBetween(from, first) + transferBetween(first, to);
}

/// The memory in which `value`, which another part made, lies: that of the back end whose function
/// did.
uint32_t BackendAssigner::homeOf(Value value) const {
  auto call = value.getDefiningOp<mlir::func::CallOp>();
  if (!call) return kFirstMemory;
  auto function =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
  const auto name =
      function ? function->getAttrOfType<mlir::StringAttr>(kBackendAttr) : mlir::StringAttr();
  for (size_t i = 0; name && i < backends_.size(); ++i) {
    if (name.strref() == llvm::StringRef(backends_[i]->name())) return memory_of_[i];
  }
  return kFirstMemory;
}

Assignment BackendAssigner::describe(llvm::ArrayRef<Operation*> ops) const {
  Assignment assignment;
  for (size_t i = 0; i < backends_.size(); ++i) {
    assignment.machines.push_back({costPerRun(*backends_[i], rates_), memory_of_[i]});
  }
  for (const std::string& from : memories_) {
    std::vector<TransferCost>& row = assignment.transfers.emplace_back();
    for (const std::string& to : memories_) row.push_back(transferBetween(from, to));
  }
  const llvm::DenseSet<Operation*> inside(ops.begin(), ops.end());
  llvm::DenseMap<Value, uint32_t> numbers;
  const auto numberOf = [&](Value value) {
    const auto [known, is_new] =
        numbers.try_emplace(value, static_cast<uint32_t>(assignment.values.size()));
    if (!is_new) return known->second;
    Assignment::Value& described = assignment.values.emplace_back();
    described.bytes = bytesOf(value);
    Operation* producer = value.getDefiningOp();
    if (producer != nullptr && inside.contains(producer)) {
      // For kernels and for the caller; where later operations want it is not known yet.
      const bool leaves = llvm::any_of(value.getUsers(), [&](Operation* user) {
        return !inside.contains(user) &&
               !mlir::isa_and_nonnull<graph::GraphDialect>(user->getDialect());
      });
      if (leaves) described.wanted = kFirstMemory;
    } else {
      described.home = homeOf(value);
    }
    return known->second;
  };
  for (Operation* op : ops) {
    Assignment::Op described{costsOf(op)};
    for (Value operand : op->getOperands()) {
      Operation* producer = operand.getDefiningOp();
      if (producer != nullptr && isConstant(producer)) continue;  // each back end has its own
      described.operands.push_back(numberOf(operand));
    }
    for (Value result : op->getResults()) described.results.push_back(numberOf(result));
    assignment.ops.push_back(std::move(described));
  }
  return assignment;
}

std::vector<BackendRun> BackendAssigner::assign(llvm::ArrayRef<Operation*> ops) {
  if (ops.empty()) return {};
  if (backends_.size() == 1) {
    return {{backends_.front(), llvm::SmallVector<Operation*>(ops)}};
  }
  return inRuns(backends_, ops, assignMachines(describe(ops)));
}

}  // namespace vta::placement
