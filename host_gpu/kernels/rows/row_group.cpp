#include "host_gpu/kernels/rows/row_group.h"

#include "host_gpu/kernels/contraction.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Shorter rows are left to one invocation each, which goes through longer ones by one loop.
constexpr int64_t kLeastTerms = 32, kManyTerms = 4096;

std::optional<LinearOperand> linearOperandOf(OpOperand& operand) {
  if (!isa<MemRefType>(operand.get().getType())) return {};
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  return linearOperand(operand.get(), op.getMatchingIndexingMap(&operand));
}

/// Whether each round of `loops` of `extents` has an element of its own; without `gaps`: and these
/// are all elements of a buffer.
bool areApart(const LinearOperand& operand, ArrayRef<int64_t> extents, ArrayRef<unsigned> loops,
              bool gaps) {
  SmallVector<unsigned> sorted(loops);
  llvm::sort(sorted, [&](unsigned x, unsigned y) {
    return operand.coefficients[x] < operand.coefficients[y];
  });
  int64_t end = 1;
  for (const unsigned loop : sorted) {
    const int64_t stride = operand.coefficients[loop];
    if (gaps ? stride < end : stride != end) return false;
    end = stride * extents[loop];
  }
  return gaps || operand.offset == 0;
}

/// What adds a term to the partial sum of `op`; null if nothing that could do so in any order does.
Operation* combinerOf(linalg::LinalgOp op) {
  SmallVector<Operation*> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1) return {};
  const Type type = combiners.front()->getResult(0).getType();
  if (!type.isF32() && !type.isInteger(8) && !type.isInteger(16) && !type.isInteger(32)) return {};
  return arith::getNeutralElement(combiners.front()) ? combiners.front() : nullptr;
}

