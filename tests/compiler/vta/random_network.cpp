#include "tests/compiler/vta/random_network.h"

#include <fmt/format.h>

namespace vta::compiler {

namespace {

int64_t product(const std::vector<int64_t>& shape) {
  int64_t out = 1;
  for (int64_t extent : shape) out *= extent;
  return out;
}

int64_t windows(int64_t in, int64_t pad, int64_t kernel, int64_t dilation, int64_t stride) {
  return (in + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
}

}  // namespace

RandomNetwork::RandomNetwork(uint32_t seed, const HwConfig& hw, std::vector<int64_t> input_shape)
    : rng_(seed),
      weight_bits_(hw.params().compat_0_0_2 ? 8 : hw.params().wgt_width_bits),
      block_(std::max(hw.blockIn(), hw.blockOut())),
      qmul_(hw.params().ext_qmul),
      input_shape_(std::move(input_shape)),
      shape_(input_shape_) {}

std::string RandomNetwork::type(const std::vector<int64_t>& shape, const char* element) const {
  std::string out = "tensor<";
  for (int64_t extent : shape) out += std::to_string(extent) + "x";
  return out + element + ">";
}

std::string RandomNetwork::weights(const std::vector<int64_t>& shape, size_t output, size_t input) {
  // Of a channel and some blocks of inputs: odd, so that a factor of two may be the channel's.
  const int64_t in_group = block_ * (1 + static_cast<int64_t>(rng_() % 2));
  const int64_t groups = (shape[input] + in_group - 1) / in_group;
  std::vector<int> factors(static_cast<size_t>(shape[output] * groups), 1);
  const bool has_factors = weight_bits_ < 8 && rng_() % 2 == 0;
  for (int& factor : factors) factor += has_factors ? 2 * static_cast<int>(rng_() % 8) : 0;
  const auto numberOf = [&](int64_t i, size_t dim) {
    int64_t inner = 1;
    for (size_t d = dim + 1; d < shape.size(); ++d) inner *= shape[d];
    return i / inner % shape[dim];
  };
  std::vector<int8_t> values;
  for (int64_t i = 0; i < product(shape); ++i) {
    const int value = static_cast<int8_t>(rng_() & 0xff) >> (8 - weight_bits_);
    const int64_t group = numberOf(i, input) / in_group;
    const int factor = factors[static_cast<size_t>(numberOf(i, output) * groups + group)];
    values.push_back(static_cast<int8_t>(value * factor));
  }
  return bytes(shape, values);
}

std::string RandomNetwork::bytes(const std::vector<int64_t>& shape,
                                 const std::vector<int8_t>& values) {
  const std::string name = fresh();
  std::string hex;
  for (const int8_t value : values) hex += fmt::format("{:02X}", static_cast<uint8_t>(value));
  // One element would be read as a splat of another width; all our weights have more.
  body_ +=
      fmt::format("  {} = arith.constant dense<\"0x{}\"> : {}\n", name, hex, type(shape, "i8"));
  return name;
}

std::string RandomNetwork::words(const std::vector<int64_t>& shape, int32_t low, int32_t high) {
  const std::string name = fresh();
  std::string hex;
  std::uniform_int_distribution<int32_t> distribution(low, high);
  for (int64_t i = 0; i < product(shape); ++i) {
    const auto value = static_cast<uint32_t>(distribution(rng_));
    for (int byte = 0; byte < 4; ++byte) hex += fmt::format("{:02X}", (value >> (8 * byte)) & 0xff);
  }
  body_ +=
      fmt::format("  {} = arith.constant dense<\"0x{}\"> : {}\n", name, hex, type(shape, "i32"));
  return name + " : " + type(shape, "i32");
}

std::string RandomNetwork::channelWords(int32_t low, int32_t high) {
  if (rng_() % 4 == 0) return words({1}, low, high);
  if (shape_.size() == 4) return words({1, shape_[1], 1, 1}, low, high);
  return words({shape_.back()}, low, high);
}

std::string RandomNetwork::apply(const std::string& op, const std::string& operands,
                                 const std::string& types, const std::vector<int64_t>& shape,
                                 const char* element) {
  const std::string name = fresh();
  body_ += fmt::format("  {} = graph.{} : ({}) -> {}\n", name,
                       fmt::format(fmt::runtime(op), operands), types, type(shape, element));
  return name;
}

std::string RandomNetwork::binaryI32(const std::string& op, const std::string& lhs,
                                     const std::string& rhs_typed, const std::string& attributes) {
  const size_t colon = rhs_typed.find(" : ");
  const std::string rhs = rhs_typed.substr(0, colon), rhs_type = rhs_typed.substr(colon + 3);
  const std::string name = fresh();
  const std::string result = type(shape_, "i32");
  body_ += fmt::format("  {} = graph.{} {}, {} {} : ({}, {}) -> {}\n", name, op, lhs, rhs,
                       attributes, result, rhs_type, result);
  return name;
}

std::string RandomNetwork::scaled(const std::string& value) {
  const std::string sum = binaryI32("binary add", value, channelWords(-70000, 70000));
  if (!qmul_) return binaryI32("shr", sum, channelWords(6, 13));
  return binaryI32("qmul", sum, channelWords(1 << 14, (1 << 17) - 1), "{shift = 26 : i64}");
}

void RandomNetwork::narrow(const std::string& value) {
  const std::string i32 = type(shape_, "i32");
  const int low = rng_() % 2 ? 0 : -128;
  const std::string clipped = fresh();
  body_ +=
      fmt::format("  {} = graph.clip_int {} {{min = {} : i64, max = 127 : i64}} : ({}) -> {}\n",
                  clipped, value, low, i32, i32);
  value_ = apply("cast {}", clipped, i32, shape_, "i8");
}

std::string RandomNetwork::convI32(const std::string& input, int64_t out_channels, int64_t kernel,
                                   int64_t stride, int64_t pad, int64_t groups, int64_t dilation,
                                   int64_t pad_value) {
  const std::vector<int64_t> weight_shape{out_channels, shape_[1] / groups, kernel, kernel};
  const std::string weight = weights(weight_shape, 0, 1);
  const std::vector<int64_t> out{shape_[0], out_channels,
                                 windows(shape_[2], pad, kernel, dilation, stride),
                                 windows(shape_[3], pad, kernel, dilation, stride)};
  std::string operands = input + ", " + weight;
  std::string types = type(shape_, "i8") + ", " + type(weight_shape, "i8");
  if (rng_() % 3 == 0) {
    const std::string bias = words({out_channels}, -5000, 5000);
    operands += ", " + bias.substr(0, bias.find(' '));
    types += ", " + type({out_channels}, "i32");
  }
  const std::string name = fresh();
  body_ += fmt::format(
      "  {} = graph.conv {} {{strides = array<i64: {}, {}>, pads = array<i64: {}, {}, {}, {}>, "
      "dilations = array<i64: {}, {}>, group = {} : i64, pad_value = {} : i64}} : ({}) -> {}\n",
      name, operands, stride, stride, pad, pad, pad, pad, dilation, dilation, groups, pad_value,
      types, type(out, "i32"));
  shape_ = out;
  return name;
}

void RandomNetwork::conv(int64_t out_channels, int64_t kernel, int64_t stride, int64_t pad,
                         int64_t groups, int64_t dilation, int64_t pad_value) {
  narrow(scaled(convI32(value_, out_channels, kernel, stride, pad, groups, dilation, pad_value)));
}

void RandomNetwork::residualConv(int64_t kernel) {
  const std::string before = value_;
  const std::string main = scaled(convI32(value_, shape_[1], kernel, 1, kernel / 2, 1, 1, 0));
  std::string side = apply("cast {}", before, type(shape_, "i8"), shape_, "i32");
  side = qmul_ ? binaryI32("qmul", side, channelWords(1 << 14, 1 << 16), "{shift = 15 : i64}")
               : binaryI32("shr", side, words({1}, -3, 2));
  narrow(binaryI32("binary add", main, side + " : " + type(shape_, "i32")));
}

void RandomNetwork::dense(int64_t out_channels) {
  if (shape_.size() == 4) {
    const std::vector<int64_t> flat{shape_[0], shape_[1] * shape_[2] * shape_[3]};
    value_ = apply("reshape {}", value_, type(shape_, "i8"), flat, "i8");
    shape_ = flat;
  }
  const std::vector<int64_t> weight_shape{shape_.back(), out_channels};
  const std::string weight = weights(weight_shape, 1, 0);
  const std::string types = type(shape_, "i8") + ", " + type(weight_shape, "i8");
  shape_.back() = out_channels;
  narrow(scaled(apply("matmul {}", value_ + ", " + weight, types, shape_, "i32")));
}

void RandomNetwork::maxPool(int64_t kernel, int64_t stride, int64_t pad, bool requantise) {
  const std::vector<int64_t> out{shape_[0], shape_[1], windows(shape_[2], pad, kernel, 1, stride),
                                 windows(shape_[3], pad, kernel, 1, stride)};
  const std::string name = fresh();
  body_ += fmt::format(
      "  {} = graph.max_pool {} {{kernel = array<i64: {}, {}>, strides = array<i64: {}, {}>, pads "
      "= "
      "array<i64: {}, {}, {}, {}>, dilations = array<i64: 1, 1>}} : ({}) -> {}\n",
      name, value_, kernel, kernel, stride, stride, pad, pad, pad, pad, type(shape_, "i8"),
      type(out, "i8"));
  value_ = name;
  shape_ = out;
  if (!requantise) return;
  const std::string wide = apply("cast {}", value_, type(shape_, "i8"), shape_, "i32");
  narrow(binaryI32("shr", wide, words({1}, 1, 2)));
}

void RandomNetwork::sumPool(int64_t kernel, int64_t stride, int64_t pad, int64_t pad_value) {
  const std::vector<int64_t> out{shape_[0], shape_[1], windows(shape_[2], pad, kernel, 1, stride),
                                 windows(shape_[3], pad, kernel, 1, stride)};
  const std::string name = fresh();
  body_ += fmt::format(
      "  {} = graph.sum_pool {} {{kernel = array<i64: {}, {}>, strides = array<i64: {}, {}>, pads "
      "= "
      "array<i64: {}, {}, {}, {}>, pad_value = {} : i64}} : ({}) -> {}\n",
      name, value_, kernel, kernel, stride, stride, pad, pad, pad, pad, pad_value,
      type(shape_, "i8"), type(out, "i32"));
  shape_ = out;
  narrow(binaryI32("shr", name, words({1}, 2, 4)));
}

void RandomNetwork::addTwice() {
  const std::string i8 = type(shape_, "i8"), i32 = type(shape_, "i32");
  const std::string before = value_;
  const std::string wide = apply("cast {}", before, i8, shape_, "i32");
  narrow(binaryI32("binary max", wide, words({1}, -5, 5)));
  const std::string left = apply("cast {}", value_, i8, shape_, "i32");
  const std::string right = apply("cast {}", before, i8, shape_, "i32");
  const std::string shifted = binaryI32("shr", right, words({1}, 0, 2));
  narrow(binaryI32("binary add", left, shifted + " : " + i32));
}

void RandomNetwork::border(const std::string& mode, int64_t top, int64_t left, int64_t bottom,
                           int64_t right) {
  const std::string before = type(shape_, "i8"), name = fresh();
  shape_[2] += top + bottom;
  shape_[3] += left + right;
  body_ += fmt::format(
      "  {} = graph.pad {} {} {{low = array<i64: 0, 0, {}, {}>, high = array<i64: 0, 0, {}, {}>}} "
      ": "
      "({}) -> {}\n",
      name, mode, value_, top, left, bottom, right, before, type(shape_, "i8"));
  value_ = name;
}

void RandomNetwork::phases(int64_t out_channels, int64_t kernel, int64_t block, int64_t groups) {
  conv(out_channels * block * block, kernel, 1, 0, groups);
  const std::string before = type(shape_, "i8"), name = fresh();
  shape_ = {shape_[0], out_channels, shape_[2] * block, shape_[3] * block};
  body_ += fmt::format(
      "  {} = graph.interleave {} {{block = array<i64: {}, {}>, groups = {} : i64}} : ({}) -> {}\n",
      name, value_, block, block, groups, before, type(shape_, "i8"));
  value_ = name;
}

void RandomNetwork::concatBranches(int64_t left_channels, int64_t right_channels) {
  const std::vector<int64_t> shape = shape_;
  const std::string before = value_;
  conv(left_channels, 1, 1, 0);
  const std::string left = value_, left_type = type(shape_, "i8");
  shape_ = shape;
  value_ = before;
  conv(right_channels, 1, 1, 0);
  const std::string types = left_type + ", " + type(shape_, "i8");
  const std::vector<int64_t> out{shape[0], left_channels + right_channels, shape[2], shape[3]};
  const std::string name = fresh();
  body_ += fmt::format("  {} = graph.concat {}, {} {{axis = 1 : i64}} : ({}) -> {}\n", name, left,
                       value_, types, type(out, "i8"));
  value_ = name;
  shape_ = out;
}

std::string RandomNetwork::finish() const {
  return fmt::format("func.func @main(%x: {}) -> {} {{\n{}  return {} : {}\n}}\n",
                     type(input_shape_, "i8"), type(shape_, "i8"), body_, value_,
                     type(shape_, "i8"));
}

}  // namespace vta::compiler
