#include "compiler/module/function_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "compiler/launch/launches.h"
#include "compiler/module/functions/function_layers.h"
#include "compiler/placement/backends.h"
#include "llvm/ADT/STLExtras.h"

namespace vta::compiler {

using codegen::Backend;
using codegen::CodeBlob;
using codegen::CompiledCode;
using mlir::func::FuncOp;

Result<const Backend*> FunctionCode::backendOf(FuncOp function) {
  const auto name = function->getAttrOfType<mlir::StringAttr>(placement::kBackendAttr);
  if (!name) return codegen::defaultBackend();
  const Backend* backend = codegen::findBackend(name.getValue());
  if (backend == nullptr) return internalError(fmt::format("no back end '{}'", name.str()));
  return backend;
}

uint32_t FunctionCode::executorOf(const Backend& backend) {
  const uint32_t executor = steps_.addExecutor(backend.executor(), backend.memory());
  if (backend.linker() != nullptr) linkers_[executor] = backend.linker();
  return executor;
}

Status FunctionCode::findExecutors() {
  for (auto function : module_.getOps<FuncOp>()) {
    if (!function->hasAttr(placement::kBackendAttr)) continue;
    VTA_ASSIGN_OR_RETURN(const Backend* backend, backendOf(function));
    const uint32_t executor = executorOf(*backend);
    if (steps_.runsPrograms(executor)) owners_[function.getSymName()] = executor;
  }
  return {};
}

uint32_t FunctionCode::ownerOf(llvm::StringRef symbol) const {
  const auto found = owners_.find(symbol);
  return found == owners_.end() ? kCpuExecutor : found->second;
}

Result<int32_t> FunctionCode::wantReference(FuncOp function) {
  VTA_ASSIGN_OR_RETURN(const Backend* first, codegen::defaultBackend());
  bool can_run = !steps_.runsPrograms(executorOf(*first));
  function.walk([&](mlir::Operation* op) {
    if (!mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect())) return;
    can_run = can_run && first->canRun(op).ok();
  });
  if (!can_run) return -1;
  const std::string symbol = function.getSymName().str();
  references_.insert(symbol);
  return static_cast<int32_t>(steps_.addFunction(symbol));
}

Status FunctionCode::compile(const codegen::CodeOptions& options, ModuleContents& contents) {
  if (wanted_.empty()) {
    for (auto function : llvm::make_early_inc_range(module_.getOps<FuncOp>())) function.erase();
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const Backend* first, codegen::defaultBackend());
  std::map<const Backend*, mlir::OwningOpRef<mlir::ModuleOp>> others;
  for (auto function : llvm::make_early_inc_range(module_.getOps<FuncOp>())) {
    const std::string symbol = function.getSymName().str();
    if (!wanted_.contains(symbol)) {
      if (function.isPublic()) function.erase();
      continue;
    }
    function.setPublic();
    VTA_ASSIGN_OR_RETURN(const Backend* backend, backendOf(function));
    if (backend == first) continue;
    mlir::OwningOpRef<mlir::ModuleOp>& part = others[backend];
    if (!part) part = mlir::ModuleOp::create(module_.getLoc());
    if (references_.contains(symbol)) {
      part->push_back(function.clone());
      continue;
    }
    function->remove();
    part->push_back(function);
  }
  // In the order of their registration.
  for (const Backend* backend : codegen::registeredBackends()) {
    const auto part = others.find(backend);
    if (part == others.end()) continue;
    VTA_RETURN_IF_ERROR(compileWith(*backend, *part->second, options, contents));
  }
  return compileWith(*first, module_, options, contents);
}

std::vector<uint32_t> FunctionCode::addConstants(const CompiledCode& code,
                                                 const std::string& symbol, uint32_t executor) {
  std::vector<uint32_t> tensors;
  const auto found = code.constants.find(symbol);
  if (found == code.constants.end()) return tensors;
  for (const Tensor& constant : found->second) {
    tensors.push_back(
        steps_.addConstant(symbol + ".constant", constant, steps_.constantsOf(executor)));
  }
  return tensors;
}

/// Gives the steps of `functions` the programs that `code` has for them.
Status FunctionCode::addPrograms(const Backend& backend, const CompiledCode& code,
                                 mlir::ArrayRef<std::string> functions, ModuleContents& contents) {
  std::map<std::string, std::vector<CodeVariant>> variants;
  for (const CodeBlob& blob : code.blobs) {
    if (blob.kind != CodeBlob::Kind::kProgram) continue;
    variants[blob.function].push_back(appendCode(blob.target, blob.bytes, contents.programs));
  }
  for (const std::string& symbol : functions) {
    if (variants[symbol].empty()) {
      return internalError(
          fmt::format("back end '{}' made no code of '{}'", backend.name(), symbol));
    }
    steps_.setCode(symbol, variants[symbol], addConstants(code, symbol, executorOf(backend)));
  }
  return {};
}

/// Compiles all functions of `module` and adds the constants that their code wants.
Status FunctionCode::compileWith(const Backend& backend, mlir::ModuleOp module,
                                 const codegen::CodeOptions& options, ModuleContents& contents) {
  if (module.getOps<FuncOp>().empty()) return {};
  std::vector<std::string> functions;
  for (auto function : module.getOps<FuncOp>()) {
    if (function.isPublic()) functions.push_back(function.getSymName().str());
  }
  LayersByFunction layers = layersOf(module);
  VTA_ASSIGN_OR_RETURN(CompiledCode code, backend.compile(module, options));
  const uint32_t executor = executorOf(backend);
  steps_.addFeatures(executor, code.features);
  if (steps_.runsPrograms(executor)) {
    VTA_RETURN_IF_ERROR(addPrograms(backend, code, functions, contents));
  } else {
    for (const auto& [symbol, constants] : code.constants) {
      steps_.insertArguments(symbol, addConstants(code, symbol, executor));
    }
  }
  for (CodeBlob& blob : code.blobs) {
    if (blob.kind == CodeBlob::Kind::kObject)
      contents.host_objects.push_back(std::move(blob.bytes));
  }
  for (const auto& [symbol, names] : code.layers) {
    std::vector<LayerPartInfo> parts;
    for (const std::string& name : names) {
      parts.push_back(layers[symbol][name]);
      parts.back().name = name;
    }
    steps_.addParts(executor, symbol, std::move(parts));
  }
  for (const codegen::LayerNote& note : code.notes) {
    steps_.addConvolution(executor, note.function, {note.layer, note.text});
  }
  return {};
}

}  // namespace vta::compiler
