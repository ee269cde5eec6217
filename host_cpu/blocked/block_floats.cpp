#include "host_cpu/blocked/block_floats.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "host_cpu/blocked/buffers.h"
#include "host_cpu/blocked/graph_queries.h"
#include "host_cpu/blocked/weights.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

/// A convolution or dense layer that has not been emitted yet, because the next op may become part
/// of it.
struct Pending {
  explicit Pending(Location location) : location(location) {}

  ConvSpec spec;  // without the output's halo
  Value input;    // the graph value
  Tensor weight, bias;
  Value residual;         // the graph value, or null
  bool is_dense = false;  // the rows of a matrix stand in the width
  Location location;      // of the convolution or dense layer
};

struct Blocked {
  Value buffer;  // of memrefType(layout)
  Layout layout;
  bool is_dense = false;
};

class Blocker {
 public:
  Blocker(func::FuncOp function, KernelLibrary& kernels, FunctionConstants& constants)
      : function_(function), kernels_(kernels), buffers_(function, kernels, constants) {}

  void run() {
    buffers_.replaceOps([this](Operation* op) { return convert(op); },
                        [this](Operation* op) { unpackOperands(op); });
  }

 private:
  bool convert(Operation* op) {
    // Nothing of a tensor without elements fills a block.
    if (llvm::any_of(op->getOperands(), graph::isEmpty) ||
        llvm::any_of(op->getResults(), graph::isEmpty)) {
      return false;
    }
    if (auto conv = dyn_cast<graph::ConvOp>(op)) return convertConv(conv);
    if (auto matmul = dyn_cast<graph::MatMulOp>(op)) return convertDense(matmul);
    if (auto norm = dyn_cast<graph::BatchNormOp>(op)) return foldBatchNorm(norm);
    if (auto binary = dyn_cast<graph::BinaryOp>(op)) return convertBinary(binary);
    if (auto pool = dyn_cast<graph::MaxPoolOp>(op)) return convertMaxPool(pool);
    if (auto pool = dyn_cast<graph::AvgPoolOp>(op)) return convertAvgPool(pool);
    if (auto concat = dyn_cast<graph::ConcatOp>(op)) return convertConcat(concat);
    if (std::optional<Activation> activation = activationOf(op)) {
      return convertActivation(op, *activation);
    }
    return false;
  }

  bool isFollowed(Value value) { return blocked_.count(value) || pending_.count(value); }

  /// The convolution that `value` is the result of, if it can still be added to: nothing else reads
  /// it.
  Pending* extensible(Value value) {
    auto found = pending_.find(value);
    if (found == pending_.end() || !value.hasOneUse()) return nullptr;
    return found->second.spec.activation.kind == Activation::Kind::kNone ? &found->second : nullptr;
  }

  /// The same convolution, extended, now computes `to`.
  void movePending(Value from, Value to) {
    Pending pending = std::move(pending_.find(from)->second);
    pending_.erase(from);
    pending_.try_emplace(to, std::move(pending));
  }

  bool convertConv(graph::ConvOp conv) {
    if (!isBlockedConv(conv)) return false;
    Pending pending(conv.getLoc());
    pending.input = conv.getInput();
    pending.weight = *floatConstant(conv.getWeight());
    ConvSpec& spec = pending.spec;
    spec.out = imageLayout(conv.getOutput());
    setWindow(conv, spec);
    pending.bias = conv.getBias() ? *floatConstant(conv.getBias())
                                  : Tensor::zeros(DType::kF32, {spec.out.channels});
    pending_.try_emplace(conv.getOutput(), std::move(pending));
    return true;
  }

