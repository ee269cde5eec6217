#include "compiler/vta/partition/pack_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/kernel/desc/bias_folding.h"
#include "compiler/vta/common/constants.h"

namespace vta::compiler {

namespace {

using kernel::EpilogueStep;
using kernel::Geometry;
using kernel::KernelKind;
using mlir::RankedTensorType;
using mlir::Value;

int64_t blocks(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

/// Rank 4 stays; anything else becomes a matrix of rows and channels.
llvm::SmallVector<int64_t> plainShape(llvm::ArrayRef<int64_t> shape) {
  if (shape.size() == 4) return llvm::SmallVector<int64_t>(shape);
  int64_t rows = 1;
  for (int64_t extent : shape.drop_back()) rows *= extent;
  return {rows, shape.back()};
}

/// Where a weight element is: data[oc * out + ic * in + ky * y + kx * x], ic within its group.
struct WeightStrides {
  int64_t out = 0, in = 0, y = 0, x = 0;
};

class PackPlanner {
 public:
  PackPlanner(const OffloadGroup& group, const HwConfig& hw, bool packed_by_host)
      : group_(group),
        hw_(hw),
        packed_by_host_(packed_by_host),
        batch_(hw.batch()),
        block_in_(hw.blockIn()),
        block_out_(hw.blockOut()) {}

  PackPlan run() {
    desc_.kind = group_.kind;
    desc_.table = group_.table;
    plan_.plain_input = plainShape(shapeOf(group_.input));
    // What the contraction makes; pooling comes on top.
    plan_.plain_output =
        plainShape(shapeOf(group_.pool ? group_.main->getResult(0) : group_.computed));
    setInterleave();
    if (auto conv = mlir::dyn_cast_or_null<graph::ConvOp>(group_.main)) {
      planConv(conv);
    } else if (group_.weight) {
      planPair();
    } else if (auto matmul = mlir::dyn_cast_or_null<graph::MatMulOp>(group_.main)) {
      planMatMul(matmul);
    } else {
      planLanes();
    }
    if (group_.residual) {
      auto& steps = desc_.residual.emplace().steps;
      desc_.residual_per_image = group_.residual_per_image;
      for (const GroupStep& step : group_.residual_steps) pack(steps, step);
    }
    for (const GroupStep& step : group_.epilogue) pack(desc_.epilogue, step);
    plan_.plain_residual = plan_.plain_output;
    if (group_.residual_per_image) plan_.plain_residual[2] = plan_.plain_residual[3] = 1;
    if (group_.pool) planPool(mlir::cast<graph::MaxPoolOp>(group_.pool));
    if (group_.interleave) plan_.plain_output = plainShape(shapeOf(group_.root->getResult(0)));
    if (!plan_.pair) {
      desc_.bias_exceeds_results = kernel::foldBias(desc_, plan_.param, plan_.weight, hw_);
    }
    return std::move(plan_);
  }

 private:
  //===------------------------------ geometry ------------------------------===//

  /// Extents that follow from the plain shapes.
  void setImage() {
    Geometry& g = desc_.geometry;
    if (plan_.plain_input.size() == 2) {
      g.in_width = blocks(plan_.plain_input[0], batch_);
      g.out_width = blocks(plan_.plain_output[0], batch_);
      return;
    }
    g.batch_blocks = blocks(plan_.plain_output[0], batch_);
    g.in_height = plan_.plain_input[2];
    g.in_width = plan_.plain_input[3];
    g.out_height = plan_.plain_output[2];
    g.out_width = plan_.plain_output[3];
  }

  void setInterleave() {
    if (!group_.interleave) return;
    const GroupInterleave& places = *group_.interleave;
    Geometry& g = desc_.geometry;
    g.interleave_y = places.rows;
    g.interleave_x = places.cols;
    g.phases = places.repeats ? 1 : places.rows * places.cols;
    g.crop_top = places.crop_top;
    g.crop_left = places.crop_left;
    g.crop_bottom = places.crop_bottom;
    g.crop_right = places.crop_right;
    g.border = places.border;
  }

  /// The lane of the packed output that holds channel `channel` of `channels`. Phases begin with
  /// whole blocks.
  int64_t packedChannel(int64_t channel, int64_t channels) const {
    const int64_t phases = desc_.geometry.phases;
    if (phases == 1) return channel;
    const int64_t stored = channels / phases, per_group = stored / group_.interleave->groups;
    const int64_t group = channel / per_group / phases, phase = channel / per_group % phases;
    const int64_t lane = group * per_group + channel % per_group;
    return desc_.geometry.outputBlock(lane / block_out_, phase) * block_out_ + lane % block_out_;
  }

  template <typename Op>
  void setWindow(Op op) {
    Geometry& g = desc_.geometry;
    g.stride_y = op.getStrides()[0];
    g.stride_x = op.getStrides()[1];
    g.pad_top = op.getPads()[0];
    g.pad_left = op.getPads()[1];
    g.pad_bottom = op.getPads()[2];
    g.pad_right = op.getPads()[3];
  }

  void setPadValue(int64_t value) {
    desc_.geometry.pad_value = desc_.geometry.isPadded() ? value : 0;
  }

  /// Pools and element-wise kernels: every lane for itself.
  void planLanes() {
    setImage();
    Geometry& g = desc_.geometry;
    g.in_channel_blocks = g.out_channel_blocks = g.groups =
        blocks(plan_.plain_output[1], block_out_);
    if (auto pool = mlir::dyn_cast_or_null<graph::MaxPoolOp>(group_.main)) {
      setWindow(pool);
      g.kernel_height = pool.getKernel()[0];
      g.kernel_width = pool.getKernel()[1];
      g.dilation_y = pool.getDilations()[0];
      g.dilation_x = pool.getDilations()[1];
      setPadValue(std::numeric_limits<int8_t>::min());
    } else if (auto sum = mlir::dyn_cast_or_null<graph::SumPoolOp>(group_.main)) {
      setWindow(sum);
      g.kernel_height = sum.getKernel()[0];
      g.kernel_width = sum.getKernel()[1];
      setPadValue(static_cast<int64_t>(sum.getPadValue()));
    }
  }

  void planConv(graph::ConvOp conv) {
    setImage();
    setWindow(conv);
    Geometry& g = desc_.geometry;
    const llvm::ArrayRef<int64_t> weight = shapeOf(conv.getWeight());
    g.kernel_height = weight[2];
    g.kernel_width = weight[3];
    g.dilation_y = conv.getDilations()[0];
    g.dilation_x = conv.getDilations()[1];
    setPadValue(static_cast<int64_t>(conv.getPadValue()));
    const int64_t pixels = weight[2] * weight[3];
    packContraction(*readBytes(conv.getWeight()), static_cast<int64_t>(conv.getGroup()),
                    plan_.plain_input[1], weight[0], {weight[1] * pixels, pixels, weight[3], 1});
  }

  void planPool(graph::MaxPoolOp op) {
    plan_.plain_output = plainShape(shapeOf(op.getResult()));
    kernel::Pool& pool = desc_.pool.emplace();
    pool.out_height = plan_.plain_output[2];
    pool.out_width = plan_.plain_output[3];
    pool.kernel_height = op.getKernel()[0];
    pool.kernel_width = op.getKernel()[1];
    pool.stride_y = op.getStrides()[0];
    pool.stride_x = op.getStrides()[1];
    pool.pad_top = op.getPads()[0];
    pool.pad_left = op.getPads()[1];
  }

  void planMatMul(graph::MatMulOp matmul) {
    const int64_t channels = shapeOf(matmul.getRhs())[1];
    int64_t height = 1, width = 1;
    if (plan_.plain_input.size() == 4) {  // a flattened image, read as it is
      plan_.plain_output = {plan_.plain_output[0], channels, 1, 1};
      height = plan_.plain_input[2];
      width = plan_.plain_input[3];
    }
    setImage();
    desc_.geometry.kernel_height = height;
    desc_.geometry.kernel_width = width;
    packContraction(*readBytes(matmul.getRhs()), 1, plan_.plain_input[1], channels,
                    {1, channels * height * width, channels * width, channels});
  }

  void planPair() {
    const auto lhs = shapeOf(group_.input), rhs = shapeOf(group_.weight);
    PairShape& pair = plan_.pair.emplace(PairShape{lhs[0], lhs[1], lhs[2], rhs[2]});
    // Only heads of whole blocks can be read as they are stored.
    if (pair.depth % block_out_ == 0) choosePixelElems(pair.depth);
    const int64_t pixel_block = block_in_ * plan_.pixel_elems;
    Geometry& g = desc_.geometry;
    g.groups = pair.batches;
    g.in_channel_blocks = pair.batches * blocks(pair.depth, pixel_block);
    g.out_channel_blocks = pair.batches * blocks(pair.columns, block_out_);
    pair.padded_depth = g.inBlocksPerGroup() * pixel_block;
    pair.padded_columns = g.outBlocksPerGroup() * block_out_;
    plan_.plain_input = {pair.rows, pair.batches * pair.padded_depth};
    plan_.plain_output = {pair.rows, pair.batches * pair.padded_columns};
    setImage();
    spreadColumns();
  }

  //===------------------------------ weights ------------------------------===//

  /// Where outputs have larger blocks than inputs, inputs are packed in the outputs' blocks, so
  /// that one kernel reads what another has stored. Left out where a column of windows would not
  /// be a row of elements, or the host could leave out empty elements.
  void choosePixelElems(int64_t in_channels) {
    if (block_out_ <= block_in_ || batch_ > 1 || desc_.geometry.dilation_x > 1) return;
    const int64_t elems = block_out_ / block_in_;
    const bool is_full = blocks(in_channels, block_out_) * elems == blocks(in_channels, block_in_);
    if (is_full || !packed_by_host_) plan_.pixel_elems = elems;
  }

  /// Columns of pixels become columns of elements.
  void spreadColumns() {
    Geometry& g = desc_.geometry;
    for (int64_t* columns :
         {&g.in_width, &g.kernel_width, &g.stride_x, &g.pad_left, &g.pad_right}) {
      *columns *= plan_.pixel_elems;
    }
  }

  /// Kernel groups hold as many of the layer's groups as fill whole blocks; within one, weights are
  /// dense with zeros off the block diagonal. If that would need more blocks than the channels
  /// have, everything is one kernel group.
  void chooseGroups(int64_t groups, int64_t in_channels, int64_t out_channels) {
    Geometry& g = desc_.geometry;
    const int64_t in_per_group = in_channels / groups;
    const int64_t stored = out_channels / g.phases, stored_per_group = stored / groups;
    const int64_t block_in = block_in_ * plan_.pixel_elems;
    g.in_channel_blocks = blocks(in_channels, block_in);
    g.out_channel_blocks = g.phases * blocks(stored, block_out_);
    g.groups = 1;
    // Else the channels that a group stores are not next to each other.
    if (g.phases > 1 && group_.interleave->groups % groups != 0) return;
    const int64_t merged = std::lcm(block_in / std::gcd(block_in, in_per_group),
                                    block_out_ / std::gcd(block_out_, stored_per_group));
    const int64_t count = blocks(groups, merged);
    const bool exact = count * (merged * in_per_group / block_in) == g.in_channel_blocks &&
                       count * (merged * stored_per_group / block_out_) == g.storedBlocks();
    g.groups = exact ? count : 1;
  }

  void packContraction(const std::vector<int8_t>& data, int64_t groups, int64_t in_channels,
                       int64_t out_channels, WeightStrides strides) {
    const int64_t columns = desc_.geometry.kernel_width;
    choosePixelElems(in_channels);
    spreadColumns();
    chooseGroups(groups, in_channels, out_channels);
    const Geometry& g = desc_.geometry;
    const int64_t pixel_block = block_in_ * plan_.pixel_elems;
    const int64_t in_per_group = in_channels / groups, out_per_group = out_channels / groups;
    const int64_t taps = g.kernel_height * g.kernel_width;
    const int64_t block = block_out_ * block_in_;
    plan_.weight.assign(
        static_cast<size_t>(g.out_channel_blocks * g.inBlocksPerGroup() * taps * block), 0);
    for (int64_t oc = 0; oc < out_channels; ++oc) {
      const int64_t lane = packedChannel(oc, out_channels), out_block = lane / block_out_;
      const int64_t first_in =
          out_block / g.outBlocksPerGroup() * g.inBlocksPerGroup() * pixel_block;
      for (int64_t i = 0; i < in_per_group; ++i) {
        const int64_t ic = oc / out_per_group * in_per_group + i - first_in;
        const int64_t element = (lane % block_out_) * block_in_ + ic % block_in_;
        const int64_t base = (out_block * g.inBlocksPerGroup() + ic / pixel_block) * taps +
                             ic % pixel_block / block_in_;
        for (int64_t ky = 0; ky < g.kernel_height; ++ky) {
          for (int64_t kx = 0; kx < columns; ++kx) {
            const int64_t tap = base + ky * g.kernel_width + kx * plan_.pixel_elems;
            plan_.weight[static_cast<size_t>(tap * block + element)] = data[static_cast<size_t>(
                oc * strides.out + i * strides.in + ky * strides.y + kx * strides.x)];
          }
        }
      }
    }
  }

  //===------------------------------ parameters ------------------------------===//

  void pack(std::vector<EpilogueStep>& to, const GroupStep& step) {
    EpilogueStep packed{step.opcode, step.source, step.imm, 0};
    if (step.is_computed) {
      plan_.computes_bias = true;  // the first step, so it has the first parameter
      ++desc_.num_params;
    } else if (step.source == EpilogueStep::Source::kParam)
      packed.param = paramIndex(step.channel_param);
    to.push_back(packed);
  }

  /// Equal parameter vectors are stored once.
  int32_t paramIndex(const std::vector<int32_t>& values) {
    auto [it, inserted] = params_.try_emplace(values, static_cast<int32_t>(desc_.num_params));
    if (!inserted) return it->second;
    ++desc_.num_params;
    const int64_t elem = batch_ * block_out_;
    const size_t base = plan_.param.size();
    plan_.param.resize(base + static_cast<size_t>(desc_.geometry.out_channel_blocks * elem),
                       values.back());
    for (int64_t channel = 0; channel < std::ssize(values); ++channel) {
      const int64_t lane = packedChannel(channel, std::ssize(values));
      for (int64_t b = 0; b < batch_; ++b) {
        const int64_t place = lane / block_out_ * elem + b * block_out_ + lane % block_out_;
        plan_.param[base + static_cast<size_t>(place)] = values[static_cast<size_t>(channel)];
      }
    }
    return it->second;
  }

  const OffloadGroup& group_;
  const HwConfig& hw_;
  const bool packed_by_host_;
  const int64_t batch_, block_in_, block_out_;
  PackPlan plan_;
  kernel::KernelDesc& desc_ = plan_.desc;
  std::map<std::vector<int32_t>, int32_t> params_;
};

}  // namespace

PackPlan planPacking(const OffloadGroup& group, const HwConfig& hw, bool packed_by_host) {
  return PackPlanner(group, hw, packed_by_host).run();
}

}  // namespace vta::compiler