class RowMatcher {
 public:
  std::optional<RowGroup> match(const OpGroup& group) {
    const auto* sum =
        llvm::find_if(group, [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
    if (sum == group.end() || !findLoops(*sum)) return {};
    for (const linalg::LinalgOp op : group) {
      if (!add(op)) return {};
    }
    return std::move(made_);
  }

 private:
  struct Written {
    RowOp::Kind kind;
    int64_t offset;
    bool is_read_later;  // by elements, which are computed where they are used
  };

  static SmallVector<unsigned> loopsWithRounds(linalg::LinalgOp op, ArrayRef<int64_t> extents) {
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (extents[loop] != 1) loops.push_back(loop);
    }
    return loops;
  }

  /// The input of which `op` reads each element once, if there is one.
  static std::optional<LinearOperand> wholeInput(linalg::LinalgOp op, ArrayRef<int64_t> extents) {
    for (OpOperand* input : op.getDpsInputOperands()) {
      if (!op.payloadUsesValueFromOperand(input)) continue;
      const auto linear = linearOperandOf(*input);
      if (linear && areApart(*linear, extents, loopsWithRounds(op, extents), /*gaps=*/false))
        return linear;
    }
    return {};
  }

  /// The loops are those of the first sum.
  bool findLoops(linalg::LinalgOp op) {
    if (op.getNumDpsInits() != 1) return false;
    const SmallVector<int64_t> extents = op.getStaticLoopRanges();
    const auto result = linearOperandOf(*op.getDpsInitOperand(0));
    if (!result) return false;
    const auto whole = wholeInput(op, extents);
    const auto add_loops = [&](ArrayRef<unsigned> loops) {
      for (const unsigned loop : loops) {
        if (extents[loop] == 1) continue;
        made_.loops.push_back(
            {extents[loop], result->coefficients[loop], whole ? whole->coefficients[loop] : 0});
      }
    };
    add_loops(parallelLoops(op));
    made_.row_loops = made_.loops.size();
    add_loops(summingLoops(op));
    return made_.loops.size() > made_.row_loops;
  }

  bool add(linalg::LinalgOp op) {
    if (op.getNumDpsInits() != 1) return false;
    RowOp made{.op = op};
    const SmallVector<int64_t> extents = op.getStaticLoopRanges();
    const auto result = linearOperandOf(*op.getDpsInitOperand(0));
    if (!result) return false;
    if (!(op.getNumReductionLoops() > 0 ? addSum(made, extents, *result)
                                        : addElementwise(made, extents, *result))) {
      return false;
    }
    if (!checkReads(made) || !checkWrite(made)) return false;
    written_[baseOf(made.result())] = {made.kind, result->offset, false};
    made_.ops.push_back(std::move(made));
    return true;
  }

  bool addSum(RowOp& made, ArrayRef<int64_t> extents, const LinearOperand& result) {
    linalg::LinalgOp op = made.op;
    made.kind = RowOp::Kind::kSum;
    made.combiner = combinerOf(op);
    const auto whole = wholeInput(op, extents);
    if (made.combiner == nullptr) return false;
    const bool is_first = llvm::none_of(
        made_.ops, [](const RowOp& other) { return other.kind == RowOp::Kind::kSum; });
    if (!is_first && !whole) return false;
    made.loops.assign(extents.size(), -1);
    const SmallVector<unsigned> sums = summingLoops(op);
    SmallVector<unsigned> rows;
    size_t next = 0;
    SmallVector<unsigned> order = parallelLoops(op);
    llvm::append_range(order, sums);
    for (const unsigned loop : order) {
      if (extents[loop] == 1) continue;
      const bool is_inside = llvm::is_contained(sums, loop);
      const RowLoop key{extents[loop], result.coefficients[loop],
                        whole ? whole->coefficients[loop] : 0};
      // Those of the first sum are the group's, in this order.
      made.loops[loop] = is_first ? static_cast<int>(next++) : findLoop(key, is_inside);
      if (made.loops[loop] < 0) return false;
      if (!is_inside) rows.push_back(loop);
    }
    return areApart(result, extents, rows, /*gaps=*/true) && usesAllLoops(made, made_.loops.size());
  }

  bool addElementwise(RowOp& made, ArrayRef<int64_t> extents, const LinearOperand& result) {
    linalg::LinalgOp op = made.op;
    if (op.payloadUsesValueFromOperand(op.getDpsInitOperand(0))) return false;
    const SmallVector<unsigned> loops = loopsWithRounds(op, extents);
    if (!areApart(result, extents, loops, /*gaps=*/true)) return false;
    const bool is_of_row = loops.size() == made_.row_loops;
    made.kind = is_of_row ? RowOp::Kind::kOfRow : RowOp::Kind::kOfElement;
    made.loops.assign(extents.size(), -1);
    for (const unsigned loop : loops) {
      const int64_t stride = result.coefficients[loop];
      const auto* found = llvm::find_if(made_.loops, [&](const RowLoop& known) {
        return known.extent == extents[loop] &&
               (is_of_row ? known.in_results : known.in_elements) == stride;
      });
      if (found == made_.loops.end()) return false;
      made.loops[loop] = static_cast<int>(found - made_.loops.begin());
    }
    return usesAllLoops(made, is_of_row ? made_.row_loops : made_.loops.size());
  }

  int findLoop(const RowLoop& key, bool is_inside) const {
    const auto* found = llvm::find_if(made_.loops, [&](const RowLoop& known) {
      return known.extent == key.extent && known.in_elements == key.in_elements &&
             known.in_results == (is_inside ? 0 : key.in_results);
    });
    return found == made_.loops.end() ? -1 : static_cast<int>(found - made_.loops.begin());
  }

  /// Whether `op` has each of the group's first `count` loops once, and no other.
  static bool usesAllLoops(const RowOp& op, size_t count) {
    llvm::DenseSet<int> used;
    size_t rounds = 0;
    for (const int loop : op.loops) {
      if (loop < 0) continue;
      ++rounds;
      if (static_cast<size_t>(loop) >= count || !used.insert(loop).second) return false;
    }
    return rounds == count;
  }

  /// What the group has written is read at the same row and element.
  bool checkReads(const RowOp& made) {
    linalg::LinalgOp op = made.op;
    for (OpOperand& operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType())) continue;
      const bool is_partial_sum = op.isDpsInit(&operand) && made.kind == RowOp::Kind::kSum;
      if (!is_partial_sum && (op.isDpsInit(&operand) || !op.payloadUsesValueFromOperand(&operand)))
        continue;
      const auto written = written_.find(baseOf(operand.get()));
      if (written == written_.end()) {
        if (!is_partial_sum) read_.insert(baseOf(operand.get()));
        continue;
      }
      const auto linear = linearOperandOf(operand);
      if (!linear || !isAtElement(*linear, made, written->second)) return false;
      if (made.kind == RowOp::Kind::kOfElement) written->second.is_read_later = true;
    }
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (const Value value : captured) {
      if (!isa<MemRefType>(value.getType())) continue;
      if (written_.contains(baseOf(value))) return false;
      read_.insert(baseOf(value));
    }
    return true;
  }

  /// Whether `operand` is the element that was written in the same round of the loops.
  bool isAtElement(const LinearOperand& operand, const RowOp& reader,
                   const Written& written) const {
    const bool is_of_element = written.kind == RowOp::Kind::kOfElement;
    if (is_of_element && reader.kind == RowOp::Kind::kOfRow) return false;
    if (operand.offset != written.offset) return false;
    for (const auto [loop, number] : llvm::enumerate(reader.loops)) {
      if (number < 0) continue;
      const RowLoop& known = made_.loops[static_cast<size_t>(number)];
      if (operand.coefficients[loop] != (is_of_element ? known.in_elements : known.in_results)) {
        return false;
      }
    }
    return true;
  }

  /// Nothing is written that is read elsewhere, nor twice, but for where sums begin.
  bool checkWrite(const RowOp& made) {
    const Value base = baseOf(made.result());
    if (read_.contains(base)) return false;
    const auto written = written_.find(base);
    if (written == written_.end()) return true;
    return made.kind == RowOp::Kind::kSum && written->second.kind == RowOp::Kind::kOfRow &&
           !written->second.is_read_later;
  }

  RowGroup made_;
  llvm::DenseMap<Value, Written> written_;  // by the memory
  llvm::DenseSet<Value> read_;              // from outside of the group
};

