// host-cpu-mark-layers: the caller of a function learns when each of its layers has ended.
#include "compiler/codegen/host_context.h"
#include "compiler/codegen/passes.h"
#include "host_cpu/backend/passes.h"
#include "host_cpu/blocked/graph_queries.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_CPUMARKLAYERSPASS
#include "host_cpu/backend/passes.h.inc"

namespace {

using namespace mlir;

/// Calls and loops in a row that are of one layer.
struct Piece {
  std::string name;
  Operation* last;
};

std::vector<Piece> piecesOf(func::FuncOp function) {
  std::vector<Piece> pieces;
  for (Operation& op : function.getBody().front()) {
    if (!isa<func::CallOp, scf::ForOp, scf::ParallelOp>(op)) continue;
    const std::string name = blocked::layerName(op.getLoc());
    if (pieces.empty() ||
        (!name.empty() && !pieces.back().name.empty() && name != pieces.back().name)) {
      pieces.push_back({name, &op});
      continue;
    }
    pieces.back().last = &op;
    if (pieces.back().name.empty()) pieces.back().name = name;
  }
  return pieces;
}

void emitMark(Operation* behind, Value context, int64_t part) {
  ImplicitLocOpBuilder b(behind->getLoc(), behind->getContext());
  b.setInsertionPointAfter(behind);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value mark = loadHostField(b, context, HostField::kMark);
  Value number = b.create<LLVM::ConstantOp>(b.getI64Type(), b.getI64IntegerAttr(part));
  auto callee = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, b.getI64Type()});
  b.create<LLVM::CallOp>(callee, ValueRange{mark, context, number});
}

/// The names of the layers that are marked now; none if there are not several.
std::vector<std::string> markIn(func::FuncOp function) {
  const std::vector<Piece> pieces = piecesOf(function);
  std::vector<std::string> layers;
  for (const Piece& piece : pieces) {
    if (!llvm::is_contained(layers, piece.name)) layers.push_back(piece.name);
  }
  if (layers.size() < 2) return {};
  for (const Piece& piece : pieces) {
    emitMark(piece.last, function.getArgument(0), llvm::find(layers, piece.name) - layers.begin());
  }
  return layers;
}

class MarkLayersPass : public impl::CpuMarkLayersPassBase<MarkLayersPass> {
 public:
  MarkLayersPass() = default;
  explicit MarkLayersPass(CompiledCode* code) : code_(code) {}

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kEntryAttr)) continue;
      std::vector<std::string> layers = markIn(function);
      if (code_ == nullptr || layers.empty()) continue;
      code_->layers[function.getName().str()] = std::move(layers);
    }
  }

 private:
  CompiledCode* code_ = nullptr;
};

}  // namespace

std::unique_ptr<Pass> createCpuMarkLayersPass(CompiledCode* code) {
  return std::make_unique<MarkLayersPass>(code);
}

}  // namespace vta::codegen
