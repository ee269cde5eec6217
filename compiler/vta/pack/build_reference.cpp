#include "compiler/vta/pack/build_reference.h"

#include <algorithm>
#include <limits>

#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/stored_axis.h"
#include "compiler/vta/common/pixel_view.h"
#include "compiler/vta/common/places/interleave_map.h"
#include "compiler/vta/common/places/pixel_selection.h"
#include "compiler/vta/common/table_lookup.h"
#include "compiler/vta/pack/lane_scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

namespace {

using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelKind;
using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::utils::IteratorType;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

/// Emits one reference body. Loops of an activation are (n, o, y, x, b, lane).
class ReferenceBuilder {
 public:
  ReferenceBuilder(mlir::func::FuncOp function, const PackPlan& plan, const PackedTypes& types,
                   const HwConfig& hw)
      : builder_(mlir::OpBuilder::atBlockBegin(function.addEntryBlock())),
        loc_(function.getLoc()),
        plan_(plan),
        types_(types),
        hw_(hw) {
    auto argument = function.getArguments().begin();
    input_ = *argument++;
    if (types.weight) weight_ = *argument++;
    if (types.param) param_ = *argument++;
    if (types.residual) residual_ = *argument++;
  }

  void build() {
    Value acc;
    switch (plan_.desc.kind) {
      case KernelKind::kContraction:
        acc = contraction(padded());
        if (plan_.desc.pool) acc = poolAccumulators(acc, *plan_.desc.pool);
        break;
      case KernelKind::kMaxPool:
        acc = pool(extend(padded()), plan_.desc.geometry, AluOpcode::kMax,
                   std::numeric_limits<int32_t>::min());
        break;
      case KernelKind::kSumPool:
        acc = pool(extend(padded()), plan_.desc.geometry, AluOpcode::kAdd, 0);
        break;
      case KernelKind::kElementwise:
        acc = extend(input_);
        break;
    }
    Value residual;
    if (residual_) {
      residual = extend(residual_);
      for (const EpilogueStep& step : plan_.desc.residual->steps)
        residual = alu(residual, step, {});
    }
    for (const EpilogueStep& step : plan_.desc.epilogue) acc = alu(acc, step, residual);
    Value output = stored(convert(acc, builder_.getI8Type()));
    builder_.create<mlir::func::ReturnOp>(loc_, output);
  }

 private:
  AffineExpr dim(unsigned i) { return builder_.getAffineDimExpr(i); }
  AffineMap map(unsigned dims, llvm::ArrayRef<AffineExpr> results) {
    return AffineMap::get(dims, 0, results, builder_.getContext());
  }
  Value constant(mlir::Type type, int64_t value) {
    return builder_.create<arith::ConstantOp>(loc_, builder_.getIntegerAttr(type, value));
  }
  Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return builder_.create<tensor::EmptyOp>(loc_, shape, element);
  }
  Value filled(llvm::ArrayRef<int64_t> shape, int32_t value) {
    Value init = empty(shape, builder_.getI32Type());
    Value scalar = constant(builder_.getI32Type(), value);
    return builder_.create<linalg::FillOp>(loc_, scalar, init).getResult(0);
  }

  Value padded() {
    const Geometry& g = plan_.desc.geometry;
    Value image =
        plan_.pixel_elems > 1 ? spreadPixels(builder_, loc_, input_, plan_.pixel_elems) : input_;
    return g.isPadded() ? framed(image, g, g.pad_value) : image;
  }