  /// [M, K] x constant [K, N]: a 1x1 convolution of an image of one row with M pixels.
  bool convertDense(graph::MatMulOp matmul) {
    RankedTensorType lhs = typeOf(matmul.getLhs());
    if (lhs.getRank() != 2 || !lhs.getElementType().isF32()) return false;
    std::optional<Tensor> rhs = floatConstant(matmul.getRhs());
    if (!rhs || rhs->shape.size() != 2) return false;
    const int64_t inputs = rhs->shape[0], outputs = rhs->shape[1];
    Pending pending(matmul.getLoc());
    pending.input = isFollowed(matmul.getLhs()) ? plainValue(matmul.getLhs()) : matmul.getLhs();
    pending.is_dense = true;
    pending.weight = Tensor::zeros(DType::kF32, {outputs, inputs, 1, 1});
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t o = 0; o < outputs; ++o) {
        pending.weight.as<float>()[o * inputs + i] = rhs->as<float>()[i * outputs + o];
      }
    }
    pending.bias = Tensor::zeros(DType::kF32, {outputs});
    pending.spec.in = {1, inputs, 1, lhs.getDimSize(0), inputs};
    pending.spec.out = {1, outputs, 1, lhs.getDimSize(0)};
    pending_.try_emplace(matmul.getOutput(), std::move(pending));
    return true;
  }

  bool foldBatchNorm(graph::BatchNormOp norm) {
    Pending* pending = extensible(norm.getInput());
    if (!pending || pending->residual || pending->is_dense) return false;
    std::optional<Tensor> scale = floatConstant(norm.getScale()),
                          bias = floatConstant(norm.getBias()),
                          mean = floatConstant(norm.getMean()),
                          variance = floatConstant(norm.getVariance());
    if (!scale || !bias || !mean || !variance) return false;
    const double epsilon = norm.getEpsilon().convertToDouble();
    std::vector<float> factors, shifts;
    for (int64_t c = 0; c < pending->spec.out.channels; ++c) {
      const double factor = scale->as<float>()[c] / std::sqrt(variance->as<float>()[c] + epsilon);
      factors.push_back(static_cast<float>(factor));
      shifts.push_back(static_cast<float>(bias->as<float>()[c] - mean->as<float>()[c] * factor));
    }
    scaleChannels(pending->weight, pending->bias, factors, shifts);
    movePending(norm.getInput(), norm.getOutput());
    return true;
  }

  bool convertActivation(Operation* op, const Activation& activation) {
    Value input = op->getOperand(0), output = op->getResult(0);
    if (Pending* pending = extensible(input)) {
      pending->spec.activation = activation;
      movePending(input, output);
      return true;
    }
    if (!isFollowed(input) || !isImage(input)) return false;
    ElementwiseSpec spec;
    spec.activation = activation;
    emitElementwise(output, spec, {input});
    return true;
  }

  bool convertBinary(graph::BinaryOp op) {
    const bool is_add = op.getKind() == graph::BinaryKind::add;
    if (!is_add && op.getKind() != graph::BinaryKind::mul) return false;
    for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      if (x.getType() == op.getType() && foldConstantOperand(op, x, y, is_add)) return true;
    }
    Value lhs = op.getLhs(), rhs = op.getRhs();
    if (lhs.getType() != rhs.getType() || !isImage(lhs) || !isFollowed(lhs) || !isFollowed(rhs)) {
      return false;
    }
    for (auto [x, y] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
      Pending* pending = is_add ? extensible(x) : nullptr;
      if (!pending || pending->residual || x == y) continue;
      pending->residual = y;
      movePending(x, op.getOutput());
      materialize(y);
      return true;
    }
    ElementwiseSpec spec;
    spec.kind = is_add ? ElementwiseSpec::Kind::kAdd : ElementwiseSpec::Kind::kMul;
    emitElementwise(op.getOutput(), spec, {lhs, rhs});
    return true;
  }

  /// x + constant or x * constant for each channel of a pending convolution.
  bool foldConstantOperand(graph::BinaryOp op, Value x, Value constant, bool is_add) {
    Pending* pending = extensible(x);
    if (!pending || pending->residual) return false;
    const int64_t channels = pending->spec.out.channels;
    auto values = channelConstant(constant, channels, pending->is_dense);
    if (!values) return false;
    const std::vector<float> ones(channels, 1.0f), zeros(channels, 0.0f);
    scaleChannels(pending->weight, pending->bias, is_add ? ones : *values,
                  is_add ? *values : zeros);
    movePending(x, op.getOutput());
    return true;
  }

  bool convertMaxPool(graph::MaxPoolOp op) {
    if (!isImage(op.getInput()) || !isFollowed(op.getInput()) || !isBlockedPool(op)) return false;
    emitPool(op.getInput(), op.getOutput(), poolSpec(op));
    return true;
  }

  bool convertAvgPool(graph::AvgPoolOp op) {
    if (!isImage(op.getInput()) || !isFollowed(op.getInput()) ||
        !windowsOverlap(op.getInput(), op.getOutput(), op.getKernel(), op.getStrides(),
                        op.getPads())) {
      return false;
    }
    PoolSpec spec;
    spec.average = true;
    spec.kernel = {op.getKernel()[0], op.getKernel()[1]};
    spec.strides = {op.getStrides()[0], op.getStrides()[1]};
    spec.pads = {op.getPads()[0], op.getPads()[1]};
    spec.counted_pads = {};
    if (op.getCountIncludePad()) {
      for (int side = 0; side < 4; ++side) {
        spec.counted_pads[side] = op.getPads()[side] - (side < 2 ? 0 : op.getCeilExtra()[side - 2]);
      }
    }
    emitPool(op.getInput(), op.getOutput(), spec);
    return true;
  }

  /// Parts whose channels fill their blocks follow each other without moving a lane.
  bool convertConcat(graph::ConcatOp op) {
    const int64_t axis = static_cast<int64_t>(op.getAxis());
    if (!isImage(op.getOutput()) || (axis != 1 && axis != -3)) return false;
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      const bool last = i + 1 == op.getInputs().size();
      if (!isFollowed(input) || (!last && typeOf(input).getDimSize(1) % kBlock != 0)) return false;
    }
    Layout layout = imageLayout(op.getOutput());
    layout.halo = haloOf(op.getOutput());
    Value buffer = buffers_.allocate(layout);
    int64_t first_block = 0;
    for (Value input : op.getInputs()) {
      Blocked part = materialize(input);
      buffers_.call(kernels_.copyBlocks(part.layout, layout, first_block), {part.buffer, buffer});
      first_block += part.layout.blocks();
    }
    setBlocked(op.getOutput(), {buffer, layout});
    return true;
  }

  void emitPool(Value input, Value output, PoolSpec spec) {
    Blocked source = materialize(input);
    spec.in = source.layout;
    spec.out = imageLayout(output);
    spec.out.halo = haloOf(output);
    Value buffer = buffers_.allocate(spec.out);
    buffers_.call(kernels_.pool(spec), {source.buffer, buffer});
    setBlocked(output, {buffer, spec.out});
  }

  void emitElementwise(Value output, ElementwiseSpec spec, ArrayRef<Value> inputs) {
    SmallVector<Value> buffers;
    spec.lhs = materialize(inputs[0]).layout;
    spec.rhs = materialize(inputs.back()).layout;
    for (Value input : inputs) buffers.push_back(materialize(input).buffer);
    spec.out = imageLayout(output);
    spec.out.halo = haloOf(output);
    buffers.push_back(buffers_.allocate(spec.out));
    buffers_.call(kernels_.elementwise(spec), buffers);
    setBlocked(output, {buffers.back(), spec.out});
  }

  /// A result of the function is unpacked at once, so that its blocks need no memory until the end.
  void setBlocked(Value value, const Blocked& blocked) {
    blocked_[value] = blocked;
    if (llvm::any_of(value.getUsers(), llvm::IsaPred<func::ReturnOp>)) plainValue(value);
  }

  /// The blocked form of a value: emitted, or packed, now if it was not before.
  Blocked materialize(Value value) {
    auto found = blocked_.find(value);
    if (found != blocked_.end()) return found->second;
    if (!pending_.count(value)) return blocked_[value] = pack(value);
    const Blocked result = emitPending(value);
    setBlocked(value, result);
    return result;
  }

  Blocked emitPending(Value value) {
    Pending pending = std::move(pending_.find(value)->second);
    pending_.erase(value);
    const LayerLocation location(buffers_.builder(), pending.location);
    ConvSpec& spec = pending.spec;
    SmallVector<Value> buffers;
    if (pending.is_dense) {
      buffers.push_back(rowsAsPixels(pending.input, spec.in));
    } else {
      Blocked input = materialize(pending.input);
      buffers.push_back(input.buffer);
      spec.in = input.layout;
      spec.out.halo = haloOf(value);
    }
    if (pending.residual) {
      spec.has_residual = true;
      spec.residual = materialize(pending.residual).layout;
    }
    const ConvSchedule schedule =
        kernels_.scheduleOf({layerName(pending.location), spec, function_.getName().str()});
    func::FuncOp kernel = kernels_.conv(spec, schedule);
    ArrayRef<Type> types = kernel.getArgumentTypes();
    buffers.push_back(buffers_.constant(types[2], packWeight(spec, schedule, pending.weight)));
    buffers.push_back(buffers_.constant(types[3], packBias(spec, pending.bias)));
    if (pending.residual) buffers.push_back(materialize(pending.residual).buffer);
    if (schedule.winograd != 0) buffers.push_back(buffers_.allocate(types[types.size() - 2]));
    buffers.push_back(buffers_.allocate(spec.out));
    buffers_.call(kernel, buffers);
    return {buffers.back(), spec.out, pending.is_dense};
  }

  Blocked pack(Value value) {
    Layout layout = imageLayout(value);
    layout.halo = haloOf(value);
    layout.block = packedBlock(value);
    Value buffer = buffers_.allocate(layout);
    buffers_.call(kernels_.pack(layout), {buffers_.read(value), buffer});
    return {buffer, layout};
  }

  /// [M, K] as a blocked image of one row with M pixels and one block of K channels.
  Value rowsAsPixels(Value matrix, const Layout& layout) {
    SmallVector<ReassociationIndices> groups = {{0, 1, 2, 3}, {4}};
    Builder& b = buffers_.builder();
    return b.create<memref::ExpandShapeOp>(memrefType(layout, b.getContext()),
                                           buffers_.read(matrix), groups);
  }

  /// An op that stays reads plain tensors.
  void unpackOperands(Operation* op) {
    for (OpOperand& operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!isFollowed(value)) continue;
      operand.set(plainValue(value));
    }
  }

  Value plainValue(Value value) {
    const Blocked source = materialize(value);
    const auto found = unpacked_.find(value);
    if (found != unpacked_.end()) return found->second;
    const Value plain =
        buffers_.unpack(source.buffer, source.layout, typeOf(value), source.is_dense);
    unpacked_[value] = plain;
    return plain;
  }

  func::FuncOp function_;
  KernelLibrary& kernels_;
  Buffers buffers_;
  llvm::DenseMap<Value, Blocked> blocked_;
  llvm::DenseMap<Value, Pending> pending_;
  llvm::DenseMap<Value, Value> unpacked_;
};

}  // namespace

void blockFloats(func::FuncOp function, KernelLibrary& kernels, FunctionConstants& constants) {
  Blocker(function, kernels, constants).run();
}

}  // namespace vta::codegen::blocked
