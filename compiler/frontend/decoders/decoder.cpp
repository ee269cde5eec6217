#include "compiler/frontend/decoders/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace vta::compiler {
namespace {

constexpr int64_t kMostExtent = int64_t{1} << 24;
constexpr int64_t kMostLayers = 4096;

/// `values` in rows of `row` elements; output o moves to place[o].
template <typename T>
void moveRows(std::vector<T>& values, int64_t outputs, const std::vector<int64_t>& place) {
  if (values.empty()) return;
  const int64_t row = static_cast<int64_t>(values.size()) / outputs;
  std::vector<T> moved(values.size());
  for (int64_t output = 0; output < outputs; ++output) {
    std::copy_n(values.begin() + output * row, row, moved.begin() + place[output] * row);
  }
  values = std::move(moved);
}

}  // namespace

DecoderShape shapeOf(const DecoderSizes& sizes, DecoderPart part) {
  const int64_t queries = sizes.heads * sizes.depth, keys = sizes.key_heads * sizes.depth;
  switch (part) {
    case DecoderPart::kEmbedding:
    case DecoderPart::kHead:
      return {sizes.tokens, sizes.width};
    case DecoderPart::kLastNorm:
    case DecoderPart::kAttentionNorm:
    case DecoderPart::kHiddenNorm:
      return {1, sizes.width};
    case DecoderPart::kQuery:
      return {queries, sizes.width};
    case DecoderPart::kKey:
    case DecoderPart::kValue:
      return {keys, sizes.width};
    case DecoderPart::kOutput:
      return {sizes.width, queries};
    case DecoderPart::kQueryBias:
      return {1, queries};
    case DecoderPart::kKeyBias:
    case DecoderPart::kValueBias:
      return {1, keys};
    case DecoderPart::kGate:
    case DecoderPart::kUp:
      return {sizes.hidden, sizes.width};
    case DecoderPart::kDown:
      return {sizes.width, sizes.hidden};
  }
  return {};
}

bool isRow(DecoderPart part) {
  switch (part) {
    case DecoderPart::kLastNorm:
    case DecoderPart::kAttentionNorm:
    case DecoderPart::kHiddenNorm:
    case DecoderPart::kQueryBias:
    case DecoderPart::kKeyBias:
    case DecoderPart::kValueBias:
      return true;
    default:
      return false;
  }
}

Status checkSizes(const DecoderSizes& sizes) {
  const auto inRange = [](std::string_view name, int64_t value, int64_t most) -> Status {
    if (value >= 1 && value <= most) return {};
    return invalidArgument(
        fmt::format("the model has {} {}; 1 to {} are possible", value, name, most));
  };
  VTA_RETURN_IF_ERROR(inRange("channels", sizes.width, kMostExtent));
  VTA_RETURN_IF_ERROR(inRange("hidden channels", sizes.hidden, kMostExtent));
  VTA_RETURN_IF_ERROR(inRange("layers", sizes.layers, kMostLayers));
  VTA_RETURN_IF_ERROR(inRange("heads", sizes.heads, sizes.width));
  VTA_RETURN_IF_ERROR(inRange("heads of keys", sizes.key_heads, sizes.heads));
  VTA_RETURN_IF_ERROR(inRange("channels in a head", sizes.depth, sizes.width));
  VTA_RETURN_IF_ERROR(inRange("tokens", sizes.tokens, kMostExtent));
  if (sizes.positions < 0) {
    return invalidArgument(fmt::format("the model has {} positions", sizes.positions));
  }
  if (sizes.heads % sizes.key_heads != 0) {
    return invalidArgument(
        fmt::format("{} heads of keys do not divide {} heads", sizes.key_heads, sizes.heads));
  }
  if (sizes.depth % 2 != 0) {
    return invalidArgument(
        fmt::format("a head has {} channels; rotary positions need an even number", sizes.depth));
  }
  if (!(sizes.epsilon > 0) || !std::isfinite(sizes.epsilon)) {
    return invalidArgument(fmt::format("the epsilon of its normalisations is {}", sizes.epsilon));
  }
  return {};
}

std::vector<double> rotaryRates(int64_t depth, double base) {
  std::vector<double> rates(depth / 2);
  for (int64_t i = 0; i < depth / 2; ++i) {
    rates[i] = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(depth));
  }
  return rates;
}

void pairsToHalves(DecoderMatrix& matrix, int64_t depth) {
  std::vector<int64_t> place(matrix.outputs);
  for (int64_t output = 0; output < matrix.outputs; ++output) {
    const int64_t head = output / depth, channel = output % depth;
    place[output] = head * depth + channel / 2 + (channel % 2) * (depth / 2);
  }
  moveRows(matrix.values, matrix.outputs, place);
  moveRows(matrix.pairs, matrix.outputs, place);
  moveRows(matrix.scales, matrix.outputs, place);
}

}  // namespace vta::compiler
