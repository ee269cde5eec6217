#include "tests/host_cpu/host_test_support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace vta::codegen::testing {
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

Result<CompiledText> CompiledText::create(const std::string& text, const CodeOptions& options) {
  auto parsed = parse(text);
  if (!parsed->module) return invalidArgument(parsed->errors);
  CompiledText compiled;
  for (auto function : parsed->module->getOps<mlir::func::FuncOp>()) {
    std::vector<Tensor>& results = compiled.results_[function.getName().str()];
    for (mlir::Type type : function.getResultTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      results.push_back(
          Tensor::zeros(*graph::dtypeOf(tensor.getElementType()), tensor.getShape().vec()));
      // What the code does not write shows up as nonsense.
      std::fill(results.back().data.begin(), results.back().data.end(), std::byte{0xAB});
    }
  }
  VTA_ASSIGN_OR_RETURN(compiled.executable_,
                       Executable::create(*parsed->module, cpuBackend(), options));
  return compiled;
}

Result<std::vector<Tensor>> CompiledText::run(const std::string& function,
                                              const std::vector<Tensor>& inputs) {
  std::vector<Tensor> results = results_[function];
  std::vector<void*> arguments;
  for (const Tensor& input : inputs) {
    arguments.push_back(const_cast<std::byte*>(input.data.data()));
  }
  for (Tensor& result : results) arguments.push_back(result.data.data());
  VTA_RETURN_IF_ERROR(executable_->call(function, arguments));
  return results;
}

Result<std::vector<Tensor>> compileAndRun(const std::string& text,
                                          const std::vector<Tensor>& inputs,
                                          const CodeOptions& options) {
  VTA_ASSIGN_OR_RETURN(CompiledText compiled, CompiledText::create(text, options));
  return compiled.run("f", inputs);
}

Result<CompiledCode> compileText(const std::string& text, const CodeOptions& options) {
  auto parsed = parse(text);
  if (!parsed->module) return invalidArgument(parsed->errors);
  return cpuBackend().compile(*parsed->module, options);
}

std::vector<std::vector<std::byte>> objectsOf(const CompiledCode& code) {
  std::vector<std::vector<std::byte>> objects;
  for (const std::span<const std::byte> object : code.objects()) {
    objects.emplace_back(object.begin(), object.end());
  }
  return objects;
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

std::string mlirType(DType dtype, const std::vector<int64_t>& shape) {
  static const std::map<DType, const char*> kNames = {
      {DType::kF32, "f32"}, {DType::kF64, "f64"}, {DType::kI8, "i8"},   {DType::kU8, "ui8"},
      {DType::kI16, "i16"}, {DType::kI32, "i32"}, {DType::kI64, "i64"}, {DType::kBool, "i1"}};
  return fmt::format("tensor<{}{}{}>", fmt::join(shape, "x"), shape.empty() ? "" : "x",
                     kNames.at(dtype));
}

std::string mlirType(const Tensor& tensor) { return mlirType(tensor.dtype, tensor.shape); }

std::string mlirList(const std::vector<int64_t>& values) {
  return fmt::format("array<i64: {}>", fmt::join(values, ", "));
}

std::string mlirConstant(const Tensor& tensor) {
  std::string hex;
  for (std::byte byte : tensor.data) hex += fmt::format("{:02X}", std::to_integer<int>(byte));
  return fmt::format("dense<\"0x{}\"> : {}", hex, mlirType(tensor));
}

}  // namespace vta::codegen::testing
