#include "compiler/vta/tensorise/recognise.h"

#include <algorithm>
#include <limits>

#include "compiler/vta/common/pixel_view.h"
#include "compiler/vta/common/table_lookup.h"
#include "compiler/vta/tensorise/recognise_geometry.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler {

namespace {

using kernel::EpilogueStep;
using kernel::KernelDesc;
using kernel::KernelKind;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::linalg::GenericOp;

constexpr unsigned kActivationRank = 6;
constexpr int64_t kLeast = std::numeric_limits<int32_t>::min();

/// True when the operand behind block argument `argument` is read at the loops' own position.
bool isReadInPlace(GenericOp op, unsigned argument) {
  const mlir::AffineMap map = op.getIndexingMapsArray()[argument];
  return map.isIdentity() && map.getNumDims() == kActivationRank;
}

/// True when all pixels of an image read the one pixel that the operand behind `argument` has.
bool isReadPerImage(GenericOp op, unsigned argument) {
  return op.getIndexingMapsArray()[argument] == perImageMap(op.getContext());
}

bool isElementwise(GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() && op.getNumLoops() == kActivationRank &&
         op.getNumDpsInits() == 1 && isReadInPlace(op, op.getNumDpsInputs());
}

class Recogniser {
 public:
  Recogniser(mlir::func::FuncOp function, IntrinsicSet& intrinsics)
      : function_(function), intrinsics_(intrinsics) {}

  Result<KernelDesc> run() {
    if (!function_.getBody().hasOneBlock()) return unsupported("the function has several blocks");
    mlir::Operation* terminator = function_.getBody().front().getTerminator();
    if (terminator->getNumOperands() != 1) return unsupported("a kernel has one result");
    Value result = terminator->getOperand(0);
    auto type = mlir::dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getRank() != kActivationRank) {
      return unsupported("the result is not a packed activation");
    }
    VTA_ASSIGN_OR_RETURN(result, readInterleave(result, desc_.geometry));
    const int64_t blocks_per_phase = desc_.geometry.blocksPerPhase();
    type = mlir::cast<RankedTensorType>(result.getType());
    auto store = result.getDefiningOp<GenericOp>();
    if (!store || !isElementwise(store) || !matchIntrinsic(store, intrinsics_.outStore()) ||
        !isReadInPlace(store, 0)) {
      return unsupported("the result is not stored by the OUT intrinsic");
    }
    VTA_ASSIGN_OR_RETURN(GenericOp start, readSteps(store.getInputs()[0], desc_.epilogue, true));
    VTA_RETURN_IF_ERROR(readStart(start, type));
    if (desc_.geometry.phases > 1 && desc_.geometry.blocksPerPhase() != blocks_per_phase) {
      return unsupported("the phases of the outputs are not those of its groups");
    }
    std::reverse(desc_.epilogue.begin(), desc_.epilogue.end());
    if (param_) desc_.num_params = mlir::cast<RankedTensorType>(param_.getType()).getDimSize(0);
    VTA_RETURN_IF_ERROR(checkArguments());
    return std::move(desc_);
  }

 private:
  /// Walks back over ALU steps, collecting them last first; returns the operation they start from.
  Result<GenericOp> readSteps(Value value, std::vector<EpilogueStep>& steps, bool is_main) {
    while (true) {
      auto op = value.getDefiningOp<GenericOp>();
      if (!op) return unsupported("an accumulator comes from something that is not linalg.generic");
      if (!isElementwise(op) || matchIntrinsic(op, intrinsics_.accLoad())) return op;
      if (auto table = matchLookup(op)) {
        VTA_RETURN_IF_ERROR(readLookup(op, std::move(*table), steps));
        value = op.getInputs()[0];
        continue;
      }
      auto alu = intrinsics_.matchAlu(op);
      if (!alu) return unsupported("an element-wise step is not in the declared ALU set");
      if (!isReadInPlace(op, alu->match.operands[0])) {
        return unsupported("a step reads accumulators of another position");
      }
      EpilogueStep step{alu->opcode, EpilogueStep::Source::kImmediate, alu->imm, 0};
      if (alu->tensor_operand) {
        VTA_RETURN_IF_ERROR(
            readOperand(op, alu->match.operands[0], alu->match.operands[1], is_main, step));
      }
      steps.push_back(step);
      value = op.getInputs()[alu->match.operands[0]];
    }
  }

