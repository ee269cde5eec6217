#include "host_gpu/kernels/rows/row_kernel.h"

#include <utility>

#include "base/integer_math.h"
#include "host_gpu/kernels/body.h"
#include "host_gpu/kernels/grid.h"
#include "host_gpu/kernels/group_buffers.h"
#include "host_gpu/kernels/loop_group.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// A row, or an element of one, and what has been computed of it.
struct RowElement {
  SmallVector<Value> numbers{};          // of the group's loops
  llvm::DenseMap<Value, Value> known{};  // by memory
};

/// Elements that an invocation goes through in one round of a loop.
struct RowRound {
  Value inside{};  // whether they belong to the row; null: they always do
  std::vector<RowElement> elements{};
};

class RowEmitter {
 public:
  RowEmitter(Location location, const RowGroup& group, const RowSchedule& schedule)
      : group_(group),
        schedule_(schedule),
        spec_(rowSpecOf(group)),
        groups_(spec_.terms / schedule.vector),
        b_(location, location.getContext()),
        indices_(b_) {}

  KernelIr emit(ArrayRef<Operation*> constants) {
    addBuffers();
    createFunction(constants);
    layOut();
    for (const RowOp& op : group_.ops) {
      const Value base = baseOf(op.result());
      if (op.kind == RowOp::Kind::kOfRow) row_.known[base] = valueOf(op, row_, Value());
      if (op.kind == RowOp::Kind::kSum) row_.known[base] = emitSum(op);
      writers_[base] = &op;
    }
    storeElements();
    storeRows();
    return std::move(kernel_);
  }

 private:
  void addBuffer(Value buffer, GpuAccess access) {
    const auto* const known = llvm::find(kernel_.buffers, buffer);
    if (known == kernel_.buffers.end()) {
      kernel_.buffers.push_back(buffer);
      kernel_.accesses.push_back(access);
    } else if (kernel_.accesses[known - kernel_.buffers.begin()] != access) {
      kernel_.accesses[known - kernel_.buffers.begin()] = GpuAccess::kReadWrite;
    }
  }

  /// What is read and has not been computed before, and what is not local.
  void addBuffers() {
    llvm::DenseSet<Value> written;
    for (const RowOp& row_op : group_.ops) {
      linalg::LinalgOp op = row_op.op;
      for (OpOperand& operand : op->getOpOperands()) {
        const bool is_used = op.isDpsInit(&operand) ? row_op.kind == RowOp::Kind::kSum
                                                    : op.payloadUsesValueFromOperand(&operand);
        const bool is_buffer = isa<MemRefType>(operand.get().getType());
        if (!is_used || !is_buffer || written.contains(baseOf(operand.get()))) continue;
        addBuffer(operand.get(), GpuAccess::kRead);
      }
      SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      for (const Value value : captured) {
        if (isa<MemRefType>(value.getType())) addBuffer(value, GpuAccess::kRead);
      }
      const Value result = row_op.result();
      written.insert(baseOf(result));
      if (isLocal(result)) continue;
      // The bytes around a part of a buffer stay.
      const bool is_whole = cast<MemRefType>(result.getType()).getLayout().isIdentity();
      addBuffer(result, is_whole ? GpuAccess::kWrite : GpuAccess::kReadWrite);
    }
  }

  void createFunction(ArrayRef<Operation*> constants) {
    kernel_.module = ModuleOp::create(b_.getLoc());
    b_.setInsertionPointToEnd(kernel_.module->getBody());
    const SmallVector<Type> types(ValueRange(kernel_.buffers).getTypes());
    auto function = b_.create<func::FuncOp>(kKernelFunction, b_.getFunctionType(types, {}));
    Block* body = function.addEntryBlock();
    outside_.map(kernel_.buffers, body->getArguments());
    b_.setInsertionPointToStart(body);
    b_.setInsertionPoint(b_.create<func::ReturnOp>());
    for (Operation* constant : constants) b_.clone(*constant, outside_);
  }

