// The door to back ends: what turns the graph's functions into code that runs on the host or on
// what the host drives, and what decides which of them gets an operator needs to know. Nothing else
// of the compiler knows a back end. Free of MLIR types except for forward declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/codegen/costs.h"
#include "compiler/codegen/options.h"
#include "module/executor_kinds.h"

namespace mlir {
class ModuleOp;
class Operation;
}  // namespace mlir

namespace vta::compiler {
class NeighbourLinker;
}

namespace vta::codegen {

/// By function, the tensors that its code takes between its inputs and its results.
using FunctionConstants = std::map<std::string, std::vector<Tensor>>;

/// A piece of code.
struct CodeBlob {
  enum class Kind : uint8_t {
    kObject,   // relocatable ELF with host functions, to be linked in this order
    kProgram,  // one function for the back end's executor: a variant of its program
  };
  Kind kind = Kind::kObject;
  std::string function{};  // kProgram: which one
  std::string target{};    // kProgram: for which devices (CodeVariant::target)
  std::vector<std::byte> bytes{};
};

/// What reports say of a layer's code: with which schedule it runs, and where that is from.
struct LayerNote {
  std::string function;
  std::string layer;
  std::string text;
};

/// Code with the constants that it needs. They stay outside of it, so that large weights are
/// neither compiled nor copied: who runs a function passes them between its inputs and its results,
/// in this order. They are already in the layout that the code wants (packed, folded).
struct CompiledCode {
  std::vector<CodeBlob> blobs;
  FunctionConstants constants;
  std::vector<std::string> features;  // that the code needs (ExecutorInfo::features)
  std::vector<LayerNote> notes;
  /// By function with more than one layer, their names, in the order of the numbers by which the
  /// code marks their ends (VtaHostContext::mark).
  std::map<std::string, std::vector<std::string>> layers;

  void addObjects(std::vector<std::vector<std::byte>> objects);
  /// The blobs of kind kObject.
  std::vector<std::span<const std::byte>> objects() const;
};

/// Compiles functions over the graph dialect. Stateless: all methods may be called from several
/// threads.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Unique, short and in lower case: "cpu". Reports say by this name where an operator runs.
  virtual std::string_view name() const = 0;

  /// Who runs its code: the CPU, or an executor that modules get for it. Back ends whose executors
  /// have one name share it. Its traits say whether the code is functions or programs.
  virtual ExecutorInfo executor() const { return cpuExecutor(); }

  /// Whether only compilations that name it use it: not every machine has what runs its code.
  virtual bool isOptional() const { return false; }

  /// The memory that the executor's tensors lie in.
  virtual MemoryTraits memory() const { return hostMemory(); }

  /// Makes one program of neighbours, if the executor's traits say that it links them; else null.
  virtual const compiler::NeighbourLinker* linker() const { return nullptr; }

  /// Ok if it can compile with these options. Errors: an unknown target, with the known ones.
  virtual Status checkOptions(const CodeOptions& /*options*/) const { return {}; }

  /// Ok if it can run `op`, which is of the graph dialect; otherwise kUnsupported with the reason
  /// as a phrase: "its input is a tensor of complex numbers".
  virtual Status canRun(mlir::Operation* op) const = 0;

  /// The time that `op`, which it can run, takes in the unit of compiler/codegen/costs.h.
  virtual int64_t cost(mlir::Operation* op) const = 0;

  /// What a step on its executor takes besides its operators.
  virtual int64_t costPerStep() const { return kCostPerStep; }

  /// What moving tensors to and from the executor's memory takes, as far as it knows. For memories
  /// between which nobody knows a way, tensors go through that of the first back end.
  virtual std::vector<Transfer> transfers() const { return {}; }

  /// Compiles every public function of `module`, for an executor of functions to a VtaHostFunction
  /// (module/host_abi.h) of the same name, for one of programs to a program whose buffers are the
  /// function's inputs, constants and results. Functions take and return tensors of static shapes,
  /// and consist of graph, linalg, tensor and arith ops and calls of private functions. `module` is
  /// consumed: its contents are undefined afterwards. Undefined symbols of objects are at most
  /// those of libc and libm. Errors: an op without a lowering (its name and location), an unknown
  /// target.
  virtual Result<CompiledCode> compile(mlir::ModuleOp module, const CodeOptions& options) const = 0;
};

/// Makes `backend`, which outlives its registration, known to this process. A second one of the
/// same name is ignored. The first one registered gets what no other one is better at; optional
/// ones come behind the others.
void registerBackend(const Backend& backend);
void unregisterBackend(const Backend& backend);

/// All that are registered, in the order in which they were, optional ones last.
std::vector<const Backend*> registeredBackends();

/// Those of them that are not optional, or are called `chosen`.
std::vector<const Backend*> usedBackends(std::string_view chosen);

/// Null if none of this name is registered.
const Backend* findBackend(std::string_view name);

/// The first one registered. Error: there is none.
Result<const Backend*> defaultBackend();

}  // namespace vta::codegen
