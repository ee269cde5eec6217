// vta-tensorise: references proved to be built from intrinsics become kernels.
#include "compiler/kernel/desc/bias_folding.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/vta/common/call_pass.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/passes.h"
#include "compiler/vta/tensorise/recognise.h"
#include "compiler/vta/tensorise/worth_moving.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

#define GEN_PASS_DEF_TENSORISEPASS
#include "compiler/vta/passes.h.inc"

namespace {

using kernel::KernelDesc;
using kernel::KernelKind;
using mlir::Value;

/// A kernel that the hardware can run.
struct Proved {
  KernelDesc desc;
};

class TensorisePass : public CallPass<impl::TensorisePassBase<TensorisePass>> {
 public:
  using CallPass::CallPass;

  void runOnOperation() override {
    IntrinsicSet intrinsics(hw_, &getContext());
    rewriteCalls([&](mlir::func::CallOp call, mlir::SymbolTable& symbols) {
      return tensoriseCall(call, symbols, intrinsics);
    });
  }

 private:
  mlir::LogicalResult tensoriseCall(mlir::func::CallOp call, mlir::SymbolTable& symbols,
                                    IntrinsicSet& intrinsics) {
    auto group_name = call->getAttrOfType<mlir::FlatSymbolRefAttr>(kOffloadAttr);
    if (!group_name) return mlir::success();
    auto reference = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    auto group = symbols.lookup<mlir::func::FuncOp>(group_name.getValue());
    if (!reference || !group) {
      return call.emitError("the call's reference or group does not exist");
    }
    auto proved = prove(reference, group, intrinsics);
    const bool is_pair = multipliesActivations(group);
    if (is_pair && !proved.ok()) return call.emitError(proved.status().message());
    const std::string refusal = is_pair       ? std::string()
                                : proved.ok() ? notWorthMoving(call, group)
                                              : proved.status().message();
    if (proved.ok() && refusal.empty()) {
      promiseBias(call, proved->desc);
      makeKernel(call, group, *proved);
    } else {
      runOnHost(call, group, refusal);
      if (mlir::SymbolTable::symbolKnownUseEmpty(reference, getOperation())) {
        symbols.erase(reference);
      }
    }
    symbols.erase(group);
    return mlir::success();
  }

  /// True for groups whose weights are computed. vta-partition has seen that they can run and pay.
  static bool multipliesActivations(mlir::func::FuncOp group) {
    return llvm::any_of(group.getOps<graph::MatMulOp>(), [](graph::MatMulOp op) {
      return mlir::isa<mlir::BlockArgument>(op.getRhs());
    });
  }

  Result<Proved> prove(mlir::func::FuncOp reference, mlir::func::FuncOp group,
                       IntrinsicSet& intrinsics) {
    Proved out;
    VTA_ASSIGN_OR_RETURN(out.desc, recogniseKernel(reference, intrinsics));
    out.desc.name = group->getAttrOfType<mlir::StringAttr>(kLayerAttr).str();
    VTA_RETURN_IF_ERROR(kernel::checkRunnable(out.desc, hw_));
    return out;
  }

  /// The promise about the bias, where the parameters are constants.
  static void promiseBias(mlir::func::CallOp call, KernelDesc& desc) {
    if (desc.num_params == 0) return kernel::promiseBias(desc, {});
    const auto param = readIntegers(call.getOperand(desc.kind == KernelKind::kContraction ? 2 : 1));
    if (param) kernel::promiseBias(desc, *param);
  }