  /// The grid, and the row and the slice that an invocation has.
  void layOut() {
    kernel_.workgroup_size = {static_cast<uint32_t>(schedule_.invocations()), 1, 1};
    const Value workgroup = layOutWorkgroups(b_, kernel_, ceilDiv(spec_.rows, schedule_.rows));
    invocation_ = b_.create<gpu::ThreadIdOp>(gpu::Dimension::x);
    if (spec_.walks_terms) {
      row_of_group_ = indices_.quotient(invocation_, schedule_.slices);
      slice_ = indices_.remainder(invocation_, schedule_.slices);
    } else {
      row_of_group_ = indices_.remainder(invocation_, schedule_.rows);
      slice_ = indices_.quotient(invocation_, schedule_.rows);
    }
    Value row = indices_.add(indices_.multiply(workgroup, schedule_.rows), row_of_group_);
    if (kernel_.workgroups[0] * kernel_.workgroups[1] * schedule_.rows != spec_.rows) {
      // All invocations get to the barriers.
      is_row_inside_ = indices_.isBelow(row, spec_.rows);
      row = b_.create<arith::SelectOp>(is_row_inside_, row, indices_.number(0));
    }
    row_.numbers = digits(row, group_.overRows(), /*neighbours=*/1);
    row_.numbers.resize(group_.loops.size());
  }

  /// The numbers of `loops` whose round is `number`, the last loop fastest by steps of
  /// `neighbours`.
  SmallVector<Value> digits(Value number, ArrayRef<RowLoop> loops, int64_t neighbours) {
    SmallVector<Value> made(loops.size());
    for (size_t i = loops.size(); i-- > 0;) {
      const int64_t step = i + 1 == loops.size() ? neighbours : 1;
      const int64_t rounds = loops[i].extent / step;
      made[i] = indices_.multiply(i == 0 ? number : indices_.remainder(number, rounds), step);
      if (i > 0) number = indices_.quotient(number, rounds);
    }
    return made;
  }

  /// What `op` makes of `element`; of a sum, with what it has been so far.
  Value valueOf(const RowOp& row_op, RowElement& element, Value sum) {
    linalg::LinalgOp op = row_op.op;
    SmallVector<Value> numbers;
    for (const int loop : row_op.loops) {
      numbers.push_back(loop < 0 ? indices_.number(0) : element.numbers[loop]);
    }
    IRMapping mapping = outside_;
    for (const auto [argument, operand] :
         llvm::zip(op.getBlock()->getArguments(), op->getOpOperands())) {
      if (op.isDpsInit(&operand)) {
        if (sum) mapping.map(argument, sum);
      } else if (!argument.use_empty()) {
        mapping.map(argument, read(operand, numbers, element));
      }
    }
    return cloneBody(b_, op, mapping, numbers).front();
  }

  Value read(OpOperand& operand, ArrayRef<Value> numbers, RowElement& element) {
    const Value value = operand.get();
    if (!isa<MemRefType>(value.getType())) return outside_.lookup(value);
    const Value base = baseOf(value);
    if (const Value known = element.known.lookup(base)) return known;
    if (const Value known = row_.known.lookup(base)) return known;
    if (const RowOp* writer = writers_.lookup(base)) {
      const Value made = valueOf(*writer, element, Value());
      return element.known[base] = made;
    }
    const AffineMap map =
        cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
    return b_.create<memref::LoadOp>(outside_.lookup(value), placeInRound(b_, map, numbers));
  }

  RowRound elementsOf(Value round) {
    RowRound made;
    Value number = indices_.add(indices_.multiply(round, schedule_.slices), slice_);
    if (groups_ % schedule_.slices != 0) {
      made.inside = indices_.isBelow(number, groups_);
      number = b_.create<arith::SelectOp>(made.inside, number, indices_.number(0));
    }
    const SmallVector<Value> inside = digits(number, group_.insideRows(), schedule_.vector);
    for (int64_t i = 0; i < schedule_.vector; ++i) {
      RowElement element{.numbers = row_.numbers};
      llvm::copy(inside, element.numbers.begin() + static_cast<int64_t>(group_.row_loops));
      element.numbers.back() = indices_.add(element.numbers.back(), i);
      made.elements.push_back(std::move(element));
    }
    return made;
  }

