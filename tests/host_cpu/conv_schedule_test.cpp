// Schedules of blocked convolutions: which are legal, and that results do not depend on them.
#include "host_cpu/schedule/conv_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <span>

#include "base/bytes/aligned_bytes.h"
#include "host_cpu/backend/conv_code.h"

namespace vta::codegen::blocked {
namespace {

ConvSpec convolution(int64_t channels, int64_t extent, int64_t window, bool is_depthwise) {
  const int64_t pad = window / 2;
  ConvSpec spec;
  spec.in = {1, channels, extent, extent, kBlock, {pad, pad, pad, pad}};
  spec.out = {1, channels, extent, extent, kBlock, {}};
  spec.depthwise = is_depthwise;
  spec.kernel = {window, window};
  spec.pads = {pad, pad};
  spec.activation.kind = Activation::Kind::kRelu;
  return spec;
}

ConvSpec integerConvolution(int64_t channels, int64_t extent, int64_t window, bool is_depthwise) {
  ConvSpec spec = convolution(channels, extent, window, is_depthwise);
  spec.activation = {};
  spec.in.is_integer = spec.out.is_integer = true;
  spec.in.halo[3] += kWordBytes;  // what a depthwise kernel reads beside its window
  spec.finish = "scqk";
  return spec;
}

std::vector<ConvSchedule> schedulesOf(const ConvSpec& spec,
                                      std::map<std::string, int64_t>& rejected) {
  std::vector<ConvSchedule> schedules;
  visitConvSchedules(
      spec, *traitsOf({}), [&](const ConvSchedule& schedule) { schedules.push_back(schedule); },
      &rejected);
  return schedules;
}

/// Weights that are the same for every schedule, in the order that its kernel reads them.
void fillWeights(const ConvSpec& spec, const ConvSchedule& schedule, float* to) {
  const int64_t window = spec.kernel[0] * spec.kernel[1], lanes = schedule.out_blocks * kBlock;
  const int64_t in_lanes = spec.depthwise ? 1 : spec.in.block;
  const int64_t inputs = spec.depthwise ? 1 : spec.in.channels;
  for (int64_t o = 0; o < spec.out.channels; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t k = 0; k < window; ++k) {
        const int64_t block = (o / lanes * spec.summedBlocks() + i / in_lanes) * window + k;
        to[(block * in_lanes + i % in_lanes) * lanes + o % lanes] =
            0.01f * static_cast<float>((o * 31 + i * 7 + k * 3) % 41 - 20);
      }
    }
  }
}

/// The same of int8 weights.
void fillWords(const ConvSpec& spec, const ConvSchedule& schedule, int8_t* to) {
  const int64_t lanes = schedule.out_blocks * kBlock, positions = spec.positionsPerStep();
  const int64_t inputs = spec.depthwise ? 1 : spec.in.channels;
  for (int64_t o = 0; o < spec.out.channels; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t k = 0; k < spec.kernel[0] * spec.kernel[1]; ++k) {
        const int64_t y = k / spec.kernel[1], x = k % spec.kernel[1];
        const int64_t block = o / lanes * spec.summedBlocks() + i / spec.in.block;
        const int64_t window = (block * spec.kernel[0] + y) * spec.rowSteps() + x / positions;
        const int64_t step = spec.depthwise ? 0 : i % spec.in.block / kWordBytes;
        const int64_t byte = spec.depthwise ? x % positions : i % kWordBytes;
        to[((window * spec.blockSteps() + step) * lanes + o % lanes) * kWordBytes + byte] =
            static_cast<int8_t>((o * 31 + i * 7 + k * 3) % 255 - 127);
      }
    }
  }
}

