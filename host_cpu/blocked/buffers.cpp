#include "host_cpu/blocked/buffers.h"

#include "compiler/codegen/linalg/constants.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace vta::codegen::blocked {

using namespace mlir;

void Buffers::replaceOps(llvm::function_ref<bool(Operation*)> convert,
                         llvm::function_ref<void(Operation*)> keep) {
  SmallVector<Operation*> ops, replaced;
  for (Operation& op : function_.getBody().front()) ops.push_back(&op);
  for (Operation* op : ops) {
    b_.setLoc(op->getLoc());
    b_.setInsertionPoint(op);
    if (convert(op)) {
      replaced.push_back(op);
    } else {
      keep(op);
    }
  }
  for (Operation* op : llvm::reverse(replaced)) {
    assert(op->use_empty() && "users of a blocked op read the blocked value");
    op->erase();
  }
}

Value Buffers::allocate(const Layout& layout, int64_t halo_value) {
  Value buffer = b_.create<memref::AllocOp>(memrefType(layout, b_.getContext()));
  if (layout.hasHalo()) call(kernels_.clearHalo(layout, halo_value), buffer);
  return buffer;
}

Value Buffers::allocate(Type type) { return b_.create<memref::AllocOp>(cast<MemRefType>(type)); }

Value Buffers::constant(Type type, Tensor tensor) {
  auto buffer = cast<MemRefType>(type);
  return read(addConstantArgument(function_,
                                  RankedTensorType::get(buffer.getShape(), buffer.getElementType()),
                                  std::move(tensor), constants_));
}

Value Buffers::read(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto buffer = b_.create<bufferization::ToMemrefOp>(
      MemRefType::get(type.getShape(), type.getElementType()), tensor);
  buffer.setReadOnly(true);
  return buffer;
}

Value Buffers::unpack(Value buffer, const Layout& layout, RankedTensorType type, bool rows) {
  Value plain = b_.create<memref::AllocOp>(MemRefType::get(type.getShape(), type.getElementType()));
  call(kernels_.unpack(layout, rows), {buffer, plain});
  auto tensor = b_.create<bufferization::ToTensorOp>(type, plain);
  tensor.setRestrict(true);
  tensor.setWritable(true);
  return tensor;
}

void Buffers::call(func::FuncOp kernel, ArrayRef<Value> buffers) {
  SmallVector<Value> operands = {function_.getArgument(0)};
  llvm::append_range(operands, buffers);
  b_.create<func::CallOp>(kernel, operands);
}

}  // namespace vta::codegen::blocked
