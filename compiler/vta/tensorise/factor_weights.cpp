// vta-factor-weights: weights that do not fit the hardware's are divided by factors, which become
// parameters.
#include <map>
#include <string>
#include <utility>

#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/weights/weight_factors.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/kernels.h"
#include "compiler/vta/common/reference_functions.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

#define GEN_PASS_DEF_FACTORWEIGHTSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using kernel::FactoredWeights;
using kernel::KernelDesc;
using mlir::RankedTensorType;
using mlir::Value;
namespace arith = mlir::arith;

// Arguments of references.
constexpr unsigned kWeight = 1;
constexpr unsigned kParam = 2;

/// Builds, in a reference, the weights and parameters as they were.
class FactorBuilder {
 public:
  FactorBuilder(mlir::OpBuilder builder, mlir::Location loc, const KernelDesc& desc)
      : b_(builder), loc_(loc), desc_(desc) {}

  /// The vectors [first, first + count) of parameters [param][OC/bo][b][bo].
  Value someParams(Value params, int64_t first, int64_t count) {
    llvm::SmallVector<int64_t> shape(shapeOf(params));
    shape[0] = count;
    llvm::SmallVector<mlir::OpFoldResult> offsets(4, b_.getIndexAttr(0)), sizes;
    const llvm::SmallVector<mlir::OpFoldResult> strides(4, b_.getIndexAttr(1));
    for (const int64_t size : shape) sizes.push_back(b_.getIndexAttr(size));
    offsets[0] = b_.getIndexAttr(first);
    return b_.create<mlir::tensor::ExtractSliceOp>(
        loc_, RankedTensorType::get(shape, b_.getI32Type()), params, offsets, sizes, strides);
  }

  /// Lets everything that reads `weights` read their products with the factors in `params`.
  void multiply(Value weights, Value params) {
    const llvm::SmallVector<mlir::OpOperand*> uses = llvm::to_vector(
        llvm::map_range(weights.getUses(), [](mlir::OpOperand& use) { return &use; }));
    const int64_t count = desc_.numFactors();
    Value products =
        timesFactors(weights, factors(someParams(params, desc_.factorParam(0), count)));
    for (mlir::OpOperand* use : uses) use->set(products);
  }

 private:
  static llvm::SmallVector<mlir::utils::IteratorType> parallel(size_t count) {
    return llvm::SmallVector<mlir::utils::IteratorType>(count, mlir::utils::IteratorType::parallel);
  }

  /// The factors of weights, int32 [factors][OC/bo][b][bo], out of what accumulators are multiplied
  /// by: each is the product of its own multiplier and of all behind it, modulo 2^32.
  Value factors(Value multipliers) {
    const auto type = mlir::cast<RankedTensorType>(multipliers.getType());
    Value one = b_.create<arith::ConstantOp>(loc_, b_.getI32IntegerAttr(1));
    Value empty = b_.create<mlir::tensor::EmptyOp>(loc_, type.getShape(), b_.getI32Type());
    Value ones = b_.create<mlir::linalg::FillOp>(loc_, one, empty).getResult(0);
    const auto dim = [&](unsigned number) { return b_.getAffineDimExpr(number); };
    const auto read = mlir::AffineMap::get(5, 0, {dim(4), dim(1), dim(2), dim(3)}, b_.getContext());
    const auto written =
        mlir::AffineMap::get(5, 0, {dim(0), dim(1), dim(2), dim(3)}, b_.getContext());
    auto loops = parallel(4);
    loops.push_back(mlir::utils::IteratorType::reduction);
    auto products = b_.create<mlir::linalg::GenericOp>(
        loc_, type, multipliers, ones, llvm::ArrayRef{read, written}, loops,
        [&](mlir::OpBuilder& body, mlir::Location, mlir::ValueRange values) {
          Value own = body.create<mlir::linalg::IndexOp>(loc_, 0);
          Value other = body.create<mlir::linalg::IndexOp>(loc_, 4);
          Value counts = body.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::uge, other, own);
          Value product = body.create<arith::MulIOp>(loc_, values[0], values[1]);
          Value result = body.create<arith::SelectOp>(loc_, counts, product, values[1]);
          body.create<mlir::linalg::YieldOp>(loc_, result);
        });
    return products.getResult(0);
  }

  Value timesFactors(Value weights, Value factors) {
    const auto type = mlir::cast<RankedTensorType>(weights.getType());
    Value out = b_.create<mlir::tensor::EmptyOp>(loc_, type.getShape(), b_.getI8Type());
    const auto identity = b_.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()));
    auto products = b_.create<mlir::linalg::GenericOp>(
        loc_, type, weights, out, llvm::ArrayRef{identity, identity},
        parallel(static_cast<size_t>(type.getRank())),
        [&](mlir::OpBuilder& body, mlir::Location, mlir::ValueRange values) {
          body.create<mlir::linalg::YieldOp>(loc_, product(body, values[0], factors));
        });
    return products.getResult(0);
  }

  /// Of a weight and its factor, at the indexes of the loops over [OC/bo][IC/bi][KH][KW][bo][bi].
  Value product(mlir::OpBuilder& body, Value weight, Value factors) {
    const auto index = [&](uint64_t dim) -> Value {
      return body.create<mlir::linalg::IndexOp>(loc_, dim);
    };
    Value size = body.create<arith::ConstantIndexOp>(loc_, desc_.factor_blocks);
    Value zero = body.create<arith::ConstantIndexOp>(loc_, 0);
    Value group = body.create<arith::DivUIOp>(loc_, index(1), size);
    Value factor = body.create<mlir::tensor::ExtractOp>(
        loc_, factors, mlir::ValueRange{group, index(0), zero, index(4)});
    Value wide = body.create<arith::ExtSIOp>(loc_, body.getI32Type(), weight);
    Value scaled = body.create<arith::MulIOp>(loc_, wide, factor);
    return body.create<arith::TruncIOp>(loc_, body.getI8Type(), scaled);
  }

  mlir::OpBuilder b_;
  mlir::Location loc_;
  const KernelDesc& desc_;
};

