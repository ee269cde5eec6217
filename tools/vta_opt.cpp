// vta-opt: runs the compiler's passes on .mlir files.
#include <cstdio>
#include <memory>
#include <string>

#include "compiler/registration.h"
#include "host_cpu/backend/passes.h"
#include "host_gpu/legalise/passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/mlir_tool/llvm_options.h"
#include "tools/mlir_tool/nesting.h"

namespace {

/// As MlirOptMain, for input that the parser's stack takes.
mlir::LogicalResult run(llvm::StringRef input, llvm::StringRef output,
                        mlir::DialectRegistry& registry, const mlir::MlirOptMainConfig& config) {
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &problem);
  const size_t nesting = file ? vta::tools::nestingOf(file->getBuffer()) : 0;
  if (nesting > vta::tools::kMostNesting) {
    problem =
        (input + ": brackets stand " + llvm::Twine(nesting) + " deep in each other; at most " +
         llvm::Twine(vta::tools::kMostNesting) + " are read")
            .str();
    file = nullptr;
  }
  std::unique_ptr<llvm::ToolOutputFile> result =
      file ? mlir::openOutputFile(output, &problem) : nullptr;
  if (!result) {
    llvm::errs() << problem << "\n";
    return mlir::failure();
  }
  if (mlir::failed(mlir::MlirOptMain(result->os(), std::move(file), registry, config))) {
    return mlir::failure();
  }
  result->keep();
  return mlir::success();
}

}  // namespace

int main(int argc, char** argv) {
  vta::tools::addLlvmDocuments("vta-opt", "Runs passes of the compiler on IR in text form.");
  mlir::DialectRegistry registry;
  vta::compiler::registerAllDialects(registry);
  registry.insert<mlir::spirv::SPIRVDialect>();  // products of four bytes in kernels
  vta::compiler::registerAllPasses();
  vta::codegen::registerHostCpu();
  vta::codegen::registerHostGpu();
  const auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "VTA compiler passes\n", registry);
  const mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects()) {
    return mlir::failed(mlir::MlirOptMain(argc, argv, input, output, registry));
  }
  const llvm::InitLLVM llvm(argc, argv);
  return mlir::failed(run(input, output, registry, config));
}
