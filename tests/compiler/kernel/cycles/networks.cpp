#include "tests/compiler/kernel/cycles/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/desc/requant_fusion.h"
#include "compiler/kernel/schedule/fusion.h"

namespace vta::kernel::testing {
namespace {

using Source = EpilogueStep::Source;

int64_t blocks(int64_t channels, int block) { return (channels + block - 1) / block; }

/// Collects layers; methods return the number of the tensor that they make.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(const HwConfig& hw) : hw_(hw) {}

  struct Conv {
    int64_t in_channels, out_channels, in_size, kernel, stride;
    bool relu = true;
    int residual = -1;
    bool depthwise = false;
  };

  int conv(const std::string& name, int input, const Conv& conv) {
    NetworkLayer layer;
    KernelDesc& desc = layer.desc;
    desc.name = name;
    Geometry& g = desc.geometry;
    g.in_channel_blocks = blocks(conv.in_channels, hw_.blockIn());
    g.out_channel_blocks = blocks(conv.out_channels, hw_.blockOut());
    if (conv.depthwise) {
      // Each block of outputs reads all its channels, those that fill up the last block, too.
      g.groups = g.out_channel_blocks;
      g.in_channel_blocks = g.groups * blocks(hw_.blockOut(), hw_.blockIn());
    }
    g.in_height = g.in_width = conv.in_size;
    g.kernel_height = g.kernel_width = conv.kernel;
    g.stride_y = g.stride_x = conv.stride;
    g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = conv.kernel / 2;
    g.out_height = g.out_width = (conv.in_size + conv.stride - 1) / conv.stride;
    if (hw_.params().ext_pad_min) g.pad_value = -128;
    setEpilogue(desc, conv.relu, conv.residual >= 0);
    layer.relu = conv.relu;
    layer.macs = conv.kernel * conv.kernel * (conv.depthwise ? 1 : conv.in_channels) *
                 conv.out_channels * g.out_height * g.out_width;
    layer.input = input;
    layer.residual = conv.residual;
    return add(std::move(layer));
  }

  // A first layer of `kernel` x `kernel` and stride 2 on 3 channels: kernel columns are channels.
  int first(const std::string& name, int64_t kernel, int64_t out_channels, int64_t out_size = 112) {
    NetworkLayer layer;
    KernelDesc& desc = layer.desc;
    desc.name = name;
    Geometry& g = desc.geometry;
    g.in_channel_blocks = blocks(3 * kernel, hw_.blockIn());
    g.out_channel_blocks = blocks(out_channels, hw_.blockOut());
    g.in_height = (out_size - 1) * 2 + kernel;
    g.in_width = g.out_width = g.out_height = out_size;
    g.kernel_height = kernel;
    g.stride_y = 2;
    setEpilogue(desc, true, false);
    layer.relu = true;
    layer.macs = kernel * kernel * 3 * out_channels * out_size * out_size;
    return add(std::move(layer));
  }

  // 3 x 3. `pad` rows and columns of padding lie before the input, as many as it takes behind it.
  struct Pool {
    int64_t channels, in_size, out_size, stride, pad;
  };

  int maxPool(const std::string& name, int input, const Pool& pool) {
    NetworkLayer layer;
    KernelDesc& desc = layer.desc;
    desc.name = name;
    desc.kind = KernelKind::kMaxPool;
    Geometry& g = desc.geometry;
    g.groups = g.in_channel_blocks = g.out_channel_blocks = blocks(pool.channels, hw_.blockOut());
    g.in_height = g.in_width = pool.in_size;
    g.out_height = g.out_width = pool.out_size;
    g.kernel_height = g.kernel_width = 3;
    g.stride_y = g.stride_x = pool.stride;
    g.pad_top = g.pad_left = pool.pad;
    g.pad_bottom = g.pad_right = (pool.out_size - 1) * pool.stride + 3 - pool.pad - pool.in_size;
    g.pad_value = -128;
    // One kernel with the layer before where that is faster, as in the compiler.
    if (!host_before_next_ && input == static_cast<int>(layers_.size()) && !layers_.empty()) {
      if (const auto fused = fusePool(layers_.back().desc, desc, hw_)) {
        layers_.back().desc = *fused;
        return input;
      }
    }
    layer.input = input;
    return add(std::move(layer));
  }