  scf::ForOp beginRounds(ValueRange carried) {
    auto loop = b_.create<scf::ForOp>(indices_.number(0),
                                      indices_.number(ceilDiv(groups_, schedule_.slices)),
                                      indices_.number(1), carried);
    b_.setInsertionPointToStart(loop.getBody());
    return loop;
  }

  Value emitSum(const RowOp& row_op) {
    linalg::LinalgOp op = row_op.op;
    OpOperand& init = *op.getDpsInitOperand(0);
    SmallVector<Value> numbers;
    for (const int loop : row_op.loops) numbers.push_back(loop < 0 ? Value() : row_.numbers[loop]);
    const Value first = read(init, numbers, row_);
    scf::ForOp loop = beginRounds(firstOfSlice(row_op, first));
    {
      const OpBuilder::InsertionGuard leaves(b_);
      RowRound round = elementsOf(loop.getInductionVar());
      const Value before = loop.getRegionIterArgs().front();
      Value sum = before;
      for (RowElement& element : round.elements) sum = valueOf(row_op, element, sum);
      if (round.inside) sum = b_.create<arith::SelectOp>(round.inside, sum, before);
      b_.create<scf::YieldOp>(sum);
    }
    b_.setInsertionPointAfter(loop);
    return schedule_.slices > 1 ? shared(loop.getResult(0), row_op.combiner) : loop.getResult(0);
  }

  /// One slice begins with what the sum begins with, the others with what changes nothing.
  Value firstOfSlice(const RowOp& op, Value first) {
    if (schedule_.slices == 1) return first;
    const Value nothing = b_.create<arith::ConstantOp>(*arith::getNeutralElement(op.combiner));
    return b_.create<arith::SelectOp>(indices_.isBelow(slice_, 1), first, nothing);
  }

  static constexpr unsigned kWordBits = 32;

  static bool isInteger(Type type, unsigned least_bits, unsigned most_bits) {
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= least_bits &&
           type.getIntOrFloatBitWidth() <= most_bits;
  }

  /// As what workgroups share `value`: one word, or the low and the high one of 64 bits.
  SmallVector<Value> wordsOfShared(Value value) {
    const Type type = value.getType(), word = b_.getI32Type();
    if (isInteger(type, 0, kWordBits - 1)) return {b_.create<arith::ExtSIOp>(word, value)};
    if (!isInteger(type, kWordBits + 1, 2 * kWordBits)) return {value};
    const Value shift = b_.create<arith::ConstantIntOp>(kWordBits, type);
    const Value high = b_.create<arith::ShRUIOp>(value, shift);
    return {b_.create<arith::TruncIOp>(word, value), b_.create<arith::TruncIOp>(word, high)};
  }

  /// The value of `type` that has these words.
  Value valueOfShared(ArrayRef<Value> words, Type type) {
    if (isInteger(type, 0, kWordBits - 1)) return b_.create<arith::TruncIOp>(type, words[0]);
    if (words.size() == 1) return words[0];
    const Value shift = b_.create<arith::ConstantIntOp>(kWordBits, type);
    Value high = b_.create<arith::ExtUIOp>(type, words[1]);
    high = b_.create<arith::ShLIOp>(high, shift);
    return b_.create<arith::OrIOp>(high, b_.create<arith::ExtUIOp>(type, words[0]));
  }

