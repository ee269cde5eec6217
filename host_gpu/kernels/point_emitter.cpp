#include "host_gpu/kernels/point_emitter.h"

#include "host_gpu/kernels/body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// So many terms are written out: those of a window, whose neighbours share what they read.
constexpr int64_t kMostTermsWrittenOut = 25;

}  // namespace

bool writesOutSums(linalg::LinalgOp op) {
  int64_t terms = 1;
  for (const unsigned loop : summingLoops(op)) terms *= op.getStaticLoopRanges()[loop];
  return terms <= kMostTermsWrittenOut;
}

void PointEmitter::emit(linalg::LinalgOp op) {
  const Values results =
      emitSums(op, summingLoops(op), writesOutSums(op), /*numbers=*/{}, firstResults(op));
  const size_t count = op.getNumDpsInits();
  for (const auto [number, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    Written written{&init};
    for (size_t point = 0; point < points_.size(); ++point) {
      written.elements.push_back(results[point * count + number]);
    }
    written_.erase(init.get());
    written_.insert({init.get(), written});
  }
}

void PointEmitter::store() {
  for (const auto& [buffer, written] : written_) {
    if (isLocal(buffer)) continue;
    auto op = cast<linalg::LinalgOp>(written.result->getOwner());
    for (size_t point = 0; point < points_.size(); ++point) {
      const Values numbers = loopNumbers(op, point, /*sums=*/{});
      b_.create<memref::StoreOp>(written.elements[point], outside_.lookup(buffer),
                                 placeOf(*written.result, point, numbers));
    }
  }
}

Value PointEmitter::index(int64_t value) { return b_.create<arith::ConstantIndexOp>(value); }

/// What the results are before the first iteration; null where nothing reads them.
PointEmitter::Values PointEmitter::firstResults(linalg::LinalgOp op) {
  Values first;
  for (size_t point = 0; point < points_.size(); ++point) {
    for (OpOperand& init : op.getDpsInitsMutable()) {
      const bool is_read = op.getNumReductionLoops() > 0 || op.payloadUsesValueFromOperand(&init);
      first.push_back(is_read ? read(init, point, loopNumbers(op, point, /*sums=*/{})) : Value());
    }
  }
  return first;
}

/// By loop. Null are those that sum where `sums` has none.
PointEmitter::Values PointEmitter::loopNumbers(linalg::LinalgOp op, size_t point,
                                               ArrayRef<Value> sums) {
  Values numbers(op.getNumLoops());
  for (const auto [loop, number] : llvm::zip(parallelLoops(op), points_[point].numbers)) {
    numbers[loop] = number;
  }
  if (sums.empty()) return numbers;
  for (const auto [loop, number] : llvm::zip(summingLoops(op), sums)) numbers[loop] = number;
  return numbers;
}

PointEmitter::Values PointEmitter::emitSums(linalg::LinalgOp op, ArrayRef<unsigned> sums,
                                            bool writes_out, Values numbers, Values results) {
  if (sums.empty()) return emitBody(op, numbers, results);
  const int64_t extent = op.getStaticLoopRanges()[sums.front()];
  numbers.push_back(Value());
  if (writes_out) {
    for (int64_t number = 0; number < extent; ++number) {
      numbers.back() = index(number);
      results = emitSums(op, sums.drop_front(), writes_out, numbers, results);
    }
    return results;
  }
  auto loop = b_.create<scf::ForOp>(index(0), index(extent), index(1), results);
  const OpBuilder::InsertionGuard restores(b_);
  b_.setInsertionPointToStart(loop.getBody());
  numbers.back() = loop.getInductionVar();
  b_.create<scf::YieldOp>(emitSums(op, sums.drop_front(), writes_out, numbers,
                                   llvm::to_vector_of<Value>(loop.getRegionIterArgs())));
  return llvm::to_vector_of<Value>(loop.getResults());
}

PointEmitter::Values PointEmitter::emitBody(linalg::LinalgOp op, ArrayRef<Value> sums,
                                            ArrayRef<Value> results) {
  Block* body = op.getBlock();
  const size_t count = op.getNumDpsInits();
  Values made;
  for (size_t point = 0; point < points_.size(); ++point) {
    const Values numbers = loopNumbers(op, point, sums);
    IRMapping mapping = outside_;
    // A map's body has no arguments for its results.
    for (const auto [argument, operand] : llvm::zip(body->getArguments(), op->getOpOperands())) {
      if (op.isDpsInit(&operand)) {
        const size_t number = operand.getOperandNumber() - op.getNumDpsInputs();
        if (Value result = results[point * count + number]) mapping.map(argument, result);
      } else if (!argument.use_empty()) {
        mapping.map(argument, read(operand, point, numbers));
      }
    }
    llvm::append_range(made, cloneBody(b_, op, mapping, numbers));
  }
  return made;
}

PointEmitter::Values PointEmitter::placeOf(OpOperand& operand, size_t point,
                                           ArrayRef<Value> numbers) {
  if (flat_.contains(operand.get())) return {points_[point].place};
  const AffineMap map = cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
  return placeInRound(b_, map, numbers);
}

Value PointEmitter::read(OpOperand& operand, size_t point, ArrayRef<Value> numbers) {
  if (!isa<MemRefType>(operand.get().getType())) return outside_.lookup(operand.get());
  const auto written = written_.find(operand.get());
  if (written != written_.end()) return written->second.elements[point];
  return b_.create<memref::LoadOp>(outside_.lookup(operand.get()),
                                   placeOf(operand, point, numbers));
}

}  // namespace vta::codegen
