// The code of a module's functions: each is compiled by its back end, for that one's executor.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/status.h"
#include "compiler/codegen/backend.h"
#include "compiler/launch/neighbour_linker.h"
#include "compiler/module/module_writer.h"
#include "compiler/module/step_list.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// While a module's IR is walked: which executors run its functions. Behind that: their code.
class FunctionCode {
 public:
  /// `steps` and `linkers` get the executors that functions need.
  FunctionCode(mlir::ModuleOp module, StepList& steps, Linkers& linkers)
      : module_(module), steps_(steps), linkers_(linkers) {}

  /// The back end of a function: the first one, if it says none. Errors: there is none, or none of
  /// the name.
  static Result<const codegen::Backend*> backendOf(mlir::func::FuncOp function);

  /// The executor that runs the code of `backend`.
  uint32_t executorOf(const codegen::Backend& backend);

  /// Finds the functions that do not run on the CPU. Errors: those of backendOf.
  Status findExecutors();
  /// The executor with memories of its own that runs `symbol`; kCpuExecutor: none does.
  uint32_t ownerOf(llvm::StringRef symbol) const;

  /// Has code made of `symbol`.
  void want(const std::string& symbol) { wanted_.insert(symbol); }

  /// Has host code made of `function`, which runs elsewhere, by the first back end. The number of
  /// the host function; -1: it cannot run that.
  Result<int32_t> wantReference(mlir::func::FuncOp function);

  /// Compiles what is wanted, and gives the steps code, constants, features and notes. The module
  /// is consumed.
  Status compile(const codegen::CodeOptions& options, ModuleContents& contents);

 private:
  Status compileWith(const codegen::Backend& backend, mlir::ModuleOp module,
                     const codegen::CodeOptions& options, ModuleContents& contents);
  Status addPrograms(const codegen::Backend& backend, const codegen::CompiledCode& code,
                     mlir::ArrayRef<std::string> functions, ModuleContents& contents);
  std::vector<uint32_t> addConstants(const codegen::CompiledCode& code, const std::string& symbol,
                                     uint32_t executor);

  mlir::ModuleOp module_;
  StepList& steps_;
  Linkers& linkers_;
  std::set<std::string> wanted_;
  std::set<std::string> references_;  // of what another back end compiles, too
  llvm::StringMap<uint32_t> owners_;  // by symbol
};

}  // namespace vta::compiler
