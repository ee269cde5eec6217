// vta-pack: references of offloaded groups on packed operands, called through pack and unpack.
#include "compiler/vta/common/call_pass.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/pack/build_reference.h"
#include "compiler/vta/pack/pair_packer.h"
#include "compiler/vta/partition/pack_plan.h"
#include "compiler/vta/passes.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

#define GEN_PASS_DEF_PACKPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// Exchanges two arguments of a group's function, and the operands of its only call.
void exchangeArguments(mlir::func::CallOp call, mlir::func::FuncOp function, unsigned one,
                       unsigned other) {
  mlir::BlockArgument first = function.getArgument(one), second = function.getArgument(other);
  assert(first.getType() == second.getType() && "the function's type would change");
  llvm::SmallVector<mlir::OpOperand*> uses;
  for (mlir::OpOperand& use : first.getUses()) uses.push_back(&use);
  second.replaceAllUsesWith(first);
  for (mlir::OpOperand* use : uses) use->set(second);
  Value operand = call.getOperand(one);
  call.setOperand(one, call.getOperand(other));
  call.setOperand(other, operand);
}

/// Replaces calls of one group by calls of its packed reference.
class CallPacker {
 public:
  CallPacker(mlir::func::CallOp call, const PackPlan& plan, const PackedTypes& types)
      : builder_(call), loc_(call.getLoc()), call_(call), plan_(plan), types_(types) {}

  /// `residual` is the call's operand that is added, null if none.
  mlir::func::CallOp rewrite(Value residual, mlir::func::FuncOp reference) {
    llvm::SmallVector<Value> operands{pack(call_.getOperand(0), plan_.plain_input, types_.input)};
    if (types_.weight) operands.push_back(constant<int8_t>(plan_.weight, types_.weight));
    if (types_.param) operands.push_back(constant<int32_t>(plan_.param, types_.param));
    if (types_.residual) {
      operands.push_back(pack(residual, plan_.plain_residual, types_.residual));
    }
    auto packed = builder_.create<mlir::func::CallOp>(loc_, reference, operands);
    auto plain = RankedTensorType::get(plan_.plain_output, builder_.getI8Type());
    Value result = builder_.create<UnpackOp>(loc_, plain, packed.getResult(0));
    return replaceBy(
        packed,
        reshape(result, mlir::cast<RankedTensorType>(call_.getResult(0).getType()).getShape()));
  }

  /// For a product of two activations; `bias` is null if none is computed.
  mlir::func::CallOp rewritePair(Value bias, mlir::func::FuncOp reference) {
    const PairPacker pair(builder_, loc_, *plan_.pair);
    llvm::SmallVector<Value> operands{pair.packRows(call_.getOperand(0), types_.input),
                                      pair.packColumns(call_.getOperand(1), types_.weight)};
    if (bias) {
      operands.push_back(pair.packBias(bias, plan_.param, types_.param));
    } else if (types_.param) {
      operands.push_back(constant<int32_t>(plan_.param, types_.param));
    }
    auto packed = builder_.create<mlir::func::CallOp>(loc_, reference, operands);
    return replaceBy(packed, pair.unpackProduct(packed.getResult(0)));
  }

 private:
  /// Puts `plain`, what `packed` has made, in the place of the call.
  mlir::func::CallOp replaceBy(mlir::func::CallOp packed, Value plain) {
    call_.getResult(0).replaceAllUsesWith(plain);
    call_.erase();
    return packed;
  }

  Value reshape(Value value, llvm::ArrayRef<int64_t> shape) {
    auto type = mlir::cast<RankedTensorType>(value.getType());
    if (type.getShape() == shape) return value;
    return builder_.create<graph::ReshapeOp>(
        loc_, RankedTensorType::get(shape, type.getElementType()), value);
  }

  Value pack(Value value, llvm::ArrayRef<int64_t> plain, RankedTensorType packed) {
    return builder_.create<PackOp>(loc_, packed, reshape(value, plain));
  }

  template <typename T>
  Value constant(const std::vector<T>& values, RankedTensorType type) {
    return builder_.create<mlir::arith::ConstantOp>(
        loc_, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<T>(values)));
  }

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  mlir::func::CallOp call_;
  const PackPlan& plan_;
  const PackedTypes& types_;
};

class PackPass : public CallPass<impl::PackPassBase<PackPass>> {
 public:
  using CallPass::CallPass;

  void runOnOperation() override {
    references_.clear();
    rewriteCalls([this](mlir::func::CallOp call, mlir::SymbolTable& symbols) {
      auto group = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
      if (!group || !group->hasAttr(kOffloadAttr)) return mlir::success();
      return packCall(call, group, symbols);
    });
  }

 private:
  mlir::LogicalResult packCall(mlir::func::CallOp call, mlir::func::FuncOp function,
                               mlir::SymbolTable& symbols) {
    auto group = groupOf(call, function);
    if (!group.ok()) return function.emitError(group.status().message());
    const PackPlan plan = planPacking(*group, hw_, comesFromHost(call.getOperand(0)));
    mlir::func::FuncOp& reference = references_[{keyOf(plan), plan.pixel_elems}];
    if (!reference) {
      reference = buildReference(function.getName().str() + "_ref", function.getLoc(), plan, hw_);
      symbols.insert(reference);
    }
    Value residual;
    if (group->residual) {
      const auto index = mlir::cast<mlir::BlockArgument>(group->residual).getArgNumber();
      residual = call.getOperand(index);
    }
    const PackedTypes types = packedTypes(plan, hw_, &getContext());
    CallPacker packer(call, plan, types);
    Value bias = group->bias ? call.getOperand(call.getNumOperands() - 1) : Value();
    auto packed =
        group->weight ? packer.rewritePair(bias, reference) : packer.rewrite(residual, reference);
    packed->setAttr(kOffloadAttr, mlir::FlatSymbolRefAttr::get(function));
    return mlir::success();
  }

  /// The function's group, whose input is its first argument. What stands in front of a sum decided
  /// in vta-partition which of its operands is the input; inside the function the other one may be.
  Result<OffloadGroup> groupOf(mlir::func::CallOp call, mlir::func::FuncOp function) {
    mlir::Operation* root =
        function.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    VTA_ASSIGN_OR_RETURN(OffloadGroup group, findGroup(root, hw_));
    const unsigned input = mlir::cast<mlir::BlockArgument>(group.input).getArgNumber();
    if (input == 0) return group;
    exchangeArguments(call, function, 0, input);
    return findGroup(root, hw_);
  }

  /// Weights and parameters are operands, so layers of one shape share a reference.
  mlir::Attribute keyOf(const PackPlan& plan) {
    kernel::KernelDesc desc = plan.desc;
    desc.bias_exceeds_results = false;
    desc.small_bias_blocks.clear();
    return KernelAttr::get(&getContext(), std::move(desc));
  }

  llvm::DenseMap<std::pair<mlir::Attribute, int64_t>, mlir::func::FuncOp> references_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createPackPass(const HwConfig& hw) {
  return std::make_unique<PackPass>(hw);
}

}  // namespace vta::compiler
