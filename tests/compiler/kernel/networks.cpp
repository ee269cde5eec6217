#include "tests/compiler/kernel/networks.h"

#include <fmt/format.h>

#include <utility>

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
    if (conv.depthwise) g.groups = g.out_channel_blocks;
    g.in_height = g.in_width = conv.in_size;
    g.kernel_height = g.kernel_width = conv.kernel;
    g.stride_y = g.stride_x = conv.stride;
    g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = conv.kernel / 2;
    g.out_height = g.out_width = (conv.in_size + conv.stride - 1) / conv.stride;
    if (hw_.params().ext_pad_min) g.pad_kind = PadKind::kMin;
    setEpilogue(desc, conv.relu, conv.residual >= 0);
    layer.input = input;
    layer.residual = conv.residual;
    return add(std::move(layer));
  }

  // A first layer of `kernel` x `kernel` and stride 2 on 3 channels: kernel columns are channels.
  int first(const std::string& name, int64_t kernel, int64_t out_channels) {
    NetworkLayer layer;
    KernelDesc& desc = layer.desc;
    desc.name = name;
    Geometry& g = desc.geometry;
    g.in_channel_blocks = blocks(3 * kernel, hw_.blockIn());
    g.out_channel_blocks = blocks(out_channels, hw_.blockOut());
    g.in_height = 222 + kernel;
    g.in_width = g.out_width = g.out_height = 112;
    g.kernel_height = kernel;
    g.stride_y = 2;
    setEpilogue(desc, true, false);
    return add(std::move(layer));
  }

  int maxPool(const std::string& name, int input, int64_t channels, int64_t in_size) {
    NetworkLayer layer;
    KernelDesc& desc = layer.desc;
    desc.name = name;
    desc.kind = KernelKind::kMaxPool;
    Geometry& g = desc.geometry;
    g.groups = g.in_channel_blocks = g.out_channel_blocks = blocks(channels, hw_.blockOut());
    g.in_height = g.in_width = in_size;
    g.out_height = g.out_width = in_size / 2;
    g.kernel_height = g.kernel_width = 3;
    g.stride_y = g.stride_x = 2;
    g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
    g.pad_kind = PadKind::kMin;
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

  std::vector<NetworkLayer> take() { return std::move(layers_); }

 private:
  int add(NetworkLayer layer) {
    layers_.push_back(std::move(layer));
    return static_cast<int>(layers_.size());
  }

  void clip(KernelDesc& desc, int lo, int hi) {
    if (hw_.params().ext_clip) {
      const int32_t bounds = (lo & 0xff) | (hi & 0xff) << 8;
      desc.epilogue.push_back({AluOpcode::kClip, Source::kImmediate, bounds, 0});
    } else {
      desc.epilogue.push_back({AluOpcode::kMax, Source::kImmediate, lo, 0});
      desc.epilogue.push_back({AluOpcode::kMin, Source::kImmediate, hi, 0});
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
      desc.residual.push_back({{{AluOpcode::kMul, Source::kParam, 0, 1}}});
      desc.num_params = 2;
      desc.epilogue.push_back({AluOpcode::kAdd, Source::kResidual, 0, 0});
      return requantise(desc, lo, 127);
    }
    desc.num_params = 2;
    desc.residual.emplace_back();
    desc.epilogue.push_back({AluOpcode::kShr, Source::kParam, 0, 1});
    desc.epilogue.push_back({AluOpcode::kAdd, Source::kResidual, 0, 0});
    desc.epilogue.push_back({AluOpcode::kShr, Source::kImmediate, 1, 0});
    clip(desc, lo, 127);
  }

  const HwConfig& hw_;
  std::vector<NetworkLayer> layers_;
};

}  // namespace

std::vector<NetworkLayer> resnet18Network(const HwConfig& hw) {
  NetworkBuilder net(hw);
  int x = net.first("conv1", 7, 64);
  x = net.maxPool("maxpool", x, 64, 112);
  int64_t in = 64;
  int64_t size = 56;
  for (int stage = 1; stage <= 4; ++stage) {
    const int64_t channels = int64_t{32} << stage;
    for (int block = 0; block < 2; ++block) {
      const std::string name = fmt::format("layer{}.{}", stage, block);
      const int64_t stride = stage > 1 && block == 0 ? 2 : 1;
      const int64_t out = size / stride;
      const int skip = x;
      int y = net.conv(name + ".conv1", x, {in, channels, size, 3, stride});
      if (stride == 1) {
        x = net.conv(name + ".conv2", y, {channels, channels, out, 3, 1, true, skip});
      } else {
        y = net.conv(name + ".conv2", y, {channels, channels, out, 3, 1, false});
        x = net.conv(name + ".down", skip, {in, channels, size, 1, stride, true, y});
      }
      in = channels;
      size = out;
    }
  }
  x = net.globalAverage("avgpool", x, 512, 7);
  net.conv("fc", x, {512, 1000, 1, 1, 1, false});
  return net.take();
}

std::vector<NetworkLayer> mobilenetV2Network(const HwConfig& hw) {
  struct Stage {
    int64_t expansion, channels, repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  NetworkBuilder net(hw);
  int x = net.first("conv1", 3, 32);
  int64_t in = 32;
  int64_t size = 112;
  int number = 0;
  for (const Stage& stage : kStages) {
    for (int64_t repeat = 0; repeat < stage.repeats; ++repeat, ++number) {
      const std::string name = fmt::format("block{}", number);
      const int64_t stride = repeat == 0 ? stage.stride : 1;
      const int64_t inner = in * stage.expansion;
      const bool adds = stride == 1 && in == stage.channels;
      int y = x;
      if (stage.expansion > 1) y = net.conv(name + ".expand", x, {in, inner, size, 1, 1});
      y = net.conv(name + ".depthwise", y, {inner, inner, size, 3, stride, true, -1, true});
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

}  // namespace vta::kernel::testing