class FactorWeightsPass : public HwPass<impl::FactorWeightsPassBase<FactorWeightsPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    references_.clear();
    mlir::SymbolTable symbols(getOperation());
    for (KernelOp op : kernelsOf(getOperation())) {
      if (!op.getWeight() || op.getWeightWidthBits()) continue;
      const auto weights = readBytes(op.getWeight());
      if (!weights || kernel::fitWeights(*weights, hw_)) continue;
      const KernelDesc& desc = op.getDesc().getValue();
      const auto factored = kernel::factorWeights(*weights, desc.geometry, hw_);
      // vta-partition has left other weights on the host.
      if (!factored) {
        op.emitError("its weights do not fit the hardware's");
        return signalPassFailure();
      }
      factor(op, *factored, symbols);
    }
  }

 private:
  void factor(KernelOp op, const FactoredWeights& factored, mlir::SymbolTable& symbols) {
    KernelDesc desc = op.getDesc().getValue();
    desc.factor_blocks = factored.factor_blocks;
    desc.num_params += desc.numFactors();
    desc.bias_exceeds_results = false;
    desc.small_bias_blocks.clear();
    const auto old = symbols.lookup<mlir::func::FuncOp>(op.getReference());
    Value params = paramsOf(op, desc, factored);
    replaceReference(op, old, referenceOf(old, op, desc, params.getType(), symbols), symbols);
    mlir::OpBuilder builder(op);
    op.getWeightMutable().assign(builder.create<arith::ConstantOp>(
        op.getLoc(), mlir::DenseIntElementsAttr::get(op.getWeight().getType(),
                                                     llvm::ArrayRef(factored.weights))));
    op.getParamMutable().assign(params);
    op.setDescAttr(KernelAttr::get(op.getContext(), desc));
  }

  /// The kernel's parameters, and behind them those of the factors.
  Value paramsOf(KernelOp op, const KernelDesc& desc, const FactoredWeights& factored) const {
    std::vector<int32_t> values;
    if (op.getParam()) values = *readIntegers(op.getParam());
    values.insert(values.end(), factored.params.begin(), factored.params.end());
    mlir::OpBuilder builder(op);
    const auto type = RankedTensorType::get(
        {desc.num_params, desc.geometry.out_channel_blocks, hw_.batch(), hw_.blockOut()},
        builder.getI32Type());
    return builder.create<arith::ConstantOp>(
        op.getLoc(), mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(values)));
  }

  /// A copy of the kernel's reference that takes factored weights and their factors. Kernels that
  /// shared one, and are factored alike, share it.
  mlir::func::FuncOp referenceOf(mlir::func::FuncOp old, KernelOp op, const KernelDesc& desc,
                                 mlir::Type type, mlir::SymbolTable& symbols) {
    mlir::func::FuncOp& copy = references_[{old.getSymName().str(), desc.factor_blocks}];
    if (copy) return copy;
    constexpr llvm::StringLiteral kSuffix = "_factors";
    const auto multiply = [&](mlir::OpBuilder b, mlir::Block& body) {
      FactorBuilder(b, body.getParentOp()->getLoc(), desc)
          .multiply(body.getArgument(kWeight), body.getArgument(kParam));
    };
    if (op.getParam()) {
      copy = copyWithArgument(
          old, kSuffix, kParam, mlir::cast<RankedTensorType>(type),
          [&](mlir::OpBuilder b, mlir::BlockArgument argument, RankedTensorType original) {
            multiply(b, *argument.getOwner());
            return FactorBuilder(b, argument.getLoc(), desc)
                .someParams(argument, 0, original.getDimSize(0));
          },
          symbols);
      return copy;
    }
    copy = old.clone();
    copy.setSymName((old.getSymName() + kSuffix).str());
    copy.insertArgument(kParam, type, {}, old.getLoc());
    multiply(mlir::OpBuilder::atBlockBegin(&copy.getBody().front()), copy.getBody().front());
    symbols.insert(copy);
    return copy;
  }

  std::map<std::pair<std::string, int64_t>, mlir::func::FuncOp> references_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createFactorWeightsPass(const HwConfig& hw) {
  return std::make_unique<FactorWeightsPass>(hw);
}

}  // namespace vta::compiler