  int globalAverage(const std::string& name, int input, int64_t channels, int64_t size) {
    NetworkLayer layer;
    KernelDesc& desc = layer.desc;
    desc.name = name;
    desc.kind = KernelKind::kSumPool;
    Geometry& g = desc.geometry;
    g.groups = g.in_channel_blocks = g.out_channel_blocks = blocks(channels, hw_.blockOut());
    g.in_height = g.in_width = g.kernel_height = g.kernel_width = size;
    desc.epilogue.push_back({AluOpcode::kAdd, Source::kImmediate, 24, 0});
    requantise(desc, -128, 127);
    layer.input = input;
    return add(std::move(layer));
  }

  // What the host makes of tensors, a normalisation for instance: a tensor of its own, that a
  // launch of its own reads.
  int hostStep() {
    host_before_next_ = true;
    return kFirstOtherTensor + other_tensors_++;
  }

  // Tensors joined along channels: layers write their parts where they belong if all but the last
  // consist of whole blocks, else the host copies them.
  struct Part {
    int tensor;
    int64_t channels;
  };
  int join(const std::vector<Part>& parts) {
    const int block = hw_.blockOut();
    const bool whole_blocks = hw_.blockIn() == block &&
                              std::all_of(parts.begin(), parts.end() - 1, [&](const Part& part) {
                                return part.channels % block == 0;
                              });
    if (!whole_blocks) return hostStep();
    const int joined = kFirstOtherTensor + other_tensors_++;
    int64_t at = 0;
    for (const Part& part : parts) {
      NetworkLayer& layer = layers_[part.tensor - 1];
      layer.joined = joined;
      layer.joined_block = at;
      at += blocks(part.channels, block);
    }
    return joined;
  }

  std::vector<NetworkLayer> take() { return std::move(layers_); }

 private:
  static constexpr int kFirstOtherTensor = 1 << 16;

  int add(NetworkLayer layer) {
    layer.after_host = std::exchange(host_before_next_, false);
    if (const auto fused = findRequant(layer.desc, hw_)) layer.desc = fused->desc;
    if (const auto folded = foldGeometry(layer.desc, hw_)) layer.desc = *folded;
    layers_.push_back(std::move(layer));
    return static_cast<int>(layers_.size());
  }

  void clip(KernelDesc& desc, int lo, int hi) {
    if (hw_.params().ext_clip) {
      const int32_t bounds = (lo & 0xff) | (hi & 0xff) << 8;
      desc.epilogue.push_back({AluOpcode::kClip, Source::kImmediate, bounds, 0});
    } else {
      // With the results that much higher, MAX with the bias clears a tile (bias_folding.h).
      constexpr int kRaise = 256;
      desc.epilogue.push_back({AluOpcode::kMax, Source::kImmediate, lo + kRaise, 0});
      desc.epilogue.push_back({AluOpcode::kMin, Source::kImmediate, hi + kRaise, 0});
      desc.bias_exceeds_results = desc.epilogue.front().source == Source::kParam;
    }
  }

  void requantise(KernelDesc& desc, int lo, int hi) {
    const auto param = static_cast<int32_t>(desc.num_params++);
    if (hw_.params().ext_qmul) {
      desc.epilogue.push_back({AluOpcode::kQmul, Source::kParam, 24, param});
    } else {
      desc.epilogue.push_back({AluOpcode::kShr, Source::kParam, 0, param});
    }
    clip(desc, lo, hi);
  }