  /// `image` with the padding of `g`, of which every element is `value`.
  Value framed(Value image, const Geometry& g, int64_t value) {
    auto type = mlir::cast<RankedTensorType>(image.getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[2] += g.pad_top + g.pad_bottom;
    shape[3] += g.pad_left + g.pad_right;
    llvm::SmallVector<mlir::OpFoldResult> low, high;
    for (int64_t pad : {int64_t{0}, int64_t{0}, g.pad_top, g.pad_left, int64_t{0}, int64_t{0}}) {
      low.push_back(builder_.getIndexAttr(pad));
    }
    for (int64_t pad :
         {int64_t{0}, int64_t{0}, g.pad_bottom, g.pad_right, int64_t{0}, int64_t{0}}) {
      high.push_back(builder_.getIndexAttr(pad));
    }
    return builder_.create<tensor::PadOp>(loc_, RankedTensorType::get(shape, type.getElementType()),
                                          image, low, high, constant(type.getElementType(), value));
  }

  /// Maximum pooling of accumulators: what lies outside never wins.
  Value poolAccumulators(Value acc, const kernel::Pool& window) {
    const Geometry& conv = plan_.desc.geometry;
    Geometry g;
    g.kernel_height = window.kernel_height;
    g.kernel_width = window.kernel_width;
    g.stride_y = window.stride_y;
    g.stride_x = window.stride_x;
    g.pad_top = window.pad_top;
    g.pad_left = window.pad_left;
    const auto behind = [](int64_t outputs, int64_t stride, int64_t kernel, int64_t before) {
      return (outputs - 1) * stride + kernel - before;
    };
    g.pad_bottom = std::max<int64_t>(
        0, behind(window.out_height, g.stride_y, g.kernel_height, g.pad_top) - conv.out_height);
    g.pad_right = std::max<int64_t>(
        0, behind(window.out_width, g.stride_x, g.kernel_width, g.pad_left) - conv.out_width);
    constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
    if (g.pad_top + g.pad_left + g.pad_bottom + g.pad_right > 0) acc = framed(acc, g, kLeast);
    return pool(acc, g, AluOpcode::kMax, kLeast);
  }

  /// Position of the window's element (ky, kx) for output (y, x), as dimensions.
  std::pair<AffineExpr, AffineExpr> windowAt(const Geometry& g, unsigned y, unsigned x, unsigned ky,
                                             unsigned kx) {
    return {dim(y) * g.stride_y + dim(ky) * g.dilation_y,
            dim(x) * g.stride_x + dim(kx) * g.dilation_x};
  }

  /// Loops (n, o, y, x, b, lane, c, ky, kx, i), the last four reductions.
  Value contraction(Value input) {
    const Geometry& g = plan_.desc.geometry;
    auto [row, column] = windowAt(g, 2, 3, 7, 8);
    const AffineExpr group_start = dim(1).floorDiv(g.outBlocksPerGroup()) * g.inBlocksPerGroup();
    const AffineExpr channel = g.groups == 1 ? dim(6) : group_start + dim(6);
    const llvm::SmallVector<AffineMap> maps = {
        map(10, {dim(0), channel, row, column, dim(4), dim(9)}),
        map(10, {dim(1), dim(6), dim(7), dim(8), dim(5), dim(9)}),
        map(10, {dim(0), dim(1), dim(2), dim(3), dim(4), dim(5)})};
    llvm::SmallVector<IteratorType> iterators(10, IteratorType::parallel);
    std::fill(iterators.begin() + 6, iterators.end(), IteratorType::reduction);
    llvm::SmallVector<int64_t> shape(types_.computed.getShape());
    shape[2] = g.out_height;
    shape[3] = g.out_width;
    Value init = filled(shape, 0);
    auto generic = builder_.create<linalg::GenericOp>(
        loc_, init.getType(), mlir::ValueRange{input, weight_}, init, maps, iterators,
        [](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange args) {
          Value x = b.create<arith::ExtSIOp>(loc, b.getI32Type(), args[0]);
          Value w = b.create<arith::ExtSIOp>(loc, b.getI32Type(), args[1]);
          Value product = b.create<arith::MulIOp>(loc, x, w);
          Value sum = b.create<arith::AddIOp>(loc, args[2], product);
          b.create<linalg::YieldOp>(loc, sum);
        });
    return generic.getResult(0);
  }

  /// Loops (n, o, y, x, b, lane, ky, kx), the last two reductions.
  Value pool(Value input, const Geometry& g, AluOpcode opcode, int32_t start) {
    auto [row, column] = windowAt(g, 2, 3, 6, 7);
    const llvm::SmallVector<AffineMap> maps = {
        map(8, {dim(0), dim(1), row, column, dim(4), dim(5)}), map(8, {dim(6), dim(7)}),
        map(8, {dim(0), dim(1), dim(2), dim(3), dim(4), dim(5)})};
    llvm::SmallVector<IteratorType> iterators(8, IteratorType::parallel);
    iterators[6] = iterators[7] = IteratorType::reduction;
    Value init = filled(types_.computed.getShape(), start);
    Value window = empty({g.kernel_height, g.kernel_width}, builder_.getI32Type());
    auto generic = builder_.create<linalg::GenericOp>(
        loc_, init.getType(), mlir::ValueRange{input, window}, init, maps, iterators,
        [&](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange args) {
          const EpilogueStep step{opcode, EpilogueStep::Source::kParam, 0, 0};
          b.create<linalg::YieldOp>(loc, aluScalar(b, loc, step, args[2], args[0]));
        });
    return generic.getResult(0);
  }

  /// Element-wise generic over `inputs`; `maps` are the inputs' and the output's is the identity.
  template <typename Body>
  Value elementwise(mlir::ValueRange inputs, llvm::SmallVector<AffineMap> maps, mlir::Type element,
                    Body body) {
    const llvm::ArrayRef<int64_t> shape =
        mlir::cast<RankedTensorType>(inputs.front().getType()).getShape();
    Value init = empty(shape, element);
    maps.push_back(builder_.getMultiDimIdentityMap(6));
    const llvm::SmallVector<IteratorType> iterators(6, IteratorType::parallel);
    return builder_
        .create<linalg::GenericOp>(loc_, init.getType(), inputs, init, maps, iterators, body)
        .getResult(0);
  }

  /// Sign extension to i32 or truncation to i8.
  Value convert(Value value, mlir::Type element) {
    return elementwise(value, {builder_.getMultiDimIdentityMap(6)}, element,
                       [&](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange args) {
                         Value out = element.isInteger(8)
                                         ? Value(b.create<arith::TruncIOp>(loc, element, args[0]))
                                         : Value(b.create<arith::ExtSIOp>(loc, element, args[0]));
                         b.create<linalg::YieldOp>(loc, out);
                       });
  }
  Value extend(Value value) { return convert(value, builder_.getI32Type()); }

  /// Outputs at their places in the interleaved image, and what is left of that by the crops. Loops
  /// (n, o, y, row, x, column, b, lane).
  Value stored(Value value) {
    const Geometry& g = plan_.desc.geometry;
    const mlir::Type element = builder_.getI8Type();
    llvm::SmallVector<int64_t> image(types_.computed.getShape());
    if (g.isInterleaved()) {
      const llvm::SmallVector<int64_t> spread = {image[0],       g.storedBlocks(), image[2],
                                                 g.interleave_y, image[3],         g.interleave_x,
                                                 image[4],       image[5]};
      Value init = empty(spread, element);
      const llvm::SmallVector<AffineMap> maps = {interleaveMap(g, builder_.getContext()),
                                                 builder_.getMultiDimIdentityMap(8)};
      const llvm::SmallVector<IteratorType> iterators(8, IteratorType::parallel);
      value = builder_
                  .create<linalg::GenericOp>(
                      loc_, init.getType(), value, init, maps, iterators,
                      [](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange args) {
                        b.create<linalg::YieldOp>(loc, args[0]);
                      })
                  .getResult(0);
      const llvm::SmallVector<mlir::ReassociationIndices> together = {{0},    {1}, {2, 3},
                                                                      {4, 5}, {6}, {7}};
      image = {spread[0], spread[1], spread[2] * spread[3], spread[4] * spread[5],
               spread[6], spread[7]};
      value = builder_.create<tensor::CollapseShapeOp>(loc_, RankedTensorType::get(image, element),
                                                       value, together);
    }
    if (g.extends()) return extended(value);
    if (llvm::ArrayRef<int64_t>(image) == types_.output.getShape()) return value;
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes,
        strides(6, mlir::OpFoldResult(builder_.getIndexAttr(1)));
    for (int64_t offset :
         {int64_t{0}, int64_t{0}, g.crop_top, g.crop_left, int64_t{0}, int64_t{0}}) {
      offsets.push_back(builder_.getIndexAttr(offset));
    }
    for (int64_t extent : types_.output.getShape()) sizes.push_back(builder_.getIndexAttr(extent));
    return builder_.create<tensor::ExtractSliceOp>(loc_, types_.output, value, offsets, sizes,
                                                   strides);
  }

  /// The rows and columns of `image` that are stored, some of them several times.
  Value extended(Value image) {
    const Geometry& g = plan_.desc.geometry;
    const auto places = [](const kernel::StoredAxis& axis) {
      std::vector<int64_t> sources;
      for (int64_t i = 0; i < axis.extent; ++i) sources.push_back(axis.placeAt(i));
      return sources;
    };
    return selectPixels(builder_, loc_, image, places(storedRows(g)), places(storedColumns(g)));
  }

  /// One vector of the parameter buffer per output-channel block: [OC/bo][b][bo].
  Value paramSlice(int64_t index) {
    const llvm::ArrayRef<int64_t> shape = types_.param.getShape();
    auto type = RankedTensorType::get(shape.drop_front(), builder_.getI32Type());
    llvm::SmallVector<mlir::OpFoldResult> offsets(4, builder_.getIndexAttr(0)), sizes,
        strides(4, builder_.getIndexAttr(1));
    offsets[0] = builder_.getIndexAttr(index);
    for (int64_t extent : shape) sizes.push_back(builder_.getIndexAttr(extent));
    sizes[0] = builder_.getIndexAttr(1);
    return builder_.create<tensor::ExtractSliceOp>(loc_, type, param_, offsets, sizes, strides);
  }

  Value lookedUp(Value acc) {
    if (!table_) table_ = tableConstant(builder_, loc_, plan_.desc.table);
    return elementwise(acc, {builder_.getMultiDimIdentityMap(6)}, builder_.getI32Type(),
                       [&](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange args) {
                         b.create<linalg::YieldOp>(loc, lookUp(b, loc, args[0], table_));
                       });
  }

  Value alu(Value acc, const EpilogueStep& step, Value residual) {
    if (readsTable(step.opcode)) return lookedUp(acc);
    llvm::SmallVector<Value> inputs{acc};
    llvm::SmallVector<AffineMap> maps{builder_.getMultiDimIdentityMap(6)};
    if (step.source == EpilogueStep::Source::kParam) {
      inputs.push_back(paramSlice(step.param));
      maps.push_back(map(6, {dim(1), dim(4), dim(5)}));
    } else if (step.source == EpilogueStep::Source::kResidual) {
      inputs.push_back(residual);
      maps.push_back(plan_.desc.residual_per_image ? perImageMap(builder_.getContext())
                                                   : maps.front());
    } else if (step.source == EpilogueStep::Source::kSelf) {
      inputs.push_back(acc);
      maps.push_back(maps.front());
    }
    return elementwise(inputs, maps, builder_.getI32Type(),
                       [&](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange args) {
                         Value y = inputs.size() == 2 ? args[1] : Value();
                         b.create<linalg::YieldOp>(loc, aluScalar(b, loc, step, args[0], y));
                       });
  }

  /// isa.md's ALU on scalars; `y` is null for an immediate operand.
  Value aluScalar(mlir::OpBuilder& b, mlir::Location loc, const EpilogueStep& step, Value x,
                  Value y) const {
    if (const UserOperation* user = findUserOperation(hw_.params(), step.opcode)) {
      return laneScalar(b, loc, *user, {x, y}, step.imm);
    }
    auto number = [&](mlir::Type type, int64_t value) -> Value {
      return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
    };
    const mlir::Type i32 = b.getI32Type();
    const bool immediate = !y;
    switch (step.opcode) {
      case AluOpcode::kMin:
        return b.create<arith::MinSIOp>(loc, x, immediate ? number(i32, step.imm) : y);
      case AluOpcode::kMax:
        return b.create<arith::MaxSIOp>(loc, x, immediate ? number(i32, step.imm) : y);
      case AluOpcode::kAdd:
        return b.create<arith::AddIOp>(loc, x, immediate ? number(i32, step.imm) : y);
      case AluOpcode::kMul:
        return b.create<arith::MulIOp>(loc, x, immediate ? number(i32, step.imm) : y);
      case AluOpcode::kShr: {
        if (immediate && step.imm >= 0) {
          return b.create<arith::ShRSIOp>(loc, x, number(i32, step.imm));
        }
        if (immediate) return b.create<arith::ShLIOp>(loc, x, number(i32, -step.imm));
        Value zero = number(i32, 0);
        Value left = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, y, zero);
        Value amount = b.create<arith::SubIOp>(loc, zero, y);
        Value shifted_left = b.create<arith::ShLIOp>(loc, x, amount);
        Value shifted_right = b.create<arith::ShRSIOp>(loc, x, y);
        return b.create<arith::SelectOp>(loc, left, shifted_left, shifted_right);
      }
      case AluOpcode::kQmul:
        return qmulScalar(b, loc, step.imm, x, y);
      case AluOpcode::kClip: {
        const auto low = static_cast<int8_t>(step.imm & 0xff);
        const auto high = static_cast<int8_t>((step.imm >> 8) & 0xff);
        Value raised = b.create<arith::MaxSIOp>(loc, x, number(i32, low));
        return b.create<arith::MinSIOp>(loc, raised, number(i32, high));
      }
      default:
        llvm_unreachable("group steps have no other operation");
    }
  }

