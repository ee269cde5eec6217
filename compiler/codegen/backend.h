// The door to back ends: what turns the graph's functions into code that runs on the host or on
// what the host drives, and what decides which of them gets an operator needs to know. Each back
// end is a folder beside this file. Free of MLIR types except for forward declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/codegen/options.h"

namespace mlir {
class ModuleOp;
class Operation;
}  // namespace mlir

namespace vta::codegen {

/// By function, the tensors that its code takes between its inputs and its results.
using FunctionConstants = std::map<std::string, std::vector<Tensor>>;

/// Object code with the constants that it needs. They stay outside the object, so that large
/// weights are neither compiled nor copied: the caller passes pointers to them between a function's
/// inputs and its results, in this order. They are already in the layout that the code wants
/// (packed, folded).
struct CompiledCode {
  std::vector<std::vector<std::byte>> objects;  // relocatable ELF, to be linked in this order
  FunctionConstants constants;
  std::vector<std::string> cpu_features;  // that the code needs: names of base/cpu_features.h
  std::vector<blocked::ConvChoice> convolutions;  // those that have schedules
  /// By function with more than one layer, their names, in the order of the numbers by which the
  /// code marks their ends (VtaHostContext::mark).
  std::map<std::string, std::vector<std::string>> layers;
};

/// Compiles functions over the graph dialect. Stateless: all methods may be called from several
/// threads.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Unique, short and in lower case: "cpu". Reports say by this name where an operator runs.
  virtual std::string_view name() const = 0;

  /// Ok if it can run `op`, which is of the graph dialect; otherwise kUnsupported with the reason
  /// as a phrase: "its input is a tensor of complex numbers".
  virtual Status canRun(mlir::Operation* op) const = 0;

  /// The time that `op`, which it can run, takes in the unit of compiler/placement/costs.h.
  virtual int64_t cost(mlir::Operation* op) const = 0;

  /// Compiles every public function of `module`. Each becomes a VtaHostFunction
  /// (module/host_abi.h) of the same name. Functions take and return tensors of static shapes, and
  /// consist of graph, linalg, tensor and arith ops and calls of private functions. `module` is
  /// consumed: its contents are undefined afterwards. Undefined symbols of the objects are at most
  /// those of libc and libm. Errors: an op without a lowering (its name and location), an unknown
  /// target.
  virtual Result<CompiledCode> compile(mlir::ModuleOp module, const CodeOptions& options) const = 0;
};

/// Makes `backend`, which outlives its registration, known to this process. A second one of the
/// same name is ignored. The first one registered gets what no other one is better at.
void registerBackend(const Backend& backend);
void unregisterBackend(const Backend& backend);

/// All that are registered, in the order in which they were.
std::vector<const Backend*> registeredBackends();

/// Null if none of this name is registered.
const Backend* findBackend(std::string_view name);

/// The first one registered. Error: there is none.
Result<const Backend*> defaultBackend();

}  // namespace vta::codegen
