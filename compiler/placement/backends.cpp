#include "compiler/placement/backends.h"

#include <limits>

#include "compiler/dialects/graph/graph.h"
#include "compiler/placement/costs.h"

namespace vta::placement {
namespace {

using codegen::Backend;
using mlir::Operation;

bool canRun(const Backend& backend, Operation* op) {
  return mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect()) && backend.canRun(op).ok();
}

/// What `run` takes less on its back end than on `other`; a great deal if `other` cannot run it.
int64_t gainOver(const Backend& other, const BackendRun& run) {
  int64_t gain = 0;
  for (Operation* op : run.ops) {
    if (!canRun(other, op)) return std::numeric_limits<int64_t>::max();
    gain += other.cost(op) - run.backend->cost(op);
  }
  return gain;
}

void append(std::vector<BackendRun>& runs, const Backend& backend, Operation* op) {
  if (runs.empty() || runs.back().backend != &backend) runs.push_back({&backend, {}});
  runs.back().ops.push_back(op);
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

std::vector<BackendRun> assignBackends(const std::vector<const Backend*>& backends,
                                       llvm::ArrayRef<Operation*> ops) {
  const Backend& first = *backends.front();
  std::vector<BackendRun> candidates, runs;
  for (Operation* op : ops) append(candidates, cheapestBackend(backends, op), op);
  for (const BackendRun& run : candidates) {
    const bool stays = run.backend == &first || gainOver(first, run) <= kWorthwhileCost;
    for (Operation* op : run.ops) append(runs, stays ? first : *run.backend, op);
  }
  return runs;
}

}  // namespace vta::placement
