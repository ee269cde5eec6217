#include "host_cpu/blocked/weights.h"

#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/graph.h"
#include "host_cpu/schedule/winograd.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

namespace vta::codegen::blocked {

using namespace mlir;

namespace {

Tensor transposed(const Tensor& in, ArrayRef<int64_t> permutation) {
  const size_t rank = in.shape.size();
  std::vector<int64_t> strides(rank, 1), shape(rank), step(rank), position(rank, 0);
  for (size_t d = rank - 1; d > 0; --d) strides[d - 1] = strides[d] * in.shape[d];
  for (size_t d = 0; d < rank; ++d) {
    shape[d] = in.shape[permutation[d]];
    step[d] = strides[permutation[d]];
  }
  Tensor out = Tensor::zeros(in.dtype, shape);
  int64_t source = 0;
  for (float& value : out.as<float>()) {
    value = in.as<float>()[source];
    for (size_t d = rank; d-- > 0;) {
      source += step[d];
      if (++position[d] < shape[d]) break;
      source -= step[d] * shape[d];
      position[d] = 0;
    }
  }
  return out;
}

/// The transform of one window of three by three, of double precision until it is rounded once.
std::vector<float> transformWindow(const Matrix& matrix, const float* window) {
  const size_t points = matrix.size();
  std::vector<float> result;
  for (size_t y = 0; y < points; ++y) {
    for (size_t x = 0; x < points; ++x) {
      double sum = 0;
      for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) sum += matrix[y][i] * window[i * 3 + j] * matrix[x][j];
      }
      result.push_back(static_cast<float>(sum));
    }
  }
  return result;
}

Tensor packTransformed(const ConvSpec& spec, const ConvSchedule& schedule, const Tensor& weight) {
  const Matrix& matrix = winogradTransform(schedule.winograd).weight;
  const int64_t positions = WinogradShape(spec, schedule).positions;
  const int64_t lanes = schedule.out_blocks * kBlock, in_blocks = spec.in.blocks();
  Tensor packed = Tensor::zeros(DType::kF32, {packedWeightElements(spec, schedule)});
  auto to = packed.as<float>();
  const auto from = weight.as<float>();
  for (int64_t o = 0; o < spec.out.channels; ++o) {
    for (int64_t i = 0; i < spec.in.channels; ++i) {
      const auto transformed = transformWindow(matrix, &from[(o * spec.in.channels + i) * 9]);
      for (int64_t k = 0; k < positions; ++k) {
        const int64_t block = (o / lanes * positions + k) * in_blocks + i / kBlock;
        to[(block * kBlock + i % kBlock) * lanes + o % lanes] = transformed[k];
      }
    }
  }
  return packed;
}

}  // namespace

bool isFloatConstant(Value value) {
  if (!value || !getElementTypeOrSelf(value.getType()).isF32()) return false;
  if (auto transpose = value.getDefiningOp<graph::TransposeOp>()) value = transpose.getInput();
  Attribute attribute;
  return matchPattern(value, m_Constant(&attribute)) &&
         isa<DenseElementsAttr, DenseResourceElementsAttr>(attribute);
}

std::optional<Tensor> floatConstant(Value value) {
  if (!isFloatConstant(value)) return std::nullopt;
  if (auto transpose = value.getDefiningOp<graph::TransposeOp>()) {
    std::optional<Tensor> source = floatConstant(transpose.getInput());
    if (!source || source->shape.empty()) return std::nullopt;
    return transposed(*source, transpose.getPermutation());
  }
  Attribute attribute;
  matchPattern(value, m_Constant(&attribute));
  return graph::tensorOf(cast<ElementsAttr>(attribute));
}

void scaleChannels(Tensor& weight, Tensor& bias, const std::vector<float>& scale,
                   const std::vector<float>& shift) {
  const size_t outputs = scale.size(), each = weight.as<float>().size() / outputs;
  for (size_t o = 0; o < outputs; ++o) {
    for (float& value : weight.as<float>().subspan(o * each, each)) value *= scale[o];
    float& b = bias.as<float>()[o];
    b = b * scale[o] + shift[o];
  }
}

Tensor packWeight(const ConvSpec& spec, const ConvSchedule& schedule, const Tensor& weight) {
  if (schedule.winograd != 0) return packTransformed(spec, schedule, weight);
  const int64_t window = spec.kernel[0] * spec.kernel[1];
  const int64_t lanes = schedule.out_blocks * kBlock, ib = spec.in.block;
  const int64_t in_blocks = spec.depthwise ? 1 : spec.in.blocks();
  const int64_t in_lanes = spec.depthwise ? 1 : ib;
  const int64_t out_tiles = spec.out.blocks() / schedule.out_blocks;
  const int64_t inputs = spec.depthwise ? 1 : spec.in.channels;
  Tensor packed = Tensor::zeros(DType::kF32, {out_tiles * in_blocks * window * in_lanes * lanes});
  auto to = packed.as<float>();
  const auto from = weight.as<float>();
  for (int64_t o = 0; o < spec.out.channels; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t k = 0; k < window; ++k) {
        const int64_t block = (o / lanes * in_blocks + i / in_lanes) * window + k;
        to[(block * in_lanes + i % in_lanes) * lanes + o % lanes] =
            from[(o * inputs + i) * window + k];
      }
    }
  }
  return packed;
}

Tensor packBias(const ConvSpec& spec, const Tensor& bias) {
  Tensor packed = Tensor::zeros(DType::kF32, {spec.out.blocks() * kBlock});
  std::copy(bias.as<float>().begin(), bias.as<float>().end(), packed.as<float>().begin());
  return packed;
}

}  // namespace vta::codegen::blocked