  /// What the slices of a row have, combined by a tree.
  Value shared(Value value, Operation* combiner) {
    const Type type = value.getType();
    const int64_t count = schedule_.invocations();
    SmallVector<Value> memories;  // one for each word of a value
    for (const Value word : wordsOfShared(value)) {
      memories.push_back(allocateShared(b_, count, word.getType()));
      kernel_.shared_bytes += static_cast<uint32_t>(count * 4);
    }
    const auto partOf = [&](Value place) {
      SmallVector<Value> words;
      for (const Value memory : memories) {
        words.push_back(b_.create<memref::LoadOp>(memory, place));
      }
      return valueOfShared(words, type);
    };
    const auto keep = [&](Value part) {
      for (const auto [word, memory] : llvm::zip(wordsOfShared(part), memories)) {
        b_.create<memref::StoreOp>(word, memory, invocation_);
      }
    };
    keep(value);
    b_.create<gpu::BarrierOp>();
    const int64_t distance = spec_.walks_terms ? 1 : schedule_.rows;
    for (int64_t half = schedule_.slices / 2; half > 0; half /= 2) {
      auto branch = b_.create<scf::IfOp>(indices_.isBelow(slice_, half), /*withElseRegion=*/false);
      {
        const OpBuilder::InsertionGuard leaves(b_);
        b_.setInsertionPoint(branch.thenBlock()->getTerminator());
        IRMapping mapping;
        mapping.map(combiner->getOperand(0), partOf(invocation_));
        mapping.map(combiner->getOperand(1), partOf(indices_.add(invocation_, half * distance)));
        keep(b_.clone(*combiner, mapping)->getResult(0));
      }
      b_.create<gpu::BarrierOp>();
    }
    return partOf(indices_.multiply(row_of_group_, spec_.walks_terms ? schedule_.slices : 1));
  }

  void branchOn(Value inside) {
    if (!inside) return;
    auto branch = b_.create<scf::IfOp>(inside, /*withElseRegion=*/false);
    b_.setInsertionPoint(branch.thenBlock()->getTerminator());
  }

  void store(const RowOp& row_op, Value value, const RowElement& element) {
    linalg::LinalgOp op = row_op.op;
    SmallVector<Value> numbers;
    for (const int loop : row_op.loops) {
      numbers.push_back(loop < 0 ? Value() : element.numbers[loop]);
    }
    const AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    b_.create<memref::StoreOp>(value, outside_.lookup(row_op.result()),
                               placeInRound(b_, map, numbers));
  }

  /// What has an element for each one of the rows.
  void storeElements() {
    SmallVector<const RowOp*> results;
    for (const RowOp& op : group_.ops) {
      if (op.kind == RowOp::Kind::kOfElement && !isLocal(op.result())) results.push_back(&op);
    }
    if (results.empty()) return;
    scf::ForOp loop = beginRounds({});
    const OpBuilder::InsertionGuard leaves(b_);
    RowRound round = elementsOf(loop.getInductionVar());
    branchOn(indices_.both(round.inside, is_row_inside_));
    SmallVector<Value> values;
    for (RowElement& element : round.elements) {
      for (const RowOp* op : results) {
        const Value known = element.known.lookup(baseOf(op->result()));
        values.push_back(known ? known : valueOf(*op, element, Value()));
        element.known[baseOf(op->result())] = values.back();
      }
    }
    const Value* value = values.begin();
    for (const RowElement& element : round.elements) {
      for (const RowOp* op : results) store(*op, *value++, element);
    }
  }

  void storeRows() {
    Value inside = schedule_.slices > 1 ? indices_.isBelow(slice_, 1) : Value();
    branchOn(indices_.both(inside, is_row_inside_));
    for (const RowOp& op : group_.ops) {
      const Value base = baseOf(op.result());
      const bool is_last = writers_.lookup(base) == &op;
      if (op.kind == RowOp::Kind::kOfElement || isLocal(base) || !is_last) continue;
      store(op, row_.known.lookup(base), row_);
    }
  }

  const RowGroup& group_;
  const RowSchedule& schedule_;
  const RowSpec spec_;
  const int64_t groups_;  // of neighbouring terms, in a row
  ImplicitLocOpBuilder b_;
  Indices indices_;
  KernelIr kernel_;
  IRMapping outside_;
  Value invocation_, row_of_group_, slice_, is_row_inside_;
  RowElement row_;
  llvm::DenseMap<Value, const RowOp*> writers_;  // by memory
};

}  // namespace

FailureOr<KernelIr> buildRowKernel(Location location, const RowGroup& group,
                                   const RowSchedule& schedule) {
  OpGroup ops;
  for (const RowOp& op : group.ops) ops.push_back(op.op);
  const FailureOr<GroupBuffers> used = collectBuffers(ops);
  if (failed(used)) return failure();
  return RowEmitter(location, group, schedule).emit(used->constants.getArrayRef());
}

}  // namespace vta::codegen
