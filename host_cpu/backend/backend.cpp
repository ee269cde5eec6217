#include "host_cpu/backend/backend.h"

#include "compiler/codegen/llvm/emit_object.h"
#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "host_cpu/backend/options.h"
#include "host_cpu/backend/passes.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "module/operators/operator_libraries.h"

namespace vta::codegen {
namespace {

/// A machine needs the libraries of operators that are called.
void addOwnOperators(mlir::ModuleOp module, std::vector<std::string>& features) {
  module.walk([&](graph::OwnOp op) {
    std::string feature = featureOfOperator(op.getDomain().str(), op.getOperatorName().str());
    if (!llvm::is_contained(features, feature)) features.push_back(std::move(feature));
  });
}

class CpuBackend : public Backend {
 public:
  std::string_view name() const override { return kCpuBackend; }

  Status canRun(mlir::Operation* op) const override {
    llvm::SmallVector<mlir::Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (const mlir::Type type : types) {
      const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
      if (tensor && tensor.hasStaticShape() && graph::dtypeOf(tensor.getElementType())) continue;
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return unsupported("a value is a " + text + ", not a static tensor of numbers");
    }
    return {};
  }

  Status checkOptions(const CodeOptions& options) const override {
    return createTargetMachine(options.target).status();
  }

  int64_t cost(mlir::Operation* op) const override {
    return operatorCost(graph::countMacs(op), graph::countResultElems(op),
                        graph::isDataMovement(op));
  }

  Result<CompiledCode> compile(mlir::ModuleOp module, const CodeOptions& options) const override {
    VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                         createTargetMachine(options.target, options.quality));
    loadCodegenDialects(*module.getContext());
    CompiledCode code;
    code.features = cpuFeatures(*machine);
    addOwnOperators(module, code.features);
    compiler::DiagnosticCollector diagnostics(module.getContext());
    mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
    buildCpuPipeline(manager, cpuTraits(*machine), options, &code);
    // Verified once, not after each of thirty passes: that took a fifth of their time.
    manager.enableVerifier(false);
    if (mlir::failed(manager.run(module)) || mlir::failed(mlir::verify(module))) {
      return unsupported("CPU code generation: " + diagnostics.take());
    }
    VTA_ASSIGN_OR_RETURN(auto objects,
                         emitObjects(module, *machine, options, ObjectCache(options.cache_folder)));
    code.addObjects(std::move(objects));
    return code;
  }
};

}  // namespace

const Backend& cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace vta::codegen

// What the CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_backend_host_cpu;
const bool vta_backend_host_cpu = (vta::codegen::registerBackend(vta::codegen::cpuBackend()), true);
}
