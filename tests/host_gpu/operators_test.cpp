// Every operator that has a kernel, on every device, beside the CPU: integers bit for bit.
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/integer_math.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"
#include "tests/host_gpu/operator_case.h"
#include "tests/host_gpu/webgpu/webgpu_device.h"

namespace vta::codegen::testing {
namespace {

DType dtypeOfText(const std::string& type) {
  for (const auto& [text, dtype] :
       std::initializer_list<std::pair<const char*, DType>>{{"xf32>", DType::kF32},
                                                            {"xui32>", DType::kU32},
                                                            {"xui8>", DType::kU8},
                                                            {"xi8>", DType::kI8},
                                                            {"xi32>", DType::kI32},
                                                            {"xui32>", DType::kU32},
                                                            {"xui64>", DType::kU64},
                                                            {"xi64>", DType::kI64},
                                                            {"xi1>", DType::kBool}}) {
    if (type.ends_with(text)) return dtype;
  }
  return DType::kF32;
}

/// "tensor<2x3xf32>"
std::vector<int64_t> shapeOfText(const std::string& type) {
  std::vector<int64_t> shape;
  for (size_t at = type.find('<') + 1; std::isdigit(static_cast<unsigned char>(type[at])) != 0;) {
    const size_t end = type.find('x', at);
    shape.push_back(std::stoll(type.substr(at, end - at)));
    at = end + 1;
  }
  return shape;
}

std::string textOf(const OperatorCase& test) {
  std::string text = "func.func @f(";
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    text +=
        (i > 0 ? ", %" : "%") + std::string(1, static_cast<char>('a' + i)) + ": " + test.inputs[i];
  }
  return text + ") -> " + test.result + " {\n" + test.body + "\nreturn %y : " + test.result +
         "\n}\n";
}

std::vector<OperatorCase> unaryCases() {
  std::vector<OperatorCase> cases;
  const std::string type = "tensor<5x77xf32>";
  for (const char* kind :
       {"relu", "neg",   "abs",  "exp",          "sigmoid",    "tanh",     "erf",      "floor",
        "ceil", "round", "sign", "hard_sigmoid", "hard_swish", "softplus", "softsign", "gelu",
        "mish", "sin",   "cos",  "sinh",         "cosh",       "asinh",    "is_nan"}) {
    const std::string result = kind == std::string("is_nan") ? "tensor<5x77xi1>" : type;
    cases.push_back(of(kind, std::string("unary ") + kind, {type}, result));
  }
  for (const char* kind : {"log", "sqrt", "reciprocal", "acosh"}) {
    cases.push_back(of(kind, std::string("unary ") + kind, {type}, type, "", 1.1, 9));
  }
  for (const double high : {1e5, 3e38}) {
    const std::string name = high < 1e6 ? "_large" : "_huge";
    for (const char* kind : {"sin", "cos", "asinh"}) {
      cases.push_back(of(kind + name, std::string("unary ") + kind, {type}, type, "", -high, high));
    }
    cases.push_back(of("acosh" + name, "unary acosh", {type}, type, "", -1, high));
  }
  for (const char* kind : {"sinh", "cosh"}) {  // up to the largest float
    cases.push_back(of(kind + std::string("_large"), std::string("unary ") + kind, {type}, type, "",
                       -89.4, 89.4));
  }
  for (const char* kind : {"atan", "atanh"}) {
    cases.push_back(of(kind, std::string("unary ") + kind, {type}, type, "", -0.9, 0.9));
  }
  // Beyond 1 they are NaN.
  for (const char* kind : {"asin", "acos"}) {
    cases.push_back(of(kind, std::string("unary ") + kind, {type}, type, "", -1.01, 1.01));
  }
  for (const char* kind : {"neg", "abs", "relu", "bitwise_not"}) {
    cases.push_back(of(std::string(kind) + "_i8", std::string("unary ") + kind, {"tensor<3x41xi8>"},
                       "tensor<3x41xi8>", "", -128, 127));
  }
  return cases;
}

std::vector<OperatorCase> binaryCases() {
  std::vector<OperatorCase> cases;
  for (const char* kind : {"add", "sub", "mul", "div", "min", "max", "prelu"}) {
    cases.push_back(of(kind, std::string("binary ") + kind,
                       {"tensor<2x3x35xf32>", "tensor<3x1xf32>"}, "tensor<2x3x35xf32>"));
  }
  cases.push_back(
      of("pow", "binary pow", {"tensor<99xf32>", "tensor<1xf32>"}, "tensor<99xf32>", "", 0.1, 3));
  // Fractions as exponents of negative bases give NaN, whole numbers do not.
  cases.push_back(
      of("pow_of_negative", "binary pow", {"tensor<99xf32>", "tensor<99xf32>"}, "tensor<99xf32>"));
  cases.push_back({"pow_whole",
                   {"tensor<99xf32>", "tensor<99xf32>"},
                   "tensor<99xf32>",
                   "%e = graph.unary round %b : (tensor<99xf32>) -> tensor<99xf32>\n"
                   "%y = graph.binary pow %a, %e : (tensor<99xf32>, tensor<99xf32>) -> "
                   "tensor<99xf32>",
                   -3,
                   3});
  // The constants are multiplied by an input of ones, so that the compiler does not know them.
  const auto ofConstants = [](const std::string& name, const std::string& op,
                              const std::string& type, const std::string& a, const std::string& b) {
    const std::string types = " : (" + type + ", " + type + ") -> " + type;
    return OperatorCase{name,
                        {type},
                        type,
                        "%c = arith.constant dense<[" + a + "]> : " + type +
                            "\n%d = arith.constant dense<[" + b + "]> : " + type +
                            "\n%p = graph.binary mul %c, %a" + types +
                            "\n%q = graph.binary mul %d, %a" + types + "\n%y = graph.binary " + op +
                            " %p, %q" + types,
                        1,
                        1};
  };
  for (const char* kind : {"mod", "fmod"}) {
    cases.push_back(ofConstants(std::string(kind) + "_of_least", kind, "tensor<6xi32>",
                                "-2147483648, -2147483648, -2147483648, 2147483647, -7, 7",
                                "3, 10, -2147483647, -2147483648, 3, -3"));
  }
  // Infinities, zeros of both signs, and what is no number.
  cases.push_back(
      ofConstants("pow_limits", "pow", "tensor<10xf32>",
                  "0xFF800000, 0xFF800000, 0xFF800000, -1.0, -1.0, -0.0, -0.0, 0.0, "
                  "0x7F800000, -2.0",
                  "0.5, -0.5, 3.0, 0x7F800000, 0xFF800000, -1.0, 3.0, -2.0, -1.0, 0.5"));
  for (const char* kind : {"fmod", "mod"}) {
    cases.push_back(of(kind, std::string("binary ") + kind, {"tensor<7x99xf32>", "tensor<99xf32>"},
                       "tensor<7x99xf32>"));
  }
  for (const char* type : {"i8", "ui8", "i32"}) {
    const bool is_unsigned = type[0] == 'u';
    const bool is_wide = type == std::string("i32");
    const double low = is_wide ? -2147483648.0 : is_unsigned ? 0 : -128;
    const double high = is_wide ? 2147483647.0 : is_unsigned ? 255 : 127;
    const std::string whole = std::string("tensor<7x33x") + type + ">";
    const std::string row = std::string("tensor<33x") + type + ">";
    for (const char* kind : {"add", "sub", "mul", "div", "mod", "fmod", "min", "max", "bitwise_and",
                             "bitwise_xor", "shift_left", "shift_right", "pow"}) {
      const bool shifts = std::string(kind).starts_with("shift");
      if (shifts && !is_unsigned) continue;
      cases.push_back(of(std::string(kind) + "_" + type, std::string("binary ") + kind,
                         {whole, row}, whole, "", low, high));
    }
    for (const char* kind : {"equal", "less", "greater_equal"}) {
      cases.push_back(of(std::string(kind) + "_" + type, std::string("binary ") + kind,
                         {whole, row}, "tensor<7x33xi1>", "", is_wide ? -3 : low,
                         is_wide ? 3 : high));
    }
  }
  return cases;
}

std::vector<OperatorCase> movementCases() {
  return {of("transpose", "transpose", {"tensor<3x5x7xi8>"}, "tensor<7x3x5xi8>",
             "{permutation = array<i64: 2, 0, 1>}", -128, 127),
          of("reshape", "reshape", {"tensor<3x5x7xf32>"}, "tensor<15x7xf32>"),
          of("expand", "expand", {"tensor<3x1xf32>"}, "tensor<2x3x9xf32>"),
          of("concat", "concat", {"tensor<3x5xi8>", "tensor<3x2xi8>", "tensor<3x6xi8>"},
             "tensor<3x13xi8>", "{axis = 1 : i64}", -128, 127),
          of("concat_f32", "concat", {"tensor<3x5xf32>", "tensor<4x5xf32>"}, "tensor<7x5xf32>",
             "{axis = 0 : i64}"),
          of("slice", "slice", {"tensor<6x11xi8>"}, "tensor<3x4xi8>",
             "{starts = array<i64: 1, 10>, steps = array<i64: 2, -3>}", -128, 127),
          of("slice_backward", "slice", {"tensor<6x16xi8>"}, "tensor<3x4xi8>",
             "{starts = array<i64: 1, 15>, steps = array<i64: 2, -4>}", -128, 127),
          of("slice_forward", "slice", {"tensor<6x11xf32>"}, "tensor<3x4xf32>",
             "{starts = array<i64: 1, 1>, steps = array<i64: 2, 3>}"),
          of("pad", "pad constant", {"tensor<1x2x5x5xi8>"}, "tensor<1x2x8x6xi8>",
             "{low = array<i64: 0, 0, 2, 1>, high = array<i64: 0, 0, 1, 0>, value = 7.0 : f64}",
             -128, 127),
          of("pad_reflect", "pad reflect", {"tensor<1x2x5x5xf32>"}, "tensor<1x2x8x6xf32>",
             "{low = array<i64: 0, 0, 2, 1>, high = array<i64: 0, 0, 1, 0>}"),
          of("pad_edge", "pad edge", {"tensor<1x2x5x5xf32>"}, "tensor<1x2x8x6xf32>",
             "{low = array<i64: 0, 0, 2, 1>, high = array<i64: 0, 0, 1, 0>}"),
          of("interleave", "interleave", {"tensor<1x8x3x5xi8>"}, "tensor<1x2x6x10xi8>",
             "{block = array<i64: 2, 2>}", -128, 127),
          {"where_constant",
           {"tensor<3x11xf32>", "tensor<11xf32>"},
           "tensor<3x11xf32>",
           "%c = arith.constant dense<[[true], [false], [true]]> : tensor<3x1xi1>\n"
           "%y = graph.where %c, %a, %b : (tensor<3x1xi1>, tensor<3x11xf32>, tensor<11xf32>) -> "
           "tensor<3x11xf32>"},
          of("where", "where", {"tensor<3x11xi1>", "tensor<3x11xf32>", "tensor<11xf32>"},
             "tensor<3x11xf32>"),
          of("cast", "cast", {"tensor<3x11xf32>"}, "tensor<3x11xi8>", "", -300, 300),
          of("cast_ui32", "cast", {"tensor<3x11xf32>"}, "tensor<3x11xui32>", "", -6e9, 6e9),
          of("cast_up", "cast", {"tensor<3x11xui8>"}, "tensor<3x11xf32>", "", 0, 255),
          of("cast_bool", "cast", {"tensor<3x11xi8>"}, "tensor<3x11xi1>", "", -1, 1),
          of("gather", "gather", {"tensor<3x9xf32>", "tensor<4xi32>"}, "tensor<3x4xf32>",
             "{axis = 1 : i64}", 0, 8)};
}

std::vector<OperatorCase> reductionCases() {
  std::vector<OperatorCase> cases;
  for (const char* kind :
       {"sum", "mean", "max", "min", "prod", "l1", "l2", "sum_square", "log_sum_exp"}) {
    cases.push_back(of(std::string("reduce_") + kind, std::string("reduce ") + kind,
                       {"tensor<3x17x5xf32>"}, "tensor<3x5xf32>", "{axes = array<i64: 1>}", 0.5,
                       1.5));
    cases.push_back(of(std::string("reduce_all_") + kind, std::string("reduce ") + kind,
                       {"tensor<3x7xf32>"}, "tensor<f32>", "{axes = array<i64: 0, 1>}", 0.5, 1.5));
  }
  cases.push_back(of("reduce_sum_i32", "reduce sum", {"tensor<3x17x5xi32>"}, "tensor<5xi32>",
                     "{axes = array<i64: 0, 1>}", -2e9, 2e9));
  cases.push_back(of("reduce_max_i8", "reduce max", {"tensor<3x17x5xi8>"}, "tensor<3x17xi8>",
                     "{axes = array<i64: 2>}", -128, 127));
  for (const char* type : {"i8", "ui8"}) {
    cases.push_back(of(std::string("reduce_mean_") + type, "reduce mean",
                       {std::string("tensor<3x17x5x") + type + ">"},
                       std::string("tensor<3x5x") + type + ">", "{axes = array<i64: 1>}",
                       type[0] == 'u' ? 0 : -128, type[0] == 'u' ? 255 : 127));
  }
  cases.push_back(
      of("softmax", "softmax", {"tensor<7x33xf32>"}, "tensor<7x33xf32>", "{axis = 1 : i64}"));
  cases.push_back(of("log_softmax", "softmax", {"tensor<7x33xf32>"}, "tensor<7x33xf32>",
                     "{axis = 0 : i64, log = true}"));
  // Rows that several invocations share.
  for (const char* kind : {"sum", "max", "prod", "log_sum_exp"}) {
    cases.push_back(of(std::string("rows_") + kind, std::string("reduce ") + kind,
                       {"tensor<3x301xf32>"}, "tensor<3xf32>", "{axes = array<i64: 1>}", 0.99,
                       1.01));
  }
  cases.push_back(of("rows_columns", "reduce mean", {"tensor<2x130x9xf32>"}, "tensor<2x9xf32>",
                     "{axes = array<i64: 1>}"));
  cases.push_back(of("rows_i8", "reduce sum", {"tensor<5x260xi8>"}, "tensor<5xi8>",
                     "{axes = array<i64: 1>}", -128, 127));
  cases.push_back(of("rows_min_i8", "reduce min", {"tensor<4x8x9xi8>"}, "tensor<4xi8>",
                     "{axes = array<i64: 1, 2>}", -128, 127));
  cases.push_back(of("rows_of_all", "reduce sum", {"tensor<70001xi32>"}, "tensor<i32>",
                     "{axes = array<i64: 0>}", -2e9, 2e9));
  cases.push_back(of("rows_softmax", "softmax", {"tensor<2x3x130xf32>"}, "tensor<2x3x130xf32>",
                     "{axis = 2 : i64}"));
  cases.push_back(of("rows_softmax_middle", "softmax", {"tensor<2x67x5xf32>"}, "tensor<2x67x5xf32>",
                     "{axis = 1 : i64}"));
  cases.push_back(of("rows_log_softmax", "softmax", {"tensor<3x64xf32>"}, "tensor<3x64xf32>",
                     "{axis = 1 : i64, log = true}"));
  cases.push_back({"rows_normalised",
                   {"tensor<2x5x96xf32>", "tensor<96xf32>"},
                   "tensor<2x5x96xf32>",
                   "%m = graph.reduce mean %a {axes = array<i64: 2>} : (tensor<2x5x96xf32>) -> "
                   "tensor<2x5x1xf32>\n"
                   "%d = graph.binary sub %a, %m : (tensor<2x5x96xf32>, tensor<2x5x1xf32>) -> "
                   "tensor<2x5x96xf32>\n"
                   "%v = graph.reduce sum_square %d {axes = array<i64: 2>} : "
                   "(tensor<2x5x96xf32>) -> tensor<2x5x1xf32>\n"
                   "%s = graph.unary sqrt %v : (tensor<2x5x1xf32>) -> tensor<2x5x1xf32>\n"
                   "%n = graph.binary div %d, %s : (tensor<2x5x96xf32>, tensor<2x5x1xf32>) -> "
                   "tensor<2x5x96xf32>\n"
                   "%y = graph.binary mul %n, %b : (tensor<2x5x96xf32>, tensor<96xf32>) -> "
                   "tensor<2x5x96xf32>"});
  return cases;
}

std::vector<OperatorCase> windowCases() {
  const std::string window =
      "{kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, "
      "dilations = array<i64: 1, 1>";
  return {of("max_pool", "max_pool", {"tensor<2x3x9x11xf32>"}, "tensor<2x3x5x6xf32>", window + "}"),
          of("max_pool_i8", "max_pool", {"tensor<2x3x9x11xi8>"}, "tensor<2x3x5x6xi8>", window + "}",
             -128, 127),
          of("avg_pool", "avg_pool", {"tensor<2x3x9x11xf32>"}, "tensor<2x3x5x6xf32>", window + "}"),
          of("lrn", "lrn", {"tensor<1x9x3x3xf32>"}, "tensor<1x9x3x3xf32>",
             "{size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64}"),
          of("batch_norm", "batch_norm",
             {"tensor<2x5x3x3xf32>", "tensor<5xf32>", "tensor<5xf32>", "tensor<5xf32>",
              "tensor<5xf32>"},
             "tensor<2x5x3x3xf32>", "{epsilon = 1.0e-5 : f64}", 0.5, 2)};
}

std::vector<OperatorCase> productCases() {
  const auto conv = [](const char* attributes) {
    return std::string("{strides = array<i64: ") + attributes + "}";
  };
  return {
      of("conv", "conv", {"tensor<2x3x9x11xf32>", "tensor<7x3x3x3xf32>", "tensor<7xf32>"},
         "tensor<2x7x9x11xf32>",
         conv("1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : "
              "i64")),
      of("conv_1x1", "conv", {"tensor<1x20x5x7xf32>", "tensor<33x20x1x1xf32>"},
         "tensor<1x33x5x7xf32>",
         conv("1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : "
              "i64")),
      of("conv_strided", "conv", {"tensor<1x3x11x12xf32>", "tensor<4x3x3x3xf32>"},
         "tensor<1x4x4x6xf32>",
         conv("2, 2>, pads = array<i64: 0, 0, 0, 1>, dilations = array<i64: 2, 1>, group = 1 : "
              "i64")),
      of("conv_i8", "conv", {"tensor<1x17x9x11xi8>", "tensor<21x17x3x3xi8>", "tensor<21xi32>"},
         "tensor<1x21x9x11xi32>",
         conv(
             "1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64"),
         -128, 127),
      of("conv_depthwise", "conv", {"tensor<1x6x9x9xf32>", "tensor<6x1x3x3xf32>"},
         "tensor<1x6x9x9xf32>",
         conv("1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 6 : "
              "i64")),
      of("conv_grouped", "conv", {"tensor<1x6x7x7xi8>", "tensor<4x3x3x3xi8>"},
         "tensor<1x4x5x5xi32>",
         conv(
             "1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64"),
         -128, 127),
      of("matmul", "matmul", {"tensor<13x37xf32>", "tensor<37x19xf32>"}, "tensor<13x19xf32>"),
      of("matmul_i8", "matmul", {"tensor<65x130xi8>", "tensor<130x70xi8>"}, "tensor<65x70xi32>", "",
         -128, 127),
      // Few columns and whole words of four: remainders of remainders.
      of("matmul_2_columns_i8", "matmul", {"tensor<4x3xi8>", "tensor<3x2xi8>"}, "tensor<4x2xi32>",
         "", -128, 127),
      of("matmul_8_columns_i8", "matmul", {"tensor<6x5xi8>", "tensor<5x8xi8>"}, "tensor<6x8xi32>",
         "", -128, 127),
      of("matmul_6_columns_i8", "matmul", {"tensor<3x2xi8>", "tensor<2x6xi8>"}, "tensor<3x6xi32>",
         "", -128, 127),
      of("matmul_batch", "matmul", {"tensor<2x3x5x7xf32>", "tensor<3x7x4xf32>"},
         "tensor<2x3x5x4xf32>"),
      of("matmul_long", "matmul", {"tensor<1x700xf32>", "tensor<700x9xf32>"}, "tensor<1x9xf32>"),
      of("matmul_row_i8", "matmul", {"tensor<1x132xi8>", "tensor<132x10xi8>"}, "tensor<1x10xi32>",
         "", -128, 127),
      of("matmul_column_i8", "matmul", {"tensor<9x132xi8>", "tensor<132x1xi8>"}, "tensor<9x1xi32>",
         "", -128, 127),
      of("global_pool", "avg_pool", {"tensor<2x9x7x7xf32>"}, "tensor<2x9x1x1xf32>",
         "{kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}")};
}

std::vector<OperatorCase> quantisedCases() {
  return {
      of("quantize", "quantize", {"tensor<3x50xf32>"}, "tensor<3x50xi8>",
         "{scales = array<f32: 0.03>, zero_points = array<i64: 3>, axis = 0 : i64}"),
      of("quantize_rows", "quantize", {"tensor<3x50xf32>"}, "tensor<3x50xui8>",
         "{scales = array<f32: 0.03, 0.5, 0.7>, zero_points = array<i64: 3, 0, 128>, axis = 0 : "
         "i64}"),
      of("dequantize", "dequantize", {"tensor<2x50xi8>"}, "tensor<2x50xf32>",
         "{scales = array<f32: 0.5, 0.25>, zero_points = array<i64: 3, 0>, axis = 0 : i64}", -128,
         127),
      of("qmul", "qmul", {"tensor<3x50xi32>", "tensor<3x1xi32>"}, "tensor<3x50xi32>",
         "{shift = 31 : i64}", -2147483648.0, 2147483647.0),
      of("qmul_15", "qmul", {"tensor<3x50xi32>", "tensor<3x1xi32>"}, "tensor<3x50xi32>",
         "{shift = 15 : i64}", -70000, 70000),
      of("shr", "shr", {"tensor<3x50xi32>", "tensor<50xi32>"}, "tensor<3x50xi32>", "", -32, 31),
      of("clip_int", "clip_int", {"tensor<3x50xi32>"}, "tensor<3x50xi32>",
         "{min = -9 : i64, max = 7 : i64}", -20, 20)};
}

Tensor inputOf(const OperatorCase& test, const std::string& type, unsigned seed) {
  const DType dtype = dtypeOfText(type);
  const std::vector<int64_t> shape = shapeOfText(type);
  if (dtype == DType::kI64 || dtype == DType::kU64) {
    return wideTensor(dtype, shape, seed, test.low, test.high);
  }
  if (dtype != DType::kU32) return randomTensor(dtype, shape, seed, test.low, test.high);
  Tensor bits = randomTensor(DType::kI32, shape, seed, INT32_MIN, INT32_MAX);
  bits.dtype = dtype;
  return bits;
}

std::vector<OperatorCase> allCases() {
  std::vector<OperatorCase> cases;
  for (auto* made : {unaryCases, binaryCases, movementCases, reductionCases, windowCases,
                     productCases, quantisedCases, wideIntegerCases}) {
    for (OperatorCase& test : made()) cases.push_back(std::move(test));
  }
  return cases;
}

void expectSameCase(const OperatorCase& test, const Gpus& gpus, const GpuChoice& choice = {}) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    inputs.push_back(inputOf(test, test.inputs[i], static_cast<unsigned>(i + 1)));
  }
  expectWhatTheCpuGives(textOf(test), inputs, gpus, choice);
}