/// Zero to begin with; multiplier, shift and bounds of "scqk".
void fillConstants(const ConvSpec& spec, int32_t* to) {
  constexpr int32_t kConstants[] = {0, 20'011, 22, -100, 110};
  for (int64_t i = 0; i < spec.out.blocks() * 5 * kBlock; ++i) to[i] = kConstants[i / kBlock % 5];
}

/// The output of a schedule, for inputs that are the same every time.
std::vector<float> resultOf(const ConvSpec& spec, const ConvSchedule& schedule) {
  const auto code = convCode(spec, schedule, {});
  EXPECT_TRUE(code.ok()) << code.status().message();
  const std::vector<int64_t> elements = convBuffers(spec, schedule);
  const auto executable = Executable::load(*code, {{kConvFunction, {elements.size(), 0}}}, 1);
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  std::vector<AlignedBytes> buffers;
  std::vector<void*> arguments;
  std::mt19937 random(1);
  for (const int64_t count : elements) {
    AlignedBytes& buffer = buffers.emplace_back(static_cast<size_t>(count) * sizeof(float));
    auto* values = reinterpret_cast<float*>(buffer.data());
    for (int64_t i = 0; i < count; ++i) {
      values[i] = std::uniform_real_distribution<float>(-1, 1)(random);
    }
    arguments.push_back(values);
  }
  if (spec.isInteger()) {
    std::ranges::fill(std::span(static_cast<int32_t*>(arguments[1]), elements[1]), 0);
    fillWords(spec, schedule, static_cast<int8_t*>(arguments[1]));
    fillConstants(spec, static_cast<int32_t*>(arguments[2]));
  } else {
    fillWeights(spec, schedule, static_cast<float*>(arguments[1]));
  }
  EXPECT_TRUE((*executable)->call(kConvFunction, arguments).ok());
  const auto* first = static_cast<const float*>(arguments.back());
  return {first, first + elements.back()};
}

TEST(ConvSchedules, SumsOfDepthwiseFloatsTakeHalfOfTheRegistersByDefault) {
  // The vectors of NEON on armv7 and aarch64, of AVX2, and of AVX-512.
  const std::vector<CpuTraits> cpus = {{.vector_registers = 16, .vector_bytes = 16},
                                       {.vector_registers = 32, .vector_bytes = 16},
                                       {.vector_registers = 16, .vector_bytes = 32},
                                       {.vector_registers = 32, .vector_bytes = 64}};
  for (const CpuTraits& traits : cpus) {
    const int64_t sums_per_pixel = kBlock * 4 / traits.vector_bytes;
    for (const int64_t extent : {1, 7, 14, 28, 56, 112}) {
      const ConvSpec spec = convolution(48, extent, 3, true);
      const ConvSchedule own = defaultConvSchedule(spec, traits);
      EXPECT_EQ(brokenRule(spec, own, traits), "");
      EXPECT_LE(own.rows * own.columns * sums_per_pixel, traits.vector_registers / 2)
          << traits.vector_bytes << " " << extent;
    }
  }
}

TEST(ConvSchedules, TheDefaultIsLegalAndInTheSpace) {
  for (const ConvSpec& spec :
       {convolution(64, 14, 3, false), convolution(48, 7, 1, false), convolution(32, 15, 3, true),
        convolution(16, 1, 1, false), convolution(960, 7, 3, true),
        integerConvolution(64, 14, 3, false), integerConvolution(32, 15, 5, true)}) {
    const ConvSchedule own = defaultConvSchedule(spec, *traitsOf({}));
    EXPECT_EQ(brokenRule(spec, own, *traitsOf({})), "");
    std::map<std::string, int64_t> rejected;
    const std::vector<ConvSchedule> schedules = schedulesOf(spec, rejected);
    EXPECT_NE(std::ranges::find(schedules, own), schedules.end());
    EXPECT_FALSE(rejected.empty());
  }
}

TEST(ConvSchedules, EveryDirectScheduleGivesTheSameBits) {
  for (const ConvSpec& spec :
       {convolution(64, 14, 3, false), convolution(32, 15, 3, true),
        integerConvolution(64, 14, 3, false), integerConvolution(32, 15, 5, true)}) {
    std::map<std::string, int64_t> rejected;
    std::vector<ConvSchedule> schedules = schedulesOf(spec, rejected);
    const std::vector<float> expected = resultOf(spec, directConvSchedule(spec, *traitsOf({})));
    // Those that transform are compared in winograd_test.cpp: they round otherwise.
    std::erase_if(schedules, [](const ConvSchedule& schedule) { return schedule.winograd != 0; });
    const size_t step = schedules.size() / 12 + 1;
    for (size_t i = 0; i < schedules.size(); i += step) {
      const std::vector<float> result = resultOf(spec, schedules[i]);
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), expected.size() * sizeof(float)), 0)
          << "schedule " << i;
    }
  }
}

TEST(ConvSchedules, ABrokenRuleIsNamedAndNotCompiled) {
  const ConvSpec spec = convolution(64, 15, 3, false);
  const CpuTraits traits = *traitsOf({});
  const ConvSchedule own = directConvSchedule(spec, traits);
  const auto rule = [&](auto change) {
    ConvSchedule schedule = own;
    change(schedule);
    return std::string(brokenRule(spec, schedule, traits));
  };
  EXPECT_EQ(rule([](ConvSchedule& s) { s.rows = 0; }), "a field is too small");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.columns = 16; }), "a tile exceeds the image");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.out_blocks = 3; }),
            "tiles do not fill the output's blocks");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.rows = s.columns = 15; }), "sums exceed the registers");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.unrolled_channels = 3; }),
            "unrolled channels do not divide a block");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.in_blocks = 3; }),
            "passes do not divide the input's blocks");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.row_tiles = 2; }), "rows do not divide the parallel loop");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.rows_outer = 2; }), "there is no such order");
  const ConvSpec integers = integerConvolution(64, 15, 3, false);
  ConvSchedule passes = defaultConvSchedule(integers, traits);
  passes.in_blocks = 2;
  EXPECT_EQ(brokenRule(integers, passes, traits), "an integer layer has one pass");
  ConvSchedule words = defaultConvSchedule(integers, traits);
  words.unrolled_channels = 8;  // of the block's four words
  EXPECT_EQ(brokenRule(integers, words, traits), "unrolled channels do not divide a block");
  ConvSchedule twice = own;
  twice.out_blocks = 1;
  twice.columns = 8;
  twice.rows = 1;
  twice.in_blocks = 1;
  EXPECT_EQ(brokenRule(spec, twice, traits), "passes would add to a pixel twice");
  const auto code = convCode(spec, twice, {});
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.status().message().find("passes would add to a pixel twice"), std::string::npos);
}

}  // namespace
}  // namespace vta::codegen::blocked
