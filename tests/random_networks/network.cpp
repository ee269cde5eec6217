#include "tests/random_networks/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace vta::random_networks {
namespace {

using compiler::ModelBuilder;

constexpr int64_t kOpset = 13;
constexpr int64_t kMostElements =
    20000;  // of an activation: a network compiles and runs in a second

int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

int64_t ceilDivide(int64_t x, int64_t y) { return (x + y - 1) / y; }

}  // namespace

RandomNetwork::RandomNetwork(uint32_t seed) : rng_(seed), model_(kOpset) {
  input_ = {chance(60) ? 1 : pick(2, 8), pick(1, 40), pick(1, 14), pick(1, 14)};
  if (chance(10)) input_[2] = input_[3] = 1;  // one-pixel images
  shape_ = input_;
  model_.input("x", input_);
  convolution();
  for (int64_t layers = pick(1, 5); layers > 0; --layers) addLayer();
  if (chance(40)) head();
  model_.output(value_);
}

void RandomNetwork::addLayer() {
  switch (pick(0, 14)) {
    case 0:
      return transposedConvolution();
    case 1:
      return pool("MaxPool");
    case 2:
      return pool("AveragePool");
    case 3:
      return residual();
    case 4:
      return branches();
    case 5:
      return slice();
    case 6:
      return pad();
    case 7:
      return resize();
    case 8:
      return depthToSpace();
    case 9:
      return spaceToDepth();
    case 10:
      return split();
    default:
      convolution();
  }
}

std::string RandomNetwork::weights(const Shape& shape, double bound) {
  auto& tensor = *model_.graph().add_initializer();
  const std::string name = fresh();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : shape) tensor.add_dims(extent);
  std::uniform_real_distribution<float> values(static_cast<float>(-bound),
                                               static_cast<float>(bound));
  for (int64_t i = product(shape); i > 0; --i) tensor.add_float_data(values(rng_));
  return name;
}

std::string RandomNetwork::integers(const std::vector<int64_t>& values) {
  const std::string name = fresh();
  model_.integers(name, values);
  return name;
}

onnx::NodeProto& RandomNetwork::node(const std::string& op, std::vector<std::string> inputs) {
  value_ = fresh();
  if (!description_.empty()) description_ += ", ";
  description_ += op;
  return model_.node(op, inputs, {value_});
}

void RandomNetwork::addWindow(onnx::NodeProto& node, const Shape& kernel, const Shape& dilations,
                              bool same, bool ceil) {
  Shape strides = {1, 1}, pads(4, 0), extents(2);
  const bool automatic = chance(25);
  for (int d = 0; d < 2; ++d) {
    const int64_t reach = (kernel[d] - 1) * dilations[d] + 1, in = shape_[2 + d];
    if (!same) strides[d] = chance(60) ? 1 : pick(2, 4);  // also longer than the kernel
    if (same && !automatic) {
      pads[d] = (reach - 1) / 2;
      pads[2 + d] = reach - 1 - pads[d];
    } else if (!automatic) {
      // Asymmetric; less than the kernel, as pools demand; enough for one window.
      pads[d] = pick(0, kernel[d] - 1);
      pads[2 + d] = pick(0, kernel[d] - 1);
      pads[2 + d] += std::max<int64_t>(0, reach - in - pads[d] - pads[2 + d]);
    }
    const int64_t room = in + pads[d] + pads[2 + d] - reach;
    extents[d] = automatic ? ceilDivide(in, strides[d])
                           : (ceil ? ceilDivide(room, strides[d]) : room / strides[d]) + 1;
    // A window that ceil_mode adds has to begin inside the input or its first padding.
    if (ceil && !automatic && (extents[d] - 1) * strides[d] >= in + pads[d]) --extents[d];
  }
  ModelBuilder::attribute(node, "strides", strides);
  if (automatic) {
    ModelBuilder::attribute(node, "auto_pad", chance(50) ? "SAME_UPPER" : "SAME_LOWER");
  } else {
    ModelBuilder::attribute(node, "pads", pads);
  }
  description_ += fmt::format(" {}x{} s{},{} d{},{}{}", kernel[0], kernel[1], strides[0],
                              strides[1], dilations[0], dilations[1], automatic ? " SAME" : "");
  shape_[2] = extents[0];
  shape_[3] = extents[1];
}

void RandomNetwork::convolve(int64_t out_channels, int64_t group, bool same) {
  Shape kernel = {pick(1, 5), pick(1, 5)}, dilations = {1, 1};
  if (chance(20)) kernel[pick(0, 1)] = 1;
  if (chance(5)) kernel = {1, 11};
  if (chance(20)) dilations = {pick(1, 3), pick(1, 3)};
  const Shape weight = {out_channels, shape_[1] / group, kernel[0], kernel[1]};
  const double bound = 1.5 / std::sqrt(static_cast<double>(product(weight) / out_channels));
  std::vector<std::string> inputs = {value_, weights(weight, bound)};
  if (chance(70)) inputs.push_back(weights({out_channels}, 0.5));
  onnx::NodeProto& conv = node("Conv", inputs);
  ModelBuilder::attribute(conv, "group", group);
  ModelBuilder::attribute(conv, "dilations", dilations);
  addWindow(conv, kernel, dilations, same, false);
  description_ += fmt::format(" g{} -> {}", group, out_channels);
  shape_[1] = out_channels;
}