  // Bias, the residual, requantisation, saturation with ReLU.
  void setEpilogue(KernelDesc& desc, bool relu, bool residual) {
    const bool qmul = hw_.params().ext_qmul;
    desc.num_params = 1;
    desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0}};
    // Bytes that begin at -128 use the whole range after a ReLU; else they begin at 0.
    const int lo = relu && !hw_.params().ext_pad_min ? 0 : -128;
    if (!residual) return requantise(desc, lo, 127);
    if (qmul) {
      desc.residual = Residual{{{AluOpcode::kMul, Source::kParam, 0, 1}}};
      desc.num_params = 2;
      desc.epilogue.push_back({AluOpcode::kAdd, Source::kResidual, 0, 0});
      return requantise(desc, lo, 127);
    }
    desc.num_params = 2;
    desc.residual.emplace();
    desc.epilogue.push_back({AluOpcode::kShr, Source::kParam, 0, 1});
    desc.epilogue.push_back({AluOpcode::kAdd, Source::kResidual, 0, 0});
    desc.epilogue.push_back({AluOpcode::kShr, Source::kImmediate, 1, 0});
    clip(desc, lo, 127);
  }

  const HwConfig& hw_;
  std::vector<NetworkLayer> layers_;
  int other_tensors_ = 0;
  bool host_before_next_ = false;
};

// Two 3 x 3 convolutions; a layer of stride 2 or of more channels has a 1 x 1 convolution beside
// it, which adds.
struct ResidualBlock {
  std::string name;
  int64_t in, channels, size, stride;
};

int basicBlock(NetworkBuilder& net, int x, const ResidualBlock& b) {
  const int64_t out = b.size / b.stride;
  const int y = net.conv(b.name + ".conv1", x, {b.in, b.channels, b.size, 3, b.stride});
  if (b.stride == 1) {
    return net.conv(b.name + ".conv2", y, {b.channels, b.channels, out, 3, 1, true, x});
  }
  const int z = net.conv(b.name + ".conv2", y, {b.channels, b.channels, out, 3, 1, false});
  return net.conv(b.name + ".down", x, {b.in, b.channels, b.size, 1, b.stride, true, z});
}

// 1 x 1, 3 x 3 with the stride, 1 x 1 to four times the channels.
int bottleneck(NetworkBuilder& net, int x, const ResidualBlock& b) {
  const int64_t out = b.size / b.stride;
  const int64_t wide = 4 * b.channels;
  int y = net.conv(b.name + ".conv1", x, {b.in, b.channels, b.size, 1, 1});
  y = net.conv(b.name + ".conv2", y, {b.channels, b.channels, b.size, 3, b.stride});
  if (b.in == wide) return net.conv(b.name + ".conv3", y, {b.channels, wide, out, 1, 1, true, x});
  y = net.conv(b.name + ".conv3", y, {b.channels, wide, out, 1, 1, false});
  return net.conv(b.name + ".down", x, {b.in, wide, b.size, 1, b.stride, true, y});
}

std::vector<NetworkLayer> resnet(const HwConfig& hw, const std::array<int, 4>& depths,
                                 bool bottlenecks) {
  NetworkBuilder net(hw);
  int x = net.first("conv1", 7, 64);
  x = net.maxPool("maxpool", x, {64, 112, 56, 2, 1});
  int64_t in = 64;
  int64_t size = 56;
  for (int stage = 1; stage <= 4; ++stage) {
    const int64_t channels = int64_t{32} << stage;
    for (int number = 0; number < depths[stage - 1]; ++number) {
      const int64_t stride = stage > 1 && number == 0 ? 2 : 1;
      const ResidualBlock block = {fmt::format("layer{}.{}", stage, number), in, channels, size,
                                   stride};
      x = bottlenecks ? bottleneck(net, x, block) : basicBlock(net, x, block);
      in = bottlenecks ? 4 * channels : channels;
      size /= stride;
    }
  }
  x = net.globalAverage("avgpool", x, in, 7);
  net.conv("fc", x, {in, 1000, 1, 1, 1, false});
  return net.take();
}

std::vector<NetworkLayer> resnet18(const HwConfig& hw) { return resnet(hw, {2, 2, 2, 2}, false); }
std::vector<NetworkLayer> resnet34(const HwConfig& hw) { return resnet(hw, {3, 4, 6, 3}, false); }
std::vector<NetworkLayer> resnet50(const HwConfig& hw) { return resnet(hw, {3, 4, 6, 3}, true); }