  /// A step that reads the kernel's one table.
  Status readLookup(GenericOp op, std::vector<int8_t> table, std::vector<EpilogueStep>& steps) {
    if (!isReadInPlace(op, 0)) return unsupported("a step reads accumulators of another position");
    if (!desc_.table.empty() && desc_.table != table) {
      return unsupported("steps read different tables");
    }
    desc_.table = std::move(table);
    steps.push_back({AluOpcode::kLut, EpilogueStep::Source::kImmediate, 0, 0});
    return {};
  }

  /// The second operand of a step: a channel parameter, the accumulators themselves, or the
  /// residual.
  Status readOperand(GenericOp op, unsigned first, unsigned argument, bool is_main,
                     EpilogueStep& step) {
    Value operand = op.getInputs()[argument];
    if (auto slice = operand.getDefiningOp<mlir::tensor::ExtractSliceOp>()) {
      step.source = EpilogueStep::Source::kParam;
      return readParam(op, argument, slice, step);
    }
    if (operand == op.getInputs()[first] && isReadInPlace(op, argument)) {
      step.source = EpilogueStep::Source::kSelf;
      return {};
    }
    if (is_main && operand == residual_result_ &&
        isReadPerImage(op, argument) == desc_.residual_per_image) {
      step.source = EpilogueStep::Source::kResidual;
      return {};
    }
    if (!residual_) desc_.residual_per_image = isReadPerImage(op, argument);
    if (!is_main || residual_ || (!isReadInPlace(op, argument) && !desc_.residual_per_image)) {
      return unsupported("a step has an operand that is neither a parameter nor the residual");
    }
    step.source = EpilogueStep::Source::kResidual;
    kernel::Residual& residual = desc_.residual.emplace();
    VTA_ASSIGN_OR_RETURN(GenericOp load, readSteps(operand, residual.steps, false));
    std::reverse(residual.steps.begin(), residual.steps.end());
    if (!isElementwise(load) || !isReadInPlace(load, 0)) {
      return unsupported("the residual is not loaded by the ACC intrinsic");
    }
    residual_ = load.getInputs()[0];
    residual_result_ = operand;
    return {};
  }

  /// One vector per output-channel block, the same at every pixel and batch block.
  Status readParam(GenericOp op, unsigned argument, mlir::tensor::ExtractSliceOp slice,
                   EpilogueStep& step) {
    const Value buffer = slice.getSource();
    if (param_ && param_ != buffer) return unsupported("parameters come from two buffers");
    param_ = buffer;
    const mlir::AffineMap map = op.getIndexingMapsArray()[argument];
    const mlir::AffineMap expected =
        mlir::AffineMap::getMultiDimMapWithTargets(kActivationRank, {1, 4, 5}, op.getContext());
    const llvm::ArrayRef<int64_t> offsets = slice.getStaticOffsets();
    const auto source = mlir::cast<RankedTensorType>(buffer.getType());
    const auto taken = mlir::cast<RankedTensorType>(slice.getType());
    const bool whole = source.getRank() == 4 && taken.getRank() == 3 &&
                       source.getShape().drop_front() == taken.getShape() &&
                       llvm::all_of(slice.getStaticStrides(), [](int64_t s) { return s == 1; }) &&
                       llvm::all_of(offsets.drop_front(), [](int64_t o) { return o == 0; });
    if (map != expected || !whole || mlir::ShapedType::isDynamic(offsets[0])) {
      return unsupported("a parameter is not one vector of the buffer per channel block");
    }
    step.param = static_cast<int32_t>(offsets[0]);
    return {};
  }

  Status readStart(GenericOp op, RankedTensorType output) {
    if (isElementwise(op)) {  // readSteps stops there at an ACC load only
      if (!isReadInPlace(op, 0)) return unsupported("the input is not loaded in place");
      desc_.kind = KernelKind::kElementwise;
      input_ = op.getInputs()[0];
      return readLanesGeometry(mlir::cast<RankedTensorType>(input_.getType()), output,
                               desc_.geometry);
    }
    if (auto gemm = matchIntrinsic(op, intrinsics_.gemm())) {
      desc_.kind = KernelKind::kContraction;
      weight_ = op.getInputs()[gemm->operands[1]];
      if (!startsAt(op, 0, 0)) return unsupported("the sum does not start at zero");
      VTA_ASSIGN_OR_RETURN(input_, readContraction(op, *gemm, desc_.geometry));
      return {};
    }
    return readPool(op);
  }

