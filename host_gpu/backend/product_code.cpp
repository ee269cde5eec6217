#include "host_gpu/backend/product_code.h"

#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "compiler/dialects/graph/element_type.h"
#include "host_gpu/backend/product_text.h"
#include "host_gpu/backend/program_builder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace vta::codegen {

using namespace mlir;

Result<ProductProgram> productProgram(const std::string& code,
                                      const std::optional<GemmSchedule>& schedule,
                                      const GpuKernelLimits& limits) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadCodegenDialects(context);
  compiler::DiagnosticCollector diagnostics(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(code, &context);
  auto function = module ? module->lookupSymbol<func::FuncOp>(kProductFunction) : func::FuncOp();
  if (!function) return invalidArgument("this is no code of a product: " + diagnostics.take());
  ProductProgram made;
  for (const Type type : function.getArgumentTypes().drop_front()) {
    const auto dtype = graph::dtypeOf(cast<MemRefType>(type).getElementType());
    if (!dtype) return invalidArgument("a product has elements that no tensor has");
    made.arguments.push_back(*dtype);
  }
  std::string problem;
  GpuOptions options;
  options.limits = limits;
  options.has_blocks = schedule.has_value();
  options.find_schedule = [&](const ProductLayer& layer) {
    problem = schedule ? brokenRule(layer.spec, *schedule, limits) : "";
    return schedule;
  };
  VTA_ASSIGN_OR_RETURN(BuiltGpuProgram built,
                       buildGpuProgram(function, options, limits.range_bytes));
  if (!problem.empty()) return invalidArgument("a schedule of a product: " + problem);
  if (schedule && built.tuned_products == 0) {
    return invalidArgument("a schedule of a product: it has no kernel of this tier");
  }
  made.program = std::move(built.program);
  return made;
}

}  // namespace vta::codegen
