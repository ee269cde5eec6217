// gpu-store-halves: tensors between ops as 16-bit floats; what computes has 32 bits.
#include <optional>

#include "base/tensor.h"
#include "compiler/dialects/graph/element_type.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUSTOREHALVESPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

bool isTensorOf(Value value, bool (*is_element)(Type)) {
  const auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && is_element(type.getElementType());
}
bool isSingle(Value value) {
  return isTensorOf(value, [](Type type) { return type.isF32(); });
}
bool isHalf(Value value) {
  return isTensorOf(value, [](Type type) { return type.isF16(); });
}

bool hasParallelLoopsOnly(Operation* op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumParallelLoops() == generic.getNumLoops();
}

bool movesOnly(Operation* op) {
  return isa<tensor::PadOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(
      op);
}

/// Goes through a function in order: what is stored becomes f16, and each op adapts itself to what
/// its operands have become.
class HalfStore {
 public:
  explicit HalfStore(func::FuncOp function) : function_(function) {}

  void run() {
    for (const BlockArgument argument : function_.getArguments()) {
      if (isSingle(argument)) castForOthers(argument, &function_.front().front());
    }
    for (Operation& op : llvm::make_early_inc_range(function_.front())) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        shrinkConstant(constant);
      } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        adaptGeneric(generic);
      } else if (movesOnly(&op)) {
        adaptMove(&op);
      } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
        adaptInsert(insert);
      } else {
        widenOperands(&op);
      }
    }
  }

 private:
  static RankedTensorType withElement(Value value, Type element) {
    return cast<RankedTensorType>(cast<RankedTensorType>(value.getType()).clone(element));
  }
  static Type half(Value value) { return Float16Type::get(value.getContext()); }
  static Type single(Value value) { return Float32Type::get(value.getContext()); }

  /// `value` as a tensor of `element`, by an op of its own in front of `at`.
  static Value castTensor(Value value, Type element, Operation* at) {
    ImplicitLocOpBuilder b(value.getLoc(), at);
    const RankedTensorType type = withElement(value, element);
    const auto rank = static_cast<unsigned>(type.getRank());
    const Value empty = b.create<tensor::EmptyOp>(type.getShape(), element);
    const SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
    const SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    return b
        .create<linalg::GenericOp>(type, ValueRange{value}, ValueRange{empty}, maps, loops,
                                   [&](OpBuilder& inner, Location loc, ValueRange arguments) {
                                     Value cast = arguments[0];
                                     if (element.isF16()) {
                                       cast = inner.create<arith::TruncFOp>(loc, element, cast);
                                     } else {
                                       cast = inner.create<arith::ExtFOp>(loc, element, cast);
                                     }
                                     inner.create<linalg::YieldOp>(loc, cast);
                                   })
        .getResult(0);
  }

  /// Those that sum, or move, take a copy of `value` in f16; what is element by element goes on
  /// with all digits.
  static void castForOthers(Value value, Operation* at) {
    SmallVector<OpOperand*> uses;
    for (OpOperand& use : value.getUses()) {
      Operation* user = use.getOwner();
      auto generic = dyn_cast<linalg::GenericOp>(user);
      const bool sums = generic && !hasParallelLoopsOnly(user) && generic.isDpsInput(&use);
      if (sums || movesOnly(user)) uses.push_back(&use);
    }
    if (uses.empty()) return;
    const Value cast = castTensor(value, half(value), at);
    for (OpOperand* use : uses) use->set(cast);
  }

  /// Weights and tables. Factors and summands of elements keep their digits: they are few.
  static void shrinkConstant(arith::ConstantOp constant) {
    if (!isSingle(constant)) return;
    const bool is_stored = llvm::all_of(constant->getUses(), [](OpOperand& use) {
      auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (generic) return !hasParallelLoopsOnly(generic) && generic.isDpsInput(&use);
      return movesOnly(use.getOwner()) || isa<tensor::ExtractOp>(use.getOwner());
    });
    if (!is_stored) return;
    const std::optional<Tensor> tensor = graph::tensorOf(cast<ElementsAttr>(constant.getValue()));
    if (!tensor || tensor->data.empty()) return;
    const Tensor halves = toFloatType(*tensor, DType::kF16);
    const RankedTensorType type = withElement(constant, half(constant));
    constant.setValueAttr(DenseElementsAttr::getFromRawBuffer(
        type, {reinterpret_cast<const char*>(halves.data.data()), halves.data.size()}));
    constant.getResult().setType(type);
  }

  void adaptGeneric(linalg::GenericOp op) {
    widenInits(op);
    widenCaptured(op);
    for (OpOperand* input : op.getDpsInputOperands()) {
      if (!isHalf(input->get())) continue;
      BlockArgument argument = op.getMatchingBlockArgument(input);
      if (argument.getType().isF16()) continue;
      argument.setType(half(argument));
      auto b = OpBuilder::atBlockBegin(op.getBody());
      auto wide = b.create<arith::ExtFOp>(op.getLoc(), b.getF32Type(), argument);
      argument.replaceAllUsesExcept(wide, wide);
    }
    for (const OpResult result : op.getResults()) {
      if (!isSingle(result)) continue;
      if (hasParallelLoopsOnly(op) && isStored(op, result)) {
        storeResult(op, result.getResultNumber());
      } else if (!hasParallelLoopsOnly(op)) {
        castForOthers(result, op->getNextNode());
      }
    }
  }

  /// Whether it is neither what a sum begins with nor a result of the function.
  static bool isStored(linalg::GenericOp op, OpResult result) {
    OpOperand* init = op.getDpsInitOperand(result.getResultNumber());
    if (op.payloadUsesValueFromOperand(init)) return false;
    return llvm::none_of(result.getUses(), [](OpOperand& use) {
      auto destination = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      const bool is_init =
          destination && destination.isDpsInit(&use) && !isa<tensor::InsertSliceOp>(use.getOwner());
      return is_init || isa<func::ReturnOp>(use.getOwner());
    });
  }

  static void storeResult(linalg::GenericOp op, unsigned number) {
    OpOperand* init = op.getDpsInitOperand(number);
    ImplicitLocOpBuilder b(op.getLoc(), op);
    const RankedTensorType type = withElement(init->get(), b.getF16Type());
    init->set(b.create<tensor::EmptyOp>(type.getShape(), type.getElementType()));
    op.getMatchingBlockArgument(init).setType(b.getF16Type());
    op->getResult(number).setType(type);
    Operation* yield = op.getBody()->getTerminator();
    b.setInsertionPoint(yield);
    yield->setOperand(number, b.create<arith::TruncFOp>(b.getF16Type(), yield->getOperand(number)));
  }

  static void adaptMove(Operation* op) {
    if (!isHalf(op->getOperand(0)) || isHalf(op->getResult(0))) return;
    op->getResult(0).setType(withElement(op->getResult(0), half(op->getResult(0))));
    auto pad = dyn_cast<tensor::PadOp>(op);
    if (!pad) return;
    Operation* yield = pad.getBody()->getTerminator();
    OpBuilder b(yield);
    yield->setOperand(
        0, b.create<arith::TruncFOp>(op->getLoc(), b.getF16Type(), yield->getOperand(0)));
  }

  /// Parts of one tensor: they are of one type.
  static void adaptInsert(tensor::InsertSliceOp op) {
    if (!isHalf(op.getSource()) && !isHalf(op.getDest())) return;
    if (isSingle(op.getSource())) {
      op.getSourceMutable().set(castTensor(op.getSource(), half(op.getSource()), op));
    }
    if (isSingle(op.getDest())) {
      auto empty = op.getDest().getDefiningOp<tensor::EmptyOp>();
      ImplicitLocOpBuilder b(op.getLoc(), op);
      op.getDestMutable().set(
          empty ? b.create<tensor::EmptyOp>(empty.getType().getShape(), b.getF16Type()).getResult()
                : castTensor(op.getDest(), half(op.getDest()), op));
    }
    op.getResult().setType(op.getDest().getType());
  }

  static void widenInits(linalg::GenericOp op) {
    for (OpOperand& init : op.getDpsInitsMutable()) {
      const bool is_made_narrow =
          op->getResult(init.getOperandNumber() - op.getNumDpsInputs()).getType() ==
          init.get().getType();
      if (isHalf(init.get()) && !is_made_narrow) {
        init.set(castTensor(init.get(), single(init.get()), op));
      }
    }
  }

  /// What bodies read at places that they compute.
  static void widenCaptured(Operation* op) {
    SmallVector<OpOperand*> uses;
    for (Region& region : op->getRegions()) {
      region.walk([&](Operation* inside) {
        for (OpOperand& operand : inside->getOpOperands()) {
          if (isHalf(operand.get())) uses.push_back(&operand);
        }
      });
    }
    for (OpOperand* use : uses) {
      auto extract = dyn_cast<tensor::ExtractOp>(use->getOwner());
      if (!extract) {
        use->set(castTensor(use->get(), single(use->get()), op));
      } else if (!extract.getType().isF16()) {
        extract.getResult().setType(half(extract));
        OpBuilder b(extract->getContext());
        b.setInsertionPointAfter(extract);
        auto wide = b.create<arith::ExtFOp>(extract.getLoc(), b.getF32Type(), extract.getResult());
        extract.getResult().replaceAllUsesExcept(wide, wide);
      }
    }
  }

  /// For ops that are none of the above.
  static void widenOperands(Operation* op) {
    if (isa<tensor::EmptyOp>(op)) return;
    widenCaptured(op);
    for (OpOperand& operand : op->getOpOperands()) {
      if (isHalf(operand.get())) operand.set(castTensor(operand.get(), single(operand.get()), op));
    }
  }

  func::FuncOp function_;
};

class GpuStoreHalvesPass : public impl::GpuStoreHalvesPassBase<GpuStoreHalvesPass> {
 public:
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op.getOperation())) named.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isExternal()) HalfStore(function).run();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
