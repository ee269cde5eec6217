#include "compiler/frontend/onnx/operators/fused/heads.h"

#include <fmt/format.h>

#include <limits>

namespace vta::compiler {
namespace {

constexpr int64_t kMostPositions = 8192;

}  // namespace

using graph::Shape;
using mlir::Value;

Value byHeads(Composer& c, Value value, int64_t heads, const char* attribute) {
  const Shape shape = c.shape(value);
  if (!c.ok() || shape.size() == 4) return value;
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    c.fail(invalidArgument(fmt::format("{} {} does not fit an input of shape {}", attribute, heads,
                                       graph::shapeText(shape))));
    return {};
  }
  return c.transpose(c.reshape(value, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

Value withoutHeads(Composer& c, Value value) {
  if (!c.ok()) return {};
  const Shape shape = c.shape(value);
  return c.reshape(c.transpose(value, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

Value repeatedHeads(Composer& c, Value value, int64_t count) {
  const Shape shape = c.shape(value);
  if (!c.ok() || count == 1) return value;
  const Shape wide = {shape[0], shape[1], count, shape[2], shape[3]};
  return c.reshape(c.expand(c.unsqueeze(value, 2), wide),
                   {shape[0], shape[1] * count, shape[2], shape[3]});
}

Value causalMask(Composer& c, int64_t queries, int64_t keys, int64_t past) {
  if (queries > kMostPositions || keys > kMostPositions) {
    c.fail(unsupported(fmt::format("a causal mask of {} x {} is larger than {} x {}", queries, keys,
                                   kMostPositions, kMostPositions)));
    return {};
  }
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  std::vector<double> causal;
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) causal.push_back(j <= i + past ? 0 : kNever);
  }
  return c.numbers({queries, keys}, causal, c.node().ir().getF32Type());
}

}  // namespace vta::compiler
