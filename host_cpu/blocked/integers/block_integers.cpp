#include "host_cpu/blocked/integers/block_integers.h"

#include "host_cpu/blocked/buffers.h"
#include "host_cpu/blocked/graph_queries.h"
#include "host_cpu/blocked/integers.h"
#include "host_cpu/blocked/integers/plan.h"
#include "host_cpu/blocked/integers/word_weights.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

struct BlockedBytes {
  Value buffer;  // of memrefType(layout)
  Layout layout;
  bool is_matrix = false;  // the rows stand in the width
};

class IntegerBlocker {
 public:
  IntegerBlocker(func::FuncOp function, KernelLibrary& kernels, FunctionConstants& constants)
      : function_(function),
        kernels_(kernels),
        plan_(function),
        buffers_(function, kernels, constants) {}

  void run() {
    buffers_.replaceOps([this](Operation* op) { return convert(op); },
                        [this](Operation* op) { unpackOperands(op); });
  }

 private:
  bool convert(Operation* op) {
    if (plan_.isInside(op)) return true;  // emitted where its tree ends
    if (const IntegerTree* tree = plan_.tree(op)) {
      blocked_[op->getResult(0)] =
          tree->sums ? emitSums(op->getResult(0), *tree) : emitMap(op->getResult(0), *tree);
      return true;
    }
    if (!plan_.isBlockedMovement(op)) return false;
    auto pool = dyn_cast<graph::MaxPoolOp>(op);
    blocked_[op->getResult(0)] = pool ? emitPool(pool) : emitConcat(cast<graph::ConcatOp>(op));
    return true;
  }

  BlockedBytes emitSums(Value result, const IntegerTree& tree) {
    Operation* sums = tree.sums;
    const LayerLocation location(buffers_.builder(), sums->getLoc());
    ConvSpec spec;
    SmallVector<Value> buffers;
    const Tensor weight = weightsOf(sums->getOperand(1));
    if (auto conv = dyn_cast<graph::ConvOp>(sums)) {
      const BlockedBytes input = materialize(conv.getInput());
      buffers.push_back(input.buffer);
      setWindow(conv, spec);
      spec.in = input.layout;
      spec.out = plan_.layoutOf(result);
    } else {
      buffers.push_back(packRows(sums->getOperand(0), spec.in));
      spec.out = {1, weight.shape[0], 1, spec.in.width};
      spec.out.is_integer = true;
    }
    spec.finish = tree.finish;
    spec.has_residual = !tree.images.empty();
    if (spec.has_residual) spec.residual = materialize(tree.images[0]).layout;
    const ConvSchedule schedule =
        kernels_.scheduleOf({layerName(sums->getLoc()), spec, function_.getName().str()});
    func::FuncOp kernel = kernels_.conv(spec, schedule);
    ArrayRef<Type> types = kernel.getArgumentTypes();
    const SumStart start = {&weight, multipliedOffset(kernels_.traits())};
    buffers.push_back(buffers_.constant(types[2], packWords(spec, schedule, weight)));
    buffers.push_back(buffers_.constant(types[3], packConstants(tree, spec.out, start)));
    if (spec.has_residual) buffers.push_back(materialize(tree.images[0]).buffer);
    return emitCall(kernel, std::move(buffers), result, spec.out);
  }

  /// [M, K] as a blocked image of one row with M pixels and one block of K channels.
  Value packRows(Value matrix, Layout& layout) {
    const RankedTensorType type = typeOf(matrix);
    const int64_t inputs = type.getDimSize(1);
    layout = {1, inputs, 1, type.getDimSize(0)};
    layout.block = (inputs + kWordBytes - 1) / kWordBytes * kWordBytes;
    layout.is_integer = true;
    Value plain = blocked_.count(matrix) ? plainValue(matrix) : matrix;
    Value buffer = buffers_.allocate(layout);
    buffers_.call(kernels_.pack(layout, /*rows=*/true), {buffers_.read(plain), buffer});
    return buffer;
  }

  BlockedBytes emitMap(Value result, const IntegerTree& tree) {
    IntegerMapSpec spec;
    SmallVector<Value> buffers;
    for (Value image : tree.images) {
      spec.images.push_back(materialize(image).layout);
      buffers.push_back(materialize(image).buffer);
    }
    spec.out = plan_.layoutOf(result);
    spec.finish = tree.finish;
    func::FuncOp kernel = kernels_.integerMap(spec);
    Type constants = kernel.getArgumentTypes()[1 + buffers.size()];
    buffers.push_back(buffers_.constant(constants, packConstants(tree, spec.out, std::nullopt)));
    return emitCall(kernel, std::move(buffers), result, spec.out);
  }

  BlockedBytes emitPool(graph::MaxPoolOp pool) {
    const BlockedBytes source = materialize(pool.getInput());
    PoolSpec spec = poolSpec(pool);
    spec.in = source.layout;
    spec.out = plan_.layoutOf(pool.getOutput());
    return emitCall(kernels_.pool(spec), {source.buffer}, pool.getOutput(), spec.out);
  }

  BlockedBytes emitConcat(graph::ConcatOp concat) {
    const Layout layout = plan_.layoutOf(concat.getOutput());
    Value buffer = buffers_.allocate(layout, IntegerPlan::haloValue(concat.getOutput()));
    int64_t first_block = 0;
    for (Value input : concat.getInputs()) {
      const BlockedBytes part = materialize(input);
      buffers_.call(kernels_.copyBlocks(part.layout, layout, first_block), {part.buffer, buffer});
      first_block += part.layout.blocks();
    }
    return {buffer, layout};
  }

  /// Calls the kernel with a new buffer for `result` behind the others.
  BlockedBytes emitCall(func::FuncOp kernel, SmallVector<Value> buffers, Value result,
                        const Layout& out) {
    buffers.push_back(buffers_.allocate(out, IntegerPlan::haloValue(result)));
    buffers_.call(kernel, buffers);
    return {buffers.back(), out, typeOf(result).getRank() == 2};
  }

  /// The blocked form of an image: packed now if it has none.
  BlockedBytes materialize(Value image) {
    const auto found = blocked_.find(image);
    if (found != blocked_.end()) return found->second;
    const Layout layout = plan_.packedLayoutOf(image);
    Value buffer = buffers_.allocate(layout, IntegerPlan::haloValue(image));
    buffers_.call(kernels_.pack(layout), {buffers_.read(image), buffer});
    return blocked_[image] = {buffer, layout};
  }

  /// An op that stays reads plain tensors.
  void unpackOperands(Operation* op) {
    for (OpOperand& operand : op->getOpOperands()) {
      if (blocked_.count(operand.get())) operand.set(plainValue(operand.get()));
    }
  }

  Value plainValue(Value value) {
    // A value that was packed has its plain form.
    Operation* op = value.getDefiningOp();
    if (!op || (!plan_.tree(op) && !plan_.isBlockedMovement(op))) return value;
    Value& plain = unpacked_[value];
    const BlockedBytes source = blocked_.find(value)->second;
    if (!plain) {
      plain = buffers_.unpack(source.buffer, source.layout, typeOf(value), source.is_matrix);
    }
    return plain;
  }

  func::FuncOp function_;
  KernelLibrary& kernels_;
  IntegerPlan plan_;
  Buffers buffers_;
  llvm::DenseMap<Value, BlockedBytes> blocked_;
  llvm::DenseMap<Value, Value> unpacked_;
};

}  // namespace

void blockIntegers(func::FuncOp function, KernelLibrary& kernels, FunctionConstants& constants) {
  IntegerBlocker(function, kernels, constants).run();
}

}  // namespace vta::codegen::blocked
