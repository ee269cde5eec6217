// Convolutions with fewer multiplications: the transforms, and how far results are from the exact
// ones, on every shape of image.
#include "host_cpu/schedule/winograd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/bytes/aligned_bytes.h"
#include "host_cpu/backend/conv_code.h"
#include "host_cpu/blocked/weights.h"

namespace vta::codegen::blocked {
namespace {

constexpr double kRounding = 1.0 / (1 << 24);  // half a unit in the last place, relative
constexpr float kUntouched = -12345.0f;

/// An image with its padding, and what is computed of it.
struct Problem {
  ConvSpec spec;
  std::vector<float> in, out_before, residual, bias;  // as the kernel has them
  Tensor weight;                                      // [O, I, 3, 3]
};

ConvSpec convolution(int64_t batch, int64_t in, int64_t out, int64_t height, int64_t width,
                     std::array<int64_t, 4> pads) {
  ConvSpec spec;
  spec.in = {batch, in, height, width, kBlock, pads};
  spec.out = {batch,  out,         height + pads[0] + pads[2] - 2, width + pads[1] + pads[3] - 2,
              kBlock, {1, 2, 0, 3}};
  spec.kernel = {3, 3};
  spec.pads = {pads[0], pads[1]};
  return spec;
}

/// The place of a pixel's channel in a blocked buffer; (0, 0) is the image's first pixel.
size_t placeOf(const Layout& layout, int64_t n, int64_t channel, int64_t y, int64_t x) {
  const int64_t height = layout.height + layout.halo[0] + layout.halo[2];
  const int64_t width = layout.width + layout.halo[1] + layout.halo[3];
  const int64_t image = n * layout.blocks() + channel / kBlock;
  const int64_t row = image * height + y + layout.halo[0];
  return static_cast<size_t>((row * width + x + layout.halo[1]) * kBlock + channel % kBlock);
}

/// Random numbers in the channels of an image, `beside` everywhere else.
std::vector<float> randomImage(const Layout& layout, float beside, std::mt19937& random) {
  std::vector<float> image(static_cast<size_t>(layout.elements()), beside);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int64_t n = 0; n < layout.batch; ++n) {
    for (int64_t c = 0; c < layout.channels; ++c) {
      for (int64_t y = 0; y < layout.height; ++y) {
        for (int64_t x = 0; x < layout.width; ++x)
          image[placeOf(layout, n, c, y, x)] = values(random);
      }
    }
  }
  return image;
}

Problem makeProblem(const ConvSpec& spec, unsigned seed) {
  std::mt19937 random(seed);
  Problem problem{spec, randomImage(spec.in, 0, random), {}, {}, {}, {}};
  problem.out_before.assign(static_cast<size_t>(spec.out.elements()), kUntouched);
  if (spec.has_residual) problem.residual = randomImage(spec.residual, 0, random);
  std::uniform_real_distribution<float> values(-0.5, 0.5);
  for (int64_t o = 0; o < spec.out.blocks() * kBlock; ++o) {
    problem.bias.push_back(o < spec.out.channels ? values(random) : 0);
  }
  problem.weight = Tensor::zeros(DType::kF32, {spec.out.channels, spec.in.channels, 3, 3});
  for (float& value : problem.weight.as<float>()) value = values(random);
  return problem;
}

struct Target {
  std::string cpu{};
  bool parallel = true;
  unsigned threads = 1;
};

/// The output's buffer after a run.
std::vector<float> run(const Problem& problem, const ConvSchedule& schedule, const Target& target) {
  CodeOptions options;
  options.target.cpu = target.cpu;
  options.parallel = target.parallel;
  const auto code = convCode(problem.spec, schedule, options);
  EXPECT_TRUE(code.ok()) << code.status().message();
  if (!code.ok()) return {};
  const std::vector<int64_t> elements = convBuffers(problem.spec, schedule);
  const auto executable =
      Executable::load(*code, {{kConvFunction, {elements.size(), 0}}}, target.threads);
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  const Tensor packed = packWeight(problem.spec, schedule, problem.weight);
  std::vector<std::vector<float>> contents = {
      problem.in, {packed.as<float>().begin(), packed.as<float>().end()}, problem.bias};
  if (problem.spec.has_residual) contents.push_back(problem.residual);
  // What lies in scratch memory before must not matter.
  if (schedule.winograd != 0) contents.emplace_back(elements.end()[-2], NAN);
  contents.push_back(problem.out_before);
  std::vector<AlignedBytes> buffers;
  std::vector<void*> arguments;
  EXPECT_EQ(contents.size(), elements.size());
  for (size_t i = 0; i < contents.size(); ++i) {
    EXPECT_EQ(static_cast<int64_t>(contents[i].size()), elements[i]) << "buffer " << i;
    buffers.emplace_back(contents[i].size() * sizeof(float));
    std::ranges::copy(contents[i], reinterpret_cast<float*>(buffers.back().data()));
    arguments.push_back(buffers.back().data());
  }
  EXPECT_TRUE((*executable)->call(kConvFunction, arguments).ok());
  const auto* first = static_cast<const float*>(arguments.back());
  return {first, first + elements.back()};
}

Matrix absolute(Matrix matrix) {
  for (auto& row : matrix) {
    for (double& value : row) value = std::abs(value);
  }
  return matrix;
}

/// left * middle * transposed right
Matrix product(const Matrix& left, const Matrix& middle, const Matrix& right) {
  Matrix result(left.size(), std::vector<double>(right.size(), 0.0));
  for (size_t y = 0; y < left.size(); ++y) {
    for (size_t x = 0; x < right.size(); ++x) {
      for (size_t i = 0; i < middle.size(); ++i) {
        for (size_t j = 0; j < middle[i].size(); ++j) {
          result[y][x] += left[y][i] * middle[i][j] * right[x][j];
        }
      }
    }
  }
  return result;
}

/// The window of an output pixel, in double precision.
double exactSum(const Problem& p, int64_t n, int64_t o, int64_t y, int64_t x) {
  double sum = p.bias[static_cast<size_t>(o)];
  const auto weight = p.weight.as<float>();
  for (int64_t c = 0; c < p.spec.in.channels; ++c) {
    for (int64_t k = 0; k < 9; ++k) {
      const size_t at =
          placeOf(p.spec.in, n, c, y + k / 3 - p.spec.pads[0], x + k % 3 - p.spec.pads[1]);
      sum += static_cast<double>(p.in[at]) * weight[(o * p.spec.in.channels + c) * 9 + k];
    }
  }
  return sum;
}

/// By how much the outputs of a tile can be off, to first order: each rounding is relative to a
/// number that is at most as large as what is computed here from absolute values. There are two
/// roundings of a product and its addition for each channel, four in each direction of the input's
/// transform, five in each of the output's, one of the weight, two at the end.
Matrix boundOfTile(const Problem& p, const WinogradTransform& t, int64_t n, int64_t o, int64_t y,
                   int64_t x) {
  const Matrix input = absolute(t.input), window = absolute(t.weight);
  const size_t points = input.size();
  Matrix sums(points, std::vector<double>(points, 0.0));
  const auto weight = p.weight.as<float>();
  const auto& halo = p.spec.in.halo;
  for (int64_t c = 0; c < p.spec.in.channels; ++c) {
    Matrix pixels(points, std::vector<double>(points, 0.0)), taps(3, std::vector<double>(3));
    for (size_t i = 0; i < points * points; ++i) {
      const int64_t row = y + static_cast<int64_t>(i / points) - p.spec.pads[0];
      const int64_t column = x + static_cast<int64_t>(i % points) - p.spec.pads[1];
      if (row >= p.spec.in.height + halo[2] || column >= p.spec.in.width + halo[3]) continue;
      pixels[i / points][i % points] = std::abs(p.in[placeOf(p.spec.in, n, c, row, column)]);
    }
    for (int64_t k = 0; k < 9; ++k) {
      taps[k / 3][k % 3] = std::abs(weight[(o * p.spec.in.channels + c) * 9 + k]);
    }
    const Matrix d = product(input, pixels, input), g = product(window, taps, window);
    for (size_t i = 0; i < points * points; ++i) {
      sums[i / points][i % points] += d[i / points][i % points] * g[i / points][i % points];
    }
  }
  const Matrix output = absolute(t.output);
  Matrix bound = product(output, sums, output);
  const double roundings =
      2.0 * static_cast<double>(p.spec.in.blocks() * kBlock) + 2 * 4 + 2 * 5 + 3;
  for (auto& row : bound) {
    for (double& value : row) value = kRounding * (roundings * value + 4);
  }
  return bound;
}

double activated(const Activation& activation, double value) {
  switch (activation.kind) {
    case Activation::Kind::kNone:
      return value;
    case Activation::Kind::kRelu:
      return std::max(value, 0.0);
    case Activation::Kind::kClip:
      return std::clamp(value, activation.low, activation.high);
    case Activation::Kind::kLeakyRelu:
      return value < 0 ? value * activation.low : value;
  }
  return value;
}

/// Compares every pixel with the exact one, and demands that nothing beside the image was written.
void expectWithinBound(const Problem& p, const ConvSchedule& schedule, const Target& target) {
  const std::vector<float> result = run(p, schedule, target);
  if (result.empty()) return;
  const WinogradTransform& transform = winogradTransform(schedule.winograd);
  std::vector<float> unseen = result;
  const int64_t extent = schedule.winograd;
  for (int64_t n = 0; n < p.spec.out.batch; ++n) {
    for (int64_t o = 0; o < p.spec.out.blocks() * kBlock; ++o) {
      Matrix bound;
      for (int64_t y = 0; y < p.spec.out.height; ++y) {
        for (int64_t x = 0; x < p.spec.out.width; ++x) {
          const size_t at = placeOf(p.spec.out, n, o, y, x);
          unseen[at] = kUntouched;
          if (o >= p.spec.out.channels) continue;
          double exact = exactSum(p, n, o, y, x);
          if (p.spec.has_residual) exact += p.residual[placeOf(p.spec.residual, n, o, y, x)];
          exact = activated(p.spec.activation, exact);
          bound = boundOfTile(p, transform, n, o, y / extent * extent, x / extent * extent);
          ASSERT_NEAR(result[at], exact, bound[y % extent][x % extent])
              << "image " << n << ", channel " << o << ", pixel " << y << " " << x;
        }
      }
    }
  }
  EXPECT_EQ(unseen, p.out_before) << "something beside the image was written";
}

ConvSchedule scheduleOf(const ConvSpec& spec, int64_t outputs, const Target& target = {}) {
  return defaultWinogradSchedule(spec, *traitsOf({.triple = {}, .cpu = target.cpu, .features = {}}),
                                 outputs);
}

TEST(Winograd, TransformsAreConvolutions) {
  ASSERT_EQ(winogradTiles().size(), 2u);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> values(-1, 1);
  for (const int64_t outputs : winogradTiles()) {
    const WinogradTransform& t = winogradTransform(outputs);
    const auto points = static_cast<size_t>(outputs) + 2;
    Matrix pixels(points, std::vector<double>(points)), window(3, std::vector<double>(3));
    for (Matrix* matrix : {&pixels, &window}) {
      for (auto& row : *matrix) {
        for (double& value : row) value = values(random);
      }
    }
    Matrix products = product(t.input, pixels, t.input);
    const Matrix weight = product(t.weight, window, t.weight);
    for (size_t i = 0; i < points * points; ++i) {
      products[i / points][i % points] *= weight[i / points][i % points];
    }
    const Matrix result = product(t.output, products, t.output);
    for (size_t i = 0; i < result.size() * result.size(); ++i) {
      const size_t y = i / result.size(), x = i % result.size();
      double sum = 0;
      for (size_t k = 0; k < 9; ++k) sum += pixels[y + k / 3][x + k % 3] * window[k / 3][k % 3];
      EXPECT_NEAR(result[y][x], sum, 1e-13) << outputs;
    }
    for (const Matrix& matrix : {t.input, t.output}) {
      for (const auto& row : matrix) {
        for (const double value : row) EXPECT_EQ(static_cast<float>(value), value) << outputs;
      }
    }
  }
}

TEST(Winograd, ResultsAreWithinTheBoundOnEveryShape) {
  const ConvSpec shapes[] = {
      convolution(1, 16, 16, 8, 8, {1, 1, 1, 1}),   convolution(1, 16, 16, 1, 1, {1, 1, 1, 1}),
      convolution(1, 16, 48, 3, 5, {0, 0, 0, 0}),   convolution(1, 33, 20, 9, 7, {1, 1, 1, 1}),
      convolution(3, 16, 32, 5, 6, {1, 0, 0, 1}),   convolution(2, 40, 16, 13, 2, {2, 2, 2, 2}),
      convolution(1, 16, 112, 4, 31, {1, 1, 1, 1}), convolution(4, 16, 16, 1, 2, {1, 1, 1, 1})};
  for (ConvSpec spec : shapes) {
    for (const int64_t outputs : winogradTiles()) {
      SCOPED_TRACE(fmt::format("F({}) of {} to {}", outputs, spec.in.key(), spec.out.key()));
      expectWithinBound(makeProblem(spec, 1), scheduleOf(spec, outputs), {});
    }
  }
}

TEST(Winograd, WhatStandsBehindTheLayerIsPartOfIt) {
  using Kind = Activation::Kind;
  for (const Activation& activation : {Activation{Kind::kRelu}, Activation{Kind::kClip, -0.5, 0.75},
                                       Activation{Kind::kLeakyRelu, 0.1}}) {
    for (const int64_t outputs : winogradTiles()) {
      ConvSpec spec = convolution(1, 16, 32, 7, 9, {1, 1, 1, 1});
      spec.activation = activation;
      spec.has_residual = true;
      spec.residual = spec.out;
      spec.residual.halo = {0, 1, 2, 0};
      expectWithinBound(makeProblem(spec, 2), scheduleOf(spec, outputs), {});
      // The halo of a reader with more padding.
      spec.in.halo = {3, 2, 2, 4};
      expectWithinBound(makeProblem(spec, 3), scheduleOf(spec, outputs), {});
    }
  }
}

/// Other lengths of vectors, and multiplications and additions that are not fused.
TEST(Winograd, OlderCpusAreWithinTheBound) {
#if defined(__x86_64__)
  for (const char* cpu : {"x86-64", "haswell"}) {
    for (const int64_t outputs : winogradTiles()) {
      const ConvSpec spec = convolution(1, 33, 48, 9, 11, {1, 1, 1, 1});
      const Target target{.cpu = cpu};
      expectWithinBound(makeProblem(spec, 4), scheduleOf(spec, outputs, target), target);
    }
  }
#endif
}

/// Of all schedules with one transform, on several threads or one.
TEST(Winograd, EveryScheduleGivesTheSameBits) {
  const ConvSpec spec = convolution(1, 32, 64, 26, 27, {1, 1, 1, 1});
  const Problem problem = makeProblem(spec, 5);
  for (const int64_t outputs : winogradTiles()) {
    const std::vector<float> expected =
        run(problem, scheduleOf(spec, outputs), {.cpu = {}, .parallel = false, .threads = 1});
    std::vector<ConvSchedule> legal = {scheduleOf(spec, outputs)};
    visitWinogradSchedules(spec, *traitsOf({}), [&](const ConvSchedule& schedule) {
      if (schedule.winograd != outputs || !brokenRule(spec, schedule, *traitsOf({})).empty())
        return;
      legal.push_back(schedule);
    });
    ASSERT_GT(legal.size(), 100u);
    for (size_t i = 0; i < legal.size(); i += legal.size() / 12 + 1) {
      for (const unsigned threads : {1U, 3U}) {
        EXPECT_EQ(run(problem, legal[i], {.cpu = {}, .parallel = true, .threads = threads}),
                  expected)
            << "schedule " << i << ", " << threads << " threads";
      }
    }
  }
}

/// How far sums are off on average, as documented: two outputs round less than the sum of all
/// products does, four about twice as much.
TEST(Winograd, ErrorsAreOnAverageThoseOfTheManual) {
  const ConvSpec spec = convolution(1, 64, 16, 16, 16, {1, 1, 1, 1});
  const Problem problem = makeProblem(spec, 6);
  const auto error = [&](const ConvSchedule& schedule) {
    const std::vector<float> result = run(problem, schedule, {});
    double squares = 0;
    for (int64_t o = 0; o < spec.out.channels; ++o) {
      for (int64_t i = 0; i < spec.out.height * spec.out.width; ++i) {
        const int64_t y = i / spec.out.width, x = i % spec.out.width;
        const double off = result[placeOf(spec.out, 0, o, y, x)] - exactSum(problem, 0, o, y, x);
        squares += off * off;
      }
    }
    return std::sqrt(squares);
  };
  const double direct = error(directConvSchedule(spec, *traitsOf({})));
  EXPECT_GT(direct, 0);
  EXPECT_LT(error(scheduleOf(spec, 2)), 1.2 * direct);
  EXPECT_LT(error(scheduleOf(spec, 4)), 3 * direct);
}

TEST(Winograd, ABrokenRuleIsNamedAndNotCompiled) {
  const ConvSpec spec = convolution(1, 64, 64, 15, 15, {1, 1, 1, 1});
  const CpuTraits traits = *traitsOf({});
  const auto rule = [&](auto change) {
    ConvSchedule schedule = scheduleOf(spec, 4);
    change(schedule);
    return std::string(brokenRule(spec, schedule, traits));
  };
  EXPECT_EQ(rule([](ConvSchedule&) {}), "");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.winograd = 3; }), "there is no such transform");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.winograd = -2; }), "a field is too small");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.out_blocks = 3; }),
            "tiles do not fill the output's blocks");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.columns = 100; }), "sums exceed the registers");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.rows = 100; }), "a tile exceeds the image");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.unrolled_window = 2; }),
            "there is no such window to unroll");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.unrolled_channels = 3; }),
            "unrolled channels do not divide a block");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.in_blocks = 2; }), "a transformed layer has one pass");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.row_tiles = 7; }), "rows do not divide the parallel loop");
  EXPECT_EQ(rule([](ConvSchedule& s) { s.rows_outer = 2; }), "there is no such order");
  ConvSpec strided = spec, wide = spec, few = spec, integers = spec;
  strided.strides = {2, 2};
  wide.kernel = {3, 5};
  few.in.channels = few.in.block = 3;
  integers.in.is_integer = true;
  ConvSpec dilated = spec, depthwise = spec;
  dilated.dilations = {1, 2};
  depthwise.depthwise = true;
  for (const ConvSpec& other : {strided, wide, few, integers, dilated, depthwise}) {
    EXPECT_EQ(brokenRule(other, scheduleOf(spec, 4), traits),
              "the layer's window has no transform");
    EXPECT_EQ(defaultConvSchedule(other, traits).winograd, 0);
  }
  const auto code = convCode(strided, scheduleOf(spec, 2), {});
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.status().message().find("no transform"), std::string::npos);
}

/// Layers with a few channels and large images take the larger tile; where the weights of so many
/// positions would have to come from memory, the sum of all products is left.
TEST(Winograd, IsTheDefaultWhereItPays) {
  const auto choice = [](int64_t channels, int64_t extent) {
    const ConvSpec spec = convolution(1, channels, channels, extent, extent, {1, 1, 1, 1});
    return defaultConvSchedule(spec, {.vector_registers = 32, .vector_bytes = 64, .has_fma = true})
        .winograd;
  };
  EXPECT_EQ(choice(64, 56), 4);
  EXPECT_EQ(choice(128, 28), 4);
  EXPECT_EQ(choice(256, 14), 2);
  EXPECT_EQ(choice(512, 7), 0);
  EXPECT_EQ(choice(16, 1), 0);
}

}  // namespace
}  // namespace vta::codegen::blocked