void RandomNetwork::activation() {
  if (chance(40)) node("Relu", {value_});
  if (chance(15)) {
    node("Clip", {value_, weights({}, 0), weights({}, 0)});
    // [0, 1]: the bounds are the last two tensors.
    auto& initializers = *model_.graph().mutable_initializer();
    initializers[initializers.size() - 1].set_float_data(0, 1.0f);
  }
}

/// Whole blocks of many configurations, or any number.
int64_t RandomNetwork::channels() { return chance(40) ? 8 * pick(1, 5) : pick(1, 40); }

void RandomNetwork::convolution() {
  int64_t group = 1, out_channels = channels();
  if (chance(15)) {
    group = shape_[1];  // depthwise, perhaps with several outputs for each channel
    out_channels = group * (group <= 16 ? pick(1, 2) : 1);
  } else if (chance(20)) {
    group = std::gcd(shape_[1], pick(2, 4));
    out_channels = group * pick(1, 12);
  }
  convolve(out_channels, group, false);
  activation();
}

void RandomNetwork::transposedConvolution() {
  const Shape kernel = {pick(1, 4), pick(1, 4)}, strides = {pick(1, 3), pick(1, 3)};
  Shape dilations = {1, 1};
  if (chance(15)) dilations = {pick(1, 3), pick(1, 3)};
  if (product(shape_) * strides[0] * strides[1] > kMostElements) return convolution();
  const int64_t group = chance(20) ? std::gcd(shape_[1], pick(2, 4)) : 1;
  const int64_t out_per_group = group > 1 ? pick(1, 5) : std::min<int64_t>(channels(), 24);
  std::vector<std::string> inputs = {
      value_, weights({shape_[1], out_per_group, kernel[0], kernel[1]}, 0.3)};
  if (chance(50)) inputs.push_back(weights({group * out_per_group}, 0.5));
  onnx::NodeProto& conv = node("ConvTranspose", inputs);
  Shape pads(4, 0), extra(2, 0);
  for (int d = 0; d < 2; ++d) {
    const int64_t reach = (kernel[d] - 1) * dilations[d] + 1;
    extra[d] = pick(0, strides[d] - 1);
    const int64_t whole = (shape_[2 + d] - 1) * strides[d] + reach + extra[d];
    pads[d] = std::min(pick(0, reach - 1), whole - 1);
    pads[2 + d] = std::min(pick(0, reach - 1), whole - 1 - pads[d]);
    shape_[2 + d] = whole - pads[d] - pads[2 + d];
  }
  ModelBuilder::attribute(conv, "strides", strides);
  ModelBuilder::attribute(conv, "dilations", dilations);
  ModelBuilder::attribute(conv, "group", group);
  ModelBuilder::attribute(conv, "pads", pads);
  ModelBuilder::attribute(conv, "output_padding", extra);
  shape_[1] = group * out_per_group;
  description_ +=
      fmt::format(" {}x{} s{},{} d{},{} g{} -> {}x{}x{}", kernel[0], kernel[1], strides[0],
                  strides[1], dilations[0], dilations[1], group, shape_[1], shape_[2], shape_[3]);
  activation();
}

void RandomNetwork::pool(const std::string& op) {
  if (op == "AveragePool" && chance(25)) {
    node("GlobalAveragePool", {value_});
    shape_[2] = shape_[3] = 1;
    return;
  }
  const Shape kernel = {std::min(shape_[2], pick(1, 3)), std::min(shape_[3], pick(1, 3))};
  const bool ceil = chance(30);
  onnx::NodeProto& pool = node(op, {value_});
  ModelBuilder::attribute(pool, "kernel_shape", kernel);
  ModelBuilder::attribute(pool, "ceil_mode", int64_t{ceil});
  if (op == "AveragePool") ModelBuilder::attribute(pool, "count_include_pad", pick(0, 1));
  addWindow(pool, kernel, {1, 1}, false, ceil);
  if (ceil) description_ += " ceil";
}

void RandomNetwork::residual() {
  const std::string before = value_;
  convolve(shape_[1], 1, true);
  node("Add", {value_, before});
  activation();
}

void RandomNetwork::branches() {
  const std::string before = value_;
  const Shape shape = shape_;
  convolve(std::min<int64_t>(channels(), 24), 1, true);
  const std::string left = value_;
  const int64_t left_channels = shape_[1];
  value_ = before;
  shape_ = shape;
  if (chance(30)) {  // along rows or columns
    convolve(left_channels, 1, true);
    const int64_t axis = pick(2, 3);
    ModelBuilder::attribute(node("Concat", {left, value_}), "axis", axis);
    shape_[axis] *= 2;
    return;
  }
  if (chance(50)) convolve(std::min<int64_t>(channels(), 24), 1, true);
  ModelBuilder::attribute(node("Concat", {left, value_}), "axis", int64_t{1});
  shape_[1] += left_channels;
}