class OperatorsTest : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(OperatorsTest, GiveWhatTheCpuDoes) { expectSameCase(GetParam(), vulkanGpus()); }

INSTANTIATE_TEST_SUITE_P(All, OperatorsTest, ::testing::ValuesIn(allCases()),
                         [](const auto& info) { return info.param.name; });

class PtxTest : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(PtxTest, GivesWhatTheCpuDoes) { expectSameCase(GetParam(), ptxGpus()); }

INSTANTIATE_TEST_SUITE_P(All, PtxTest, ::testing::ValuesIn(allCases()),
                         [](const auto& info) { return info.param.name; });

class WebGpuTest : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(WebGpuTest, GivesWhatTheCpuDoes) {
  if (const std::string missing = missingWebGpu(); !missing.empty()) GTEST_SKIP() << missing;
  expectSameCase(GetParam(), webGpus(), {.codes = {"wgsl"}});
}

INSTANTIATE_TEST_SUITE_P(All, WebGpuTest, ::testing::ValuesIn(allCases()),
                         [](const auto& info) { return info.param.name; });

/// What a device binds at once: so little that most tensors are several ranges, and so much that
/// they are no more than the devices of the tests bind.
GpuChoice smallRangesFor(const OperatorCase& test) {
  constexpr int64_t kAlignment = 512, kFewRanges = 12;
  uint64_t total_bytes = 0;
  std::vector<std::string> types = test.inputs;
  types.push_back(test.result);
  for (const std::string& type : types) {
    total_bytes += Tensor::zeros(dtypeOfText(type), shapeOfText(type)).data.size();
  }
  const int64_t range_bytes = static_cast<int64_t>(total_bytes) / kFewRanges;
  return {.range_bytes = static_cast<int64_t>(roundUp(range_bytes + 1, kAlignment))};
}

