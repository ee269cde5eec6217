#include "compiler/quantize/calibrate/activation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/dialects/graph/element_type.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

// A copy of `module` whose @main returns those of `values` that an op computes.
mlir::OwningOpRef<mlir::ModuleOp> instrument(mlir::ModuleOp module,
                                             const std::vector<Value>& values) {
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone(mapping)));
  auto main = copy->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::SmallVector<Value> results;
  llvm::SmallVector<mlir::Type> types;
  for (Value value : values) {
    if (!value || !value.getDefiningOp()) continue;
    results.push_back(mapping.lookup(value));
    types.push_back(value.getType());
  }
  main.getBody().front().getTerminator()->setOperands(results);
  main.removeResAttrsAttr();
  main.setType(mlir::FunctionType::get(main.getContext(), main.getArgumentTypes(), types));
  return copy;
}

std::string inputName(mlir::func::FuncOp main, unsigned index) {
  auto name = main.getArgAttrOfType<mlir::StringAttr>(index, "graph.name");
  return name ? name.str() : fmt::format("input {}", index);
}

std::string describeType(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(type.getShape(), stream, "x");
  stream << ' ' << type.getElementType();
  return text;
}

// Bytes of a tensor that back ends handle.
size_t bytesOf(RankedTensorType type) {
  const auto dtype = graph::dtypeOf(type.getElementType());
  return static_cast<size_t>(type.getNumElements()) * (dtype ? dtypeBytes(*dtype) : 0);
}

}  // namespace

Status checkSample(mlir::func::FuncOp main, const TensorMap& sample, size_t number) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const std::string name = inputName(main, i);
    const auto type = mlir::cast<RankedTensorType>(main.getArgument(i).getType());
    const auto found = sample.find(name);
    if (found == sample.end()) {
      return invalidArgument(
          fmt::format("calibration sample {} has no tensor for input '{}'", number, name));
    }
    if (found->second.shape != type.getShape().vec() ||
        found->second.sizeBytes() != bytesOf(type)) {
      return invalidArgument(
          fmt::format("calibration sample {}: input '{}' is {}, the model needs {}", number, name,
                      describe(found->second.dtype, found->second.shape), describeType(type)));
    }
  }
  return {};
}

void* ActivationRun::addBuffer(mlir::Type type) {
  buffers_.emplace_back(bytesOf(mlir::cast<RankedTensorType>(type)));
  pointers_.push_back(buffers_.back().data());
  return pointers_.back();
}

Result<ActivationRun> ActivationRun::create(mlir::ModuleOp module, const std::vector<Value>& values,
                                            const codegen::CodeOptions& options) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  ActivationRun run;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    run.inputs_.push_back(inputName(main, i));
    run.addBuffer(main.getArgument(i).getType());
  }
  for (Value value : values) {
    Place& place = run.results_.emplace_back();
    if (!value) continue;
    const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    place.pointer =
        argument ? run.pointers_[argument.getArgNumber()] : run.addBuffer(value.getType());
    place.elements =
        static_cast<size_t>(mlir::cast<RankedTensorType>(value.getType()).getNumElements());
  }
  if (llvm::is_contained(run.pointers_, nullptr)) {
    return Status(StatusCode::kResourceExhausted, "not enough memory for the activations");
  }
  VTA_ASSIGN_OR_RETURN(const codegen::Backend* backend, codegen::defaultBackend());
  VTA_ASSIGN_OR_RETURN(run.executable_,
                       codegen::Executable::create(*instrument(module, values), *backend, options));
  return run;
}

Status ActivationRun::run(const TensorMap& sample) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& tensor = sample.at(inputs_[i]);
    std::memcpy(pointers_[i], tensor.data.data(), tensor.sizeBytes());
  }
  return executable_->call("main", pointers_);
}

std::vector<double> inputReach(mlir::func::FuncOp main, const std::vector<TensorMap>& samples) {
  constexpr double kFurthest = 128.0 / 127;  // integers of scales for both signs
  std::vector<double> reach;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const auto type = mlir::cast<RankedTensorType>(main.getArgument(i).getType());
    const bool is_known = type.getElementType().isF32() && !samples.empty();
    double largest = is_known ? 0 : std::numeric_limits<double>::infinity();
    for (const TensorMap& sample : samples) {
      if (!is_known) break;
      for (const float value : sample.at(inputName(main, i)).as<float>()) {
        largest = std::max(largest, std::abs(static_cast<double>(value)) * kFurthest);
      }
    }
    reach.push_back(largest);
  }
  return reach;
}

}  // namespace vta::compiler