  static void makeKernel(mlir::func::CallOp call, mlir::func::FuncOp group, const Proved& proved) {
    mlir::OpBuilder builder(call);
    auto operand = call.getOperands().begin();
    Value input = *operand++;
    Value weight = proved.desc.kind == KernelKind::kContraction ? *operand++ : Value();
    Value param = proved.desc.num_params > 0 ? *operand++ : Value();
    Value residual = proved.desc.residual.has_value() ? *operand++ : Value();
    auto kernel = builder.create<KernelOp>(
        call.getLoc(), call.getResult(0).getType(), call.getCalleeAttr(), input, weight, param,
        residual, KernelAttr::get(call.getContext(), proved.desc), /*schedule=*/ScheduleAttr(),
        /*schedule_origin=*/mlir::StringAttr(), /*program=*/mlir::DenseI8ResourceElementsAttr(),
        /*weight_width_bits=*/mlir::IntegerAttr(),
        group->getAttrOfType<mlir::StringAttr>(kLayerAttr),
        group->getAttrOfType<mlir::StringAttr>(kOpAttr),
        group->getAttrOfType<mlir::IntegerAttr>(kMacsAttr));
    call.getResult(0).replaceAllUsesWith(kernel.getOutput());
    call.erase();
  }

  /// Puts the group's own operations back between unpack and pack.
  static void runOnHost(mlir::func::CallOp call, mlir::func::FuncOp group,
                        const std::string& reason) {
    mlir::OpBuilder builder(call);
    llvm::SmallVector<Value> inputs = plainInputs(call, group, builder);
    mlir::Block& body = group.getBody().front();
    mlir::IRMapping mapping;
    mapping.map(body.getArguments(), inputs);
    for (mlir::Operation& op : body.without_terminator()) {
      mlir::Operation* copy = builder.clone(op, mapping);
      if (mlir::isa<mlir::arith::ConstantOp>(copy)) continue;
      copy->setAttr(kReasonAttr, builder.getStringAttr(reason));
    }
    Value result = mapping.lookup(body.getTerminator()->getOperand(0));
    for (mlir::Operation* user : llvm::make_early_inc_range(call.getResult(0).getUsers())) {
      // The plain value replaces what unpack (and a reshape after it) gave; other kernels repack.
      if (auto unpack = mlir::dyn_cast<UnpackOp>(user)) {
        unpack.replaceAllUsesWith(reshaped(result, unpack.getType(), builder));
        unpack.erase();
      }
    }
    if (!call.getResult(0).use_empty()) {
      auto packed = mlir::cast<mlir::RankedTensorType>(call.getResult(0).getType());
      Value plain = reshaped(result, plainType(result.getType(), packed), builder);
      call.getResult(0).replaceAllUsesWith(builder.create<PackOp>(call.getLoc(), packed, plain));
    }
    call.erase();
  }

  static Value reshaped(Value value, mlir::Type type, mlir::OpBuilder& builder) {
    if (value.getType() == type) return value;
    return builder.create<graph::ReshapeOp>(value.getLoc(), type, value);
  }

  /// NCHW stays; anything else is packed as rows and channels, or as an image of one pixel.
  static mlir::Type plainType(mlir::Type type, mlir::RankedTensorType packed) {
    auto ranked = mlir::cast<mlir::RankedTensorType>(type);
    if (ranked.getRank() == 4) return type;
    const int64_t channels = ranked.getShape().back();
    auto matrix = mlir::RankedTensorType::get({ranked.getNumElements() / channels, channels},
                                              ranked.getElementType());
    const auto shape = packed.getShape();
    if (packedType(matrix, shape[4], shape[5]) == packed) return matrix;
    return mlir::RankedTensorType::get({matrix.getDimSize(0), channels, 1, 1},
                                       ranked.getElementType());
  }

  /// The group's operands: the packed ones without constants, unpacked.
  static llvm::SmallVector<Value> plainInputs(mlir::func::CallOp call, mlir::func::FuncOp group,
                                              mlir::OpBuilder& builder) {
    llvm::SmallVector<Value> out;
    for (auto [value, argument] :
         llvm::zip_equal(activationsOf(call, group), group.getArguments())) {
      auto packed_type = mlir::cast<mlir::RankedTensorType>(value.getType());
      Value plain = builder.create<UnpackOp>(call.getLoc(),
                                             plainType(argument.getType(), packed_type), value);
      out.push_back(reshaped(plain, argument.getType(), builder));
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createTensorisePass(const HwConfig& hw) {
  return std::make_unique<TensorisePass>(hw);
}

}  // namespace vta::compiler