class RangesOfOperatorsTest : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(RangesOfOperatorsTest, GiveWhatTheCpuDoes) {
  expectSameCase(GetParam(), vulkanGpus(), smallRangesFor(GetParam()));
}

TEST_P(RangesOfOperatorsTest, GiveWhatTheCpuDoesInPtx) {
  expectSameCase(GetParam(), ptxGpus(), smallRangesFor(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, RangesOfOperatorsTest, ::testing::ValuesIn(allCases()),
                         [](const auto& info) { return info.param.name; });

class OpenClTest : public ::testing::TestWithParam<OperatorCase> {};

TEST_P(OpenClTest, GivesWhatTheCpuDoes) { expectSameCase(GetParam(), openClGpus()); }

/// PoCL takes a second to build a kernel: one case for each form of expressions and statements.
std::vector<OperatorCase> openClCases() {
  const std::set<std::string> names = {"exp",          "erf",           "round",
                                       "is_nan",       "neg_i8",        "pow",
                                       "max",          "add_i8",        "div_ui8",
                                       "mod_i32",      "less_ui8",      "shift_left_ui8",
                                       "pad_reflect",  "where",         "cast",
                                       "reduce_sum",   "reduce_max_i8", "max_pool_i8",
                                       "conv",         "conv_i8",       "rows_softmax",
                                       "rows_i8",      "matmul_batch",  "quantize",
                                       "qmul",         "shr",           "mul_i64",
                                       "div_i64",      "rows_sum_i64",  "less_ui64",
                                       "cast_i64_f32", "cast_f32_i64",  "gather_outside_i64",
                                       "asin",         "fmod",          "pow_i8",
                                       "pow_ui8",      "cast_ui32"};
  std::vector<OperatorCase> cases = allCases();
  std::erase_if(cases, [&](const OperatorCase& test) { return !names.contains(test.name); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Some, OpenClTest, ::testing::ValuesIn(openClCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::codegen::testing
