// Which back end runs what stays on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine_rates.h"
#include "compiler/codegen/backend.h"
#include "compiler/placement/assignment.h"
#include "mlir/IR/Operation.h"

namespace vta::placement {

/// On a host function that another back end than the first one compiles: that back end's name.
inline constexpr const char* kBackendAttr = "vta.backend";

/// Operations that follow each other on one back end.
struct BackendRun {
  const codegen::Backend* backend = nullptr;
  llvm::SmallVector<mlir::Operation*> ops;
};

/// The one of `backends` that can run `op` and says it takes least; the first of them for equals,
/// for operations that are not of the graph dialect, and for those that none can run. `backends` is
/// not empty.
const codegen::Backend& cheapestBackend(const std::vector<const codegen::Backend*>& backends,
                                        mlir::Operation* op);

/// The name of the back end that runs an operation if it can, whatever it takes; empty: what takes
/// least does.
using WantedBackend = std::function<std::string_view(mlir::Operation*)>;
/// What is known of the machines of back ends, by their names.
using BackendRates = std::map<std::string, MachineRates, std::less<>>;

/// Assigns a network's operations, part by part in their order, to back ends. What is to be weighed
/// are the costs of operations, of steps, and of transfers between the memories of the back ends'
/// executors.
class BackendAssigner {
 public:
  /// `backends`, of which there is one at least, outlive this. The first one's memory has what
  /// comes from elsewhere, and gets what goes elsewhere. `wanted` may be empty. Back ends whose
  /// machine is not in `rates` say themselves what operations cost.
  explicit BackendAssigner(const std::vector<const codegen::Backend*>& backends,
                           WantedBackend wanted = {}, BackendRates rates = {});

  /// Cuts `ops`, which are in program order, into runs that take least (assignMachines). Operations
  /// that do not depend on each other may change places, so that there are fewer runs. With one
  /// back end, all operations are one run.
  std::vector<BackendRun> assign(llvm::ArrayRef<mlir::Operation*> ops);

  /// Between the memories of the executors of these names.
  codegen::TransferCost transferBetween(std::string_view from, std::string_view to) const;

  /// Why a run is where it is, for reports: what its operations take on each back end, or why one
  /// of them cannot run there. Empty where there is one back end, or one that is wanted.
  std::string explain(const BackendRun& run) const;

 private:
  int64_t costOn(const codegen::Backend& backend, mlir::Operation* op) const;
  std::vector<std::optional<int64_t>> costsOf(mlir::Operation* op) const;
  Assignment describe(llvm::ArrayRef<mlir::Operation*> ops) const;
  uint32_t homeOf(mlir::Value value) const;

  const std::vector<const codegen::Backend*>& backends_;
  WantedBackend wanted_;
  BackendRates rates_;
  std::vector<std::string> memories_;  // names of executors
  std::vector<uint32_t> memory_of_;    // by back end
  std::vector<codegen::Transfer> transfers_;
};

}  // namespace vta::placement
