#include "tests/host_cpu/host_test_support.h"

#include <random>

#include "compiler/dialects/graph/graph.h"
#include "host_cpu/constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace vta::host::testing {
namespace {

struct ParsedModule {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string errors;
};

std::unique_ptr<ParsedModule> parse(const std::string& text) {
  auto parsed = std::make_unique<ParsedModule>();
  mlir::MLIRContext& context = parsed->context;
  context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    parsed->errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  parsed->module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  return parsed;
}

template <typename T>
void fill(Tensor& tensor, std::mt19937& random, double low, double high) {
  for (T& value : tensor.as<T>()) {
    if constexpr (std::is_floating_point_v<T>) {
      value = std::uniform_real_distribution<T>(low, high)(random);
    } else {
      value = static_cast<T>(std::uniform_int_distribution<int64_t>(
          static_cast<int64_t>(low), static_cast<int64_t>(high))(random));
    }
  }
}

}  // namespace

Result<std::vector<Tensor>> compileAndRun(const std::string& text,
                                          const std::vector<Tensor>& inputs,
                                          const RunOptions& options) {
  auto parsed = parse(text);
  if (!parsed->module) return invalidArgument(parsed->errors);
  auto function = parsed->module->lookupSymbol<mlir::func::FuncOp>(options.function);
  std::vector<Tensor> results;
  for (mlir::Type type : function.getResultTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    results.push_back(Tensor::zeros(*dtypeOf(tensor.getElementType()), tensor.getShape().vec()));
    // What the code does not write shows up as nonsense.
    std::fill(results.back().data.begin(), results.back().data.end(), std::byte{0xAB});
  }
  VTA_ASSIGN_OR_RETURN(auto executable, HostExecutable::create(*parsed->module, options.host));
  std::vector<void*> arguments;
  for (const Tensor& input : inputs) {
    arguments.push_back(const_cast<std::byte*>(input.data.data()));
  }
  for (Tensor& result : results) arguments.push_back(result.data.data());
  VTA_RETURN_IF_ERROR(executable->call(options.function, arguments));
  return results;
}

Result<HostObject> compileText(const std::string& text, const HostOptions& options) {
  auto parsed = parse(text);
  if (!parsed->module) return invalidArgument(parsed->errors);
  return compileToObject(*parsed->module, options);
}

Tensor randomTensor(DType dtype, std::vector<int64_t> shape, unsigned seed, double low,
                    double high) {
  Tensor tensor = Tensor::zeros(dtype, std::move(shape));
  std::mt19937 random(seed);
  switch (dtype) {
    case DType::kF32:
      fill<float>(tensor, random, low, high);
      break;
    case DType::kI8:
      fill<int8_t>(tensor, random, low, high);
      break;
    case DType::kU8:
      fill<uint8_t>(tensor, random, low, high);
      break;
    case DType::kI32:
      fill<int32_t>(tensor, random, low, high);
      break;
    case DType::kI64:
      fill<int64_t>(tensor, random, low, high);
      break;
    case DType::kBool:
      fill<uint8_t>(tensor, random, 0, 1);
      break;
    default:
      break;
  }
  return tensor;
}

std::string mlirType(const Tensor& tensor) {
  std::string text = "tensor<";
  for (int64_t extent : tensor.shape) text += std::to_string(extent) + "x";
  switch (tensor.dtype) {
    case DType::kF32:
      return text + "f32>";
    case DType::kF64:
      return text + "f64>";
    case DType::kI8:
      return text + "i8>";
    case DType::kU8:
      return text + "ui8>";
    case DType::kI32:
      return text + "i32>";
    case DType::kI64:
      return text + "i64>";
    case DType::kBool:
      return text + "i1>";
    default:
      return text + "?>";
  }
}

}  // namespace vta::host::testing