  /// sat32(round(x * y / 2^shift)), ties away from zero.
  static Value qmulScalar(mlir::OpBuilder& b, mlir::Location loc, int32_t shift, Value x, Value y) {
    const mlir::Type i64 = b.getI64Type();
    auto number = [&](int64_t value) -> Value {
      return b.create<arith::ConstantOp>(loc, b.getI64IntegerAttr(value));
    };
    Value wide_x = b.create<arith::ExtSIOp>(loc, i64, x);
    Value wide_y = b.create<arith::ExtSIOp>(loc, i64, y);
    Value value = b.create<arith::MulIOp>(loc, wide_x, wide_y);
    if (shift > 0) {
      const int64_t half = int64_t{1} << (shift - 1);
      Value negative = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, value, number(0));
      Value rounding = b.create<arith::SelectOp>(loc, negative, number(half - 1), number(half));
      value = b.create<arith::AddIOp>(loc, value, rounding);
      value = b.create<arith::ShRSIOp>(loc, value, number(shift));
    }
    value = b.create<arith::MaxSIOp>(loc, value, number(std::numeric_limits<int32_t>::min()));
    value = b.create<arith::MinSIOp>(loc, value, number(std::numeric_limits<int32_t>::max()));
    return b.create<arith::TruncIOp>(loc, b.getI32Type(), value);
  }

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  const PackPlan& plan_;
  const PackedTypes& types_;
  const HwConfig& hw_;
  Value input_, weight_, param_, residual_;
  Value table_;  // null until a step needs it
};

}  // namespace