/// Two parts of the channels, of which a convolution follows one, joined again in either order.
void RandomNetwork::split() {
  if (shape_[1] < 2) return convolution();
  const int64_t unit = shape_[1] > 8 && chance(70) ? 8 : 1, whole = shape_[1];
  const int64_t first = unit * pick(1, (whole - 1) / unit), second = whole - first;
  const std::string sizes = integers({first, second}), left = fresh(), right = fresh();
  ModelBuilder::attribute(model_.node("Split", {value_, sizes}, {left, right}), "axis", int64_t{1});
  description_ += fmt::format(", Split {}+{}", first, second);
  value_ = left;
  shape_[1] = first;
  convolve(chance(50) ? first : std::min<int64_t>(channels(), 24), 1, true);
  shape_[1] += second;
  const bool swaps = chance(50);
  ModelBuilder::attribute(node("Concat", {swaps ? right : value_, swaps ? value_ : right}), "axis",
                          int64_t{1});
}

void RandomNetwork::slice() {
  const int64_t axis = pick(1, 3), unit = axis == 1 && shape_[1] > 8 && chance(60) ? 8 : 1;
  const int64_t start = pick(0, (shape_[axis] - 1) / 2 / unit) * unit;
  const int64_t end = pick(start + 1, shape_[axis]), step = chance(25) ? pick(2, 3) : 1;
  const std::string starts = integers({start}), ends = integers({end}), axes = integers({axis}),
                    steps = integers({step});
  node("Slice", {value_, starts, ends, axes, steps});
  description_ += fmt::format(" {}:{}:{} of {}", start, end, step, axis);
  shape_[axis] = ceilDivide(end - start, step);
}

void RandomNetwork::pad() {
  std::vector<int64_t> pads = {0, 0, pick(0, 2), pick(0, 2), 0, 0, pick(0, 2), pick(0, 2)};
  const char* const modes[] = {"constant", "edge", "reflect"};
  const std::string mode = modes[shape_[2] > 2 && shape_[3] > 2 ? pick(0, 2) : pick(0, 1)];
  if (mode == "constant" && chance(30)) pads[1] = 8 * pick(0, 2);
  if (mode == "constant" && chance(30)) pads[5] = 8 * pick(0, 2);
  ModelBuilder::attribute(node("Pad", {value_, integers(pads)}), "mode", mode.c_str());
  description_ += " " + mode;
  for (int d = 1; d < 4; ++d) shape_[d] += pads[d] + pads[4 + d];
}

void RandomNetwork::resize() {
  const int64_t rows = pick(1, 3), columns = pick(1, 3);
  if (product(shape_) * rows * columns > kMostElements) return convolution();
  auto& scales = model_.floats(fresh(), {4});
  scales.set_float_data(2, static_cast<float>(rows));
  scales.set_float_data(3, static_cast<float>(columns));
  const std::string name = scales.name();
  onnx::NodeProto& resize = node("Resize", {value_, "", name});
  ModelBuilder::attribute(resize, "mode", "nearest");
  ModelBuilder::attribute(resize, "coordinate_transformation_mode", "asymmetric");
  ModelBuilder::attribute(resize, "nearest_mode", "floor");
  description_ += fmt::format(" {}x{}", rows, columns);
  shape_[2] *= rows;
  shape_[3] *= columns;
}

void RandomNetwork::depthToSpace() {
  const int64_t block = pick(2, 3);
  if (shape_[1] % (block * block) != 0) {
    convolve(block * block * (chance(30) ? 8 : pick(1, 8)), 1, true);
    activation();
  }
  onnx::NodeProto& shuffle = node("DepthToSpace", {value_});
  ModelBuilder::attribute(shuffle, "blocksize", block);
  const bool depth_first = chance(50);
  ModelBuilder::attribute(shuffle, "mode", depth_first ? "CRD" : "DCR");
  description_ += fmt::format(" {}{}", block, depth_first ? " CRD" : "");
  shape_ = {shape_[0], shape_[1] / block / block, shape_[2] * block, shape_[3] * block};
  if (chance(50)) activation();
}

void RandomNetwork::spaceToDepth() {
  if (shape_[2] % 2 != 0 || shape_[3] % 2 != 0) return convolution();
  ModelBuilder::attribute(node("SpaceToDepth", {value_}), "blocksize", int64_t{2});
  shape_ = {shape_[0], shape_[1] * 4, shape_[2] / 2, shape_[3] / 2};
}

void RandomNetwork::head() {
  const int64_t features = shape_[1] * shape_[2] * shape_[3], classes = pick(1, 20);
  if (features > 4096) return;
  node("Flatten", {value_});
  onnx::NodeProto& gemm =
      node("Gemm", {value_, weights({classes, features}, 1.5 / std::sqrt(double(features))),
                    weights({classes}, 0.5)});
  ModelBuilder::attribute(gemm, "transB", int64_t{1});
  shape_ = {shape_[0], classes};
}

}  // namespace vta::random_networks
