#include "tests/host_gpu/operator_case.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {

std::string simple(const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& result, const std::string& attributes) {
  std::string operands, types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands += (i > 0 ? ", %" : " %") + std::string(1, static_cast<char>('a' + i));
    types += (i > 0 ? ", " : "") + inputs[i];
  }
  return "%y = graph." + op + operands + " " + attributes + " : (" + types + ") -> " + result;
}

OperatorCase of(std::string name, const std::string& op, std::vector<std::string> inputs,
                const std::string& result, const std::string& attributes, double low, double high) {
  std::string body = simple(op, inputs, result, attributes);
  return {std::move(name), std::move(inputs), result, std::move(body), low, high};
}

namespace {

constexpr double kLeastWide = -0x1p63, kMostWide = 0x1p63;

std::vector<OperatorCase> wideArithmeticCases() {
  std::vector<OperatorCase> cases;
  for (const char* type : {"i64", "ui64"}) {
    const std::string whole = std::string("tensor<7x33x") + type + ">";
    const std::string row = std::string("tensor<33x") + type + ">";
    const auto add = [&](const std::string& kind, const std::string& result, const char* suffix,
                         double low, double high) {
      cases.push_back(
          of(kind + "_" + type + suffix, "binary " + kind, {whole, row}, result, "", low, high));
    };
    for (const char* kind : {"add", "sub", "mul", "div", "mod", "fmod", "min", "max", "bitwise_and",
                             "bitwise_or", "bitwise_xor"}) {
      add(kind, whole, "", kLeastWide, kMostWide);
    }
    for (const char* kind : {"div", "mod", "fmod"}) add(kind, whole, "_small", -9, 9);
    for (const char* kind : {"equal", "less", "less_equal", "greater", "greater_equal"}) {
      add(kind, "tensor<7x33xi1>", "", kLeastWide, kMostWide);
      add(kind, "tensor<7x33xi1>", "_small", -2, 2);
    }
  }
  for (const char* kind : {"shift_left", "shift_right"}) {
    cases.push_back(of(std::string(kind) + "_ui64", std::string("binary ") + kind,
                       {"tensor<7x33xui64>", "tensor<33xui64>"}, "tensor<7x33xui64>", "", -2, 70));
  }
  for (const char* kind : {"neg", "abs", "sign", "relu", "bitwise_not"}) {
    cases.push_back(of(std::string(kind) + "_i64", std::string("unary ") + kind,
                       {"tensor<3x41xi64>"}, "tensor<3x41xi64>", "", kLeastWide, kMostWide));
  }
  return cases;
}

std::vector<OperatorCase> wideMovementCases() {
  const auto wide = [](const char* name, const char* op, std::vector<std::string> inputs,
                       const char* result, const char* attributes = "") {
    return of(std::string(name) + "_i64", op, std::move(inputs), result, attributes, kLeastWide,
              kMostWide);
  };
  return {wide("transpose", "transpose", {"tensor<3x5x7xi64>"}, "tensor<7x3x5xi64>",
               "{permutation = array<i64: 2, 0, 1>}"),
          wide("reshape", "reshape", {"tensor<3x5x7xi64>"}, "tensor<15x7xi64>"),
          wide("expand", "expand", {"tensor<3x1xi64>"}, "tensor<2x3x9xi64>"),
          wide("concat", "concat", {"tensor<3x5xi64>", "tensor<3x2xi64>"}, "tensor<3x7xi64>",
               "{axis = 1 : i64}"),
          wide("slice", "slice", {"tensor<6x11xi64>"}, "tensor<3x4xi64>",
               "{starts = array<i64: 1, 10>, steps = array<i64: 2, -3>}"),
          wide("pad", "pad constant", {"tensor<1x2x5x5xi64>"}, "tensor<1x2x8x6xi64>",
               "{low = array<i64: 0, 0, 2, 1>, high = array<i64: 0, 0, 1, 0>, value = -7.0 : f64}"),
          wide("pad_edge", "pad edge", {"tensor<1x2x5x5xi64>"}, "tensor<1x2x8x6xi64>",
               "{low = array<i64: 0, 0, 2, 1>, high = array<i64: 0, 0, 1, 0>}"),
          wide("where", "where", {"tensor<3x11xi1>", "tensor<3x11xi64>", "tensor<11xi64>"},
               "tensor<3x11xi64>"),
          // Indices that are outside become the nearest that are inside.
          wide("gather_outside", "gather", {"tensor<3x9xi64>", "tensor<35xi64>"},
               "tensor<3x35xi64>", "{axis = 1 : i64}"),
          of("gather_i64", "gather", {"tensor<3x9xf32>", "tensor<2x20xi64>"}, "tensor<3x2x20xf32>",
             "{axis = 1 : i64}", -9, 8),
          of("gather_rows_i64", "gather", {"tensor<9x5xi8>", "tensor<7xi64>"}, "tensor<7x5xi8>",
             "{axis = 0 : i64}", -9, 8)};
}

std::vector<OperatorCase> wideCastCases() {
  std::vector<OperatorCase> cases;
  for (const char* wide : {"i64", "ui64"}) {
    const std::string type = std::string("tensor<3x41x") + wide + ">";
    for (const char* other : {"i1", "i8", "ui8", "i32", "ui32"}) {
      const std::string narrow = std::string("tensor<3x41x") + other + ">";
      cases.push_back(of(std::string("cast_") + wide + "_" + other, "cast", {type}, narrow, "",
                         kLeastWide, kMostWide));
      const bool is_byte = other[0] != 'u' && std::string(other) != "i32";
      cases.push_back(of(std::string("cast_") + other + "_" + wide, "cast", {narrow}, type, "",
                         is_byte ? -128 : 0, is_byte ? 127 : 255));
    }
    cases.push_back(
        of(std::string("cast_f32_") + wide, "cast", {"tensor<3x41xf32>"}, type, "", -1e19, 2e19));
    cases.push_back(of(std::string("cast_f32_small_") + wide, "cast", {"tensor<3x41xf32>"}, type,
                       "", -70000, 70000));
    // What the float is as an integer has all of its bits.
    cases.push_back({std::string("cast_") + wide + "_f32",
                     {type},
                     type,
                     "%f = graph.cast %a : (" + type + ") -> tensor<3x41xf32>\n" +
                         "%y = graph.cast %f : (tensor<3x41xf32>) -> " + type,
                     kLeastWide,
                     kMostWide});
  }
  cases.push_back(
      of("cast_f32_ui32", "cast", {"tensor<3x41xf32>"}, "tensor<3x41xui32>", "", -1e10, 1e10));
  return cases;
}

std::vector<OperatorCase> wideReductionCases() {
  std::vector<OperatorCase> cases;
  for (const char* kind : {"sum", "mean", "max", "min", "prod", "l1", "sum_square"}) {
    cases.push_back(of(std::string("reduce_") + kind + "_i64", std::string("reduce ") + kind,
                       {"tensor<3x17x5xi64>"}, "tensor<3x5xi64>", "{axes = array<i64: 1>}",
                       kLeastWide, kMostWide));
  }
  for (const char* kind : {"sum", "max", "min"}) {
    cases.push_back(of(std::string("rows_") + kind + "_i64", std::string("reduce ") + kind,
                       {"tensor<5x301xi64>"}, "tensor<5xi64>", "{axes = array<i64: 1>}", kLeastWide,
                       kMostWide));
  }
  cases.push_back(of("reduce_max_ui64", "reduce max", {"tensor<3x70xui64>"}, "tensor<3xui64>",
                     "{axes = array<i64: 1>}", kLeastWide, kMostWide));
  return cases;
}

}  // namespace

