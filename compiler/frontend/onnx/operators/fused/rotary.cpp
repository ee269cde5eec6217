#include "compiler/frontend/onnx/operators/fused/rotary.h"

#include <fmt/format.h>

namespace vta::compiler {

using graph::Shape;
using mlir::Value;

Value rotated(Composer& c, Value x, Value cosines, Value sines, const RotaryForm& form) {
  const Shape shape = c.shape(x);
  if (!c.ok()) return {};
  if (form.size % 2 != 0 || form.size < 0 || form.size > shape[3]) {
    c.fail(invalidArgument(fmt::format("{} elements of each head of {} cannot be turned in pairs",
                                       form.size, shape[3])));
    return {};
  }
  const int64_t half = form.size / 2;
  const Value part = c.slice(x, 3, 0, form.size);
  // The two elements of all pairs.
  const Shape pairs = form.interleaved ? Shape{shape[0], shape[1], shape[2], half, 2}
                                       : Shape{shape[0], shape[1], shape[2], 2, half};
  const int64_t axis = form.interleaved ? 4 : 3;
  const std::vector<Value> both = c.split(c.reshape(part, pairs), axis, 2);
  const Value first = c.squeeze(both[0], axis), second = c.squeeze(both[1], axis);
  const auto angles = [&](Value cache) { return c.unsqueeze(c.slice(cache, 2, 0, half), 1); };
  const Value cos = angles(cosines), sin = angles(sines);
  const Value real = c.sub(c.mul(cos, first), c.mul(sin, second));
  const Value imaginary = c.add(c.mul(sin, first), c.mul(cos, second));
  Value output = c.concat({c.unsqueeze(real, axis), c.unsqueeze(imaginary, axis)}, axis);
  output = c.reshape(output, {shape[0], shape[1], shape[2], form.size});
  return form.size < shape[3] ? c.concat({output, c.slice(x, 3, form.size, shape[3])}, 3) : output;
}

}  // namespace vta::compiler
