#include "tests/random_networks/small_networks.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "tests/compiler/frontend/model_builder.h"

namespace vta::random_networks {
namespace {

using compiler::ModelBuilder;
using Shape = std::vector<int64_t>;

/// One activation: its name and channels.
struct Value {
  std::string name;
  int64_t channels = 0;
};

class Builder {
 public:
  Builder(std::string description, Shape input)
      : description_(std::move(description)), input_(std::move(input)) {
    model_.input("x", input_);
  }

  Value input() const { return {"x", input_[1]}; }

  Value conv(Value in, int64_t channels, int64_t kernel, int64_t stride = 1, int64_t group = 1) {
    const int64_t pad = kernel / 2;
    onnx::NodeProto& node = add(
        "Conv",
        {in.name, weights({channels, in.channels / group, kernel, kernel}), weights({channels})});
    ModelBuilder::attribute(node, "strides", Shape{stride, stride});
    ModelBuilder::attribute(node, "pads", Shape{pad, pad, pad, pad});
    ModelBuilder::attribute(node, "group", group);
    return last(channels);
  }
  Value up(Value in, int64_t channels) {
    onnx::NodeProto& node = add("ConvTranspose", {in.name, weights({in.channels, channels, 4, 4})});
    ModelBuilder::attribute(node, "strides", Shape{2, 2});
    ModelBuilder::attribute(node, "pads", Shape{1, 1, 1, 1});
    return last(channels);
  }
  Value relu(Value in) { return unary("Relu", in); }
  Value add(Value a, Value b) {
    add("Add", {a.name, b.name});
    return last(a.channels);
  }
  Value concat(Value a, Value b) {
    ModelBuilder::attribute(add("Concat", {a.name, b.name}), "axis", int64_t{1});
    return last(a.channels + b.channels);
  }
  Value pool(Value in) {
    onnx::NodeProto& node = add("MaxPool", {in.name});
    ModelBuilder::attribute(node, "kernel_shape", Shape{2, 2});
    ModelBuilder::attribute(node, "strides", Shape{2, 2});
    return last(in.channels);
  }
  Value twice(Value in) {
    auto& scales = model_.floats(fmt::format("scales{}", next_), {4});
    scales.set_float_data(2, 2);
    scales.set_float_data(3, 2);
    onnx::NodeProto& node = add("Resize", {in.name, "", scales.name()});
    ModelBuilder::attribute(node, "coordinate_transformation_mode", "asymmetric");
    ModelBuilder::attribute(node, "nearest_mode", "floor");
    return last(in.channels);
  }
  Value depthToSpace(Value in) {
    onnx::NodeProto& node = add("DepthToSpace", {in.name});
    ModelBuilder::attribute(node, "blocksize", int64_t{2});
    ModelBuilder::attribute(node, "mode", "CRD");
    return last(in.channels / 4);
  }
  Value classify(Value in, int64_t classes) {
    Value pooled = unary("GlobalAveragePool", in);
    Value flat = unary("Flatten", pooled);
    onnx::NodeProto& node =
        add("Gemm", {flat.name, weights({classes, in.channels}), weights({classes})});
    ModelBuilder::attribute(node, "transB", int64_t{1});
    return last(classes);
  }

  Network finish(Value output) {
    model_.output(output.name);
    return {model_.proto().SerializeAsString(), input_, description_};
  }

 private:
  onnx::NodeProto& add(const std::string& op, const std::vector<std::string>& inputs) {
    return model_.node(op, inputs, {fmt::format("v{}", ++next_)});
  }
  Value last(int64_t channels) const { return {fmt::format("v{}", next_), channels}; }
  Value unary(const std::string& op, Value in) {
    add(op, {in.name});
    return last(in.channels);
  }
  std::string weights(const Shape& shape) {
    const int64_t count =
        std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    const double bound =
        1.5 / std::sqrt(static_cast<double>(count) / static_cast<double>(shape[0]));
    std::uniform_real_distribution<float> values(static_cast<float>(-bound),
                                                 static_cast<float>(bound));
    auto& tensor = model_.floats(fmt::format("w{}", next_weight_++), shape);
    for (int i = 0; i < static_cast<int>(count); ++i) tensor.set_float_data(i, values(rng_));
    return tensor.name();
  }

  std::string description_;
  Shape input_;
  ModelBuilder model_{13};
  std::mt19937 rng_{1};
  int next_ = 0, next_weight_ = 0;
};

Network residualNetwork() {
  Builder b("residual network", {2, 3, 16, 16});
  Value x = b.relu(b.conv(b.input(), 16, 3));
  x = b.relu(b.add(b.conv(b.relu(b.conv(x, 16, 3)), 16, 3), x));
  const Value side = b.conv(x, 24, 1, 2);
  x = b.relu(b.add(b.conv(b.relu(b.conv(x, 24, 3, 2)), 24, 3), side));
  return b.finish(b.classify(x, 10));
}

Network mobileNetwork() {
  Builder b("mobile network", {1, 3, 16, 16});
  Value x = b.relu(b.conv(b.input(), 8, 3, 2));
  x = b.relu(b.conv(b.relu(b.conv(x, 8, 3, 1, 8)), 16, 1));
  const Value wide = b.relu(b.conv(x, 48, 1));
  x = b.add(b.conv(b.relu(b.conv(wide, 48, 3, 1, 48)), 16, 1), x);
  x = b.relu(b.conv(b.relu(b.conv(x, 16, 3, 2, 16)), 32, 1));
  return b.finish(b.classify(x, 12));
}

Network encoderDecoder() {
  Builder b("encoder and decoder", {1, 4, 12, 12});
  const Value fine = b.relu(b.conv(b.input(), 16, 3));
  const Value coarse = b.relu(b.conv(b.pool(fine), 32, 3));
  Value x = b.relu(b.conv(b.pool(coarse), 32, 3));
  x = b.relu(b.conv(b.concat(b.twice(x), coarse), 16, 3));
  x = b.relu(b.conv(b.concat(b.relu(b.up(x, 16)), fine), 16, 3));
  return b.finish(b.depthToSpace(b.conv(x, 12, 1)));
}

}  // namespace

Network smallNetwork(uint32_t number) {
  switch (number) {
    case 0:
      return residualNetwork();
    case 1:
      return mobileNetwork();
    default:
      return encoderDecoder();
  }
}

}  // namespace vta::random_networks