  Status readPool(GenericOp op) {
    auto alu = intrinsics_.matchAlu(op);
    // Both operations commute, so the accumulator may have been matched as either operand.
    const bool swapped =
        alu && alu->tensor_operand && alu->match.operands[1] == op.getNumDpsInputs();
    if (swapped) std::swap(alu->match.operands[0], alu->match.operands[1]);
    const bool in_place =
        alu && alu->tensor_operand && alu->match.operands[0] == op.getNumDpsInputs();
    if (!in_place || (alu->opcode != AluOpcode::kMax && alu->opcode != AluOpcode::kAdd)) {
      return unsupported("the reduction is neither the GEMM nor an ALU intrinsic");
    }
    const bool max = alu->opcode == AluOpcode::kMax;
    desc_.kind = max ? KernelKind::kMaxPool : KernelKind::kSumPool;
    if (max ? !startsAt(op, std::numeric_limits<int32_t>::min(), std::numeric_limits<int8_t>::min())
            : !startsAt(op, 0, 0)) {
      return unsupported("the window does not start at the operation's neutral element");
    }
    const Value pooled = op.getInputs()[alu->match.operands[1]];
    if (max && startsAt(op, kLeast, kLeast)) {
      if (GenericOp sum = contractionBehind(pooled)) return readPooledContraction(op, *alu, sum);
    }
    auto load = pooled.getDefiningOp<GenericOp>();
    if (!load || !isElementwise(load) || !matchIntrinsic(load, intrinsics_.accLoad()) ||
        !isReadInPlace(load, 0)) {
      return unsupported("the pooled input is not loaded by the ACC intrinsic");
    }
    VTA_ASSIGN_OR_RETURN(input_, readWindow(op, alu->match, load.getInputs()[0], desc_.geometry));
    return {};
  }

  /// The contraction whose accumulators `value` holds, with or without padding; null if none.
  GenericOp contractionBehind(Value value) {
    if (auto pad = value.getDefiningOp<mlir::tensor::PadOp>()) value = pad.getSource();
    auto op = value.getDefiningOp<GenericOp>();
    return op && matchIntrinsic(op, intrinsics_.gemm()) ? op : GenericOp();
  }

  /// Windows over a contraction's accumulators; their padding is the neutral element.
  Status readPooledContraction(GenericOp op, const AluMatch& alu, GenericOp sum) {
    kernel::Geometry window;
    VTA_ASSIGN_OR_RETURN(
        Value source,
        readWindow(op, alu.match, op.getInputs()[alu.match.operands[1]], window, kLeast));
    if (source != sum.getResult(0)) return unsupported("the pooled accumulators are changed first");
    if (window.dilation_y != 1 || window.dilation_x != 1) {
      return unsupported("the pooling of accumulators is dilated");
    }
    desc_.pool =
        kernel::Pool{window.out_height, window.out_width, window.kernel_height, window.kernel_width,
                     window.stride_y,   window.stride_x,  window.pad_top,       window.pad_left};
    return readStart(sum, {});
  }

  /// The reduction's initial value is a fill within [low, high].
  static bool startsAt(GenericOp op, int64_t low, int64_t high) {
    auto fill = op.getOutputs()[0].getDefiningOp<mlir::linalg::FillOp>();
    mlir::IntegerAttr value;
    return fill && mlir::matchPattern(fill.getInputs()[0], mlir::m_Constant(&value)) &&
           value.getInt() >= low && value.getInt() <= high;
  }

  /// The operands found are the function's arguments, in vta.kernel's order.
  Status checkArguments() {
    llvm::SmallVector<Value> expected{input_};
    for (Value operand : {weight_, param_, residual_}) {
      if (operand) expected.push_back(operand);
    }
    const auto arguments = function_.getArguments();
    if (!std::equal(expected.begin(), expected.end(), arguments.begin(), arguments.end())) {
      return unsupported("the operands are not the function's arguments in order");
    }
    return {};
  }

  mlir::func::FuncOp function_;
  IntrinsicSet& intrinsics_;
  KernelDesc desc_;
  Value input_, weight_, param_, residual_;
  Value residual_result_;  // behind the residual's own steps
};

}  // namespace

Result<KernelDesc> recogniseKernel(mlir::func::FuncOp function, IntrinsicSet& intrinsics) {
  return Recogniser(function, intrinsics).run();
}

}  // namespace vta::compiler
