#include "host_gpu/kernels/gemm/gemm_copy.h"

#include <utility>

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace vta::codegen {

using namespace mlir;

FactorCopier::FactorCopier(ImplicitLocOpBuilder& b, const Contraction& contraction,
                           const GemmSchedule& schedule, const LinearOperand& operand,
                           const LoopGroup& side, const LoopGroup& depth, int64_t block)
    : b_(b),
      indices_(b),
      schedule_(schedule),
      operand_(operand),
      side_(side),
      depth_(depth),
      block_(block),
      sum_(contraction.sum),
      by_depth_(depth.walksMemory(operand)) {}

bool FactorCopier::hasWords() const {
  const int64_t bytes = schedule_.packed();
  if (bytes == 1 || depth_.stride(operand_) != 1 || depth_.count() % bytes != 0) return false;
  return operand_.offset % bytes == 0 &&
         llvm::all_of(operand_.coefficients, [&](int64_t coefficient) {
           return coefficient == 1 || coefficient % bytes == 0;
         });
}

void FactorCopier::place(Value buffer, Value base, Value first, const CopyPlace& at) {
  buffer_ = buffer;
  base_ = base;
  first_ = first;
  at_ = at;
  const int64_t elems = schedule_.stages * schedule_.split_depth * stepRows() * block_;
  shared_ = allocateShared(b_, elems, sum_);
}

/// Group number `done` + copier of an array of rows of `inner` groups: its row and where it is in
/// the row.
std::pair<FactorCopier::Sum, FactorCopier::Sum> FactorCopier::splitElement(int64_t done,
                                                                           int64_t inner) {
  const int64_t count = copiers();
  if (count % inner == 0) {
    return {{indices_.quotient(at_.copier, inner), done / inner},
            {indices_.remainder(at_.copier, inner)}};
  }
  if (inner % count == 0) {
    return {{indices_.number(0), done / inner}, {at_.copier, done % inner}};
  }
  const Value number = indices_.add(at_.copier, done);
  return {{indices_.quotient(number, inner)}, {indices_.remainder(number, inner)}};
}

/// What this invocation copies of each step.
SmallVector<FactorCopier::Neighbours> FactorCopier::neighbours() {
  const int64_t inner = (by_depth_ ? stepRows() : block_) / schedule_.vector;
  const int64_t groups = block_ * stepRows() / schedule_.vector;
  SmallVector<Neighbours> made;
  for (int64_t done = 0; done < groups; done += copiers()) {
    auto [outer, first] = splitElement(done, inner);
    first = {indices_.multiply(first.variable, schedule_.vector), first.known * schedule_.vector};
    made.push_back(by_depth_ ? Neighbours{first, outer} : Neighbours{outer, first});
  }
  return made;
}

/// `place` with what number `first` + `at` of some loops adds to it.
FactorCopier::Sum FactorCopier::withOffset(Sum place, const LoopGroup& loops, Value first, Sum at) {
  Value number = indices_.add(first, at.variable);
  if (const std::optional<int64_t> stride = loops.stride(operand_)) {
    place.known += at.known * *stride;
  } else {
    number = indices_.add(number, at.known);
  }
  if (Value offset = loops.offset(indices_, number, operand_)) {
    place.variable = indices_.add(place.variable, offset);
  }
  return place;
}

SmallVector<Value> FactorCopier::load(Value step, bool may_end) {
  SmallVector<Value> made;
  for (const Neighbours& group : neighbours()) {
    for (int64_t i = 0; i < schedule_.vector; ++i) {
      const Offset offset = by_depth_ ? Offset{i * schedule_.packed(), 0} : Offset{0, i};
      made.push_back(schedule_.packed() > 1 ? packed(group, offset, step, may_end)
                                            : element(group, offset, step, may_end));
    }
  }
  return made;
}

/// Four neighbours in the depth as a word, the first of them in its lowest byte.
Value FactorCopier::packed(const Neighbours& group, Offset offset, Value step, bool may_end) {
  if (getElementTypeOrSelf(buffer_.getType()) == sum_) {
    return element(group, offset, step, may_end);
  }
  constexpr int64_t kByteBits = 8;
  Value word;
  for (int64_t i = 0; i < schedule_.packed(); ++i) {
    Value bits = element(group, {offset.in_depth + i, offset.in_side}, step, may_end);
    bits = b_.create<arith::ExtUIOp>(sum_, bits);
    bits =
        b_.createOrFold<arith::ShLIOp>(bits, b_.create<arith::ConstantIntOp>(i * kByteBits, sum_));
    word = word ? b_.create<arith::OrIOp>(word, bits).getResult() : bits;
  }
  return word;
}

/// An element of the factor, or zero outside of it. Equal parts of what neighbours take are equal
/// ops, which become one.
Value FactorCopier::element(const Neighbours& group, Offset offset, Value step, bool may_end) {
  const int64_t bytes = schedule_.packed();
  const bool is_word = bytes > 1 && getElementTypeOrSelf(buffer_.getType()) == sum_;
  // Numbers of a group begin at a multiple of how many it has.
  const int64_t together = by_depth_ ? 1 : schedule_.vector;
  const int64_t deep = by_depth_ ? schedule_.vector * bytes : bytes;
  Sum in_side = group.in_side,
      in_depth = {indices_.multiply(group.in_depth.variable, bytes), group.in_depth.known * bytes};
  const auto move = [&](Sum& at, const LoopGroup& loops, int64_t by, int64_t count) -> int64_t {
    const std::optional<int64_t> stride = loops.strideWithin(operand_, count);
    if (!stride) at.known += by;
    return stride ? by * *stride : 0;
  };
  const auto inside_of = [&](Value first, Sum at, const LoopGroup& loops, int64_t by, int64_t count,
                             int64_t block, bool ends) {
    if (loops.count() % count != 0) at.known += by;
    return indices_.isInside(indices_.add(first, valueOf(at)), loops.count(), block, ends);
  };
  Value inside = indices_.both(
      inside_of(first_, in_side, side_, offset.in_side, together, block_, /*ends=*/false),
      inside_of(step, in_depth, depth_, offset.in_depth, deep, schedule_.block_depth, may_end));
  int64_t known = move(in_side, side_, offset.in_side, together);
  known += move(in_depth, depth_, offset.in_depth, deep);
  Sum sum = withOffset({base_}, side_, first_, in_side);
  Value place = valueOf(withOffset(sum, depth_, step, in_depth));
  if (is_word) {
    place = indices_.quotient(place, bytes);
    known /= bytes;
  }
  // An element that is outside of the factor is none outside of the buffer.
  const bool fits = known >= 0 && known < cast<MemRefType>(buffer_.getType()).getNumElements();
  if (!fits) place = indices_.add(place, std::exchange(known, 0));
  return loadInside(b_, buffer_, place, known, inside, [&](Value value) {
    return bytes == 1 ? widenedElement(b_, operand_, value) : value;
  });
}

/// Where the element `in_step` of this invocation's step is in shared memory.
Value FactorCopier::sharedPlace(Value in_step, Value stage) {
  const int64_t step = stepRows() * block_;
  if (at_.part) in_step = indices_.add(indices_.multiply(at_.part, step), in_step);
  if (!stage) return in_step;
  return indices_.add(indices_.multiply(stage, step * schedule_.split_depth), in_step);
}

void FactorCopier::store(ArrayRef<Value> elements, Value stage) {
  for (const Neighbours& group : neighbours()) {
    const Value row = indices_.multiply(group.in_depth.variable, block_);
    const Value first = sharedPlace(indices_.add(row, group.in_side.variable), stage);
    const int64_t known = group.in_depth.known * block_ + group.in_side.known;
    for (int64_t i = 0; i < schedule_.vector; ++i) {
      const Value to = indices_.add(first, known + i * (by_depth_ ? block_ : 1));
      b_.create<memref::StoreOp>(elements.front(), shared_, to);
      elements = elements.drop_front();
    }
  }
}

Value FactorCopier::shared(Value depth, Value in_block, Value stage) {
  const Value place = indices_.add(indices_.multiply(depth, block_), in_block);
  return b_.create<memref::LoadOp>(shared_, sharedPlace(place, stage));
}

}  // namespace vta::codegen
