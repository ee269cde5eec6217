// vta-place-programs: calls of what tile kernels compute become programs on packed tensors.
#include <string>
#include <vector>

#include "compiler/common/kernel_node.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/tile/file/kernel_file.h"
#include "compiler/vta/common/call_pass.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/host/lower_packing.h"
#include "compiler/vta/passes.h"
#include "compiler/vta/programs/tile_operand.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

#define GEN_PASS_DEF_PLACEPROGRAMSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::Value;
using mlir::func::CallOp;
using mlir::func::FuncOp;

/// Turns vta.pack and vta.unpack of a function into graph ops, as the host computes them.
void lowerPacking(FuncOp function) {
  for (mlir::Operation& op : llvm::make_early_inc_range(function.getBody().front())) {
    mlir::OpBuilder builder(&op);
    Value lowered;
    if (auto pack = mlir::dyn_cast<PackOp>(op)) lowered = lowerPack(pack, pack.getInput(), builder);
    if (auto unpack = mlir::dyn_cast<UnpackOp>(op)) {
      lowered = lowerUnpack(unpack, unpack.getInput(), builder);
    }
    if (!lowered) continue;
    op.getResult(0).replaceAllUsesWith(lowered);
    op.erase();
  }
}

/// One call.
class ProgramPlacer {
 public:
  ProgramPlacer(CallOp call, FuncOp function, const tile::TileProgram& kernel, const HwConfig& hw)
      : call_(call), function_(function), builder_(call), loc_(call.getLoc()) {
    for (const tile::TensorDecl& tensor : kernel.tensors) {
      const bool is_output = tensor.memory == MemoryType::kOut;
      (is_output ? outputs_ : inputs_).push_back({&tensor, tileOperand(tensor, hw)});
    }
  }

  void run(mlir::SymbolTable& symbols) {
    llvm::SmallVector<Value> operands;
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<llvm::StringRef> buffers;
    unsigned argument = 0;
    for (const Tensor& input : inputs_) {
      const bool is_own = !input.decl->contents.empty();
      operands.push_back(
          is_own ? ownConstant(builder_, loc_, *input.decl, input.operand)
                 : packOperand(builder_, loc_, call_.getOperand(argument++), input.operand));
      buffers.push_back(input.decl->name);
    }
    for (const Tensor& output : outputs_) {
      types.push_back(mlir::RankedTensorType::get(output.operand.packed, builder_.getI8Type()));
      buffers.push_back(output.decl->name);
    }
    const FuncOp reference = buildReference(operands, types);
    symbols.insert(reference);
    const auto program = function_->getAttrOfType<mlir::DenseI8ResourceElementsAttr>(kProgramAttr);
    auto placed = builder_.create<ProgramOp>(
        loc_, types, mlir::FlatSymbolRefAttr::get(reference), operands,
        builder_.getStrArrayAttr(buffers), program, builder_.getStringAttr(layerName(call_)),
        function_->getAttrOfType<mlir::StringAttr>(kKernelNodeAttr),
        builder_.getI64IntegerAttr(macs()));
    for (auto [output, from, to] :
         llvm::zip_equal(outputs_, placed.getOutputs(), call_.getResults())) {
      to.replaceAllUsesWith(unpackOperand(builder_, loc_, from, output.operand));
    }
    call_.erase();
    symbols.erase(function_);
  }

 private:
  struct Tensor {
    const tile::TensorDecl* decl;
    TileOperand operand;
  };

  int64_t macs() {
    int64_t sum = 0;
    function_.walk([&](mlir::Operation* op) { sum += graph::countMacs(op); });
    return sum;
  }

  /// The node's function on packed tensors.
  FuncOp buildReference(llvm::ArrayRef<Value> operands, llvm::ArrayRef<mlir::Type> results) {
    const mlir::TypeRange inputs{mlir::ValueRange(operands)};
    auto reference = FuncOp::create(loc_, function_.getSymName().str() + "_ref",
                                    builder_.getFunctionType(inputs, results));
    reference.setPrivate();
    reference->setAttr(kReferenceAttr, builder_.getUnitAttr());
    mlir::Block* const body = reference.addEntryBlock();
    auto builder = mlir::OpBuilder::atBlockBegin(body);
    mlir::IRMapping mapping;
    mlir::Block& own = function_.getBody().front();
    unsigned argument = 0;
    for (const auto& [input, packed] : llvm::zip_equal(inputs_, body->getArguments())) {
      if (!input.decl->contents.empty()) continue;
      const Value to = own.getArgument(argument);
      const Value given = call_.getOperand(argument++);
      // Weights with fewer than 8 bits are constants, which the reference has as they were.
      const Value from = input.operand.narrow_bits > 0
                             ? builder.clone(*given.getDefiningOp())->getResult(0)
                             : unpackOperand(builder, loc_, packed, input.operand);
      mapping.map(to, from);
    }
    for (mlir::Operation& op : own.without_terminator()) builder.clone(op, mapping);
    llvm::SmallVector<Value> outputs;
    for (const auto& [output, value] :
         llvm::zip_equal(outputs_, own.getTerminator()->getOperands())) {
      outputs.push_back(packOperand(builder, loc_, mapping.lookupOrDefault(value), output.operand));
    }
    builder.create<mlir::func::ReturnOp>(loc_, outputs);
    lowerPacking(reference);
    return reference;
  }

  CallOp call_;
  FuncOp function_;
  mlir::OpBuilder builder_;
  mlir::Location loc_;
  std::vector<Tensor> inputs_, outputs_;
};

class PlaceProgramsPass : public CallPass<impl::PlaceProgramsPassBase<PlaceProgramsPass>> {
 public:
  using CallPass::CallPass;

  void runOnOperation() override {
    rewriteCalls([this](CallOp call, mlir::SymbolTable& symbols) -> mlir::LogicalResult {
      auto function = symbols.lookup<FuncOp>(call.getCallee());
      if (!function) return mlir::success();
      const auto text = function->getAttrOfType<mlir::StringAttr>(kTileKernelAttr);
      if (!text) return mlir::success();
      const auto kernels = tile::parseKernels(std::string_view(text.getValue()), kTileKernelAttr);
      if (!kernels.ok()) return call.emitError(kernels.status().message());
      ProgramPlacer(call, function, kernels->front().program, hw_).run(symbols);
      return mlir::success();
    });
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createPlaceProgramsPass(const HwConfig& hw) {
  return std::make_unique<PlaceProgramsPass>(hw);
}

}  // namespace vta::compiler
