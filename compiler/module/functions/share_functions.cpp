#include "compiler/module/functions/share_functions.h"

#include <map>
#include <string>
#include <vector>

#include "compiler/dialects/vta/vta.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"

namespace vta::compiler {
namespace {

using mlir::OperationEquivalence;
using mlir::func::FuncOp;

/// Equal for functions that do the same, whatever their operands are called.
llvm::hash_code hashOf(FuncOp function) {
  llvm::hash_code hash = mlir::hash_value(function.getFunctionType());
  for (mlir::Operation& op : function.getBody().getOps()) {
    const llvm::hash_code next = OperationEquivalence::computeHash(
        &op, OperationEquivalence::ignoreHashValue, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    hash = llvm::hash_combine(hash, next);
  }
  return hash;
}

bool doTheSame(FuncOp a, FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a->getDiscardableAttrDictionary() == b->getDiscardableAttrDictionary() &&
         a.getArgAttrsAttr() == b.getArgAttrsAttr() && a.getResAttrsAttr() == b.getResAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// By the name of each function that is to go, the one that takes its place.
using Replacements = llvm::StringMap<FuncOp>;

Replacements findRepeated(mlir::ModuleOp module, FuncOp main) {
  std::map<size_t, std::vector<FuncOp>> seen;
  Replacements replacements;
  for (auto function : module.getOps<FuncOp>()) {
    if (function == main || function.isExternal()) continue;
    std::vector<FuncOp>& alike = seen[hashOf(function)];
    const auto first =
        llvm::find_if(alike, [&](FuncOp other) { return doTheSame(other, function); });
    if (first == alike.end()) {
      alike.push_back(function);
    } else {
      replacements[function.getSymName()] = *first;
    }
  }
  return replacements;
}

}  // namespace

void shareFunctions(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<FuncOp>("main");
  if (!main) return;
  const Replacements replacements = findRepeated(module, main);
  if (replacements.empty()) return;
  module.walk([&](mlir::func::CallOp call) {
    const auto found = replacements.find(call.getCallee());
    if (found != replacements.end()) call.setCallee(FuncOp(found->second).getSymName());
  });
  const auto share_reference = [&](auto op) {
    const auto found = replacements.find(op.getReference());
    if (found != replacements.end()) op.setReference(FuncOp(found->second).getSymName());
  };
  module.walk([&](KernelOp kernel) { share_reference(kernel); });
  module.walk([&](ChainOp chain) { share_reference(chain); });
  module.walk([&](ProgramOp program) { share_reference(program); });
  for (auto function : llvm::make_early_inc_range(module.getOps<FuncOp>())) {
    if (replacements.contains(function.getSymName())) function.erase();
  }
}

void prefixFunctions(mlir::ModuleOp module, const std::string& prefix) {
  std::map<std::string, std::string> names;
  for (auto function : module.getOps<FuncOp>()) {
    const std::string name = function.getSymName().str();
    if (name == "main" || function.isExternal()) continue;
    names[name] = prefix + name;
    function.setSymName(prefix + name);
  }
  const auto rename_reference = [&](auto op) {
    const auto found = names.find(op.getReference().str());
    if (found != names.end()) op.setReference(found->second);
  };
  module.walk([&](mlir::func::CallOp call) {
    const auto found = names.find(call.getCallee().str());
    if (found != names.end()) call.setCallee(found->second);
  });
  module.walk([&](KernelOp kernel) { rename_reference(kernel); });
  module.walk([&](ChainOp chain) { rename_reference(chain); });
  module.walk([&](ProgramOp program) { rename_reference(program); });
}

}  // namespace vta::compiler