std::vector<NetworkLayer> mobilenetV1(const HwConfig& hw) {
  struct Pair {
    int64_t channels, stride;
  };
  constexpr Pair kPairs[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                             {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  NetworkBuilder net(hw);
  int x = net.first("conv1", 3, 32);
  int64_t in = 32;
  int64_t size = 112;
  int number = 0;
  for (const Pair& pair : kPairs) {
    const std::string name = fmt::format("block{}", number++);
    x = net.conv(name + ".depthwise", x, {in, in, size, 3, pair.stride, true, -1, true});
    size /= pair.stride;
    x = net.conv(name + ".pointwise", x, {in, pair.channels, size, 1, 1});
    in = pair.channels;
  }
  x = net.globalAverage("avgpool", x, in, size);
  net.conv("fc", x, {in, 1000, 1, 1, 1, false});
  return net.take();
}

// Blocks of one kind: 1 x 1 to `expansion` times the channels, depthwise, 1 x 1 back.
struct InvertedResiduals {
  int64_t expansion, channels, repeats, stride, kernel;
};

std::vector<NetworkLayer> invertedResiduals(const HwConfig& hw,
                                            std::span<const InvertedResiduals> stages) {
  NetworkBuilder net(hw);
  int x = net.first("conv1", 3, 32);
  int64_t in = 32;
  int64_t size = 112;
  int number = 0;
  for (const InvertedResiduals& stage : stages) {
    for (int64_t repeat = 0; repeat < stage.repeats; ++repeat, ++number) {
      const std::string name = fmt::format("block{}", number);
      const int64_t stride = repeat == 0 ? stage.stride : 1;
      const int64_t inner = in * stage.expansion;
      const bool adds = stride == 1 && in == stage.channels;
      int y = x;
      if (stage.expansion > 1) y = net.conv(name + ".expand", x, {in, inner, size, 1, 1});
      y = net.conv(name + ".depthwise", y,
                   {inner, inner, size, stage.kernel, stride, true, -1, true});
      size /= stride;
      x = net.conv(name + ".project", y, {inner, stage.channels, size, 1, 1, false, adds ? x : -1});
      in = stage.channels;
    }
  }
  x = net.conv("conv18", x, {in, 1280, size, 1, 1});
  x = net.globalAverage("avgpool", x, 1280, size);
  net.conv("fc", x, {1280, 1000, 1, 1, 1, false});
  return net.take();
}

std::vector<NetworkLayer> mobilenetV2(const HwConfig& hw) {
  constexpr InvertedResiduals kStages[] = {{1, 16, 1, 1, 3}, {6, 24, 2, 2, 3}, {6, 32, 3, 2, 3},
                                           {6, 64, 4, 2, 3}, {6, 96, 3, 1, 3}, {6, 160, 3, 2, 3},
                                           {6, 320, 1, 1, 3}};
  return invertedResiduals(hw, kStages);
}

std::vector<NetworkLayer> efficientNetLite0(const HwConfig& hw) {
  constexpr InvertedResiduals kStages[] = {{1, 16, 1, 1, 3}, {6, 24, 2, 2, 3},  {6, 40, 2, 2, 5},
                                           {6, 80, 3, 2, 3}, {6, 112, 3, 1, 5}, {6, 192, 4, 2, 5},
                                           {6, 320, 1, 1, 3}};
  return invertedResiduals(hw, kStages);
}

// Version 1.0 on 227 x 227.
std::vector<NetworkLayer> squeezenet(const HwConfig& hw) {
  NetworkBuilder net(hw);
  int x = net.first("conv1", 7, 96, 111);
  x = net.maxPool("pool1", x, {96, 111, 55, 2, 0});
  int64_t in = 96;
  int64_t size = 55;
  for (int number = 2; number <= 9; ++number) {
    const int64_t narrow = number / 2 * 16;
    const int64_t wide = 4 * narrow;
    const std::string name = fmt::format("fire{}", number);
    const int y = net.conv(name + ".squeeze", x, {in, narrow, size, 1, 1});
    const int wide1 = net.conv(name + ".expand1x1", y, {narrow, wide, size, 1, 1});
    const int wide3 = net.conv(name + ".expand3x3", y, {narrow, wide, size, 3, 1});
    x = net.join({{wide1, wide}, {wide3, wide}});
    in = 2 * wide;
    if (number != 4 && number != 8) continue;
    x = net.maxPool(fmt::format("pool{}", number), x, {in, size, size / 2, 2, 0});
    size /= 2;
  }
  x = net.conv("conv10", x, {in, 1000, size, 1, 1});
  net.globalAverage("avgpool", x, 1000, size);
  return net.take();
}

struct Inception {
  const char* name;
  int64_t direct, reduce3, conv3, reduce5, conv5, pool;
  int64_t channels() const { return direct + conv3 + conv5 + pool; }
};

int inception(NetworkBuilder& net, int x, int64_t in, int64_t size, const Inception& module) {
  const std::string name = module.name;
  const int direct = net.conv(name + ".1x1", x, {in, module.direct, size, 1, 1});
  int y = net.conv(name + ".3x3_reduce", x, {in, module.reduce3, size, 1, 1});
  const int conv3 = net.conv(name + ".3x3", y, {module.reduce3, module.conv3, size, 3, 1});
  y = net.conv(name + ".5x5_reduce", x, {in, module.reduce5, size, 1, 1});
  const int conv5 = net.conv(name + ".5x5", y, {module.reduce5, module.conv5, size, 5, 1});
  y = net.maxPool(name + ".pool", x, {in, size, size, 1, 1});
  const int pool = net.conv(name + ".pool_proj", y, {in, module.pool, size, 1, 1});
  return net.join(
      {{direct, module.direct}, {conv3, module.conv3}, {conv5, module.conv5}, {pool, module.pool}});
}

// The host normalises responses (LRN).
std::vector<NetworkLayer> googlenet(const HwConfig& hw) {
  constexpr Inception kModules[] = {
      {"3a", 64, 96, 128, 16, 32, 32},     {"3b", 128, 128, 192, 32, 96, 64},
      {"4a", 192, 96, 208, 16, 48, 64},    {"4b", 160, 112, 224, 24, 64, 64},
      {"4c", 128, 128, 256, 24, 64, 64},   {"4d", 112, 144, 288, 32, 64, 64},
      {"4e", 256, 160, 320, 32, 128, 128}, {"5a", 256, 160, 320, 32, 128, 128},
      {"5b", 384, 192, 384, 48, 128, 128}};
  NetworkBuilder net(hw);
  int x = net.first("conv1", 7, 64);
  net.maxPool("pool1", x, {64, 112, 56, 2, 0});
  x = net.hostStep();
  x = net.conv("conv2.reduce", x, {64, 64, 56, 1, 1});
  net.conv("conv2", x, {64, 192, 56, 3, 1});
  x = net.hostStep();
  x = net.maxPool("pool2", x, {192, 56, 28, 2, 0});
  int64_t in = 192;
  int64_t size = 28;
  for (const Inception& module : kModules) {
    x = inception(net, x, in, size, module);
    in = module.channels();
    const std::string name = module.name;
    if (name != "3b" && name != "4e") continue;
    x = net.maxPool("pool" + name.substr(0, 1), x, {in, size, size / 2, 2, 0});
    size /= 2;
  }
  x = net.globalAverage("avgpool", x, in, size);
  net.conv("fc", x, {in, 1000, 1, 1, 1, false});
  return net.take();
}

// One 3 x 3 layer without ALU work, whose cycles other simulators published.
std::vector<NetworkLayer> plainConvolution(const HwConfig& hw) {
  NetworkBuilder net(hw);
  net.conv("conv3x3_64_56", 0, {64, 64, 56, 3, 1});
  std::vector<NetworkLayer> layers = net.take();
  layers[0].desc.epilogue.clear();
  layers[0].desc.num_params = 0;
  layers[0].desc.bias_exceeds_results = false;
  return layers;
}

}  // namespace

const std::map<std::string, NetworkLayers>& networks() {
  static const std::map<std::string, NetworkLayers> kNetworks = {
      {"resnet18", resnet18},
      {"resnet34", resnet34},
      {"resnet50", resnet50},
      {"mobilenetv1", mobilenetV1},
      {"mobilenetv2", mobilenetV2},
      {"squeezenet", squeezenet},
      {"googlenet", googlenet},
      {"conv3x3", plainConvolution},
      {"efficientnetlite0", efficientNetLite0}};
  return kNetworks;
}

}  // namespace vta::kernel::testing
