#include "host_gpu/backend/known_programs.h"

#include <fmt/format.h>

#include <string>

#include "compiler/dialects/graph/graph.h"
#include "host_gpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace vta::codegen {
namespace {

/// Of a public function, as the back end compiles it.
Result<GpuProgram> programOf(const std::string& text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  const auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) return internalError("a program to measure a GPU with does not parse");
  VTA_ASSIGN_OR_RETURN(const CompiledCode code, gpuBackend().compile(*module, {}));
  return parseGpuProgram(code.blobs.front().bytes);
}

}  // namespace

Result<GpuProgram> productProgram(int64_t rows) {
  const std::string type = fmt::format("tensor<{0}x{0}xf32>", rows);
  return programOf(
      fmt::format("func.func @f(%a: {0}, %b: {0}) -> {0} {{\n"
                  "%y = graph.matmul %a, %b : ({0}, {0}) -> {0}\n"
                  "return %y : {0}\n}}\n",
                  type));
}

Result<GpuProgram> doublingProgram(int64_t elems) {
  const std::string type = fmt::format("tensor<{}xf32>", elems);
  return programOf(
      fmt::format("func.func @f(%a: {0}) -> {0} {{\n"
                  "%y = graph.binary add %a, %a : ({0}, {0}) -> {0}\n"
                  "return %y : {0}\n}}\n",
                  type));
}

}  // namespace vta::codegen
