#include "host_gpu/kernels/gemm/gemm_epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {

using namespace mlir;

std::optional<EpilogueStep> matchEpilogue(linalg::LinalgOp op, linalg::LinalgOp product) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumReductionLoops() > 0 || generic.getNumDpsInits() != 1) return {};
  OpOperand* init = generic.getDpsInitOperand(0);
  if (generic.payloadUsesValueFromOperand(init) || generic.hasIndexSemantics()) return {};
  if (!generic.getMatchingIndexingMap(init).isIdentity()) return {};
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (llvm::any_of(captured, [](Value value) { return isa<MemRefType>(value.getType()); })) {
    return {};
  }
  // The step's loops are the dimensions of the result, which the product's loops number.
  const AffineMap to_loops = product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  EpilogueStep step{.op = op};
  for (OpOperand& operand : op->getOpOperands()) {
    std::optional<LinearOperand> linear;
    if (isa<MemRefType>(operand.get().getType())) {
      linear = linearOperand(operand.get(), op.getMatchingIndexingMap(&operand).compose(to_loops));
      if (!linear) return {};
    }
    if (&operand == init) {
      step.out = *linear;
    } else {
      step.inputs.push_back(linear);
    }
  }
  return step;
}

bool writesParts(ArrayRef<EpilogueStep> steps) {
  return llvm::any_of(steps, [](const EpilogueStep& step) {
    const auto type = cast<MemRefType>(step.out.buffer.getType());
    return !isLocal(step.out.buffer) && type.getElementTypeBitWidth() < 32;
  });
}

EpilogueEmitter::EpilogueEmitter(ImplicitLocOpBuilder& b, const Contraction& contraction,
                                 ArrayRef<EpilogueStep> steps, const IRMapping& constants,
                                 ArgumentOf argument_of, GemmTile& tile)
    : b_(b), contraction_(contraction), steps_(steps), constants_(constants), tile_(tile) {
  llvm::DenseSet<Value> computed = {contraction.out.buffer};
  if (!isLocal(contraction.out.buffer)) addOperand(contraction.out, argument_of);
  for (const EpilogueStep& step : steps) {
    for (const std::optional<LinearOperand>& input : step.inputs) {
      if (input && !computed.contains(input->buffer)) addOperand(*input, argument_of);
    }
    computed.insert(step.out.buffer);
    if (!isLocal(step.out.buffer)) addOperand(step.out, argument_of);
  }
}

void EpilogueEmitter::addOperand(const LinearOperand& operand, ArgumentOf argument_of) {
  numbers_[&operand] = operands_.size();
  operands_.push_back({operand, argument_of(operand)});
}

void EpilogueEmitter::branchOn(Value inside) {
  if (!inside) return;
  auto branch = b_.create<scf::IfOp>(inside, /*withElseRegion=*/false);
  b_.setInsertionPoint(branch.thenBlock()->getTerminator());
}

void EpilogueEmitter::emit(ArrayRef<Value> sums) {
  const auto number = [&](int64_t value) { return b_.create<arith::ConstantIndexOp>(value); };
  auto loop = b_.create<scf::ForOp>(number(0), number(tile_.rows()), number(1), sums);
  const OpBuilder::InsertionGuard leaves(b_);
  b_.setInsertionPointToStart(loop.getBody());
  const auto carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
  const ArrayRef<Value> all = carried;
  const ArrayRef<Value> first = all.take_front(tile_.columns());
  // The next iteration finds its sums in front.
  SmallVector<Value> turned = llvm::to_vector(all.drop_front(tile_.columns()));
  turned.append(first.begin(), first.end());
  b_.setInsertionPoint(b_.create<scf::YieldOp>(turned));
  const Value row = tile_.rowNumber(loop.getInductionVar());
  branchOn(tile_.isRowInside(row));
  emitRow(row, first);
}

/// Where the elements of the row are. What its columns share is read once.
void EpilogueEmitter::findRow(Value row) {
  for (Operand& operand : operands_) {
    operand.places = tile_.placesInRow(operand.operand, row);
    operand.of_row = Value();
  }
  for (const EpilogueStep& step : steps_) {
    for (const std::optional<LinearOperand>& input : step.inputs) {
      const auto number = input ? numbers_.find(&*input) : numbers_.end();
      if (number == numbers_.end()) continue;
      Operand& operand = operands_[number->second];
      if (!operand.places.dependOnColumns()) operand.of_row = load(operand, 0);
    }
  }
}

void EpilogueEmitter::emitRow(Value row, ArrayRef<Value> sums) {
  findRow(row);
  const size_t together = tile_.columnsTogether();
  for (size_t first = 0; first < tile_.columns(); first += together) {
    const OpBuilder::InsertionGuard leaves(b_);
    branchOn(tile_.isColumnInside(first));
    for (size_t column = first; column < first + together; ++column) {
      emitElement(column, sums[column]);
    }
    flush();
  }
}

void EpilogueEmitter::emitElement(size_t column, Value sum) {
  const auto compute = [&](const LinearOperand& operand, Value value) {
    known_[operand.buffer] = value;
    if (isLocal(operand.buffer)) return;
    stores_.push_back({value, operands_[numbers_.at(&operand)], column});
  };
  known_.clear();
  compute(contraction_.out, sum);
  for (const EpilogueStep& step : steps_) compute(step.out, emitStep(step, column));
}

Value EpilogueEmitter::emitStep(const EpilogueStep& step, size_t column) {
  linalg::LinalgOp op = step.op;
  Block* body = op.getBlock();
  IRMapping mapping = constants_;
  for (const auto [number, input] : llvm::enumerate(step.inputs)) {
    const BlockArgument argument = body->getArgument(number);
    if (!input) {
      mapping.map(argument, constants_.lookup(op->getOperand(number)));
    } else if (const auto known = known_.find(input->buffer); known != known_.end()) {
      mapping.map(argument, known->second);
    } else {
      mapping.map(argument, load(operands_[numbers_.at(&*input)], column));
    }
  }
  for (Operation& inside : body->without_terminator()) b_.clone(inside, mapping);
  return mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
}

Value EpilogueEmitter::load(const Operand& operand, size_t column) {
  if (operand.of_row) return operand.of_row;
  return b_.create<memref::LoadOp>(operand.argument, tile_.placeOf(operand.places, column));
}

/// Writes what has been computed: behind all reads, so that equal ones are one.
void EpilogueEmitter::flush() {
  for (const Store& store : stores_) {
    b_.create<memref::StoreOp>(store.value, store.to.argument,
                               tile_.placeOf(store.to.places, store.column));
  }
  stores_.clear();
}

}  // namespace vta::codegen
