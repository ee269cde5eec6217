#include "tests/compiler/vta/partition_runner.h"

#include <fmt/format.h>

#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/scalar_reference.h"
#include "compiler/registration.h"
#include "compiler/vta/passes.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

namespace vta::compiler {

namespace {

using mlir::Value;

Tensor zerosOf(mlir::Type type) {
  auto ranked = mlir::cast<mlir::RankedTensorType>(type);
  return Tensor::zeros(ranked.getElementType().isInteger(8) ? DType::kI8 : DType::kI32,
                       ranked.getShape().vec());
}

/// Owns the context, the parsed module and its compiled functions.
class Session {
 public:
  explicit Session(const std::string& text) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context_));
  }

  Status partition(const HwConfig& hw) {
    mlir::PassManager pm(&context_);
    buildPartitionPipeline(pm, hw);
    if (failed(pm.run(*module_))) return internalError("the partition pipeline failed");
    return {};
  }

  /// Compiles all functions, without @main if it holds kernels.
  Status compile(bool with_main) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module_->clone();
    for (auto function : llvm::make_early_inc_range(copy->getOps<mlir::func::FuncOp>())) {
      function.setPublic();
      if (!with_main && function.getName() == "main") function.erase();
    }
    VTA_ASSIGN_OR_RETURN(executable_,
                         codegen::Executable::create(*copy, codegen::cpuBackend(),
                                                     {.target = {}, .parallel = false}));
    return {};
  }

  Result<Tensor> callMain(const Tensor& input) {
    Tensor output = zerosOf(main().getResultTypes()[0]);
    Tensor copy = input;
    void* arguments[] = {copy.data.data(), output.data.data()};
    VTA_RETURN_IF_ERROR(executable_->call("main", arguments));
    return output;
  }

  Result<PartitionedRun> interpretMain(const Tensor& input, const HwConfig& hw) {
    PartitionedRun run;
    values_[main().getArgument(0)] = input;
    for (mlir::Operation& op : main().getBody().front()) {
      if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
        values_[constant] = *graph::tensorOf(mlir::cast<mlir::ElementsAttr>(constant.getValue()));
      } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
        ++run.num_host_calls;
        run.macs_on_host += call->getAttrOfType<mlir::IntegerAttr>(kMacsAttr).getInt();
        VTA_RETURN_IF_ERROR(callFunction(call.getCallee().str(), &op));
      } else if (auto kernel = mlir::dyn_cast<KernelOp>(op)) {
        ++run.num_kernels;
        run.macs_on_vta += static_cast<int64_t>(kernel.getMacs());
        VTA_RETURN_IF_ERROR(callFunction(kernel.getReference().str(), &op));
        VTA_RETURN_IF_ERROR(checkKernel(kernel, hw));
      } else if (auto concat = mlir::dyn_cast<ConcatOp>(op)) {
        Tensor& joined = values_[concat.getOutput()] = zerosOf(concat.getType());
        joined.data.clear();
        for (Value part : concat.getInputs()) {
          const std::vector<std::byte>& bytes = values_.at(part).data;
          joined.data.insert(joined.data.end(), bytes.begin(), bytes.end());
        }
      } else if (mlir::isa<mlir::func::ReturnOp>(op)) {
        run.output = values_.at(op.getOperand(0));
      } else {
        return internalError("@main holds " + op.getName().getStringRef().str());
      }
    }
    return run;
  }

 private:
  mlir::func::FuncOp main() { return module_->lookupSymbol<mlir::func::FuncOp>("main"); }

  Status callFunction(const std::string& name, mlir::Operation* op) {
    std::vector<void*> arguments;
    for (Value operand : op->getOperands()) arguments.push_back(values_.at(operand).data.data());
    for (Value result : op->getResults()) {
      values_[result] = zerosOf(result.getType());
      arguments.push_back(values_[result].data.data());
    }
    return executable_->call(name, arguments).withContext(name);
  }

  Status checkKernel(KernelOp op, const HwConfig& hw) {
    const kernel::KernelDesc& desc = op.getDesc().getValue();
    const auto bytes = [&](Value value) -> std::span<const int8_t> {
      if (!value) return {};
      return values_.at(value).as<int8_t>();
    };
    std::span<const int32_t> param;
    if (op.getParam()) param = values_.at(op.getParam()).as<int32_t>();
    const std::vector<int8_t> expected = kernel::runReference(
        desc, hw, bytes(op.getInput()), bytes(op.getWeight()), param, bytes(op.getResidual()));
    const auto actual = bytes(op.getOutput());
    if (std::equal(expected.begin(), expected.end(), actual.begin(), actual.end())) return {};
    return internalError("reference and description of '" + op.getReference().str() + "' differ");
  }

  struct ValueLess {
    bool operator()(Value a, Value b) const {
      return a.getAsOpaquePointer() < b.getAsOpaquePointer();
    }
  };

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::unique_ptr<codegen::Executable> executable_;
  std::map<Value, Tensor, ValueLess> values_;
};

}  // namespace

Result<Tensor> runWhole(const std::string& text, const Tensor& input) {
  Session session(text);
  VTA_RETURN_IF_ERROR(session.compile(true));
  return session.callMain(input);
}

Result<PartitionedRun> runPartitioned(const std::string& text, const HwConfig& hw,
                                      const Tensor& input) {
  Session session(text);
  VTA_RETURN_IF_ERROR(session.partition(hw));
  VTA_RETURN_IF_ERROR(session.compile(false));
  return session.interpretMain(input, hw);
}

}  // namespace vta::compiler
