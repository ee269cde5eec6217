#include "compiler/vta/programs/choose_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/closest_name.h"
#include "compiler/common/kernel_node.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/tile/tile_check.h"
#include "compiler/tile/tile_lowering.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/lower/kernel_program.h"
#include "compiler/vta/programs/tile_operand.h"
#include "isa/program/program.h"
#include "isa/spec/narrow_weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {
namespace {

using mlir::func::CallOp;
using mlir::func::FuncOp;

struct KernelNode {
  CallOp call;
  FuncOp function;
  std::string kernel;  // its name
};

std::vector<KernelNode> kernelNodes(mlir::ModuleOp module) {
  std::vector<KernelNode> nodes;
  auto main = module.lookupSymbol<FuncOp>("main");
  if (!main) return nodes;
  for (CallOp call : main.getOps<CallOp>()) {
    auto function = module.lookupSymbol<FuncOp>(call.getCallee());
    if (!function) continue;
    const auto name = function->getAttrOfType<mlir::StringAttr>(kKernelNodeAttr);
    if (name) nodes.push_back({call, function, name.str()});
  }
  return nodes;
}

void inlineNode(KernelNode& node) {
  mlir::OpBuilder builder(node.call);
  mlir::IRMapping mapping;
  mlir::Block& body = node.function.getBody().front();
  mapping.map(body.getArguments(), node.call.getOperands());
  for (mlir::Operation& op : body.without_terminator()) builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(node.call.getResults(), body.getTerminator()->getOperands())) {
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  }
  node.call.erase();
  node.function.erase();
}

/// Functions of nodes that were inlined while the model was imported.
void eraseUnusedNodes(mlir::ModuleOp module) {
  for (auto function : llvm::make_early_inc_range(module.getOps<FuncOp>())) {
    if (!function->hasAttr(kKernelNodeAttr)) continue;
    if (mlir::SymbolTable::symbolKnownUseEmpty(function, module)) function.erase();
  }
}