std::vector<OperatorCase> wideIntegerCases() {
  std::vector<OperatorCase> cases;
  for (auto* made : {wideArithmeticCases, wideMovementCases, wideCastCases, wideReductionCases}) {
    for (OperatorCase& test : made()) cases.push_back(std::move(test));
  }
  return cases;
}

Tensor wideTensor(DType dtype, const std::vector<int64_t>& shape, unsigned seed, double low,
                  double high) {
  constexpr int64_t kTie = (int64_t{1} << 24) + 1;
  constexpr int64_t kEdges[] = {INT64_MIN,
                                INT64_MAX,
                                0,
                                1,
                                -1,
                                INT64_MIN + 1,
                                int64_t{1} << 32,
                                -(int64_t{1} << 32),
                                INT32_MAX,
                                INT32_MIN,
                                UINT32_MAX,
                                kTie,
                                kTie + 2,
                                kTie << 30,
                                (kTie << 30) + 1,
                                (kTie << 38) - 1,
                                -(kTie << 30),
                                (int64_t{1} << 48) + (int64_t{1} << 24),
                                (int64_t{1} << 48) - 1};
  const bool has_edges = high == kMostWide;
  Tensor tensor =
      randomTensor(DType::kI64, shape, seed, has_edges ? -0x1p62 : low, has_edges ? 0x1p62 : high);
  size_t place = seed - 1;  // so that all meet others
  for (int64_t& value : tensor.as<int64_t>()) {
    const size_t number = place++ % (std::size(kEdges) + seed);
    if (!has_edges) continue;
    value = number < std::size(kEdges) ? kEdges[number] : 2 * value;
  }
  tensor.dtype = dtype;
  return tensor;
}

}  // namespace vta::codegen::testing