PackedTypes packedTypes(const PackPlan& plan, const HwConfig& hw, mlir::MLIRContext* context) {
  const Geometry& g = plan.desc.geometry;
  const int64_t batch = hw.batch(), block_in = hw.blockIn(), block_out = hw.blockOut();
  const bool contraction = plan.desc.kind == KernelKind::kContraction;
  mlir::Builder b(context);
  PackedTypes types;
  types.input = RankedTensorType::get(
      {g.batch_blocks, g.in_channel_blocks, g.in_height, g.in_width / plan.pixel_elems, batch,
       contraction ? block_in * plan.pixel_elems : block_out},
      b.getI8Type());
  const Geometry outputs = plan.desc.outputGeometry();
  types.computed = RankedTensorType::get({g.batch_blocks, g.out_channel_blocks, outputs.out_height,
                                          outputs.out_width, batch, block_out},
                                         b.getI8Type());
  types.output =
      RankedTensorType::get({g.batch_blocks, outputs.storedBlocks(), outputs.storedHeight(),
                             outputs.storedWidth(), batch, block_out},
                            b.getI8Type());
  if (contraction) {
    types.weight = RankedTensorType::get({g.out_channel_blocks, g.inBlocksPerGroup(),
                                          g.kernel_height, g.kernel_width, block_out, block_in},
                                         b.getI8Type());
  }
  if (plan.desc.num_params > 0) {
    types.param = RankedTensorType::get(
        {plan.desc.num_params, g.out_channel_blocks, batch, block_out}, b.getI32Type());
  }
  if (plan.desc.residual) types.residual = types.computed;
  if (plan.desc.residual_per_image) {
    types.residual = RankedTensorType::get(
        {g.batch_blocks, g.out_channel_blocks, 1, 1, batch, block_out}, b.getI8Type());
  }
  return types;
}

mlir::func::FuncOp buildReference(const std::string& name, mlir::Location location,
                                  const PackPlan& plan, const HwConfig& hw) {
  mlir::MLIRContext* context = location.getContext();
  const PackedTypes types = packedTypes(plan, hw, context);
  llvm::SmallVector<mlir::Type> inputs;
  for (RankedTensorType type : {types.input, types.weight, types.param, types.residual}) {
    if (type) inputs.push_back(type);
  }
  auto function = mlir::func::FuncOp::create(
      location, name, mlir::FunctionType::get(context, inputs, {types.output}));
  function.setPrivate();
  function->setAttr(kReferenceAttr, mlir::UnitAttr::get(context));
  ReferenceBuilder(function, plan, types, hw).build();
  return function;
}

}  // namespace vta::compiler
