#include "host_gpu/kernels/group_buffers.h"

#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {
namespace {

using namespace mlir;

class Collector {
 public:
  FailureOr<GroupBuffers> collect(const OpGroup& group) {
    for (const linalg::LinalgOp op : group) {
      if (failed(addOperands(op)) || failed(addCaptured(op))) return failure();
    }
    for (const Value buffer : made_.buffers) {
      made_.accesses.push_back(accessOf(buffer));
      if (!is_scattered_.contains(buffer)) made_.flat.insert(buffer);
    }
    return std::move(made_);
  }

 private:
  LogicalResult addOperands(linalg::LinalgOp op) {
    for (OpOperand& operand : op->getOpOperands()) {
      const Value value = operand.get();
      auto type = dyn_cast<MemRefType>(value.getType());
      if (!type) {
        if (failed(addConstant(op, value))) return failure();
        continue;
      }
      const bool is_init = op.isDpsInit(&operand);
      const bool is_used =
          op.payloadUsesValueFromOperand(&operand) || (is_init && op.getNumReductionLoops() > 0);
      if (isLocal(value) || (!is_init && !is_used)) continue;
      made_.buffers.insert(value);
      if (!isPointwise(operand) || !type.getLayout().isIdentity()) is_scattered_.insert(value);
      if (is_used && !is_written_.contains(value)) is_read_.insert(value);
    }
    for (const Value init : op.getDpsInits()) is_written_.insert(init);
    return success();
  }

  /// What the body uses without naming it as an operand.
  LogicalResult addCaptured(linalg::LinalgOp op) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (const Value value : captured) {
      if (!isa<MemRefType>(value.getType())) {
        if (failed(addConstant(op, value))) return failure();
        continue;
      }
      made_.buffers.insert(value);
      is_read_.insert(value);
      is_scattered_.insert(value);
    }
    return success();
  }

  LogicalResult addConstant(linalg::LinalgOp op, Value value) {
    Operation* producer = value.getDefiningOp();
    if (producer == nullptr || !producer->hasTrait<OpTrait::ConstantLike>()) {
      return op->emitError() << "an operand of type " << value.getType() << " is no constant";
    }
    made_.constants.insert(producer);
    return success();
  }

  GpuAccess accessOf(Value buffer) const {
    if (!is_written_.contains(buffer)) return GpuAccess::kRead;
    // The bytes around a part of a buffer stay.
    const bool is_part = !cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
    return is_part || is_read_.contains(buffer) ? GpuAccess::kReadWrite : GpuAccess::kWrite;
  }

  GroupBuffers made_;
  llvm::DenseSet<Value> is_read_, is_written_, is_scattered_;
};

}  // namespace

FailureOr<GroupBuffers> collectBuffers(const OpGroup& group) { return Collector().collect(group); }

}  // namespace vta::codegen
