#include "compiler/vta/tensorise/worth_moving.h"

#include "compiler/codegen/costs.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/common/names.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

/// Kernels, and calls of groups that may become kernels.
bool isOfAccelerator(Operation* op) { return isProgram(op) || mlir::isa<mlir::func::CallOp>(op); }

/// True when the host computes `value` from what a kernel computed. Moving alone is no reason: a
/// host that only changes blocks does so for kernels.
bool comesBackFromKernels(Value value) {
  llvm::SetVector<Operation*> behind;
  const auto visit = [&](Value operand) {
    if (Operation* op = operand.getDefiningOp()) behind.insert(op);
  };
  visit(value);
  bool is_of_kernel = false, is_computed = false;
  for (size_t i = 0; i < behind.size(); ++i) {
    Operation* op = behind[i];
    if (isOfAccelerator(op)) {
      is_of_kernel = true;
      continue;
    }
    is_computed = is_computed || !(isDataMovement(op) || mlir::isa<mlir::arith::ConstantOp>(op));
    for (Value operand : op->getOperands()) visit(operand);
  }
  return is_of_kernel && is_computed;
}

/// True when the host computes `value`, or has it from outside.
bool isOfHost(Value value) {
  Operation* op = value.getDefiningOp();
  if (!op) return true;
  if (!isDataMovement(op)) return !isOfAccelerator(op);
  return llvm::all_of(op->getOperands(), isOfHost);
}

/// True when nothing but the host reads `value`.
bool isForHost(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation* op) {
    if (!isDataMovement(op)) return !isOfAccelerator(op);
    return llvm::all_of(op->getResults(), isForHost);
  });
}

/// What a launch takes at least: a microsecond, in which a board's processor computes so many
/// products.
constexpr int64_t kMacsOfLaunch = 1024;

int64_t elemsOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getNumElements();
}

}  // namespace

llvm::SmallVector<Value> activationsOf(mlir::func::CallOp call, mlir::func::FuncOp group) {
  llvm::SmallVector<Value> values{call.getOperand(0)};
  if (group.getNumArguments() == 2) values.push_back(call.getOperands().back());
  return values;
}

std::string notWorthMoving(mlir::func::CallOp call, mlir::func::FuncOp group) {
  const auto macs = group->getAttrOfType<mlir::IntegerAttr>(kMacsAttr);
  if (!macs || macs.getInt() == 0) return {};
  const llvm::SmallVector<Value> activations = activationsOf(call, group);
  const bool is_between_host_ops =
      llvm::all_of(activations, isOfHost) && isForHost(call.getResult(0));
  if (!is_between_host_ops || !llvm::any_of(activations, comesBackFromKernels)) return {};
  int64_t moved_elems = 0;
  for (const mlir::Type type : group.getArgumentTypes()) moved_elems += elemsOf(type);
  for (const mlir::Type type : group.getResultTypes()) moved_elems += elemsOf(type);
  if (macs.getInt() >= moved_elems * codegen::kCostPerMovedElem + kMacsOfLaunch) return {};
  return "moving its data costs more than its products";
}

}  // namespace vta::compiler
