// A kind of executors that nothing of the SDK knows: it runs sums of floats in a memory of its own,
// by programs that are texts. What it takes to add a machine is in these two files.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/backend.h"
#include "compiler/launch/neighbour_linker.h"

namespace vta::codegen::testing {

class AdderMachine : public Backend, public compiler::NeighbourLinker {
 public:
  /// `name` is the back end's and its executor's.
  explicit AdderMachine(std::string name) : name_(std::move(name)) { registerBackend(*this); }
  ~AdderMachine() override { unregisterBackend(*this); }

  std::string_view name() const override { return name_; }
  ExecutorInfo executor() const override;
  MemoryTraits memory() const override { return {name_, 256}; }
  const NeighbourLinker* linker() const override { return this; }
  std::vector<Transfer> transfers() const override;
  Status canRun(mlir::Operation* op) const override;
  int64_t cost(mlir::Operation* op) const override;

  /// A line "add A B" for each sum: numbers of buffers, behind which the sums are numbered. Two
  /// variants: a sum at a time, and for target "wide" in words of four.
  Result<CompiledCode> compile(mlir::ModuleOp module, const CodeOptions& options) const override;

  /// One text behind the other.
  Result<compiler::LinkedCode> link(const ActionInfo& action, const ModuleInfo& info,
                                    std::span<const std::byte> programs) const override;

 private:
  std::string name_;
};

}  // namespace vta::codegen::testing