std::string tensorsText(mlir::TypeRange types) {
  std::vector<std::string> texts;
  for (const mlir::Type type : types) {
    const auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    std::string element;
    llvm::raw_string_ostream(element) << tensor.getElementType();
    texts.push_back(fmt::format("{} [{}]", element, fmt::join(tensor.getShape(), ", ")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The model's types of the kernel's inputs and outputs.
mlir::FunctionType kernelType(const tile::TileProgram& program, const HwConfig& hw,
                              mlir::MLIRContext* context) {
  llvm::SmallVector<mlir::Type> inputs, outputs;
  for (const tile::TensorDecl& tensor : program.tensors) {
    if (!tensor.contents.empty()) continue;
    const bool is_output = tensor.memory == MemoryType::kOut;
    (is_output ? outputs : inputs).push_back(tileOperand(tensor, hw).plainType(context));
  }
  return mlir::FunctionType::get(context, inputs, outputs);
}

/// Weights with fewer than 8 bits are packed here: they have to be there, and to fit.
Status checkWeightBits(const tile::TileProgram& program, CallOp call, const HwConfig& hw) {
  unsigned input = 0;
  for (const tile::TensorDecl& tensor : program.tensors) {
    if (!tensor.contents.empty() || tensor.memory == MemoryType::kOut) continue;
    const mlir::Value value = call.getOperand(input++);
    if (tileOperand(tensor, hw).narrow_bits == 0) continue;
    const auto weights = readBytes(value);
    const auto [least, most] = weightRange(hw.params().wgt_width_bits);
    if (!weights) {
      return unsupported(fmt::format("'{}' has {} bits on {} and has to be a constant", tensor.name,
                                     hw.params().wgt_width_bits, hw.name()));
    }
    for (const int8_t weight : *weights) {
      if (weight >= least && weight <= most) continue;
      return unsupported(fmt::format("'{}' has the weight {}, and the {} bits of {} hold {} to {}",
                                     tensor.name, weight, hw.params().wgt_width_bits, hw.name(),
                                     least, most));
    }
  }
  return {};
}

/// The kernel's program for the node. The error says why it does not fit.
Result<Program> programFor(const tile::TileKernel& kernel, KernelNode& node, const HwConfig& hw) {
  const auto sizes = tile::ElementSizes::of(hw);
  if (kernel.elements != sizes) {
    const auto text = [](const tile::ElementSizes& one) {
      return fmt::format("batch {}, block_in {}, block_out {}", one.batch, one.block_in,
                         one.block_out);
    };
    return unsupported(
        fmt::format("it is for elements of {}, and {} has {}: compile the kernel with hw=\"{}\"",
                    text(kernel.elements), hw.name(), text(sizes), hw.name()));
  }
  VTA_RETURN_IF_ERROR(tile::checkTiles(kernel.program, hw));
  const mlir::FunctionType takes = kernelType(kernel.program, hw, node.function.getContext());
  const mlir::FunctionType has = node.function.getFunctionType();
  if (takes != has) {
    return unsupported(fmt::format(
        "it takes {} and gives {}, and the node has {} and {}: compile the kernel for these sizes",
        tensorsText(takes.getInputs()), tensorsText(takes.getResults()),
        tensorsText(has.getInputs()), tensorsText(has.getResults())));
  }
  VTA_RETURN_IF_ERROR(checkWeightBits(kernel.program, node.call, hw));
  return tile::lowerTiles(kernel.program, hw);
}

/// Why no kernel computes the node; nothing if one does.
Status choose(KernelNode& node, const HwConfig& hw, std::span<const tile::TileKernel> kernels) {
  std::vector<std::string> reasons;
  std::set<std::string> names;
  for (const tile::TileKernel& kernel : kernels) {
    names.insert(kernel.program.name);
    if (kernel.program.name != node.kernel) continue;
    const auto program = programFor(kernel, node, hw);
    if (!program.ok()) {
      reasons.push_back(program.status().message());
      continue;
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(*program, hw));
    mlir::MLIRContext* const context = node.function.getContext();
    const std::string text = tile::kernelsToYaml(std::span(&kernel, 1));
    node.function->setAttr(kTileKernelAttr, mlir::StringAttr::get(context, text));
    node.function->setAttr(kProgramAttr, programAttribute(context, node.kernel, bytes));
    return {};
  }
  if (reasons.empty() && kernels.empty()) {
    return unsupported(fmt::format("give the file of kernel '{}' with --kernels", node.kernel));
  }
  if (reasons.empty()) {
    return unsupported(fmt::format("--kernels has no kernel '{}'{}", node.kernel,
                                   suggestion(node.kernel, namesOf(names))));
  }
  constexpr size_t kShown = 3;
  const auto shown = std::span(reasons).first(std::min(kShown, reasons.size()));
  return unsupported(
      fmt::format("kernel '{}' does not fit: {}", node.kernel, fmt::join(shown, "; or ")));
}

}  // namespace

void inlineKernelNodes(mlir::ModuleOp module) {
  for (KernelNode& node : kernelNodes(module)) inlineNode(node);
  eraseUnusedNodes(module);
}

Status chooseTileKernels(mlir::ModuleOp module, const HwConfig& hw,
                         std::span<const tile::TileKernel> kernels, bool required,
                         std::vector<std::string>& warnings) {
  for (KernelNode& node : kernelNodes(module)) {
    const std::string layer = layerName(node.call);
    const Status chosen = choose(node, hw, kernels);
    if (chosen.ok()) continue;
    if (required) {
      return unsupported(
          fmt::format("layer '{}' cannot run on the VTA: {}", layer, chosen.message()));
    }
    warnings.push_back(fmt::format("layer '{}' is computed by its function, not by a kernel: {}",
                                   layer, chosen.message()));
    inlineNode(node);
  }
  eraseUnusedNodes(module);
  return {};
}

}  // namespace vta::compiler