/// How many neighbours along the last loop are at places that begin with a multiple of `parts`.
int64_t neighboursOf(const RowGroup& group, const RowOp& sum) {
  constexpr int64_t kWordBits = 32;
  const RowLoop& last = group.loops.back();
  int64_t parts = 1;
  linalg::LinalgOp op = sum.op;
  for (OpOperand* input : op.getDpsInputOperands()) {
    if (!op.payloadUsesValueFromOperand(input)) continue;
    const auto linear = linearOperandOf(*input);
    if (!linear) continue;
    const unsigned bits =
        std::max(getElementTypeOrSelf(input->get().getType()).getIntOrFloatBitWidth(), 8U);
    const int64_t in_word = std::max<int64_t>(kWordBits / bits, 1);
    const bool is_aligned = llvm::all_of(llvm::enumerate(sum.loops), [&](const auto& loop) {
      const int64_t stride = linear->coefficients[loop.index()];
      const bool is_last = loop.value() + 1 == static_cast<int>(group.loops.size());
      return is_last ? stride == 1 : loop.value() < 0 || stride % in_word == 0;
    });
    if (is_aligned && linear->offset % in_word == 0 && last.extent % in_word == 0) {
      parts = std::max(parts, in_word);
    }
  }
  return parts;
}

/// Whether an input of `sum` has neighbours along loop `number` of the group.
bool walksAlong(const RowOp& sum, size_t number) {
  linalg::LinalgOp op = sum.op;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand* input) {
    const auto linear = linearOperandOf(*input);
    if (!linear || !op.payloadUsesValueFromOperand(input)) return false;
    return llvm::any_of(llvm::enumerate(sum.loops), [&](const auto& loop) {
      return loop.value() == static_cast<int>(number) && linear->coefficients[loop.index()] == 1;
    });
  });
}

/// Whether neighbouring terms, and not neighbouring rows, are neighbours in memory.
bool walksTerms(const RowGroup& group, const RowOp& sum) {
  for (size_t loop = 0; loop < group.row_loops; ++loop) {
    if (walksAlong(sum, loop)) return false;
  }
  return walksAlong(sum, group.loops.size() - 1);
}

}  // namespace

std::optional<RowGroup> matchRows(const OpGroup& group) { return RowMatcher().match(group); }

RowSpec rowSpecOf(const RowGroup& group) {
  RowSpec spec{.rows = 1, .terms = 1, .passes = 0};
  for (const RowLoop& loop : group.overRows()) spec.rows *= loop.extent;
  for (const RowLoop& loop : group.insideRows()) spec.terms *= loop.extent;
  bool writes_elements = false;
  for (const RowOp& op : group.ops) {
    writes_elements = writes_elements || op.kind == RowOp::Kind::kOfElement;
    if (op.kind != RowOp::Kind::kSum) continue;
    if (spec.passes++ > 0) continue;
    spec.walks_terms = walksTerms(group, op);
    spec.neighbours = neighboursOf(group, op);
  }
  if (writes_elements) ++spec.passes;
  return spec;
}

std::optional<RowSchedule> scheduleOfRows(const RowGroup& group) {
  const RowSpec spec = rowSpecOf(group);
  if (spec.terms < kLeastTerms) return {};
  const RowSchedule schedule = defaultRowSchedule(spec, {});
  if (schedule.slices == 1 && spec.passes == 1 && spec.terms < kManyTerms) return {};
  return brokenRule(spec, schedule, {}).empty() ? std::optional(schedule) : std::nullopt;
}

}  // namespace vta::codegen
